"""Entries that a journal's file has lost: noticed after an error of the disk, and when it is read."""

from __future__ import annotations

from mew_gateway.errors import CorruptJournal

from .errors import REMEDY


def check_end(path: str, *, last: int, position: int) -> None:
    """Raise `CorruptJournal` if the file ends before `position`, where it ended before an error of the disk."""
    if last < position:
        raise CorruptJournal(
            f"The journal {path} has lost the entries from {last + 1} to {position}: the disk took "
            "them and does not have them. Look after the disk, then start the gateway again: it goes on from there."
        )


def check_gap(path: str, *, previous: int, position: int, saved: int) -> None:
    """Raise `CorruptJournal` if entries are missing between two that follow each other in the file.

    Pruned entries are missing, up to the snapshot at `saved`; a gap after it is an error.
    """
    if position != previous + 1 and position > saved + 1:
        lost = f"the entries from {previous + 1} to {position - 1}"
        raise CorruptJournal(f"The journal {path} lacks {lost}. {REMEDY}")
