"""Cases of the limits on counts in a space: one too many is refused, or evicts the oldest."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from mew_gateway.space import pauses
from mew_gateway.space.interrupts import emergency_halts
from mew_gateway.space.settings import Bounds

from ..kit.space_driver import SpaceDriver, codes
from .limit import Pair
from .limit_fixture import LimitFixture, accepted, lives_on, refused

_BOUND = 3  # of everything that can be set


class Sayable(NamedTuple):
    """An envelope that fills a limit: its sender, and its content by number."""

    label: str
    kind: str
    payload: Callable[[int], dict[str, Any]]
    fields: Mapping[str, Any] = MappingProxyType({})

    def say(self, driver: SpaceDriver, number: int) -> None:
        accepted(driver, self.label, self.kind, f"f{number}", self.payload(number), **self.fields)

    def is_refused(self, driver: SpaceDriver, number: int, code: str) -> dict[str, Any]:
        return refused(driver, code, self.label, self.kind, f"f{number}", self.payload(number), **self.fields)


def full(
    said: Sayable,
    code: str,
    *,
    bound: int = _BOUND,
    setting: str | None = None,
    leave: tuple[str, str, Callable[[int], dict[str, Any]]],
) -> Pair:
    """Make the cases of a limit that refuses: `bound` are accepted, one more is refused until one has left."""

    def filled(fixture: LimitFixture) -> SpaceDriver:
        driver = fixture.driver() if setting is None else fixture.driver(bounds=Bounds(**{setting: bound}))
        for number in range(bound):
            said.say(driver, number)
        return driver

    def at(fixture: LimitFixture) -> None:
        driver = filled(fixture)
        lives_on(driver, said.label)
        driver.verify()

    def past(fixture: LimitFixture) -> None:
        driver = filled(fixture)
        details = said.is_refused(driver, bound, code)
        assert details["limit"] == bound
        label, kind, fields = leave
        accepted(driver, label, kind, "leaves", **fields(0))
        said.say(driver, bound + 1)
        said.is_refused(driver, bound + 2, code)
        driver.restart()  # what is full stays full
        for name in (said.label, label):
            driver.join(name)
        driver.verify()

    return Pair(at, past)


OPEN_SEQUENCES = full(
    Sayable("worker", "reasoning/start", lambda _: {}),
    "too_many_sequences",
    setting="open_sequences",
    leave=("worker", "reasoning/conclusion", lambda n: {"context": f"f{n}"}),
)
OPEN_STREAMS = full(
    Sayable("worker", "stream/request", lambda _: {"direction": "upload"}),
    "too_many_streams",
    setting="open_streams",
    leave=("worker", "stream/close", lambda n: {"payload": {"stream_id": f"stream-{n + 1}"}}),
)
OPEN_PROPOSALS = full(
    Sayable("worker", "mcp/proposal", lambda _: {"method": "tools/list"}),
    "too_many_proposals",
    setting="open_proposals",
    leave=("worker", "mcp/withdraw", lambda n: {"correlation_id": [f"f{n}"]}),
)
GRANTS = full(
    Sayable("admin", "capability/grant", lambda n: {"recipient": "watcher", "capabilities": [{"kind": f"acme/{n}"}]}),
    "too_many_grants",
    setting="grants",
    leave=("admin", "capability/revoke", lambda n: {"payload": {"recipient": "watcher", "grant_id": f"f{n}"}}),
)
INVITEES = full(
    Sayable("admin", "space/invite", lambda n: {"participant_id": f"guest{n}"}),
    "too_many_invitees",
    setting="invitees",
    leave=("admin", "space/kick", lambda n: {"payload": {"participant_id": f"guest{n}"}}),
)


def pushed_out(
    put: Callable[[SpaceDriver, int], None],
    is_known: Callable[[SpaceDriver, int], bool],
    *,
    bound: int = _BOUND,
    setting: str | None = None,
) -> Pair:
    """Make the cases of a limit that evicts: `bound` are known, and one more evicts the oldest without an error."""

    def filled(fixture: LimitFixture, many: int) -> list[bool]:
        driver = fixture.driver() if setting is None else fixture.driver(bounds=Bounds(**{setting: bound}))
        for number in range(many):
            put(driver, number)
        known = [is_known(driver, number) for number in range(many)]
        lives_on(driver, "worker")
        driver.verify()
        return known

    def at(fixture: LimitFixture) -> None:
        assert filled(fixture, bound) == [True] * bound

    def past(fixture: LimitFixture) -> None:
        assert filled(fixture, bound + 1) == [False] + [True] * bound

    return Pair(at, past)


def _ask(driver: SpaceDriver, number: int) -> None:
    accepted(driver, "worker", "mcp/request", f"q{number}", {"method": "tools/list"}, to=["human"])


def _is_answerable(driver: SpaceDriver, number: int) -> bool:
    found = codes(driver.say("human", "mcp/response", f"a{number}", {}, correlation_id=[f"q{number}"]))
    assert found in ([], ["request_not_found"])
    return not found


def _open(driver: SpaceDriver, number: int) -> None:
    accepted(driver, "worker", "reasoning/start", f"s{number}")


def _think_through(driver: SpaceDriver, number: int) -> None:
    _open(driver, number)
    accepted(driver, "worker", "reasoning/conclusion", f"c{number}", context=f"s{number}")


def _is_closed(driver: SpaceDriver, number: int) -> bool:
    found = codes(_interrupt(driver, number, f"i{number}"))
    assert found in (["sequence_closed"], ["sequence_not_found"])
    return found == ["sequence_closed"]


def _interrupt(driver: SpaceDriver, number: int, id: str, *, label: str = "boss", **payload: Any) -> list[Any]:
    said = {"reason": "user_request", **payload}
    return driver.say(label, "reasoning/interrupt", id, said, to=["worker"], correlation_id=[f"s{number}"])


def _settle(driver: SpaceDriver, number: int) -> None:
    _open(driver, number)
    assert codes(_interrupt(driver, number, f"i{number}")) == []
    accepted(
        driver, "worker", "reasoning/interrupt-ack", f"k{number}", {"status": "ignored"}, correlation_id=[f"i{number}"]
    )


def _is_on_record(driver: SpaceDriver, number: int) -> bool:
    again = {"status": "ignored"}
    found = codes(driver.say("worker", "reasoning/interrupt-ack", f"l{number}", again, correlation_id=[f"i{number}"]))
    assert found in (["already_acked"], ["unknown_interrupt"])
    return found == ["already_acked"]


def _withdraw(driver: SpaceDriver, number: int) -> None:
    accepted(driver, "worker", "mcp/proposal", f"p{number}", {"method": "tools/list"})
    accepted(driver, "worker", "mcp/withdraw", f"w{number}", correlation_id=[f"p{number}"])


def _is_decided(driver: SpaceDriver, number: int) -> bool:
    found = codes(driver.say("human", "mcp/reject", f"j{number}", correlation_id=[f"p{number}"]))
    assert found in (["proposal_closed"], ["proposal_not_found"])
    return found == ["proposal_closed"]


def _halt(driver: SpaceDriver, number: int) -> None:
    if number == 0:
        _open(driver, 0)
    driver.at(number * 60_000)  # three a minute are allowed
    emergency = _interrupt(driver, 0, f"e{number}", label="safety", **{"class": "emergency"})
    assert codes(emergency) == []


def _is_halting(driver: SpaceDriver, number: int) -> bool:
    return any(halt.interrupt == f"e{number}" for halt in driver.space.state.halted["worker"])


def _invite(driver: SpaceDriver, id: str, guest: str) -> None:
    can = [{"kind": ["reasoning/start", "reasoning/interrupt-ack"]}]
    accepted(driver, "admin", "space/invite", id, {"participant_id": guest, "initial_capabilities": can})


def _kick(driver: SpaceDriver, id: str, guest: str) -> None:
    """Kick a guest; its open sequences are lost."""
    assert {*codes(driver.say("admin", "space/kick", id, {"participant_id": guest}))} <= {
        "sequence_lost",
        "interrupt_target_left",
    }


def _halt_and_kick(driver: SpaceDriver, number: int) -> None:
    guest = f"guest{number}"
    driver.at(number * 60_000)
    _invite(driver, f"n{number}", guest)
    accepted(driver, guest, "reasoning/start", f"s{number}")
    emergency = {"reason": "user_request", "class": "emergency"}
    accepted(
        driver, "safety", "reasoning/interrupt", f"e{number}", emergency, to=[guest], correlation_id=[f"s{number}"]
    )
    _kick(driver, f"k{number}", guest)


def _is_halted_again(driver: SpaceDriver, number: int) -> bool:
    guest = f"guest{number}"
    _invite(driver, f"m{number}", guest)
    found = codes(driver.say(guest, "reasoning/start", f"again{number}"))
    assert found in ([], ["halted"])
    _kick(driver, f"l{number}", guest)
    return found == ["halted"]


def _pause_and_go(driver: SpaceDriver, number: int) -> None:
    guest = f"guest{number}"
    invitation = {"participant_id": guest, "initial_capabilities": [{"kind": "participant/pause"}]}
    accepted(driver, "admin", "space/invite", f"n{number}", invitation)
    accepted(driver, guest, "participant/pause", f"p{number}", to=["solver"])
    _kick(driver, f"k{number}", guest)


def _is_paused_by(driver: SpaceDriver, number: int) -> bool:
    return any(pause.by == f"guest{number}" for pause in driver.space.state.paused["solver"])


PAUSES = pushed_out(_pause_and_go, _is_paused_by, bound=pauses._MOST)
OPEN_REQUESTS = pushed_out(_ask, _is_answerable, setting="open_requests")
CLOSED_SEQUENCES = pushed_out(_think_through, _is_closed, setting="closed_sequences")
CLOSED_PROPOSALS = pushed_out(_withdraw, _is_decided, setting="closed_sequences")
SETTLED_INTERRUPTS = pushed_out(_settle, _is_on_record, setting="settled_interrupts")
HALTS = pushed_out(_halt, _is_halting, bound=emergency_halts._MOST)
HALTS_OF_THE_GONE = pushed_out(_halt_and_kick, _is_halted_again, setting="invitees")
