"""Which entries a journal keeps when it is pruned: the one rule of all journals (docs/interruption.md §2.7).

The record of an interrupted sequence is kept: its start, everything that its owner said in its context, its interrupts,
their answers, and the answers to what its owner asked in it. What only names it is not: an agent would fill the disk by
naming its own interrupted sequence in everything it says, and so would strangers. So a context counts only of the
owner's envelopes, and each question has one answer of each participant that was asked, a proposal one end, a question
to everybody one answer. Each kept entry counts as its sender's. When a bound on all of them is passed, whoever has most
gives up the oldest (`release`).

Entries are looked at in their order, and a question comes before its answer: when one is kept, its answers become
subjects that are retained (`Judgement.asked`), until they come (`Judgement.answered`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Set
from typing import NamedTuple, TypeAlias

import msgspec

Subject: TypeAlias = tuple[str, str]  # a space, and the id of an envelope in it
Holder: TypeAlias = tuple[str, str]  # a space, and a participant in it; "" for the gateway

_INTERRUPTS = ("reasoning/interrupt", "reasoning/cancel")
# Kinds that belong to what they correlate to: the space lets them pass only if that is theirs to answer or to lift.
_ABOUT_IT = ("reasoning/interrupt-ack", "participant/resume")
# Until an owner was retained with its sequence, these belonged to a sequence by their context alone.
_EARLIER = ("reasoning/", "mcp/")
_ENDS = ("mcp/request", "mcp/reject", "mcp/withdraw")  # of a proposal
_MOST_ASKED = 64  # participants of whom one question waits for an answer


class Said(NamedTuple):
    """An envelope of an entry: the participant's own (`sender`), or one that the gateway said because of it (""). A
    refusal among these means that the participant's own was refused."""

    position: int
    space: str
    sender: str
    data: bytes
    is_refusal: bool = False


class Kept(NamedTuple):
    """An entry that is kept, and whose it counts as."""

    position: int
    holder: Holder
    size: int  # bytes


class Released(NamedTuple):
    """What a participant had to give up: the oldest entries that were kept as its own."""

    holder: Holder
    entries: int
    size: int  # bytes


class Judgement(NamedTuple):
    """What becomes of some entries: those that are kept, by position, and the answers that are waited for from now on,
    or no more."""

    kept: dict[int, Kept]
    asked: set[Subject]
    answered: set[Subject]


class _Told(msgspec.Struct, gc=False):
    """What the gateway says of a sequence that was lost, or of a question whose target has left."""

    owner: str | None = None
    sequence_id: str | None = None
    participants: list[str] = []


class _About(msgspec.Struct, gc=False):
    id: str
    kind: str = ""
    to: list[str] | None = None
    context: str | None = None
    correlation_id: list[str] | None = None
    payload: msgspec.Raw = msgspec.Raw(b"")


_about = msgspec.json.Decoder(_About)
_told = msgspec.json.Decoder(_Told)


def sequence_of(owner: str, id: str) -> str:
    """The id under which a sequence is retained: it is its owner's, whoever else opens one of that id later."""
    return f"{owner}/{id}"


def judged(
    said: Iterable[Said],
    *,
    open_ids: Mapping[str, Collection[str]],
    retained: Callable[[Set[Subject]], Set[Subject]],
) -> Judgement:
    """Return which entries are not to be deleted, or not yet.

    `said` are their envelopes. An entry is kept if one of them is a part of the record of something that is `retained`
    (asked for those of some subjects that are) or open, and if one is a conclusion that holds the head of an agent's
    timeline. What was refused is part of nothing.
    """
    by_position: dict[int, list[Said]] = {}
    for one in said:
        by_position.setdefault(one.position, []).append(one)
    read = {
        position: [(one, about) for one in all_of_it if (about := _read(one.data)) is not None]
        for position, all_of_it in sorted(by_position.items())
        if not any(one.is_refusal for one in all_of_it)
    }
    own = {position: {about.id for one, about in all_of_it if one.sender} for position, all_of_it in read.items()}
    known = retained(
        {
            (one.space, id)
            for position, all_of_it in read.items()
            for one, about in all_of_it
            for id in (*_parts(one, about, own[position]), *_answers(one, about))
        }
    )
    waited: set[Subject] = {*known}
    kept: dict[int, Kept] = {}
    for position, all_of_it in read.items():
        is_kept = False
        for one, about in all_of_it:
            found = {(one.space, id) for id in _parts(one, about, own[position])}
            is_open = any(id in open_ids.get(one.space, ()) for _, id in found)
            answers = {(one.space, id) for id in _answers(one, about)} & waited
            waited -= answers if one.sender else set()
            if found & known or is_open or answers or _holds_a_head(about):
                is_kept = True
                waited |= {(one.space, id) for id in _questions(one, about)}
        if is_kept:
            kept[position] = _counted(by_position[position])
    return Judgement(kept, asked=waited - known, answered={*known} - waited)


def _read(data: bytes) -> _About | None:
    try:
        return _about.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None


def _counted(said: list[Said]) -> Kept:
    """An entry as it is kept: it counts as its sender's."""
    senders = [one.sender for one in said if one.sender]
    holder = (said[0].space, senders[0] if senders else "")
    return Kept(said[0].position, holder, sum(len(one.data) for one in said))


def _parts(one: Said, about: _About, own: Collection[str]) -> Iterator[str]:
    """The ids of what an envelope is a part of the record of. What the gateway says of the `own` id of the envelope to
    which it says it is no part of anything: its sender may choose any."""
    if not one.sender:
        yield about.id
        yield from (id for id in about.correlation_id or () if id not in own)
        if (told := _told_of(about)) is not None and told.owner is not None and told.sequence_id is not None:
            yield sequence_of(told.owner, told.sequence_id)
        return
    if about.kind == "reasoning/start":
        yield about.id
        yield sequence_of(one.sender, about.id)
    elif about.kind in _INTERRUPTS:
        yield about.id
    elif about.kind in _ABOUT_IT:
        yield from about.correlation_id or ()
    if about.context is not None:
        name = about.context.partition("/")[0]
        yield sequence_of(one.sender, name)
        if about.kind.startswith(_EARLIER):
            yield name


def _questions(one: Said, about: _About) -> Iterator[str]:
    """The answers that a kept envelope waits for, as subjects."""
    if one.sender and about.kind == "mcp/proposal":
        yield _asked("", about.id)
    elif one.sender and about.kind == "mcp/request":
        yield from (_asked(name, about.id) for name in (about.to or ["*"])[:_MOST_ASKED])


def _answers(one: Said, about: _About) -> Iterator[str]:
    """What an envelope is an answer to, as the subjects that `_questions` gave."""
    for id in about.correlation_id or ():
        if one.sender and about.kind == "mcp/response":
            yield _asked(one.sender, id)
            yield _asked("*", id)
        elif one.sender and about.kind in _ENDS:
            yield _asked("", id)
        elif not one.sender:
            yield _asked("", id)
            told = _told_of(about)
            yield from () if told is None else (_asked(name, id) for name in told.participants)


def _asked(name: str, id: str) -> str:
    """The subject of an answer that somebody owes (`*`: anybody, "": it is the end of a proposal). No participant has
    an id that begins so."""
    return f"gw-asked {name} {id}"


def _told_of(about: _About) -> _Told | None:
    if about.kind != "system/error":
        return None
    try:
        return _told.decode(about.payload)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None


def _holds_a_head(about: _About) -> bool:
    """Whether an envelope is a conclusion that holds the head of its agent's timeline."""
    return about.kind == "reasoning/conclusion" and b'"timeline"' in bytes(about.payload)


def to_release(held: Mapping[Holder, int], *, most: int) -> tuple[Holder, int] | None:
    """Who has to give up how many bytes, so that all together have at most `most`: whoever holds most, down to what the
    next one holds. None if nobody has to."""
    excess = sum(held.values()) - most
    if excess <= 0:
        return None
    first, second = [*sorted(held, key=lambda holder: (-held[holder], holder)), None][:2]
    assert first is not None
    return first, min(excess, max(held[first] - (0 if second is None else held[second]), 1))
