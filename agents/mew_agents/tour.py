"""A search for a short round trip through cities (the travelling salesman): real optimisation, in small steps.

A nearest-neighbour start, then 2-opt and Or-opt moves between near cities until none helps, then iterated local
search: a small double-bridge kick, the same moves around it, and back if the trip did not become shorter.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from heapq import nsmallest
from itertools import pairwise
from random import Random

_NEAR = 8  # neighbours that a move is tried with
_SEGMENT = 3  # the longest that Or-opt moves
_KICK = 30  # the longest segment that a kick displaces
_EPSILON = 1e-9  # rounding is no improvement
FEWEST = 8


def scatter(count: int, seed: int, *, side: float = 1000.0) -> tuple[complex, ...]:
    """`count` cities in a square, the same for the same seed. A complex number is a point; abs is a distance."""
    random = Random(seed)
    return tuple(complex(random.uniform(0, side), random.uniform(0, side)) for _ in range(count))


def length_of(cities: Sequence[complex], tour: Sequence[int]) -> float:
    """The length of the round trip."""
    return sum(abs(cities[a] - cities[b]) for a, b in pairwise([*tour, tour[0]]))


class Search:
    """A search under way. `tour` is the best found so far (empty until there is one) and `length` its length.

    `attempts` counts the kicks. At least `FEWEST` cities. `work` does it, a little at every step; drop it to stop.
    """

    def __init__(self, cities: Sequence[complex], *, seed: int) -> None:
        if len(cities) < FEWEST:
            raise ValueError(f"A search needs at least {FEWEST} cities.")
        self.cities = cities
        self.tour: list[int] = []
        self.length = 0.0
        self.start_length = 0.0
        self.attempts = 0
        self._random = Random(seed)
        self._near: list[list[int]] = []
        self._path: list[int] = []  # the trip being worked on
        self._place: list[int] = []  # where each city is in it
        self._awake: deque[int] = deque()  # cities around which a move may help

    def work(self) -> Iterator[None]:
        """Never ends by itself. Each step takes well under a millisecond for up to some hundreds of cities."""
        yield from self._start()
        self._keep()
        self.start_length = self.length
        self._awake.extend(self._path)
        yield from self._settle()
        self._keep()
        while True:
            before = self._path.copy(), self._place.copy()
            change = self._kick()
            self.attempts += 1
            while self._awake:
                change += self._improve(self._awake.popleft())
            if change < -_EPSILON:
                self._keep()
            elif change > 0:
                self._path, self._place = before
            yield

    def _keep(self) -> None:
        self.tour = self._path.copy()
        self.length = length_of(self.cities, self.tour)

    def _start(self) -> Iterator[None]:
        """Each city's neighbours; then always on to the nearest city not yet visited."""
        at, everyone = self.cities, range(len(self.cities))
        for city in everyone:
            here = at[city]
            nearest = nsmallest(_NEAR + 1, everyone, key=lambda other, here=here: abs(at[other] - here))  # type: ignore[misc]
            self._near.append([other for other in nearest if other != city][:_NEAR])
            yield
        left, city = set(everyone), 0
        while left:
            left.remove(city)
            self._path.append(city)
            here = at[city]
            city = min(left, key=lambda other, here=here: abs(at[other] - here), default=0)  # type: ignore[misc]
            yield
        self._number()

    def _settle(self) -> Iterator[None]:
        """Improve around every city that is awake; keep what is gained on the way."""
        gained = 0.0
        while self._awake:
            gained += self._improve(self._awake.popleft())
            if gained < -_EPSILON:
                gained = 0.0
                self._keep()
            yield

    def _improve(self, city: int) -> float:
        """Make the first move around a city that shortens the trip; returns the change (0 for none)."""
        return self._two_opt(city) or self._or_opt(city)

    def _two_opt(self, city: int) -> float:
        """Exchange two edges: with the next city (forward) or the one before, which leaves the same gap to fill."""
        at, path, place, size = self.cities, self._path, self._place, len(self._path)
        here = at[city]
        for step in (1, -1):
            beside = path[(place[city] + step) % size]
            edge = abs(here - at[beside])
            for other in self._near[city]:
                link = abs(here - at[other])
                if link >= edge:
                    break
                far = path[(place[other] + step) % size]
                change = link + abs(at[beside] - at[far]) - edge - abs(at[other] - at[far])
                if change < -_EPSILON:
                    if step == 1:
                        self._reverse(place[beside], place[other])
                    else:
                        self._reverse(place[city], place[far])
                    self._wake((city, beside, other, far))
                    return change
        return 0.0

    def _or_opt(self, city: int) -> float:
        """Move a short segment that begins at the city to between two neighbours elsewhere."""
        at, path, place, size = self.cities, self._path, self._place, len(self._path)
        for step in (1, -1):
            start = place[city]
            before = path[(start - step) % size]
            for count in range(1, _SEGMENT + 1):
                segment = [path[(start + step * n) % size] for n in range(count)]
                last, after = segment[-1], path[(start + step * count) % size]
                freed = abs(at[before] - at[city]) + abs(at[last] - at[after]) - abs(at[before] - at[after])
                for other in self._near[city]:
                    link = abs(at[city] - at[other])
                    if link >= freed:
                        break
                    if other in segment:
                        continue
                    for side in (1, -1):
                        far = path[(place[other] + side) % size]
                        change = link + abs(at[last] - at[far]) - abs(at[other] - at[far]) - freed
                        if change < -_EPSILON and far not in segment:
                            self._move(segment, other, far)
                            self._wake((before, after, city, last, other, far))
                            return change
        return 0.0

    def _kick(self) -> float:
        """Put three neighbouring segments in the opposite order (a double bridge); returns the change in length."""
        size, random = len(self._path), self._random
        longest = min(_KICK, (size - 2) // 3)
        one, two, three = (random.randint(1, longest) for _ in range(3))
        first = random.randrange(size)
        path, at = self._path, self.cities
        window = [path[(first + n) % size] for n in range(one + two + three + 2)]
        a, b, c = 1 + one, 1 + one + two, 1 + one + two + three
        changed = [window[0], *window[b:c], *window[a:b], *window[1:a], window[c]]
        for n, city in enumerate(changed):
            path[(first + n) % size] = city
            self._place[city] = (first + n) % size
        self._wake((window[0], window[1], window[a - 1], window[a], window[b - 1], window[b], window[c - 1], window[c]))
        return _span(at, changed) - _span(at, window)

    def _move(self, segment: list[int], other: int, far: int) -> None:
        """Take the segment out and put it between two neighbours, its first city next to `other`."""
        rest = [city for city in self._path if city not in segment]
        index = rest.index(other)
        if rest[(index + 1) % len(rest)] == far:
            rest[index + 1 : index + 1] = segment
        else:
            rest[index:index] = segment[::-1]
        self._path = rest
        self._number()

    def _reverse(self, first: int, last: int) -> None:
        """Turn round what lies between two places, or all the rest, which is the same trip, if that is less."""
        path, place, size = self._path, self._place, len(self._path)
        count = (last - first) % size + 1
        if count * 2 > size:
            first, last, count = (last + 1) % size, (first - 1) % size, size - count
        for n in range(count // 2):
            i, j = (first + n) % size, (last - n) % size
            path[i], path[j] = path[j], path[i]
            place[path[i]], place[path[j]] = i, j

    def _number(self) -> None:
        self._place = [0] * len(self._path)
        for index, city in enumerate(self._path):
            self._place[city] = index

    def _wake(self, cities: Iterable[int]) -> None:
        self._awake.extend(city for city in cities if city not in self._awake)


def _span(at: Sequence[complex], path: Sequence[int]) -> float:
    return sum(abs(at[a] - at[b]) for a, b in pairwise(path))
