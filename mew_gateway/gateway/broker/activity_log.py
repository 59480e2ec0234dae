"""Activity log for operators: a log line and a count for each important event of the spaces.

Lines have names, ids, codes and classes: never a participant's text, never a token. Joins and leaves, interrupts and
their answers, pauses, kicks, grants and proposals are `INFO`; failures (a missing ack, an overrun, a lost sequence, a
refused token) and emergencies are `WARNING`. Refusals and refused tokens may come hundreds of times a second: of each
kind one line a minute is written, with the number of those left out. Of other events of one participant, `_MOST_LINES`
lines a minute are written, so that a participant cannot fill the log.
"""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, get_args

import msgspec

from mew_gateway.documents.problems import shorten
from mew_gateway.journal.base import Entry
from mew_gateway.protocol.codes import ERRORS
from mew_gateway.protocol.envelope import Envelope
from mew_gateway.protocol.ids import is_valid
from mew_gateway.protocol.kinds import KINDS
from mew_gateway.protocol.reasons import CLASSES, EMERGENCY, with_class
from mew_gateway.space.effects import Deliver, Effect
from mew_gateway.space.events import Received
from mew_gateway.space.state import Answer

from .metrics import Counters

logger = logging.getLogger("mew.space")

_QUIET = 60.0  # seconds in which repeated lines are only counted
_MOST_LINES = 30  # of one participant and event in these seconds
_MOST_REPEATED = 1_000  # kinds of lines with a count of their own

# The kinds that are logged when a participant sends them, and the names of their counts.
_SENT = {
    "reasoning/interrupt": "interrupts",
    "reasoning/interrupt-ack": "acks",
    "reasoning/cancel": "cancels",
    "participant/pause": "pauses",
    "participant/resume": "resumes",
    "participant/shutdown": "shutdowns",
    "participant/restart": "restarts",
    "space/invite": "invites",
    "space/kick": "kicks",
    "capability/grant": "grants",
    "capability/revoke": "revocations",
    "mcp/proposal": "proposals",
    "mcp/reject": "rejections",
    "mcp/withdraw": "withdrawals",
}
_PRESENCE = {"join": "joins", "leave": "leaves"}
# The codes of a `system/error` to all participants, and the names of their counts.
_FAILURES = {
    "interrupt_ack_timeout": "ack_timeouts",
    "interrupt_refused": "interrupts_refused",
    "interrupt_overrun": "overruns",
    "sequence_lost": "sequences_lost",
    "proposal_expired": "proposals_expired",
    "proposal_voided": "proposals_voided",
}
_IDS = ("interrupt_id", "sequence_id", "proposal_id", "target", "owner", "waited_ms")
_ANSWERS = get_args(Answer)
_FAILED = ("ack_timeouts", "interrupts_refused", "overruns", "sequences_lost")
EVENTS = tuple(dict.fromkeys((*_PRESENCE.values(), *_SENT.values(), "emergencies", *_FAILURES.values())))


class _Own(msgspec.Struct):
    """The fields that are read of the gateway's own envelopes."""

    kind: str
    payload: dict[str, Any] = {}
    to: list[str] = []


_decoder = msgspec.json.Decoder(_Own)


class Activity:
    """Logs and counts events. Counts are since the gateway started.

    `events` are by space and name (`EVENTS`); `unauthorised` are requests and joins without a valid token.
    """

    def __init__(self, counters: Counters, *, now: Callable[[], float] = time.monotonic) -> None:
        self._counters = counters
        self._lines = _Repeated(now, most=_MOST_LINES)
        self.events: Counter[tuple[str, str]] = Counter()
        self.unauthorised = 0
        self._repeated = _Repeated(now, most=1)

    def observe(self, entry: Entry, effects: Sequence[Effect]) -> None:
        """Log and count the effects of an entry that has just been handled."""
        event = entry.event
        envelope = event.envelope if isinstance(event, Received) else None
        forwarded = False
        for effect in effects:
            if not isinstance(effect, Deliver):
                continue
            if not effect.own:
                forwarded = True
            elif effect.refusal and envelope is not None:
                code = _decoder.decode(effect.data).payload["error"]
                self._counters.refused[code if code in ERRORS else "other"] += 1
                self.refused(entry.space, envelope.sender, code, envelope.kind)
            else:
                self._own(entry.space, effect.data if effect.kept is None else effect.kept)
        name = None if envelope is None else _SENT.get(envelope.kind)
        if forwarded and envelope is not None and name is not None:
            self._sent(entry.space, name, envelope)

    def refused(self, space: str, participant: str, code: str, kind: str | None = None) -> None:
        """Log a refused envelope, with its `kind` if it is one of the protocol's."""
        what = kind if kind is not None and kind in KINDS else "an envelope"
        more = self._repeated.admit((space, participant, code, what))
        if more is not None:
            fields = {"event": "refused", "space": space, "participant": participant, "code": code, "left_out": more}
            _log(logging.INFO, f"{participant} was refused {what}: {code}{_left_out(more)}", fields)

    def refuse_token(self, address: str, through: str) -> None:
        """Log and count a request or a join without a valid token."""
        self.unauthorised += 1
        more = self._repeated.admit(("token", address))
        if more is not None:
            fields = {"event": "unauthorised", "address": address, "through": through, "left_out": more}
            _log(logging.WARNING, f"no valid token from {address} ({through}){_left_out(more)}", fields)

    def _sent(self, space: str, name: str, envelope: Envelope) -> None:
        payload = envelope.payload or {}
        kicked = payload.get("participant_id")
        names = envelope.to or ([kicked] if isinstance(kicked, str) else [])
        to = shorten(", ".join(name if is_valid(name) else "nobody" for name in names)) or "everybody"
        detail, level = _detail(name, payload), logging.INFO
        if detail == EMERGENCY:
            self.events[space, "emergencies"] += 1
            level = logging.WARNING
        self.events[space, name] += 1
        fields = {"event": name, "space": space, "participant": envelope.sender, "to": to, "id": shorten(envelope.id)}
        said = f"{envelope.sender} → {to}: {envelope.kind}{f' ({detail})' if detail else ''}"
        self._line(level, said, fields | ({"detail": detail} if detail else {}))

    def _own(self, space: str, data: bytes) -> None:
        """Log and count an important envelope of the gateway's own."""
        envelope = _decoder.decode(data)
        payload = envelope.payload
        if envelope.kind == "system/presence":
            self._presence(space, payload)
        elif envelope.kind == "system/error":
            self._failure(space, payload)
        elif envelope.kind in _SENT:  # an escalation, the watchdog, or a pause that has ended
            name, to = _SENT[envelope.kind], ", ".join(envelope.to)
            self.events[space, name] += 1
            fields = {"event": name, "space": space, "participant": "gateway", "to": to}
            self._line(logging.WARNING, f"the gateway → {to}: {envelope.kind}", fields)

    def _presence(self, space: str, payload: dict[str, Any]) -> None:
        name = _PRESENCE.get(payload.get("event", ""))
        if name is not None:
            who = payload["participant"]["id"]
            self.events[space, name] += 1
            fields = {"event": name, "space": space, "participant": who}
            self._line(logging.INFO, f"{who} {'joined' if name == 'joins' else 'left'}", fields)

    def _failure(self, space: str, payload: dict[str, Any]) -> None:
        name = _FAILURES.get(payload.get("error", ""))
        if name is not None:
            self.events[space, name] += 1
            fields = {"event": name, "space": space}
            fields |= {key: shorten(str(payload[key])) for key in _IDS if key in payload}
            who = fields.get("target") or fields.get("owner")
            said = f"{payload['error']}{f' of {who}' if who else ''}"
            self._line(logging.WARNING if name in _FAILED else logging.INFO, said, fields)

    def _line(self, level: int, said: str, fields: dict[str, Any]) -> None:
        """Write a line, unless the participant has `_MOST_LINES` lines of this event in this minute."""
        who = fields.get("participant") or fields.get("target") or fields.get("owner") or ""
        more = self._lines.admit((fields["space"], fields["event"], who))
        if more is not None:
            _log(level, f"{said}{_left_out(more)}", fields)


class _Repeated:
    """Lets `most` lines through in `_QUIET` seconds, by their key."""

    def __init__(self, now: Callable[[], float], *, most: int) -> None:
        self._now = now
        self._most = most
        self._since: dict[tuple[str, ...], tuple[float, int]] = {}  # time of the first line, and number of lines

    def admit(self, key: tuple[str, ...]) -> int | None:
        """Return the number of lines left out before this one; None if this one is left out, too."""
        now = self._now()
        since, count = self._since.get(key, (now, 0))
        if now - since < _QUIET:
            self._since[key] = since, count + 1
            return 0 if count < self._most else None
        if len(self._since) >= _MOST_REPEATED:
            self._since.clear()
        self._since[key] = now, 1
        return max(0, count - self._most)


def _detail(name: str, payload: dict[str, Any]) -> str | None:
    """Return the class of an interrupt or the answer of an ack; None if it is no word of the protocol."""
    word = with_class(payload)["class"] if name == "interrupts" else payload.get("status")
    return word if word in (CLASSES if name == "interrupts" else _ANSWERS if name == "acks" else ()) else None


def _left_out(more: int) -> str:
    return f" (and {more} more before that were not written)" if more else ""


def _log(level: int, said: str, fields: dict[str, Any]) -> None:
    where = f"{fields['space']}: " if "space" in fields else ""
    logger.log(level, "%s%s", where, said, extra={"fields": fields})
