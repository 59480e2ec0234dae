"""Thresholds of confidence: an interrupt of which the agent is not sure enough is queued or ignored (seed 000 §8)."""

from __future__ import annotations

from typing import Literal

from mew_gateway.protocol.reasons import Class

from .interrupt import Interrupt
from .policy import LOW_CONFIDENCE, Rule
from .runs import Run
from .spans import Span

_BELOW = {"ignored_below": 0.40, "queued_below": 0.75}


def weighed(interrupt: Interrupt, found: tuple[Run, Span] | None) -> tuple[Class, Rule | None]:
    """Return the class that the confidence allows, or the rejecting rule if it is too low (§2.5)."""
    if interrupt.confidence < threshold(found, "ignored_below"):
        return interrupt.class_, LOW_CONFIDENCE
    if interrupt.confidence < threshold(found, "queued_below"):
        return ("cancel" if interrupt.class_ == "emergency" else "queue"), None
    return interrupt.class_, None


def threshold(found: tuple[Run, Span] | None, name: Literal["ignored_below", "queued_below"]) -> float:
    """Return a threshold of confidence: the span's own, else its run's, else the default (seed 000 §8)."""
    run, span = found or (None, None)
    for one in (span, None if run is None else run.spans.get(run.root)):
        own: float | None = None if one is None else getattr(one.declared, name)
        if own is not None:
            return own
    return _BELOW[name]
