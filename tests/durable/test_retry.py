"""How long, and in what pauses, a transaction is tried again."""

from __future__ import annotations

import pytest

from mew_agents.durable.retry import Retry


class Passing(Exception):
    pass


class Attempts:
    """Fails so many times, in a world whose clock moves by the pauses alone."""

    def __init__(self, failures: int, error: Exception | None = None) -> None:
        self.failures = failures
        self.error = error or Passing()
        self.pauses: list[float] = []

    def run(self, *, patience: float = 1.0, draw: float = 1.0) -> int:
        retry = Retry(patience=patience, draw=lambda: draw, clock=lambda: sum(self.pauses), pause=self.pauses.append)
        return retry.run(self.attempt, passing=lambda error: isinstance(error, Passing))

    def attempt(self) -> int:
        if self.failures == 0:
            return 7
        self.failures -= 1
        raise self.error


def test_what_succeeds_is_not_repeated() -> None:
    attempts = Attempts(0)
    assert attempts.run() == 7
    assert attempts.pauses == []


def test_pauses_double_up_to_a_twentieth_of_a_second() -> None:
    attempts = Attempts(9)
    assert attempts.run() == 7
    assert attempts.pauses == [0.0005, 0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.05, 0.05]


def test_pauses_are_drawn() -> None:
    attempts = Attempts(3)
    attempts.run(draw=0.5)
    assert attempts.pauses == [0.00025, 0.0005, 0.001]


def test_the_patience_ends() -> None:
    attempts = Attempts(1000)
    with pytest.raises(Passing):
        attempts.run(patience=0.1)
    assert 0.1 <= sum(attempts.pauses) <= 0.15


def test_another_error_is_raised_at_once() -> None:
    attempts = Attempts(1, LookupError("no"))
    with pytest.raises(LookupError):
        attempts.run()
    assert attempts.pauses == []
