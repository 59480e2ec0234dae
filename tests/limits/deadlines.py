"""Cases of the deadlines of a space: an answer in the last millisecond is in time."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from mew_gateway.space import outages, participant_control
from mew_gateway.space.effects import Close, Deliver, Effect
from mew_gateway.space.settings import Interrupts, Participant, Step, Watchdog

from ..kit.space_driver import CAST, START, SpaceDriver, codes
from .limit import Pair
from .limit_fixture import LimitFixture, accepted, lives_on, refused

_WAIT = 7_000  # ms, of every deadline that can be set

Act = Callable[[SpaceDriver], None]


def due(
    settings: dict[str, Any],
    begin: Act,
    answer: Act,
    is_outcome: Callable[[list[Effect]], bool],
    *,
    wait: int = _WAIT,
    back: Act | None = None,
    returns: bool = False,
) -> Pair:
    """`begin` starts the wait; what answers it in its last millisecond is in time, a millisecond later comes the
    outcome. With `back` the gateway restarts in between, and `back` brings the participants behind it: that moves a
    deadline only if a participant has time to return, and to its whole time from its return at most."""

    def begun(fixture: LimitFixture) -> SpaceDriver:
        driver = fixture.driver(**settings)
        begin(driver)
        return driver

    def at(fixture: LimitFixture) -> None:
        driver = begun(fixture).at(wait)
        answer(driver)
        for later in (wait, wait + 1, 100 * wait):
            assert not is_outcome(driver.at(later).pass_deadlines())
        lives_on(driver, "admin")
        driver.verify()

    def past(fixture: LimitFixture) -> None:
        driver, ends = begun(fixture), wait
        assert not is_outcome(driver.at(wait - 1).pass_deadlines())
        if returns:
            ends += min(outages.RETURN, wait) - 1
        if back is not None:
            driver.restart()
            for name in ("admin", "worker", "boss", "safety"):
                driver.join(name)
            back(driver)
        assert driver.space.deadline == START + wait
        if ends > wait:  # what was scheduled before passes without effect
            assert not is_outcome(driver.at(wait).pass_deadlines())
            assert not is_outcome(driver.at(ends - 1).pass_deadlines())
        assert is_outcome(driver.at(ends).pass_deadlines())
        assert not is_outcome(driver.at(100 * wait).pass_deadlines()), "it comes once"
        lives_on(driver, "admin")
        driver.verify()

    return Pair(at, past)


def _told(code: str) -> Callable[[list[Effect]], bool]:
    return lambda effects: code in codes(effects)


def _sent(kind: str, sender: str = "system:gateway") -> Callable[[list[Effect]], bool]:
    def is_sent(effects: list[Effect]) -> bool:
        sent = [json.loads(effect.data) for effect in effects if isinstance(effect, Deliver)]
        return any((one["kind"], one["from"]) == (kind, sender) for one in sent)

    return is_sent


def _is_closed(effects: list[Effect]) -> bool:
    return any(isinstance(effect, Close) and effect.code == 4504 for effect in effects)


def _open(driver: SpaceDriver) -> None:
    accepted(driver, "worker", "reasoning/start", "s")


def _interrupted(class_: str = "cancel", *, label: str = "boss") -> Act:
    def begin(driver: SpaceDriver) -> None:
        _open(driver)
        said = {"reason": "user_request", "class": class_}
        accepted(driver, label, "reasoning/interrupt", "i", said, to=["worker"], correlation_id=["s"])

    return begin


def _acked(status: str, **of: Any) -> Act:
    return lambda driver: accepted(
        driver, "worker", "reasoning/interrupt-ack", "k", {"status": status, **of}, correlation_id=["i"]
    )


def _conclude(driver: SpaceDriver) -> None:
    accepted(driver, "worker", "reasoning/conclusion", "c", context="s")


def _promised(status: str) -> Act:
    def begin(driver: SpaceDriver) -> None:
        _interrupted()(driver)
        _acked(status)(driver)

    return begin


def _cancelled(driver: SpaceDriver) -> None:
    _open(driver)
    accepted(driver, "boss", "reasoning/cancel", "i", {}, context="s")


def _nothing(_: SpaceDriver) -> None:
    return None


ACK = due(
    {"interrupts": Interrupts(ack_deadline=_WAIT)},
    _interrupted(),
    _acked("ignored"),
    _told("interrupt_ack_timeout"),
    back=_nothing,
    returns=True,
)
EMERGENCY_ACK = due(
    {"interrupts": Interrupts(emergency_ack_deadline=_WAIT, emergency_escalation=())},
    _interrupted("emergency", label="safety"),
    _acked("stopping"),
    _told("interrupt_ack_timeout"),
    back=_nothing,
    returns=True,
)
STOPPING = due(
    {"interrupts": Interrupts(stopping_conclusion=_WAIT)},
    _promised("stopping"),
    _conclude,
    _told("interrupt_overrun"),
    back=_nothing,
    returns=True,
)
COMPLETING = due(
    {"interrupts": Interrupts(completing_conclusion=_WAIT, ack_deadline=100 * _WAIT)},
    _promised("completing_thought"),
    _conclude,
    _told("interrupt_overrun"),
    back=_nothing,
    returns=True,
)
CANCELLED = due(
    {"interrupts": Interrupts(completing_conclusion=_WAIT)},
    _cancelled,
    _conclude,
    _told("interrupt_overrun"),
    back=_nothing,
    returns=True,
)


def _leave(driver: SpaceDriver) -> None:
    _open(driver)
    driver.leave("worker")


def _come_back(driver: SpaceDriver) -> None:
    driver.join("worker")


OWNER_GRACE = due(
    {"owner_grace": _WAIT},
    _leave,
    _come_back,
    _told("sequence_lost"),
)


def _propose(driver: SpaceDriver) -> None:
    accepted(driver, "worker", "mcp/proposal", "p", {"method": "tools/list"})


PROPOSAL = due(
    {"proposal_expiry": _WAIT},
    _propose,
    lambda driver: accepted(driver, "human", "mcp/request", "q", {"method": "tools/list"}, correlation_id=["p"]),
    _told("proposal_expired"),
    back=_nothing,
)
MAX_SECONDS = due(
    {"watchdog": Watchdog(max_seconds=_WAIT // 1000)},
    _open,
    _conclude,
    _sent("reasoning/interrupt"),
    back=_nothing,
)
_WATCHED = {
    **{name: Participant(name, tuple(patterns)) for name, patterns in CAST.items()},
    "worker": Participant("worker", tuple(CAST["worker"]), watchdog=Watchdog(max_seconds=_WAIT // 1000)),
}
OWN_MAX_SECONDS = due(
    {"watchdog": Watchdog(max_seconds=1), "participants": _WATCHED},
    _open,
    _conclude,
    _sent("reasoning/interrupt"),
    back=_nothing,
)


def _ladder(name: str) -> Act:
    """At 0 the ack is overdue; the rung waits."""

    def begin(driver: SpaceDriver) -> None:
        emergency = name.startswith("emergency")
        _interrupted("emergency" if emergency else "cancel", label="safety" if emergency else "boss")(driver)
        assert codes(driver.at(0).pass_deadlines()) == ["interrupt_ack_timeout"]

    return lambda driver: begin(driver.at(-1))


_RUNG = (Step("pause", _WAIT),)
ESCALATION = due(
    {"interrupts": Interrupts(ack_deadline=1, escalation=_RUNG)},
    _ladder("escalation"),
    _acked("ignored"),
    _sent("participant/pause"),
    back=_nothing,
    returns=True,
)
EMERGENCY_ESCALATION = due(
    {"interrupts": Interrupts(emergency_ack_deadline=1, emergency_escalation=_RUNG)},
    _ladder("emergency_escalation"),
    _acked("stopping"),
    _sent("participant/pause"),
    back=_nothing,
    returns=True,
)


def _farewell_at(fixture: LimitFixture) -> None:
    driver = fixture.driver()
    accepted(driver, "human", "participant/shutdown", "d", {}, to=["worker"])
    accepted(driver.at(participant_control._NOTICE), "worker", "participant/status", "last", {"status": "done"})


def _farewell_past(fixture: LimitFixture) -> None:
    driver = fixture.driver()
    accepted(driver, "human", "participant/shutdown", "d", {}, to=["worker"])
    refused_kinds = ("chat", "mcp/request")
    for number, kind in enumerate(refused_kinds):
        said = {"text": "x", "method": "tools/list"}
        assert codes(driver.say("worker", kind, f"x{number}", said)) == ["shutting_down"]
    assert not _is_closed(driver.at(participant_control._NOTICE - 1).pass_deadlines())
    assert _is_closed(driver.at(participant_control._NOTICE).pass_deadlines())
    lives_on(driver, "human")
    driver.join("worker")
    lives_on(driver, "worker")


FAREWELL = Pair(_farewell_at, _farewell_past)

YEAR = 31_536_000  # seconds


def _pause_at(fixture: LimitFixture) -> None:
    driver = fixture.driver()
    accepted(driver, "human", "participant/pause", "p", {"timeout_seconds": YEAR}, to=["worker"])
    assert not _sent("participant/resume")(driver.at(YEAR * 1000 - 1).pass_deadlines())
    assert _sent("participant/resume")(driver.at(YEAR * 1000).pass_deadlines())
    lives_on(driver, "worker")


def _pause_past(fixture: LimitFixture) -> None:
    refused(
        fixture.driver(),
        "invalid_payload",
        "human",
        "participant/pause",
        "p",
        {"timeout_seconds": YEAR + 1},
        to=["worker"],
    )


PAUSE = Pair(_pause_at, _pause_past)
