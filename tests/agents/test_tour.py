"""The search: what it holds is always a round trip of the stated length, and never longer than the start."""

from __future__ import annotations

from itertools import islice, permutations

import pytest

from mew_agents.tour import FEWEST, Search, length_of, scatter


def test_the_same_seed_gives_the_same_cities_and_the_same_search():
    def found(seed: int) -> tuple[list[int], float]:
        search = Search(scatter(30, seed), seed=seed)
        for _ in islice(search.work(), 300):
            pass
        return search.tour, search.length

    assert scatter(30, 1) == scatter(30, 1)
    assert scatter(30, 1) != scatter(30, 2)
    assert found(1) == found(1)


@pytest.mark.parametrize("count", [FEWEST, 9, 11, 40, 130])
@pytest.mark.parametrize("seed", [1, 2])
def test_at_every_step_the_tour_is_a_permutation_of_its_length_and_only_gets_shorter(count, seed):
    search = Search(scatter(count, seed), seed=seed)
    shortest = float("inf")
    for _ in islice(search.work(), 2 * count + 400):
        if search.start_length:
            assert sorted(search.tour) == list(range(count))
            assert search.length == length_of(search.cities, search.tour)
            assert search.length <= min(shortest, search.start_length)
            shortest = search.length
    assert shortest < search.start_length


def test_the_trip_worked_on_and_the_sum_of_its_changes_stay_true():
    search = Search(scatter(60, 5), seed=5)
    for _ in islice(search.work(), 2_000):
        pass
    assert length_of(search.cities, search._path) == pytest.approx(search.length)
    assert [search._place[city] for city in search._path] == list(range(60))


def test_a_small_problem_is_solved():
    cities = scatter(FEWEST, 3)
    shortest = min(length_of(cities, (0, *rest)) for rest in permutations(range(1, FEWEST)))
    search = Search(cities, seed=3)
    for _ in islice(search.work(), 500):
        pass
    assert search.length == pytest.approx(shortest)


def test_it_is_far_better_than_its_start():
    search = Search(scatter(200, 1), seed=1)
    for _ in islice(search.work(), 3_000):
        pass
    assert search.length < 0.85 * search.start_length


def test_cities_in_one_place_and_in_a_line_are_no_trouble():
    for cities in ([0j] * 10, [complex(n, 0) for n in range(20)]):
        search = Search(cities, seed=1)
        for _ in islice(search.work(), 300):
            pass
        assert sorted(search.tour) == list(range(len(cities)))
    assert search.length == pytest.approx(38)


def test_too_few_cities_are_refused():
    with pytest.raises(ValueError, match="at least"):
        Search(scatter(FEWEST - 1, 1), seed=1)
