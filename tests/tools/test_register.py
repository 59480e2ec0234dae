"""The register: one effect a key, one answer a request, and nothing that was overtaken or comes too late."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import apsw
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from mew_agents.tools.answer import Answer, Declined, applied
from mew_agents.tools.call import Call, digest_of
from mew_agents.tools.effect import Effect
from mew_agents.tools.register import TABLES, Register
from mew_gateway.sdk import ToolError

NOW = 1_000


class Till:
    """A register, and something that it may do."""

    def __init__(self) -> None:
        self.connection = apsw.Connection(":memory:")
        self.connection.execute(f"{TABLES} create table done (what text)")
        self.register = Register(self.connection)
        self.full = False

    def do(self, call: Call, *, now: int = NOW) -> Answer:
        return self.register.perform(call, self._work, now=now)

    @property
    def done(self) -> int:
        rows: list[Any] = self.connection.execute("select count(*) from done").fetchall()
        return int(rows[0][0])

    def _work(self) -> Answer:
        self.connection.execute("insert into done values ('it')")
        if self.full:
            raise Declined("full", most=1)
        return applied("did", nth=self.done)


@pytest.fixture
def till() -> Till:
    return Till()


Make = Callable[..., Any]


@pytest.fixture
def effect() -> Make:
    def make(*, attempt: int = 1, fence: int = 1, deadline: int = NOW + 1, key: str = "k") -> Effect:
        return Effect(key, attempt, fence, deadline)

    return make


def test_a_key_is_done_once_and_answered_as_it_was(till: Till, call: Make, effect: Make) -> None:
    first = till.do(call(effect()))
    assert first == {"status": "applied", "code": "did", "nth": 1}
    assert till.do(call(effect())) == {**first, "repeated": True}
    assert till.done == 1


def test_what_was_done_is_said_also_too_late_and_to_who_was_overtaken(till: Till, call: Make, effect: Make) -> None:
    till.do(call(effect(fence=5)))
    for later in (effect(fence=4), effect(fence=6, attempt=2), effect(deadline=0)):
        assert till.do(call(later), now=NOW + 10)["status"] == "applied"
    assert till.done == 1


def test_two_keys_are_two_effects_and_no_key_is_one_each_time(till: Till, call: Make, effect: Make) -> None:
    for one in (effect(key="a"), effect(key="b"), None, None):
        assert "repeated" not in till.do(call(one))
    assert till.done == 4


def test_a_request_that_comes_twice_is_done_once(till: Till, call: Make) -> None:
    first = till.do(call(request="r"))
    assert till.do(call(request="r")) == {**first, "repeated": True}
    assert till.done == 1


def test_a_refused_request_that_comes_twice_stays_refused(till: Till, call: Make) -> None:
    till.full = True
    assert till.do(call(request="r")) == {"status": "not_applied", "code": "full", "most": 1}
    till.full = False
    assert till.do(call(request="r"))["status"] == "not_applied"
    assert till.done == 0


def test_a_refusal_undoes_what_was_begun_and_is_final_for_its_attempt(till: Till, call: Make, effect: Make) -> None:
    till.full = True
    assert till.do(call(effect()))["code"] == "full"
    assert till.done == 0
    till.full = False
    assert till.do(call(effect())) == {"status": "not_applied", "code": "full", "most": 1, "repeated": True}
    assert till.do(call(effect(attempt=2)))["status"] == "applied"


@pytest.mark.parametrize("what", ["key", "request"])
def test_a_key_or_a_request_id_stands_for_one_thing(till: Till, call: Make, effect: Make, what: str) -> None:
    given = {"effect": effect()} if what == "key" else {"request": "r"}
    till.do(call(**given))
    with pytest.raises(ToolError, match="nothing was done") as caught:
        till.do(call(**given, what="something else"))
    assert caught.value.code == -32602
    assert till.done == 1


def test_after_its_deadline_it_is_refused_and_stays_so(till: Till, call: Make, effect: Make) -> None:
    assert till.do(call(effect(deadline=NOW)), now=NOW + 1) == {
        "status": "not_applied",
        "code": "too_late",
        "deadline": NOW,
    }
    assert till.do(call(effect(deadline=NOW)), now=NOW)["code"] == "too_late"
    assert till.do(call(effect(deadline=NOW + 9, attempt=2)), now=NOW + 1)["status"] == "applied"


@pytest.mark.parametrize("stale", [{"fence": 1, "attempt": 9}, {"fence": 2, "attempt": 1}])
def test_below_the_highest_rank_it_is_refused(till: Till, call: Make, effect: Make, stale: dict[str, int]) -> None:
    till.full = True
    till.do(call(effect(fence=2, attempt=2)))
    till.full = False
    answer = till.do(call(effect(**stale)))
    assert (answer["status"], answer["code"], answer["fence"], answer["attempt"]) == ("not_applied", "fenced", 2, 2)
    assert till.done == 0


def test_a_status_tells_what_was_done(till: Till, call: Make, effect: Make) -> None:
    first = till.do(call(effect()))
    assert till.register.status("k", effect(fence=2)) == {**first, "key": "k"}
    assert till.register.status("k", None) == {**first, "key": "k"}


def test_absent_stays_absent_for_every_lower_fence(till: Till, call: Make, effect: Make) -> None:
    assert till.register.status("k", effect(fence=3)) == {
        "status": "not_applied",
        "code": "absent",
        "key": "k",
        "barred_below": 3,
    }
    assert till.do(call(effect(fence=2)))["code"] == "fenced"
    assert till.do(call(effect(fence=3)))["status"] == "applied"


def test_a_person_who_asks_bars_nothing(till: Till, call: Make, effect: Make) -> None:
    assert till.register.status("k", None) == {"status": "not_applied", "code": "absent", "key": "k"}
    assert till.do(call(effect(fence=0)))["status"] == "applied"


def test_who_was_overtaken_learns_nothing_certain(till: Till, effect: Make) -> None:
    till.register.status("k", effect(fence=3))
    assert till.register.status("k", effect(fence=2))["status"] == "unknown"


def test_a_question_about_another_key_is_refused(till: Till, effect: Make) -> None:
    with pytest.raises(ToolError, match="not the key"):
        till.register.status("other", effect())


def test_what_fails_leaves_nothing_behind(till: Till, call: Make, effect: Make) -> None:
    def work() -> Answer:
        till.connection.execute("insert into done values ('half')")
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        till.register.perform(call(effect(), request="r"), work, now=NOW)
    assert till.done == 0
    assert "repeated" not in till.do(call(effect(), request="r"))


def test_a_book_that_another_holds_is_busy_and_nothing_is_remembered(tmp_path: Any, call: Make, effect: Make) -> None:
    path = str(tmp_path / "book.db")
    ours, theirs = apsw.Connection(path), apsw.Connection(path)
    ours.execute(TABLES)
    register = Register(ours)
    theirs.execute("begin immediate")
    assert register.perform(call(effect()), lambda: applied("did"), now=NOW) == {
        "status": "not_applied",
        "code": "busy",
    }
    assert register.status("k", effect())["status"] == "unknown"
    theirs.execute("rollback")
    assert register.perform(call(effect()), lambda: applied("did"), now=NOW)["status"] == "applied"
    ours.close()
    theirs.close()


class Attempts(RuleBasedStateMachine):
    """Calls and questions in any order, repeated, late and overtaken: what was said of a key stays true."""

    def __init__(self) -> None:
        super().__init__()
        self.till = Till()
        self.requests = 0
        self.said: dict[str, str] = {}  # what each request was told
        self.barred = -1

    @rule(fence=st.integers(0, 3), attempt=st.integers(1, 2), late=st.booleans(), full=st.booleans())
    def call(self, fence: int, attempt: int, late: bool, full: bool) -> None:
        self.requests += 1
        self._call(f"r{self.requests}", fence, attempt, late=late, full=full)

    @rule(fence=st.integers(0, 3), attempt=st.integers(1, 2), nth=st.integers(1, 9), full=st.booleans())
    def call_again(self, fence: int, attempt: int, nth: int, full: bool) -> None:
        self._call(f"r{nth}", fence, attempt, late=False, full=full)

    @rule(fence=st.integers(0, 3), attempt=st.integers(1, 2))
    def ask(self, fence: int, attempt: int) -> None:
        answer = self.till.register.status("k", Effect("k", attempt, fence, NOW))
        assert (answer["status"] == "applied") == (self.till.done == 1)
        if answer["status"] == "not_applied":
            self.barred = max(self.barred, fence)

    @invariant()
    def at_most_one_effect(self) -> None:
        assert self.till.done <= 1

    def _call(self, request: str, fence: int, attempt: int, *, late: bool, full: bool) -> None:
        before = self.till.done
        self.till.full = full
        effect = Effect("k", attempt, fence, 0 if late else NOW)
        answer = self.till.do(Call("human", request, digest_of("tool", {}), effect))
        assert answer["status"] == self.said.setdefault(request, answer["status"])
        if self.till.done > before:
            assert fence >= self.barred
            assert answer == {"status": "applied", "code": "did", "nth": 1}


TestAttempts = Attempts.TestCase
TestAttempts.settings = settings(max_examples=60, stateful_step_count=25, deadline=None)
