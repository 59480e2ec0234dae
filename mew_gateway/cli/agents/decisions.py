"""Decisions that agents recorded about interrupts, joined with events of the gateway's journal."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any, Self

from mew_gateway.sdk.timeline.base import CorruptTimeline, TimelineUnavailable
from mew_gateway.sdk.timeline.sqlite import TimelineReader

from ..printing.moment import latency
from ..printing.terminal import one_line, say
from .timeline_files import AgentFile

_CARRIES_ID = ("reasoning/interrupt", "reasoning/cancel", "chat")
_REFERS_TO_ID = ("reasoning/interrupt-ack", "chat/acknowledge")
_FIELDS = ("class", "policy", "status", "outcome", "reason_code", "rule", "confidence", "latency_ms")


class Decisions:
    """Index of agents' timelines by interrupt. A context manager; one that cannot be read is reported once."""

    def __init__(self, files: Sequence[AgentFile]) -> None:
        self._files = files
        self._readers: dict[str, TimelineReader] = {}
        self._stack = contextlib.ExitStack()

    def __enter__(self) -> Self:
        for file in self._files:
            try:
                self._readers[file.agent] = self._stack.enter_context(TimelineReader(file.path))
            except (TimelineUnavailable, CorruptTimeline) as error:
                say(f"─ {error}", style="yellow")
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def with_decision(self, event: dict[str, Any]) -> dict[str, Any]:
        """Return an event of the gateway's timeline, with what its agent decided about it as `decided`, if anything."""
        for id in _interrupts(event):
            for agent in list(self._readers):
                decided = self._decided(agent, id)
                if decided is not None:
                    return {**event, "decided": decided}
        return event

    def _decided(self, agent: str, interrupt: str) -> dict[str, Any] | None:
        try:
            entries = self._readers[agent].caused_by(interrupt)
        except (TimelineUnavailable, CorruptTimeline) as error:
            say(f"─ {error}", style="yellow")
            del self._readers[agent]
            return None
        for entry in entries:
            if entry.kind == "decided":
                fields = {name: entry.data[name] for name in _FIELDS if entry.data.get(name) is not None}
                return {"agent": agent, "seq": entry.seq, **fields}
        return None


def decision_text(decided: dict[str, Any]) -> str:
    """Return a decision in words: `solver decided within 3 ms: soft-stop, by the rule reason:error, 80 % sure`."""
    took, confidence = decided.get("latency_ms"), decided.get("confidence")
    within = f" within {latency(took)}" if isinstance(took, int) else ""
    parts = (
        decided.get("policy"),
        f"by the rule {decided['rule']}" if "rule" in decided else None,
        f"{confidence:.0%} sure".replace("%", " %") if isinstance(confidence, float) and confidence < 1 else None,
    )
    return one_line(f"{decided['agent']} decided{within}: {', '.join(str(part) for part in parts if part is not None)}")


def _interrupts(event: dict[str, Any]) -> Iterator[str]:
    if event["kind"] in _CARRIES_ID and "id" in event:
        yield event["id"]
    elif event["kind"] in _REFERS_TO_ID:
        yield from event.get("correlation_id", ())
