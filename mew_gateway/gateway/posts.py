"""Envelopes posted over HTTP: who waits for which answer (docs/protocol.md §6)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

import msgspec

from mew_gateway.errors import Rejected
from mew_gateway.protocol.envelope import Envelope
from mew_gateway.space.effects import Deliver, Effect, Issue
from mew_gateway.space.events import Received


class Accepted(NamedTuple):
    """A post that was handled.

    `notices` are the `system/error` payloads that refuse nothing and whose only reader is the poster (§2:
    `participant_not_found`). An invitation names whom it invited, and the `token` that was drawn.
    """

    id: str
    timestamp: str
    notices: tuple[dict[str, Any], ...] = ()
    participant: str | None = None
    token: str | None = None


Answer: TypeAlias = Callable[[Accepted | Rejected], object]


class Posts:
    """The posts that wait, by space, participant and envelope id.

    A post is answered when its entry was handled, however much later than its commit that is, or when it is known
    that there will be no entry. What is answered is forgotten.
    """

    def __init__(self) -> None:
        self._waiting: dict[tuple[str, str, str], deque[Answer]] = {}
        self._inviting: dict[tuple[str, Issue], deque[tuple[Accepted, Answer]]] = {}

    def __len__(self) -> int:
        return sum(map(len, self._waiting.values())) + sum(map(len, self._inviting.values()))

    def expect(self, space: str, event: Received, answer: Answer) -> None:
        """Somebody waits for what becomes of this event."""
        self._waiting.setdefault((space, event.participant, event.envelope.id), deque()).append(answer)

    def handled(self, space: str, event: Received, effects: Sequence[Effect]) -> None:
        """The event's entry was handled, with these effects."""
        answer = self._take(space, event)
        if answer is None:  # a replay: whoever waited is long gone
            return
        refusal = next((effect for effect in effects if isinstance(effect, Deliver) and effect.refusal), None)
        if refusal is not None:
            answer(_rejected(refusal, event.envelope.id))
            return
        accepted = _accepted(event.envelope, effects)
        issue = next((effect for effect in effects if isinstance(effect, Issue)), None)
        if issue is None:
            answer(accepted)
        else:  # its token is drawn next
            waiting = self._inviting.setdefault((space, issue), deque())
            waiting.append((accepted._replace(participant=issue.participant), answer))

    def refuse(self, space: str, event: Received, rejected: Rejected) -> None:
        """The event has no entry, or nothing could handle it."""
        answer = self._take(space, event)
        if answer is not None:
            rejected.correlation = event.envelope.id
            answer(rejected)

    def issued(self, space: str, issue: Issue, token: str | None) -> None:
        """The token that an invitation asked for was drawn; None: it is no longer known here."""
        key = (space, issue)
        waiting = self._inviting.get(key)
        if waiting is None:  # it came over a connection
            return
        accepted, answer = waiting.popleft()
        if not waiting:
            del self._inviting[key]
        answer(accepted._replace(token=token))

    def _take(self, space: str, event: Received) -> Answer | None:
        key = (space, event.participant, event.envelope.id)
        answers = self._waiting.get(key)
        if answers is None:
            return None
        answer = answers.popleft()
        if not answers:
            del self._waiting[key]
        return answer


def _rejected(refusal: Deliver, id: str) -> Rejected:
    return Rejected.told(msgspec.json.decode(refusal.data)["payload"], correlation=id)


def _accepted(envelope: Envelope, effects: Sequence[Effect]) -> Accepted:
    private = [
        msgspec.json.decode(effect.data)
        for effect in effects
        if isinstance(effect, Deliver) and effect.own and effect.audience == (envelope.sender,)
    ]
    notices = tuple(told["payload"] for told in private if told["kind"] == "system/error")
    return Accepted(envelope.id, envelope.ts, notices)
