"""The values of slots: read in a text, checked against it, refused by the definition (docs/fluxi.md §2, §3, §7)."""

from .cues import follows_cue
from .days import contradicts_part
from .kind import Missing
from .labels import follows_label
from .moments import clock_of
from .numbers import is_marked
from .reading import Attention, Reading, Refusal, Span, attention
from .table import (
    candidates,
    checked,
    completed,
    is_code,
    is_complete,
    is_free,
    missing,
    normal,
    readings,
    refusal,
    reserved,
    settle,
    specificity,
    written,
)

__all__ = [
    "Attention",
    "Missing",
    "Reading",
    "Refusal",
    "Span",
    "attention",
    "candidates",
    "checked",
    "clock_of",
    "completed",
    "contradicts_part",
    "follows_cue",
    "follows_label",
    "is_code",
    "is_complete",
    "is_free",
    "is_marked",
    "missing",
    "normal",
    "readings",
    "refusal",
    "reserved",
    "settle",
    "specificity",
    "written",
]
