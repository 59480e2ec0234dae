"""Retention: which entries a journal keeps when it is pruned. The one rule of all journals (docs/interruption.md §2.7).

The record of an interrupted sequence is kept, whatever interrupted it (docs/interruption.md §8):

- its start, and every envelope that its owner sent in its context;
- its interrupts, and the answers to them; of a chat, an order or a kick that interrupted it the envelope and one
  acknowledgement;
- the answers to what its owner asked in it. A question has one answer of each participant that was asked, a proposal
  one end, a question to everybody one answer.

An envelope that only names the sequence is not part of the record. So a context counts only in envelopes of the owner:
else an agent, or a stranger, could fill the disk by naming an interrupted sequence in everything it sends.

Each kept entry counts as its sender's. When a bound on all of them is passed, the participant with most gives up its
oldest (`choose_release`).

Entries are examined in their order, and a question comes before its answer. When a question is kept, its answers become
subjects to be retained (`Judgement.asked`), until they come (`Judgement.answered`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Set
from typing import NamedTuple, TypeAlias

import msgspec

Subject: TypeAlias = tuple[str, str]  # a space, and the id of an envelope in it
Holder: TypeAlias = tuple[str, str]  # a space, and a participant in it; "" for the gateway

_INTERRUPTS = ("reasoning/interrupt", "reasoning/cancel")
# Kinds that are part of the interrupt they correlate to: the space accepts them only from its target or a lifter.
_CORRELATED = ("reasoning/interrupt-ack", "participant/resume")
# Kinds that may interrupt a sequence without a record of an interrupt (docs/interruption.md §8).
_INTERRUPTING = ("chat", "participant/restart", "participant/shutdown", "space/kick", "mcp/request")
_ENDS = ("mcp/request", "mcp/reject", "mcp/withdraw")  # of a proposal
_MOST_ASKED = 64  # participants whose answers to one question are awaited


class EntryEnvelope(NamedTuple):
    """An envelope of an entry: the participant's own (`sender`), or one that the gateway composed because of it ("").

    A refusal among these means that the participant's own was refused.
    """

    position: int
    space: str
    sender: str
    data: bytes
    is_refusal: bool = False


class KeptEntry(NamedTuple):
    """An entry that is kept, and the participant that it counts for."""

    position: int
    holder: Holder
    size: int  # bytes


class Released(NamedTuple):
    """The oldest kept entries of one participant, which were deleted."""

    holder: Holder
    entries: int
    size: int  # bytes


class Judgement(NamedTuple):
    """The entries to keep, by position, and the answers that are awaited from now on, or no longer."""

    kept: dict[int, KeptEntry]
    asked: set[Subject]
    answered: set[Subject]


class _Notice(msgspec.Struct, gc=False):
    """The part that is read of a `system/error` about a lost sequence, or about a request whose target has left."""

    owner: str | None = None
    sequence_id: str | None = None
    participants: list[str] = []


class _Head(msgspec.Struct, gc=False):
    """The part that is read of an envelope."""

    id: str
    kind: str = ""
    to: list[str] | None = None
    context: str | None = None
    correlation_id: list[str] | None = None
    payload: msgspec.Raw = msgspec.Raw(b"")


_head_decoder = msgspec.json.Decoder(_Head)
_notice_decoder = msgspec.json.Decoder(_Notice)


def sequence_subject(owner: str, id: str) -> str:
    """Return the id under which a sequence is retained.

    It names the owner: another sequence may have the same id later.
    """
    return f"{owner}/{id}"


def interrupting_subject(id: str) -> str:
    """Return the id under which an envelope is retained that interrupted a sequence and is no `reasoning/interrupt`.

    One envelope is kept for it. No participant may use an id that begins like it.
    """
    return f"gw-interrupting {id}"


def judge(
    envelopes: Iterable[EntryEnvelope],
    *,
    open_ids: Mapping[str, Collection[str]],
    retained: Callable[[Set[Subject]], Set[Subject]],
) -> Judgement:
    """Return which of the examined entries are to be kept.

    `envelopes` are theirs. An entry is kept if one of its envelopes is part of the record of something that is retained
    or open, or is a conclusion that holds the head of an agent's timeline. A refused envelope is part of nothing.
    `retained` returns those of the given subjects that are retained.
    """
    by_position: dict[int, list[EntryEnvelope]] = {}
    for one in envelopes:
        by_position.setdefault(one.position, []).append(one)
    readable = {
        position: [(one, head) for one in several if (head := _read(one.data)) is not None]
        for position, several in sorted(by_position.items())
        if not any(one.is_refusal for one in several)
    }
    own = {position: {head.id for one, head in pairs if one.sender} for position, pairs in readable.items()}
    known = retained(
        {
            (one.space, id)
            for position, pairs in readable.items()
            for one, head in pairs
            for id in (*_parts(one, head, own[position]), *_answers(one, head))
        }
    )
    awaited: set[Subject] = {*known}
    kept: dict[int, KeptEntry] = {}
    for position, pairs in readable.items():
        is_kept = False
        for one, head in pairs:
            found = {(one.space, id) for id in _parts(one, head, own[position])}
            is_open = any(id in open_ids.get(one.space, ()) for _, id in found)
            answers = {(one.space, id) for id in _answers(one, head)} & awaited
            awaited -= answers if one.sender else set()
            if found & known or is_open or answers or _holds_timeline_head(head):
                is_kept = True
                awaited |= {(one.space, id) for id in _questions(one, head)}
                if (one.space, interrupting_subject(head.id)) in answers:
                    awaited |= {(one.space, id) for id in _addressees(head)}
        if is_kept:
            kept[position] = _counted(by_position[position])
    return Judgement(kept, asked=awaited - known, answered={*known} - awaited)


def _read(data: bytes) -> _Head | None:
    try:
        return _head_decoder.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None


def _counted(envelopes: list[EntryEnvelope]) -> KeptEntry:
    """Return the kept entry, counted as its sender's."""
    senders = [one.sender for one in envelopes if one.sender]
    holder = (envelopes[0].space, senders[0] if senders else "")
    return KeptEntry(envelopes[0].position, holder, sum(len(one.data) for one in envelopes))


def _parts(one: EntryEnvelope, head: _Head, own: Collection[str]) -> Iterator[str]:
    """Yield the ids of the things whose record an envelope is part of.

    `own` are the ids of the entry's own envelope. A notice of the gateway is not part of a thing by naming these: a
    sender may choose any id.
    """
    if not one.sender:
        yield head.id
        yield from (id for id in head.correlation_id or () if id not in own)
        if (notice := _notice_of(head)) is not None and notice.owner is not None and notice.sequence_id is not None:
            yield sequence_subject(notice.owner, notice.sequence_id)
        return
    if head.kind == "reasoning/start":
        yield sequence_subject(one.sender, head.id)
    elif head.kind in _INTERRUPTS:
        yield head.id
    elif head.kind in _CORRELATED:
        yield from head.correlation_id or ()
    if head.context is not None:
        yield sequence_subject(one.sender, head.context.partition("/")[0])


def _questions(one: EntryEnvelope, head: _Head) -> Iterator[str]:
    """Yield the answers that a kept envelope waits for, as subjects."""
    if one.sender and head.kind == "mcp/proposal":
        yield _asked("", head.id)
    elif one.sender and head.kind == "mcp/request":
        yield from _addressees(head)


def _addressees(head: _Head) -> Iterator[str]:
    """Yield the answers that those in `to` owe, as subjects; without `to`, the one answer that anybody owes."""
    yield from (_asked(name, head.id) for name in (head.to or ["*"])[:_MOST_ASKED])


def _answers(one: EntryEnvelope, head: _Head) -> Iterator[str]:
    """Yield the subjects of `_questions` that an envelope answers, and that of an interruption that it was."""
    if one.sender and head.kind in _INTERRUPTING:
        yield interrupting_subject(head.id)
    for id in head.correlation_id or ():
        if one.sender and head.kind in ("mcp/response", "chat/acknowledge"):
            yield _asked(one.sender, id)
            yield _asked("*", id)
        elif one.sender and head.kind in _ENDS:
            yield _asked("", id)
        elif not one.sender:
            yield _asked("", id)
            notice = _notice_of(head)
            yield from () if notice is None else (_asked(name, id) for name in notice.participants)


def _asked(name: str, id: str) -> str:
    """Return the subject of an answer that a participant owes (`*`: anybody; "": the end of a proposal).

    No participant may use an id that begins like it.
    """
    return f"gw-asked {name} {id}"


def _notice_of(head: _Head) -> _Notice | None:
    if head.kind != "system/error":
        return None
    try:
        return _notice_decoder.decode(head.payload)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None


def _holds_timeline_head(head: _Head) -> bool:
    """Return true if the envelope is a conclusion that holds the head of its agent's timeline."""
    return head.kind == "reasoning/conclusion" and b'"timeline"' in bytes(head.payload)


def choose_release(held: Mapping[Holder, int], *, most: int) -> tuple[Holder, int] | None:
    """Return the participant that has to give up entries and how many bytes; None if all have at most `most` together.

    It is the one that holds most, down to what the next one holds.
    """
    excess = sum(held.values()) - most
    if excess <= 0:
        return None
    first, second = [*sorted(held, key=lambda holder: (-held[holder], holder)), None][:2]
    assert first is not None
    return first, min(excess, max(held[first] - (0 if second is None else held[second]), 1))
