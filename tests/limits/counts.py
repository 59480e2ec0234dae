"""Cases of the limits on counts in a space: one too many is refused, or evicts the oldest."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from mew_gateway.space import emergencies, pauses
from mew_gateway.space.settings import Bounds

from ..space.conftest import Stage, codes
from .limit import Pair
from .limit_fixture import LimitFixture, accepted, lives_on, refused

_BOUND = 3  # of everything that can be set


class Sayable(NamedTuple):
    """An envelope that fills a limit: its sender, and its content by number."""

    label: str
    kind: str
    payload: Callable[[int], dict[str, Any]]
    fields: Mapping[str, Any] = MappingProxyType({})

    def say(self, stage: Stage, number: int) -> None:
        accepted(stage, self.label, self.kind, f"f{number}", self.payload(number), **self.fields)

    def is_refused(self, stage: Stage, number: int, code: str) -> dict[str, Any]:
        return refused(stage, code, self.label, self.kind, f"f{number}", self.payload(number), **self.fields)


def full(
    said: Sayable,
    code: str,
    *,
    bound: int = _BOUND,
    setting: str | None = None,
    leave: tuple[str, str, Callable[[int], dict[str, Any]]],
) -> Pair:
    """Make the cases of a limit that refuses: `bound` are accepted, one more is refused until one has left."""

    def filled(fixture: LimitFixture) -> Stage:
        stage = fixture.stage() if setting is None else fixture.stage(bounds=Bounds(**{setting: bound}))
        for number in range(bound):
            said.say(stage, number)
        return stage

    def at(fixture: LimitFixture) -> None:
        stage = filled(fixture)
        lives_on(stage, said.label)
        stage.verify()

    def past(fixture: LimitFixture) -> None:
        stage = filled(fixture)
        details = said.is_refused(stage, bound, code)
        assert details["limit"] == bound
        label, kind, fields = leave
        accepted(stage, label, kind, "leaves", **fields(0))
        said.say(stage, bound + 1)
        said.is_refused(stage, bound + 2, code)
        stage.restart()  # what is full stays full
        for name in (said.label, label):
            stage.join(name)
        stage.verify()

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
    put: Callable[[Stage, int], None],
    is_known: Callable[[Stage, int], bool],
    *,
    bound: int = _BOUND,
    setting: str | None = None,
) -> Pair:
    """Make the cases of a limit that evicts: `bound` are known, and one more evicts the oldest without an error."""

    def filled(fixture: LimitFixture, many: int) -> list[bool]:
        stage = fixture.stage() if setting is None else fixture.stage(bounds=Bounds(**{setting: bound}))
        for number in range(many):
            put(stage, number)
        known = [is_known(stage, number) for number in range(many)]
        lives_on(stage, "worker")
        stage.verify()
        return known

    def at(fixture: LimitFixture) -> None:
        assert filled(fixture, bound) == [True] * bound

    def past(fixture: LimitFixture) -> None:
        assert filled(fixture, bound + 1) == [False] + [True] * bound

    return Pair(at, past)


def _ask(stage: Stage, number: int) -> None:
    accepted(stage, "worker", "mcp/request", f"q{number}", {"method": "tools/list"}, to=["human"])


def _is_answerable(stage: Stage, number: int) -> bool:
    found = codes(stage.say("human", "mcp/response", f"a{number}", {}, correlation_id=[f"q{number}"]))
    assert found in ([], ["request_not_found"])
    return not found


def _open(stage: Stage, number: int) -> None:
    accepted(stage, "worker", "reasoning/start", f"s{number}")


def _think_through(stage: Stage, number: int) -> None:
    _open(stage, number)
    accepted(stage, "worker", "reasoning/conclusion", f"c{number}", context=f"s{number}")


def _is_closed(stage: Stage, number: int) -> bool:
    found = codes(_interrupt(stage, number, f"i{number}"))
    assert found in (["sequence_closed"], ["sequence_not_found"])
    return found == ["sequence_closed"]


def _interrupt(stage: Stage, number: int, id: str, *, label: str = "boss", **payload: Any) -> list[Any]:
    said = {"reason": "user_request", **payload}
    return stage.say(label, "reasoning/interrupt", id, said, to=["worker"], correlation_id=[f"s{number}"])


def _settle(stage: Stage, number: int) -> None:
    _open(stage, number)
    assert codes(_interrupt(stage, number, f"i{number}")) == []
    accepted(
        stage, "worker", "reasoning/interrupt-ack", f"k{number}", {"status": "ignored"}, correlation_id=[f"i{number}"]
    )


def _is_on_record(stage: Stage, number: int) -> bool:
    again = {"status": "ignored"}
    found = codes(stage.say("worker", "reasoning/interrupt-ack", f"l{number}", again, correlation_id=[f"i{number}"]))
    assert found in (["already_acked"], ["unknown_interrupt"])
    return found == ["already_acked"]


def _withdraw(stage: Stage, number: int) -> None:
    accepted(stage, "worker", "mcp/proposal", f"p{number}", {"method": "tools/list"})
    accepted(stage, "worker", "mcp/withdraw", f"w{number}", correlation_id=[f"p{number}"])


def _is_decided(stage: Stage, number: int) -> bool:
    found = codes(stage.say("human", "mcp/reject", f"j{number}", correlation_id=[f"p{number}"]))
    assert found in (["proposal_closed"], ["proposal_not_found"])
    return found == ["proposal_closed"]


def _halt(stage: Stage, number: int) -> None:
    if number == 0:
        _open(stage, 0)
    stage.at(number * 60_000)  # three a minute are allowed
    emergency = _interrupt(stage, 0, f"e{number}", label="safety", **{"class": "emergency"})
    assert codes(emergency) == []


def _is_halting(stage: Stage, number: int) -> bool:
    return any(halt.interrupt == f"e{number}" for halt in stage.space.state.halted["worker"])


def _invite(stage: Stage, id: str, guest: str) -> None:
    can = [{"kind": ["reasoning/start", "reasoning/interrupt-ack"]}]
    accepted(stage, "admin", "space/invite", id, {"participant_id": guest, "initial_capabilities": can})


def _kick(stage: Stage, id: str, guest: str) -> None:
    """Kick a guest; its open sequences are lost."""
    assert {*codes(stage.say("admin", "space/kick", id, {"participant_id": guest}))} <= {
        "sequence_lost",
        "interrupt_target_left",
    }


def _halt_and_kick(stage: Stage, number: int) -> None:
    guest = f"guest{number}"
    stage.at(number * 60_000)
    _invite(stage, f"n{number}", guest)
    accepted(stage, guest, "reasoning/start", f"s{number}")
    emergency = {"reason": "user_request", "class": "emergency"}
    accepted(stage, "safety", "reasoning/interrupt", f"e{number}", emergency, to=[guest], correlation_id=[f"s{number}"])
    _kick(stage, f"k{number}", guest)


def _is_halted_again(stage: Stage, number: int) -> bool:
    guest = f"guest{number}"
    _invite(stage, f"m{number}", guest)
    found = codes(stage.say(guest, "reasoning/start", f"again{number}"))
    assert found in ([], ["halted"])
    _kick(stage, f"l{number}", guest)
    return found == ["halted"]


def _pause_and_go(stage: Stage, number: int) -> None:
    guest = f"guest{number}"
    invitation = {"participant_id": guest, "initial_capabilities": [{"kind": "participant/pause"}]}
    accepted(stage, "admin", "space/invite", f"n{number}", invitation)
    accepted(stage, guest, "participant/pause", f"p{number}", to=["solver"])
    _kick(stage, f"k{number}", guest)


def _is_paused_by(stage: Stage, number: int) -> bool:
    return any(pause.by == f"guest{number}" for pause in stage.space.state.paused["solver"])


PAUSES = pushed_out(_pause_and_go, _is_paused_by, bound=pauses._MOST)
OPEN_REQUESTS = pushed_out(_ask, _is_answerable, setting="open_requests")
CLOSED_SEQUENCES = pushed_out(_think_through, _is_closed, setting="closed_sequences")
CLOSED_PROPOSALS = pushed_out(_withdraw, _is_decided, setting="closed_sequences")
SETTLED_INTERRUPTS = pushed_out(_settle, _is_on_record, setting="settled_interrupts")
HALTS = pushed_out(_halt, _is_halting, bound=emergencies._MOST)
HALTS_OF_THE_GONE = pushed_out(_halt_and_kick, _is_halted_again, setting="invitees")
