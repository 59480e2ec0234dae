"""Failure of a command: one sentence for a person, and the exit status."""

from __future__ import annotations

from mew_gateway.errors import MewError

# Exit statuses; 1 is any other failure, 2 a mistake in what was typed or configured.
FAILED, MISTAKEN, CONTINUING, IGNORED, TIMED_OUT, REFUSED, INTERRUPTED = 1, 2, 3, 4, 5, 6, 130


# The exit statuses of a command that does one thing; a line of its help.
STATUSES = "Exit status: 0 done, 1 it failed, 2 a mistake in what was typed, 5 no answer in time, 6 refused."


class Failure(MewError):
    """Ends the command with `status`. `message` is printed: sentences, never a secret."""

    def __init__(self, message: str, *, status: int = FAILED) -> None:
        super().__init__(message)
        self.message = message
        self.status = status


def mistake(message: str) -> Failure:
    """Return the failure for a mistake in what was typed or configured: exit status 2."""
    return Failure(message, status=MISTAKEN)
