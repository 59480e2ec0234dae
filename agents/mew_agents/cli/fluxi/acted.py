"""What an operator's act made of a Work, and who does the rest."""

from __future__ import annotations

from rich.text import Text

from mew_agents.fluxi.fsm import State
from mew_agents.fluxi.work import Work
from mew_gateway.cli.printing.ids import short
from mew_gateway.cli.printing.terminal import print_json, say, show

from .standing import standing


def show_work(work: Work, *, as_json: bool, goes_on: bool = False) -> None:
    """Print where it stands now. `goes_on`: something is still to be called for it."""
    if as_json:
        print_json(
            {
                "work_id": work.work_id,
                "state": work.state.value,
                "suspended_reason": work.suspended_reason,
                "cancel_requested": work.cancel_requested,
                "revision": work.revision,
            }
        )
        return
    show(Text.assemble((short(work.work_id), "bold"), " is ", standing(work.state, work.suspended_reason)))
    if work.live and work.cancel_requested is not None:
        say("It is cancelled as soon as it is known what became of the call that is out.", style="dim")
    elif goes_on or work.state is State.EXECUTING:
        say("What is to be called, whoever runs on this database calls: its agent, or `mew fluxi chat`.", style="dim")
