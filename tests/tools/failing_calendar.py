"""A calendar that is killed, without a word, between the commit of its first booking and the answer to it."""

from __future__ import annotations

import os
import signal

from mew_agents.tools.answer import Answer
from mew_agents.tools.calendar import Calendar
from mew_gateway.sdk import ToolResult


class FailingCalendar(Calendar):
    """The file `died` in its state folder says that it has happened."""

    def told(self, answer: Answer) -> ToolResult:
        assert self.state_folder is not None
        mark = self.state_folder / "died"
        if not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().told(answer)
