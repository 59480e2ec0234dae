"""The core: takes events in, decides, and says what to do. The same events always give the same decisions."""

from __future__ import annotations

from typing import Any, assert_never

from .effects import Effect, Follow, FollowUp, Lose, Send, Stop
from .events import (
    Accepted,
    Began,
    BoundaryLeft,
    BoundaryReached,
    Closed,
    Ended,
    Event,
    Interrupted,
    Refused,
    Welcomed,
)
from .interrupt import Interrupt
from .policy import NOT_ACTIVE, TABLE, Rule
from .runs import NotRunning, Run, abandonment, begin, conclusion

_REMEMBERED_ACKS = 1_000
_REMEMBERED_CONCLUSIONS = 200  # a welcome lists 100 open sequences

# `system/error` that correlates to an envelope and yet refuses nothing (docs/protocol.md §2, §5).
_NOTICES = ("cannot_ack", "participant_not_found", "duplicate_id")
_GONE = ("sequence_closed", "sequence_not_found", "not_sequence_owner", "sequence_lost")


class Core:
    """One agent's runs and the interrupts of them.

    `handle` raises `NotRunning` when a body speaks for a run that is not its to speak for; then nothing has
    changed. Whatever the wire says is never an error.
    """

    def __init__(self) -> None:
        self._runs: dict[str, Run] = {}
        self._conclusions: dict[str, Send] = {}
        self._acks: dict[tuple[str, str, str], Send] = {}  # by interrupt, sender and run: an id may be used anew

    def handle(self, event: Event, now: int) -> tuple[Effect, ...]:
        """What to do about an event, in order. `now` is in milliseconds since the epoch."""
        match event:
            case Began():
                return self._begin(event, now)
            case BoundaryReached():
                thought = self._live(event.run).think(event, now)
                return () if thought is None else (thought,)
            case BoundaryLeft():
                self._live(event.run).at_boundary = False
                return ()
            case Ended():
                return self._end(event, now)
            case Interrupted():
                return self._decide(event.interrupt, event.ack, now)
            case Welcomed():
                return self._compare(event, now)
            case Accepted():
                if event.run in self._runs:
                    self._runs[event.run].accepted = True
                return ()
            case Refused():
                return self._refused(event)
            case Closed():
                return self._lose(event.run, "sequence_closed")
            case _:
                assert_never(event)

    def knows(self, run: str) -> bool:
        """Whether a run of that id is open here, or ended so lately that it is remembered."""
        return run in self._runs or run in self._conclusions

    def _live(self, run: str) -> Run:
        try:
            return self._runs[run]
        except KeyError:
            raise NotRunning(f"There is no open run {run!r}: it has ended, or never began.") from None

    def _begin(self, event: Began, now: int) -> tuple[Effect, ...]:
        if self.knows(event.run):
            raise NotRunning(f"The run {event.run!r} began before.")
        run = self._runs[event.run] = begin(event, now)
        return (run.start,)

    def _end(self, event: Ended, now: int) -> tuple[Effect, ...]:
        run = self._live(event.run)
        del self._runs[run.id]
        said = conclusion(run, event, now)
        _remember(self._conclusions, run.id, said, _REMEMBERED_CONCLUSIONS)
        effects: list[Effect] = [] if run.state == "lost" else [said]
        follow_ups = run.follow_ups()
        if follow_ups:
            effects.append(Follow(run.id, follow_ups))
        return tuple(effects)

    def _decide(self, interrupt: Interrupt, ack: str, now: int) -> tuple[Effect, ...]:
        known = self._acks.get(_key(interrupt))
        if known is not None:  # docs/interruption.md §2.2: the decision stands, and only the ack may have been lost
            return (known,)
        run = self._runs.get(interrupt.run)
        if run is None or run.state == "lost":
            return (self._answer(interrupt, ack, NOT_ACTIVE, None, now),)
        rule = TABLE[(interrupt.class_, run.policy)]
        answer = self._answer(interrupt, ack, rule, run, now)
        if rule.follows and interrupt.input is not None:
            queue = run.instead if rule.follows == "instead" else run.after
            queue.append(FollowUp(rule.follows, interrupt.input, interrupt))
        if rule.stops and run.interrupt(interrupt, run.status(rule)):
            return (answer, Stop(run.id, interrupt))
        return (answer,)

    def _answer(self, interrupt: Interrupt, id: str, rule: Rule, run: Run | None, now: int) -> Send:
        payload: dict[str, Any] = {
            "status": rule.status if run is None else run.status(rule),
            "class": interrupt.class_,
            "outcome": rule.outcome,
        }
        if run is not None:
            payload |= {"policy_applied": run.policy, "span_id": run.span}
        if rule.reason_code is not None:
            payload["reason_code"] = rule.reason_code
        ack = Send(
            now,
            id,
            "reasoning/interrupt-ack",
            payload,
            to=(interrupt.sender,),
            correlation_id=(interrupt.id,),
        )
        _remember(self._acks, _key(interrupt), ack, _REMEMBERED_ACKS)
        return ack

    def _compare(self, event: Welcomed, now: int) -> tuple[Effect, ...]:
        """Bring our runs and the gateway's list together after a (re)connection."""
        effects: list[Effect] = []
        for listed in event.sequences:
            run = self._runs.get(listed.id)
            if run is not None:
                run.accepted = True
                continue
            if listed.id not in self._conclusions:
                said = abandonment(listed.id, listed.conclusion, now)
                _remember(self._conclusions, listed.id, said, _REMEMBERED_CONCLUSIONS)
            effects.append(self._conclusions[listed.id])
        if event.complete:
            named = {listed.id for listed in event.sequences}
            for run in [run for run in self._runs.values() if run.id not in named]:
                # A start that never arrived is said again: the same envelope, so a late arrival does no harm.
                effects.extend(self._lose(run.id, "sequence_lost") if run.accepted else (run.start,))
        return tuple(effects)

    def _refused(self, event: Refused) -> tuple[Effect, ...]:
        """A run that could not begin is not watched and cannot be stopped: it must not go on unseen."""
        if event.code in _NOTICES:
            return ()
        for run in self._runs.values():
            if event.id == run.id or (event.id == run.last_thought and event.code in _GONE):
                return self._lose(run.id, event.code)
        return ()

    def _lose(self, id: str, code: str) -> tuple[Effect, ...]:
        run = self._runs.get(id)
        return (Lose(id, code),) if run is not None and run.lose() else ()


def _key(interrupt: Interrupt) -> tuple[str, str, str]:
    return interrupt.id, interrupt.sender, interrupt.run


def _remember(memory: dict[Any, Any], key: Any, value: Any, limit: int) -> None:
    memory[key] = value
    while len(memory) > limit:
        del memory[next(iter(memory))]
