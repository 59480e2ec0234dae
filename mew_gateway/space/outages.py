"""The time after an outage of the gateway: nobody is late because it took nothing (decisions/0056).

While the journal cannot be written, the gateway refuses every ack, every conclusion and every join. So that time does
not count: a deadline of a participant moves by the length of the outage, and never passes within `FAIR` of its end,
as a client learns of the end only when it sends again. Whoever is not here then, and after a start everybody, has
`RETURN` to come back (`State.returning`): no deadline of theirs passes before, be it of a record that is made in that
time. Who comes back has its whole deadline from then on, if that is over earlier.

The watchdog does not count that time either (`watchdog.suspended`). What is not moved is nobody's
failure: a pause, a grant or a proposal that ends, and the moment at which an agent itself promised to stop.
"""

from __future__ import annotations

from .deadlines import schedule, unset
from .handler_context import Turn
from .interrupt_records import ladder_of
from .state import Interrupt

FAIR = 3_000  # ms: the gateway looks for the journal each second, and a client of ours sends again after one more
RETURN = 10_000  # ms: a client of ours tries to connect at least every 5 s


def ended(turn: Turn, milliseconds: int) -> None:
    """The journal can be written again: move every deadline by the length of the outage."""
    turn.state.returning = turn.now + RETURN
    _move(turn, milliseconds)


def restarted(turn: Turn) -> None:
    """The gateway started: nobody could send anything meanwhile. No deadline passes before everybody had time to come
    back."""
    turn.state.returning = turn.now + RETURN
    _move(turn, 0)


def due(turn: Turn, name: str, at: int) -> int:
    """When a deadline of a participant passes that would be `at`: not before it had time to come back."""
    return at if turn.members.connections(name) else max(at, turn.state.returning)


def joined(turn: Turn, name: str) -> None:
    """A participant is back: what waited for its return has its own time from now on."""
    state, settings = turn.state, turn.state.settings.interrupts

    def earlier(at: int, milliseconds: int) -> int:
        return min(at, turn.now + milliseconds) if at <= state.returning else at

    if turn.now >= state.returning:
        return
    for record in _records_of(turn, name):
        is_emergency = record.class_ == "emergency"
        answer = settings.emergency_ack_deadline if is_emergency else settings.ack_deadline
        is_stopping = record.ack is not None and record.ack.answer in ("stopping", "continuing")
        conclusion = settings.stopping_conclusion if is_stopping else settings.completing_conclusion
        ladder = ladder_of(state, record)
        rung = ladder[record.rung].after if record.rung < len(ladder) else 0
        _set(
            turn,
            record,
            deadline=None if record.deadline is None else earlier(record.deadline, answer),
            conclusion_due=None if record.conclusion_due is None else earlier(record.conclusion_due, conclusion),
            rung_due=None if record.rung_due is None else earlier(record.rung_due, rung),
        )


def left(turn: Turn, name: str) -> None:
    """A participant has left before the time to come back was over: it has that time, too."""
    if turn.now < turn.state.returning:
        for record in _records_of(turn, name):
            _put_off(turn, record, 0)


def _records_of(turn: Turn, name: str) -> list[Interrupt]:
    return [record for record in turn.state.interrupts.values() if record.target == name]


def _move(turn: Turn, milliseconds: int) -> None:
    """Move every deadline by which a participant has to send something, or to be back."""
    state, fair = turn.state, turn.now + FAIR

    def later(at: int, name: str) -> int:
        return due(turn, name, max(at + milliseconds, fair))

    for record in state.interrupts.values():
        _put_off(turn, record, milliseconds, earliest=fair)
    for name, ends in state.absent.items():
        state.absent[name] = later(ends, name)  # its deadline finds that it is later
    for name, shutdown in state.shutdowns.items():
        shutdown.ends = later(shutdown.ends, name)
        shutdown.connections = {connection: later(ends, name) for connection, ends in shutdown.connections.items()}
        unset(state, "shutdown", name)
        schedule(state, due(turn, name, fair), "shutdown", name)


def _put_off(turn: Turn, record: Interrupt, milliseconds: int, *, earliest: int = 0) -> None:
    """Let the deadlines of a record pass later by so much, and not before `earliest` and its target's return."""

    def later(at: int | None) -> int | None:
        return None if at is None else due(turn, record.target, max(at + milliseconds, earliest))

    _set(
        turn,
        record,
        deadline=later(record.deadline),
        conclusion_due=later(record.conclusion_due),
        rung_due=later(record.rung_due),
    )


def _set(
    turn: Turn, record: Interrupt, *, deadline: int | None, conclusion_due: int | None, rung_due: int | None
) -> None:
    """Set the deadlines of a record. One that was scheduled before no longer holds, and passes without effect."""
    if deadline is not None and deadline != record.deadline:
        schedule(turn.state, deadline, "ack", record.id)
    if conclusion_due is not None and conclusion_due != record.conclusion_due:
        schedule(turn.state, conclusion_due, "conclusion", record.id)
    if rung_due is not None and rung_due != record.rung_due:
        schedule(turn.state, rung_due, "escalation", record.id)
    record.deadline, record.conclusion_due, record.rung_due = deadline, conclusion_due, rung_due
