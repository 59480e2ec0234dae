"""Lines of the gateway's timeline: those of `mew watch`, each with its position before it."""

from __future__ import annotations

from typing import Any

from rich.console import RenderableType
from rich.text import Text

from mew_gateway.protocol.envelope import PROTOCOL, Envelope
from mew_gateway.protocol.ids import GATEWAY

from ..agents.decisions import decision_text
from ..printing.moment import clock, duration
from ..printing.terminal import one_line
from .transcript import Line, Transcript

_GATEWAY = "gateway/"  # events of the gateway itself, which are no envelopes
_NOT_PAYLOAD = (
    "position",
    "at",
    "kind",
    "id",
    "from",
    "to",
    "correlation_id",
    "context",
    "payload",
    "omitted",
    "decided",
)


class TimelineLines:
    """Formatter of the events of `GET /spaces/{space}/timeline`. Remembers what it has seen, as a transcript does."""

    def __init__(self) -> None:
        self._transcript = Transcript()

    def line(self, event: dict[str, Any]) -> RenderableType | None:
        """Return the line of an event, None for one that says nothing to a person."""
        line = self._line(event)
        if line is None:
            return None
        if "decided" in event:
            line.text.append(f"  ← {decision_text(event['decided'])}", style="cyan")
        if "omitted" in event:
            line.text.append(f"  (without {', '.join(map(one_line, event['omitted']))}: too long)", style="dim")
        return self._transcript.lay_out(line._replace(at=f"{event['position']:>6} {line.at}"))

    def _line(self, event: dict[str, Any]) -> Line | None:
        at = clock(event["at"])
        if event["kind"].startswith(_GATEWAY):
            return Line(at, "gateway", "●", Text(_gateway_sentence(event), style="dim"))
        envelope = envelope_of(event)
        if "refused" in event:
            return Line(at, one_line(event["from"]), "✗", _refusal(event), style="bold red")
        return self._transcript.format(envelope)


def envelope_of(event: dict[str, Any]) -> Envelope:
    """Return the envelope that an event describes, as far as it does."""
    payload = {name: value for name, value in event.items() if name not in _NOT_PAYLOAD and value is not None}
    if event["kind"] == "system/presence":
        payload["participant"] = {"id": event.get("participant")}
    return Envelope(
        protocol=PROTOCOL,
        id=event.get("id", "?"),
        ts=event["at"],
        sender=event.get("from", GATEWAY),
        kind=event["kind"],
        to=event.get("to"),
        correlation_id=event.get("correlation_id"),
        context=event.get("context"),
        payload={**payload, **event.get("payload", {})},
    )


def _gateway_sentence(event: dict[str, Any]) -> str:
    if event["kind"] == "gateway/restarted":
        return "was started again"
    if event["kind"] == "gateway/stalled":
        lasted = duration(event["stalled_ms"])
        if event.get("refused"):
            return f"could not write its journal for {lasted} and accepted nothing: deadlines were moved by that"
        return f"stood still for {lasted}"
    return "has this space with a new configuration, or for the first time"


def _refusal(event: dict[str, Any]) -> Text:
    to = f" → {', '.join(map(one_line, event['to']))}" if event.get("to") else ""
    why = one_line(event.get("message") or "")
    return Text.assemble(
        (f"is refused {one_line(event['kind'])}{to}", "red"),
        f": {why}" if why else "",
        (f"  {one_line(event['refused'])}", "dim"),
    )
