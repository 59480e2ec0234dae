"""An agent's core under any events in any order: what was promised is kept, and a replay decides the same.

Bodies behave in any way, the wire says anything, time passes or is told late. `Play` makes events of the drawn numbers,
so that most of them make sense where they come; `Witness` looks at every effect.
"""

from __future__ import annotations

from typing import Any, NamedTuple, get_args

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from mew_gateway.errors import MewError
from mew_gateway.protocol.reasons import CLASSES
from mew_gateway.sdk.execution import events
from mew_gateway.sdk.execution.core import Core
from mew_gateway.sdk.execution.effects import Effect, End, Follow, Lose, Note, Pause, Resume, Send
from mew_gateway.sdk.execution.events import Ending, Event
from mew_gateway.sdk.execution.interrupt import Interrupt
from mew_gateway.sdk.execution.policy import POLICIES, Policy
from mew_gateway.sdk.execution.spans import TERMINAL, TRANSITIONS, Declaration

NOW = 1_700_000_000_000
NAMES = ("ana", "human", "boss")
HOW: dict[Policy, str] = {"soft-stop": "boundary", "hard-stop": "await", "checkpointed": "back"}
ENDINGS: tuple[Ending, ...] = get_args(Ending)
CODES = ("capability_violation", "sequence_closed", "cannot_ack", "duplicate_id", "halted")
WORDS = ("stop", "no, mejor mañana", "what is that?", "and add salt", "espera")
CONFIDENCES = (1.0, 1.0, 1.0, 0.6, 0.2)
PAUSES = (0, 1, 50, 500, 1_100, 6_000, 300_000)


class Step(NamedTuple):
    """What happens, and choices that each kind of event reads its own way."""

    what: str
    whom: int
    one: int
    two: int
    pause: int


_KINDS = {
    "begin": 4,
    "span": 4,
    "boundary": 4,
    "go_on": 1,
    "checkpoint": 1,
    "hold": 4,
    "clarified": 1,
    "end_span": 3,
    "end_run": 2,
    "interrupt": 9,
    "say": 4,
    "classified": 1,
    "withdraw": 1,
    "resume": 2,
    "time": 3,
    "welcome": 1,
    "hearsay": 2,
}
_step = st.builds(
    Step,
    st.sampled_from([kind for kind, weight in _KINDS.items() for _ in range(weight)]),
    st.integers(0, 11),
    st.integers(0, 59),
    st.integers(0, 59),
    st.sampled_from(PAUSES),
)
_histories = st.lists(_step, min_size=15, max_size=60)


class Witness:
    """Looks at every effect as it comes, and holds the core to what it said before."""

    def __init__(self) -> None:
        self.policies: dict[str, Policy] = {}
        self.parents: dict[str, str | None] = {}
        self.states: dict[str, str] = {}
        self.answers: dict[tuple[str, str, str | None], Send] = {}
        self.conclusions: dict[str, Send] = {}
        self.over: dict[str, None] = {}
        self.lost: dict[str, None] = {}
        self.thoughts_left: dict[str, int] = {}
        self.halts: dict[str, None] = {}
        self.pausing: dict[str, None] = {}
        self.promised: dict[str, list[str]] = {}
        self.perhaps: dict[str, list[str]] = {}
        self.decided: dict[str, None] = {}  # by this event
        self.told: dict[str, None] = {}
        self.alone: str | None = None

    def see(self, event: Event, effects: tuple[Effect, ...]) -> None:
        if isinstance(event, events.Started):
            self.halts = {one.interrupt: None for one in event.halts}
        if isinstance(event, events.Began | events.SpanBegan):
            assert not self.halts, "something begins under an emergency"
            self.policies[event.span] = event.declared.effective
            self.parents[event.span] = event.parent if isinstance(event, events.SpanBegan) else None
            self.states[event.span] = "spawned"
        self.decided, self.alone = {}, None
        for effect in effects:
            match effect:
                case Send():
                    self._see_envelope(event, effect)
                case Note():
                    self._see_note(event, effect)
                case End():
                    assert effect.how == HOW[self.policies[effect.span]], "a policy is overridden"
                    assert not self._open_within(effect.span), "a parent is ended before its child"
                    assert effect.span not in self.told, "a span is told twice to end"
                    self.told[effect.span] = None
                    self.pausing.pop(effect.span, None)
                case Pause():
                    expected = "await" if self.policies[effect.span] == "hard-stop" else "boundary"
                    assert self.policies[effect.span] != "non-interruptible"
                    assert effect.how == expected
                    self.pausing[effect.span] = None
                case Resume():
                    assert effect.span in self.pausing, "what was never paused goes on"
                    del self.pausing[effect.span]
                case Lose():
                    assert effect.run in self.lost, "the spans of a run that is not lost are told to end"
                    firm = (self.policies[span] == "non-interruptible" for span in effect.spans)
                    assert all(firm), "a policy is overridden"
                case Follow():
                    self._see_followed(effect)
        self._see_answers(event, effects)

    def _see_envelope(self, event: Event, said: Send) -> None:
        if said.kind == "reasoning/start":
            assert not self.halts, "a run starts under an emergency"
            assert said.id not in self.over
            assert said.id not in self.lost, "a lost run starts again"
        elif said.kind == "reasoning/conclusion":
            assert said.context is not None
            assert self.conclusions.setdefault(said.context, said) == said, "two conclusions of a run"
            assert said.context not in self.lost or isinstance(event, events.Welcomed)
        elif said.kind == "reasoning/thought":
            assert said.context is not None
            assert said.context not in self.over, "a thought behind its run's conclusion"
            assert self.thoughts_left.get(said.context) != 0, "a thought that an ack has ruled out"
            if said.context in self.thoughts_left:
                self.thoughts_left[said.context] -= 1

    def _see_note(self, event: Event, note: Note) -> None:
        assert note.trace_id not in self.over, "a trace is changed behind its run's conclusion"
        if note.kind == "span_state" and note.span_id in self.states:
            self._see_moved(event, note.span_id, note.data["from"], note.data["to"])
        elif note.kind == "trace_sealed" or (note.kind == "run_concluded" and not note.data["interrupted"]):
            assert note.trace_id is not None
            self.over[note.trace_id] = None
        elif note.kind == "decided" and note.trace_id is not None:
            self._hold_to(event, note)
        elif note.kind == "lost":
            assert note.trace_id is not None
            assert note.trace_id not in self.lost, "a run is lost twice"
            self.lost[note.trace_id] = None
        elif note.kind == "halted":
            self.halts[note.data["interrupt"]] = None
        elif note.kind == "resumed":
            del self.halts[note.data["interrupt"]]
        elif note.kind == "withdrawn":
            for kept in (self.promised, self.perhaps):
                waiting = kept.get(str(note.trace_id), [])
                if note.cause_id in waiting:
                    waiting.remove(note.cause_id)

    def _see_moved(self, event: Event, span: str, before: str, after: str) -> None:
        assert before == self.states[span]
        assert after in TRANSITIONS[before]  # type: ignore[index]
        self.states[span] = after
        if self.alone is not None and after == "interrupted":
            assert self._is_within(span, self.alone), "more is ended than was meant"
        if self.policies[span] == "non-interruptible":
            assert after not in ("interrupted", "paused"), "a policy is overridden"
            own = (events.Began, events.SpanBegan, events.SpanEnded, events.Ended)
            assert isinstance(event, own), "somebody has ended what nobody may interrupt"

    def _see_answers(self, event: Event, effects: tuple[Effect, ...]) -> None:
        kinds = ("reasoning/interrupt-ack", "chat/acknowledge")
        acks = [one for one in effects if isinstance(one, Send) and one.kind in kinds]
        wire = isinstance(event, events.Interrupted) and event.interrupt.source == "wire"
        assert len(acks) == 1 if wire else len(acks) <= 1 or isinstance(event, events.TimePassed)
        for ack in acks:
            if isinstance(event, events.Interrupted):
                interrupt = event.interrupt
                key = (interrupt.id, interrupt.sender, interrupt.run)
                known = key in self.answers
                assert known or interrupt.class_ != "emergency" or interrupt.id in self.halts, "nothing is halted"
                assert self.answers.setdefault(key, ack) == ack, "a decision that did not stand"

    def _hold_to(self, event: Event, decided: Note) -> None:
        """What a decision promises of the run that it is about."""
        id, run, said = str(decided.cause_id), str(decided.trace_id), decided.data
        assert not (said.get("policy") == "non-interruptible" and said["outcome"] == "stopped"), (
            "a policy is overridden"
        )
        self.alone = decided.span_id if (said["status"], said["outcome"]) == ("continuing", "stopped") else None
        if said["status"] in ("stopping", "completing_thought"):
            left = 0 if said["status"] == "stopping" else 1
            self.thoughts_left[run] = min(left, self.thoughts_left.get(run, 1))
        if id in self.decided or said.get("reason_code") == "queue_full":
            return  # the others of several runs get no input
        self.decided[id] = None
        if isinstance(event, events.Interrupted) and event.interrupt.input is None:
            return
        if said["outcome"] == "queued" or (said["class"], said["outcome"]) == ("override", "stopped"):
            self.promised.setdefault(run, []).append(id)
        elif said["outcome"] == "paused":
            self.perhaps.setdefault(run, []).append(id)

    def _see_followed(self, follow: Follow) -> None:
        left = [one.interrupt.id for one in follow.inputs]
        for id in self.promised.pop(follow.run, []):
            left.remove(id)
        for id in left:  # what a span was to pause for, and did not come to
            self.perhaps[follow.run].remove(id)
        ways = [one.when for one in follow.inputs]
        assert ways == sorted(ways, reverse=True), "what was queued comes before what was asked for instead"

    def _is_within(self, span: str | None, outer: str) -> bool:
        while span is not None and span != outer:
            span = self.parents[span]
        return span == outer

    def _open_within(self, span: str) -> list[str]:
        return [one for one, parent in self.parents.items() if parent == span and self.states[one] not in TERMINAL]


class Play:
    """A core, its witness, and what has happened: the events that were not refused, with their effects."""

    def __init__(self) -> None:
        self.core = Core()
        self.witness = Witness()
        self.happened: list[tuple[Event, int, tuple[Effect, ...]]] = []
        self.now = NOW
        self._runs: list[str] = []
        self._spans: list[tuple[str, str]] = []
        self._ids = 0

    def run(self, history: list[Step]) -> None:
        """Everything that is drawn; then every body ends."""
        halts = (events.StandingHalt("e0"),) if history[0].one == 0 else ()
        self.tell(events.Started("life", halts))
        for step in history:
            self.now += step.pause
            self.tell(getattr(self, f"_{step.what}")(step))
        for run in list(self.core.state.runs):
            self.tell(events.Ended(run, "returned"))

    def tell(self, event: Event) -> None:
        """One event; one that is refused changes nothing, which the replay without it shows."""
        try:
            effects = self.core.handle(event, self.now)
        except MewError:
            return
        self.happened.append((event, self.now, effects))
        self.witness.see(event, effects)
        self._look_at_state(event)

    def _look_at_state(self, event: Event) -> None:
        state, deadline = self.core.state, self.core.deadline
        if isinstance(event, events.TimePassed):
            assert deadline is None or deadline > self.now, "the core would be woken for ever"
        focus = [
            (run.id, one.id) for run in state.runs.values() for one in run.spans.values() if one.declared.foreground
        ]
        assert sorted(state.focus) == sorted(focus)
        assert list(state.halts) == list(self.witness.halts)
        assert {one.id: one.state for run in state.runs.values() for one in run.spans.values()} == {
            id: at for id, at in self.witness.states.items() if at not in TERMINAL
        }

    def fresh(self, prefix: str) -> str:
        self._ids += 1
        return f"{prefix}{self._ids}"

    def _open_span(self, number: int) -> tuple[str, str]:
        """An open span mostly, else one that ended."""
        there = [(run.id, id) for run in self.core.state.runs.values() for id in run.spans]
        among = there if there and number % 12 else self._spans or [("r", "s")]
        return among[-1 - number % len(among)]

    def _some_run(self, number: int) -> str:
        there = list(self.core.state.runs)
        among = there if there and number % 7 else self._runs or ["r"]
        return among[-1 - number % len(among)]

    def _declared(self, step: Step) -> Declaration:
        policy = POLICIES[step.one % 4]
        return Declaration(policy, foreground=step.two % 4 != 0, limit=(None, None, 700, 5_000)[step.two % 4])

    def _begin(self, step: Step) -> Event:
        run = self.fresh("r") if step.whom else self._some_run(1)
        span = self.fresh("s")
        self._runs.append(run)
        self._spans.append((run, span))
        user = NAMES[step.two % 3]
        return events.Began(run, span, self.fresh("end"), self._declared(step), user=user, state={"n": step.one})

    def _span(self, step: Step) -> Event:
        run, parent = self._open_span(step.whom)
        span = self.fresh("s")
        self._spans.append((run, span))
        return events.SpanBegan(run, span, parent, self._declared(step), state={"n": step.one})

    def _boundary(self, step: Step) -> Event:
        return events.BoundaryReached(*self._open_span(step.whom), self.fresh("t"), "thought" if step.one % 3 else None)

    def _go_on(self, step: Step) -> Event:
        return events.BoundaryLeft(*self._open_span(step.whom))

    def _checkpoint(self, step: Step) -> Event:
        return events.CheckpointReached(*self._open_span(step.whom), self.fresh("k"), {"n": step.one})

    def _hold(self, step: Step) -> Event:
        wanted = [
            (run.id, one.id) for run in self.core.state.runs.values() for one in run.spans.values() if one.pausing
        ]
        place = wanted[step.one % len(wanted)] if wanted else self._open_span(step.whom)
        return events.Held(*place, self.fresh("k"), {"n": step.one})

    def _clarified(self, step: Step) -> Event:
        return events.Clarified(*self._open_span(step.whom), "so" if step.one % 2 else None)

    def _end_span(self, step: Step) -> Event:
        return events.SpanEnded(*self._open_span(step.whom), ENDINGS[step.two % 4])

    def _end_run(self, step: Step) -> Event:
        return events.Ended(self._some_run(step.whom), ENDINGS[step.two % 4], outcome=None if step.one % 5 else "mine")

    def _interrupt(self, step: Step) -> Event:
        scope: Any = (None, None, "run", "span", "participant")[step.two % 5]
        span = self._open_span(step.whom)[1] if step.one % 3 == 0 else None
        source: Any = "alert" if step.two % 6 == 5 else "wire"
        run = None if source == "alert" and step.one % 2 else self._some_run(step.whom)
        interrupt = Interrupt(
            f"i{step.one % 12}" if step.whom % 3 == 0 else self.fresh("i"),
            NAMES[step.whom % 3],
            run,
            CLASSES[step.one % 5],
            input=None if step.two % 4 == 3 else f"input {step.one}",
            source=source,
            scope=scope,
            span_id=span,
            confidence=CONFIDENCES[step.two % 5],
            on_reject="queue" if step.one % 2 else "ignore",
        )
        return events.Interrupted(interrupt, self.fresh("ack"), self.now - step.one)

    def _say(self, step: Step) -> Event:
        allowed = CLASSES[: step.one % 6]
        return events.Heard(
            self.fresh("c"),
            NAMES[step.whom % 3],
            WORDS[step.two % 5],
            self.now,
            (None, None, 0.95, 0.55, 0.2)[step.one % 5],
            allowed,
            "stop-words" if step.one % 11 == 0 else "any",
            None if step.two % 2 else 300,
            self.fresh("ack") if step.one % 4 else None,
        )

    def _classified(self, step: Step) -> Event:
        id = next(iter(self.core.state.pending), "c1")
        return events.Classified(id, CLASSES[step.one % 5], CONFIDENCES[step.two % 5], "model")

    def _withdraw(self, step: Step) -> Event:
        return events.Withdrawn(None if step.one % 4 == 0 else tuple(f"c{n}" for n in range(step.one)))

    def _resume(self, step: Step) -> Event:
        standing = tuple(self.core.state.halts) or ("e0",)
        lifted = (standing, standing[:1] * 2, ())[step.one % 3]
        return events.ResumeHeard(NAMES[step.whom % 3], lifted, trusted=step.two % 2 == 0)

    def _time(self, step: Step) -> Event:
        deadline = self.core.deadline
        if deadline is not None and step.one % 3:
            self.now = max(self.now, deadline)
        return events.TimePassed()

    def _welcome(self, step: Step) -> Event:
        ids = self._runs if step.one % 3 == 0 else list(self.core.state.runs)[step.one % 2 :]
        listed = tuple(events.Listed(id, self.fresh("end")) for id in dict.fromkeys(ids))
        halted = (None, (), tuple(self.core.state.halts), ("e9",))[step.two % 4]
        return events.Welcomed(listed, step.two % 5 != 0, halted)

    def _hearsay(self, step: Step) -> Event:
        run = self._some_run(step.whom)
        match step.one % 6:
            case 0:
                return events.Refused(run, CODES[step.two % 5], "e8" if step.two % 2 else None)
            case 1:
                return events.Closed(run)
            case _:
                return events.Accepted(run)


@settings(max_examples=300, deadline=None)
@given(_histories)
def test_what_was_promised_is_kept(history: list[Step]) -> None:
    play = Play()
    play.run(history)
    witness = play.witness
    begun = [event.run for event, _, _ in play.happened if isinstance(event, events.Began)]
    assert not play.core.state.runs
    assert all(run in witness.over for run in begun)
    assert all(run in witness.conclusions for run in begun if run not in witness.lost)
    assert not any(witness.promised.values()), "what was queued is forgotten"
    assert len(play.core.state.pending) <= 64


@settings(max_examples=150, deadline=None)
@given(_histories)
def test_core_is_deterministic_and_refusals_change_nothing(history: list[Step]) -> None:
    play = Play()
    play.run(history)
    again = Core()
    for event, now, effects in play.happened:
        decoded: Event = msgspec.json.decode(msgspec.json.encode(event), type=Event)
        assert decoded == event
        assert again.handle(decoded, now) == effects
    assert again.state == play.core.state
