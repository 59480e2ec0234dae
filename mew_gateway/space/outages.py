"""The time after an outage of the gateway: nobody is late because it took nothing (decisions/0056).

While the journal cannot be written, the gateway refuses every ack, every conclusion and every join. So that time does
not count: a deadline of a participant moves by the length of the outage, and never passes within `FAIR` of its end,
as a client learns of the end only when it sends again. Behind a restart none passes within `RETURN`. What is not moved
is nobody's failure: a pause, a grant or a proposal that ends, and the moment at which an agent itself promised to stop.
"""

from __future__ import annotations

from .deadlines import schedule, unset
from .turn import Turn

FAIR = 3_000  # ms: the gateway looks for the journal each second, and a client of ours sends again after one more
RETURN = 10_000  # ms after a start: a client of ours tries to connect at least every 5 s


def ended(turn: Turn, milliseconds: int) -> None:
    """The journal can be written again: move every deadline by the length of the outage."""
    _move(turn, milliseconds, earliest=turn.now + FAIR)


def restarted(turn: Turn) -> None:
    """The gateway started: nobody could send anything meanwhile, and it is not known for how long. So no deadline
    passes before everybody had time to come back."""
    _move(turn, 0, earliest=turn.now + RETURN)


def _move(turn: Turn, milliseconds: int, *, earliest: int) -> None:
    """Move every deadline by which a participant has to send something, or to be back."""
    state = turn.state

    def later(at: int) -> int:
        return max(at + milliseconds, earliest)

    for record in state.interrupts.values():  # what was scheduled before no longer holds, and passes without effect
        if record.deadline is not None:
            record.deadline = later(record.deadline)
            schedule(state, record.deadline, "ack", record.id)
        if record.conclusion_due is not None:
            record.conclusion_due = later(record.conclusion_due)
            schedule(state, record.conclusion_due, "conclusion", record.id)
        if record.rung_due is not None:
            record.rung_due = later(record.rung_due)
            schedule(state, record.rung_due, "escalation", record.id)
    for name, ends in state.absent.items():
        state.absent[name] = later(ends)  # its deadline finds that it is later
    for name, shutdown in state.shutdowns.items():
        shutdown.ends = later(shutdown.ends)
        shutdown.connections = {connection: later(ends) for connection, ends in shutdown.connections.items()}
        unset(state, "shutdown", name)
        schedule(state, earliest, "shutdown", name)
