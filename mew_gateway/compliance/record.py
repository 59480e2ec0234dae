"""Record of one exercise: the gateway's timeline, read as runs and interrupts of the agent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec

from mew_gateway.sdk.execution.policy import POLICIES, strictest

from .times import LONGEST_HALT

PROMISES = ("stopping", "completing_thought")
NON_INTERRUPTIBLE = "non-interruptible"

_POLICIES = {str(policy): policy for policy in POLICIES}
_DUPLICATE = "duplicate_id"  # the same envelope sent again: counts as accepted
_SHOWN = (
    "status",
    "outcome",
    "policy_applied",
    "stop_by",
    "reason_code",
    "interrupt_id",
    "class",
    "error",
    "event",
    "text",
    "message",
)
_LONGEST = 40  # characters of a shown value
_TAIL = 8  # last characters of an id, which differ


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """An envelope, or a note of the gateway. `index` is its position in the record, `at` milliseconds since the epoch.

    `refused` is the error code of an envelope that the gateway refused.
    """

    index: int
    at: int
    kind: str
    id: str = ""
    sender: str = ""
    to: tuple[str, ...] = ()
    correlation_id: tuple[str, ...] = ()
    context: str | None = None
    payload: dict[str, Any] = {}
    refused: str | None = None

    @property
    def root(self) -> str | None:
        """Id of the sequence that it belongs to."""
        return None if self.context is None else self.context.partition("/")[0]

    def __str__(self) -> str:
        """Return one line for people."""
        who = self.sender.removeprefix("system:") or "gateway"
        where = "" if self.context is None else f"in {self.context[-_TAIL:]}"
        if self.refused is not None:
            said = f"refused: {self.refused}"
        elif self.kind == "system/error":
            said = str(self.payload.get("error"))
        else:
            said = " ".join(f"{key}={_shown(key, self.payload[key])}" for key in _SHOWN if key in self.payload)
        words = (f"#{self.index}", _clock(self.at), who, self.kind, self.id[-_TAIL:], where, said)
        return "  ".join(word for word in words if word)


class Interrupt(msgspec.Struct, frozen=True, kw_only=True):
    """An interrupt that the gateway accepted, with the agent's answers and the gateway's notes about it."""

    entry: Entry
    run: str
    class_: str
    ack: Entry | None
    refused: tuple[Entry, ...]
    timed_out: Entry | None
    overrun: Entry | None

    @property
    def id(self) -> str:
        """Id of the interrupt."""
        return self.entry.id

    @property
    def status(self) -> str | None:
        """Status of the accepted ack; None without one."""
        return None if self.ack is None else str(self.ack.payload.get("status"))

    @property
    def latency(self) -> int | None:
        """Milliseconds from the interrupt to its ack, by the gateway's clock."""
        return None if self.ack is None else self.ack.at - self.entry.at

    @property
    def stop_by(self) -> int | None:
        """Time by which a run that halts after its span must end, in milliseconds since the epoch; None for another
        ack. It is at most `LONGEST_HALT` after the ack, whatever the ack says (docs/protocol.md §5)."""
        if self.ack is None or self.status != "continuing" or self.ack.payload.get("outcome") != "halt_after_span":
            return None
        latest = self.ack.at + LONGEST_HALT
        return min(parse_time(self.ack.payload.get("stop_by")) or latest, latest)


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """A sequence that the agent opened. `policy` is None for a span that contradicts itself."""

    start: Entry
    policy: str | None
    entries: tuple[Entry, ...]  # everything in its context, refused or not, by the agent
    ends: tuple[Entry, ...]  # of these, the conclusions and cancels
    interrupts: tuple[Interrupt, ...]

    @property
    def end(self) -> Entry | None:
        """The conclusion (or cancel) that the gateway accepted."""
        return next((one for one in self.ends if one.refused is None), None)

    @property
    def promise(self) -> Interrupt | None:
        """The interrupt whose ack was the first to promise a stop before the end."""
        for one in sorted(self.answered, key=lambda one: one.ack.index if one.ack else 0):
            if one.status in PROMISES:
                return one
        return None

    @property
    def halt(self) -> Interrupt | None:
        """The emergency that the run answered with `halt_after_span`."""
        return next((one for one in self.answered if one.stop_by is not None), None)

    def governed_by(self, ack: Entry) -> str | None:
        """Return the policy that decided: the one that the ack names, if it is as strict as the root's.

        docs/interruption.md §7: the strictest of the addressed spans governs, and the root is one of them.
        """
        claimed, declared = (_POLICIES.get(str(one)) for one in (ack.payload.get("policy_applied"), self.policy))
        return self.policy if claimed is None or declared is None else strictest((claimed, declared))

    def is_spared(self, ack: Entry) -> bool:
        """Return true if an interruptible run ignored a stop because of a non-interruptible span within it."""
        is_ignored = ack.payload.get("status") == "ignored"
        return (
            is_ignored and self.policy not in (None, NON_INTERRUPTIBLE) and self.governed_by(ack) == NON_INTERRUPTIBLE
        )

    @property
    def answered(self) -> tuple[Interrupt, ...]:
        """The interrupts that were acknowledged while the run was open."""
        return tuple(one for one in self.interrupts if one.ack and not self._is_after_end(one.ack))

    def _is_after_end(self, ack: Entry) -> bool:
        """Return true if an ack belongs to an ended run. Such an ack may overtake the conclusion, and nothing else."""
        if self.end is None or ack.index > self.end.index:
            return self.end is not None
        is_over = ack.payload.get("status") == "ignored" and ack.payload.get("reason_code") == "not_active"
        return is_over and not any(ack.index < one.index < self.end.index for one in self.entries)


class Record:
    """All entries of an exercise. `events` is the gateway's timeline; `payloads` are full payloads by envelope id."""

    def __init__(
        self, events: Sequence[Mapping[str, Any]], payloads: Mapping[str, dict[str, Any]], *, agent: str
    ) -> None:
        self.agent = agent
        self.entries = tuple(_entry(index, event, payloads) for index, event in enumerate(events))
        self.interrupts = tuple(self._interrupts())
        self.runs = tuple(self._runs())

    def of(self, kind: str, *, sender: str | None = None) -> Iterator[Entry]:
        """Yield the accepted entries of a kind."""
        for one in self.entries:
            if one.kind == kind and one.refused is None and sender in (None, one.sender):
                yield one

    def refusals(self, *codes: str) -> Iterator[Entry]:
        """Yield the agent's entries that the gateway refused with one of these codes."""
        for one in self.entries:
            if one.sender == self.agent and one.refused in codes:
                yield one

    def presence(self, event: str) -> Iterator[Entry]:
        """Yield the agent's presence entries: `join` or `leave`."""
        for one in self.of("system/presence"):
            if one.payload.get("event") == event and one.payload.get("participant") == self.agent:
                yield one

    def noted(self, code: str, interrupt: str) -> Entry | None:
        """Return the gateway's `system/error` with this code about an interrupt."""
        for one in self.of("system/error"):
            if one.payload.get("error") == code and one.payload.get("interrupt_id") == interrupt:
                return one
        return None

    def _interrupts(self) -> Iterator[Interrupt]:
        for one in self.of("reasoning/interrupt"):
            if self.agent not in one.to or not one.correlation_id:
                continue
            acks = [ack for ack in self._own("reasoning/interrupt-ack") if one.id in ack.correlation_id]
            yield Interrupt(
                entry=one,
                run=one.correlation_id[0],
                class_=str(one.payload.get("class")),
                ack=next((ack for ack in acks if ack.refused is None), None),
                refused=tuple(ack for ack in acks if ack.refused is not None),
                timed_out=self.noted("interrupt_ack_timeout", one.id),
                overrun=self.noted("interrupt_overrun", one.id),
            )

    def _runs(self) -> Iterator[Run]:
        for start in self.of("reasoning/start", sender=self.agent):
            entries = tuple(one for one in self.entries if one.sender == self.agent and one.root == start.id)
            entries = tuple(one for one in entries if one.refused != _DUPLICATE)
            yield Run(
                start=start,
                policy=policy_of(start.payload),
                entries=entries,
                ends=tuple(
                    one
                    for one in entries
                    if one.kind in ("reasoning/conclusion", "reasoning/cancel") and one.context == start.id
                ),
                interrupts=tuple(one for one in self.interrupts if one.run == start.id),
            )

    def _own(self, kind: str) -> Iterator[Entry]:
        for one in self.entries:
            if one.kind == kind and one.sender == self.agent and one.refused != _DUPLICATE:
                yield one


def policy_of(payload: Mapping[str, Any]) -> str | None:
    """Return the policy that a `reasoning/start` declares: non-interruptible unless its span says otherwise
    (docs/interruption.md §1). None for a span that contradicts itself or names an unknown policy."""
    span = payload.get("span")
    if not isinstance(span, dict):
        return NON_INTERRUPTIBLE
    policy = span.get("policy", NON_INTERRUPTIBLE)
    if span.get("interruptible") is True:
        return policy if policy in POLICIES and policy != NON_INTERRUPTIBLE else None
    return NON_INTERRUPTIBLE if policy in POLICIES else None


def parse_time(text: object) -> int | None:
    """Return a wire timestamp in milliseconds since the epoch; None if it cannot be parsed."""
    try:
        return round(datetime.fromisoformat(str(text)).timestamp() * 1000)
    except ValueError:
        return None


def _entry(index: int, event: Mapping[str, Any], payloads: Mapping[str, dict[str, Any]]) -> Entry:
    named = ("position", "at", "kind", "id", "from", "to", "correlation_id", "context", "refused")
    fields = {key: value for key, value in event.items() if key not in named}
    id = event.get("id", "")
    return Entry(
        index=index,
        at=round(datetime.fromisoformat(event["at"]).timestamp() * 1000),
        kind=event["kind"],
        id=id,
        sender=event.get("from", ""),
        to=tuple(event.get("to", ())),
        correlation_id=tuple(event.get("correlation_id", ())),
        context=event.get("context"),
        payload=fields if "refused" in event else {**fields, **_payload_of(event["kind"], payloads.get(id, {}))},
        refused=event.get("refused"),
    )


def _payload_of(kind: str, payload: dict[str, Any]) -> dict[str, Any]:
    """Return the payload fields that the timeline omits. A presence has none: it has the participant's name."""
    return {} if kind == "system/presence" else payload


def _shown(key: str, value: object) -> str:
    text = " ".join(str(value).split())
    if key == "interrupt_id":
        return text[-_TAIL:]
    text = text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
    return repr(text) if " " in text else text


def _clock(at: int) -> str:
    return f"{datetime.fromtimestamp(at / 1000):%H:%M:%S}.{at % 1000:03d}"
