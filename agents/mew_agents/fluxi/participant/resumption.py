"""Where an agent goes on after a restart: which envelope everything up to was dealt with, kept in a file."""

from __future__ import annotations

import json
import logging
import os
from collections import deque
from pathlib import Path

log = logging.getLogger(__name__)

NAME = "resumption.json"
_MOST_RUNS = 1_000  # subjects whose last run is remembered


class Pending:
    """One envelope that is to be dealt with, or anything else that the mark must not pass."""

    def __init__(self, marks: Resumption, id: str | None) -> None:
        self.id = id
        self.over = False
        self._marks = marks

    def done(self) -> None:
        """It is dealt with, for good."""
        self.over = True
        self._marks.advance()


class Resumption:
    """The mark, and the last run of each subject that goes on. `path` None: in memory.

    Whatever arrives is noted in order; the mark stands at the newest envelope that has nothing undone before it. What
    is written may lag behind: from an older mark, more is looked at again, and nothing done twice.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._line: deque[Pending] = deque()
        self.mark: str | None = None
        self.runs: dict[str, str] = {}
        self._written = ""
        if path is not None and path.exists():
            self._read(path)

    def note(self, id: str | None) -> Pending:
        """Something that is to be dealt with before the mark passes; None: it is no place to go on from."""
        pending = Pending(self, id)
        self._line.append(pending)
        return pending

    def advance(self) -> None:
        """Move the mark over all that is dealt with."""
        while self._line and self._line[0].over:
            self.mark = self._line.popleft().id or self.mark

    def ran(self, subject: str, run: str, *, goes_on: bool) -> None:
        """A subject was in that run; one that is over has no next."""
        self.runs.pop(subject, None)
        if goes_on:
            self.runs[subject] = run
            while len(self.runs) > _MOST_RUNS:
                del self.runs[next(iter(self.runs))]

    def write(self) -> None:
        """Put it into the file, whole or not at all."""
        text = json.dumps({"mark": self.mark, "runs": self.runs})
        if self._path is None or text == self._written:
            return
        draft = self._path.with_suffix(f".{os.getpid()}.tmp")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            draft.write_text(text, encoding="utf-8")
            draft.replace(self._path)
        except OSError as error:  # a restart will look at more than it has to
            log.warning("where to go on after a restart could not be kept: %s", error)
            return
        self._written = text

    def _read(self, path: Path) -> None:
        try:
            kept = json.loads(path.read_text(encoding="utf-8"))
            mark, runs = kept["mark"], kept["runs"]
        except (OSError, ValueError, LookupError, TypeError) as error:
            log.warning("%s cannot be read, and what was said while the agent was away is not heard: %s", path, error)
            return
        self.mark = mark if isinstance(mark, str) else None
        self.runs = {str(subject): str(run) for subject, run in runs.items()} if isinstance(runs, dict) else {}
