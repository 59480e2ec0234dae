"""Spaces in which an agent cannot be stopped, cannot answer, or stays halted: each is a warning with its place."""

from __future__ import annotations

from typing import Any

import pytest

from mew_gateway.protocol import reasons
from mew_gateway.protocol.capabilities import Capabilities

GUARD = "{capabilities: [{kind: reasoning/interrupt}, {kind: participant/resume}]}"
AGENT = "{roles: [agent]}"
REASONS = "{kind: [chat, reasoning/start, reasoning/thought, reasoning/conclusion]}"
NOBODY_STOPS = "No participant may stop an agent in an emergency: a wildcard does not allow that."


def space(settings: str = "", **participants: str) -> str:
    """`settings` stand on a line of their own, the third; each participant on the next ones."""
    listed = "".join(f"      {name}: {one}\n" for name, one in participants.items())
    return f"spaces:\n  demo:\n    {settings}\n    participants:\n{listed}"


def told(loaded: Any, text: str) -> list[str]:
    return [f"{one.line}:{one.column} {one.message}" for one in loaded(text).warnings]


@pytest.mark.parametrize(
    "participants",
    [
        {"guard": GUARD, "a": AGENT, "b": AGENT},
        {"human": "{capabilities: [{kind: '*'}, {kind: reasoning/interrupt}]}", "a": AGENT},
        {
            "one": "{capabilities: [{kind: 'reasoning/*'}, {kind: reasoning/interrupt}, {kind: participant/*}]}",
            "a": AGENT,
        },
        {"one": "{capabilities: [{kind: '*'}]}"},  # alone
        {"ann": "{capabilities: [{kind: chat}]}", "bob": "{capabilities: [{kind: 'mcp/*'}]}"},
    ],
)
def test_a_space_in_which_everybody_can_be_stopped_has_none(loaded: Any, participants: dict[str, str]) -> None:
    assert told(loaded, space(**participants)) == []


@pytest.mark.parametrize(
    ("participants", "warning"),
    [
        (
            {
                "guard": "{capabilities: [{kind: reasoning/interrupt}]}",
                "human": "{capabilities: [{kind: participant/resume}]}",
            },
            "6:7 `guard` may halt agents in an emergency, and no participant may resume them.",
        ),
        (
            {"guard": "{capabilities: [{kind: reasoning/interrupt, to: a}, {kind: participant/resume}]}", "b": AGENT},
            "7:7 No other participant may stop `b` in an emergency: a wildcard does not allow that.",
        ),
        (
            {"guard": "{capabilities: [{kind: reasoning/interrupt}, {kind: participant/resume, to: a}]}", "b": AGENT},
            "6:7 `guard` may halt `b` in an emergency, and no participant that may halt it may resume it.",
        ),
    ],
)
def test_every_agent_is_stopped_and_let_go_on_by_the_same(
    loaded: Any, participants: dict[str, str], warning: str
) -> None:
    assert told(loaded, space(a=AGENT, **participants)) == [warning]


@pytest.mark.parametrize(
    "capabilities",
    [
        "[{kind: '*'}]",
        "[{kind: '**'}]",
        "[{kind: /./}]",
        f"[{REASONS}, {{kind: reasoning/interrupt-ack}}]".replace("]}", "], payload: {message: '*'}}", 1),
        f"[{REASONS}, {{kind: reasoning/interrupt-ack}}]".replace("]}", "], to: human}", 1),
        "[{kind: [reasoning/start, reasoning/interrupt-ack]}, {kind: reasoning/interrupt}, {kind: participant/resume}]",
    ],
)
def test_whoever_may_reason_is_an_agent_and_does_not_stop_itself(loaded: Any, capabilities: str) -> None:
    text = space(human="{capabilities: [{kind: chat}]}", a=f"{{capabilities: {capabilities}}}")
    assert told(loaded, text) == [f"2:3 {NOBODY_STOPS}"]


@pytest.mark.parametrize(
    "ack", ["payload: {status: stoping}", "payload: {status: continuing}", "to: human", "to: [human, other]"]
)
def test_an_agent_can_answer_whoever_may_interrupt_it(loaded: Any, ack: str) -> None:
    agent = f"{{capabilities: [{REASONS}, {{kind: reasoning/interrupt-ack, {ack}}}]}}"
    text = space(guard=GUARD, human="{}", other="{}", a=agent)
    message = "It may reason, but cannot answer `stopping` to an interrupt of `guard`."
    assert told(loaded, text) == [f"8:7 {message}"]


@pytest.mark.parametrize(
    ("capability", "warning"),
    [
        ("{kind: '/reasoning\\/interupt/'}", "6:37 No kind of this version matches `/reasoning\\/interupt/`."),
        ("{kind: chat, to: 'agents-*'}", "6:47 There is no participant `agents-*`."),
        ("{kind: chat, to: '/^b/'}", "6:47 There is no participant `/^b/`."),
        (
            "{kind: space/kick, payload: {participant_id: nobdy}}",
            "6:75 There is no participant `nobdy`.",
        ),
    ],
)
def test_what_reaches_nobody_is_a_warning(loaded: Any, capability: str, warning: str) -> None:
    text = space(guard=GUARD, human=f"{{capabilities: [{capability}]}}", a=AGENT)
    assert told(loaded, text) == [warning]


@pytest.mark.parametrize(
    ("settings", "warning"),
    [
        (
            "interrupts: {emergency: 1/365d}",
            "3:29 After 1 in a row, a sender must wait for up to 365d.",
        ),
        (
            "interrupts: {emergency_ack_deadline: 300d}",
            "3:42 An unanswered interrupt is reported only after 300d.",
        ),
        (
            "interrupts: {ack_deadline: 1ms}",
            "3:32 No agent can answer within 1ms: every ack will be late.",
        ),
        (
            "interrupts: {escalation: [{kick: {after: 365d}}]}",
            "3:30 `kick` follows only 365d after the previous step.",
        ),
        ("interrupts: {emergency_escalation: []}", "3:40 Nothing happens if an interrupt is not answered."),
        (
            "interrupts: {escalation: [terminate]}",
            "3:30 `terminate` ends hosted processes only, and `a` is not hosted.",
        ),
        (
            "interrupts: {emergency: 1/1h}",
            "3:29 After 1 in a row, a sender must wait for up to 1h.",
        ),
        (
            "interrupts: {per_sequence: 1/1h}",
            "3:32 After 1 in a row, a sender must wait for up to 1h.",
        ),
        ("owner_grace: 1ms", "3:18 A participant that is disconnected for 1ms loses its sequences."),
        ("owner_grace: 365d", "3:18 Sequences of a disconnected owner stay open for 365d."),
        (
            "watchdog: {max_seconds: 99999999}",
            "3:29 No sequence comes to more than a day: this limit stops nothing.",
        ),
        ("proposal_expiry: 1ms", "3:22 A proposal expires before it can be decided."),
    ],
)
def test_a_bound_that_helps_nobody_is_a_warning(loaded: Any, settings: str, warning: str) -> None:
    assert told(loaded, space(settings, guard=GUARD, a=AGENT)) == [warning]


@pytest.mark.parametrize("kind", ["space/*", "space/kick", "'*/kick'"])
def test_an_agent_that_may_remove_its_supervisor_is_a_warning(loaded: Any, kind: str) -> None:
    agent = f"{{roles: [agent], capabilities: [{{kind: {kind}}}]}}"
    assert told(loaded, space(guard=GUARD, a=agent)) == [
        "6:7 It may reason, and may remove `guard`, who may stop it, with `space/kick`."
    ]


@pytest.mark.parametrize(
    ("capability", "powers"),
    [
        ("{kind: space/kick, to: guard}", "remove `guard`, who may stop it, with `space/kick`"),
        ("{kind: space/kick, to: a}", "remove `guard`, who may stop it, with `space/kick`"),
        ("{kind: space/kick, payload: {reason: tidy}}", "remove `guard`, who may stop it, with `space/kick`"),
        (
            "{kind: space/kick, payload: {participant_id: 'g*', reason: [a, b]}}",
            "remove `guard`, who may stop it, with `space/kick`",
        ),
        (
            "{kind: participant/pause, payload: {timeout_seconds: 5, reason: x}}",
            "silence `guard`, who may stop it, with `participant/pause`",
        ),
        (
            "{kind: reasoning/interrupt}, {kind: capability/revoke, payload: {recipient: guard, reason: x}}",
            "silence `guard`, who may stop it, with `capability/revoke`",
        ),
        ("{kind: space/kick, payload: {participant_id: '!a'}}", "remove `guard`, who may stop it, with `space/kick`"),
        (
            "{kind: 'participant/*'}",
            "silence `guard`, who may stop it, with `participant/shutdown`, `participant/pause`",
        ),
        ("{kind: participant/pause, to: '!a'}", "silence `guard`, who may stop it, with `participant/pause`"),
        (
            "{kind: reasoning/interrupt}, {kind: 'capability/*'}",
            "silence `guard`, who may stop it, with `capability/revoke`",
        ),
    ],
)
def test_an_agent_that_may_silence_its_supervisor_is_a_warning(loaded: Any, capability: str, powers: str) -> None:
    agent = f"{{roles: [agent], capabilities: [{capability}]}}"
    assert told(loaded, space(guard=GUARD, a=agent)) == [f"6:7 It may reason, and may {powers}."]


@pytest.mark.parametrize(
    "capability",
    [
        "{kind: space/kick, payload: {participant_id: b}}",
        "{kind: space/kick, payload: {participant_id: '!guard', reason: x}}",
        "{kind: space/kick, payload: {'**': '!guard', reason: x}}",
        "{kind: participant/shutdown, to: b}",
        "{kind: 'capability/*'}",
    ],
)
def test_an_agent_that_may_remove_another_agent_is_none(loaded: Any, capability: str) -> None:
    agent = f"{{roles: [agent], capabilities: [{capability}]}}"
    assert told(loaded, space(guard=GUARD, a=agent, b=AGENT)) == []


def test_what_the_invited_may_do_is_looked_at_too(loaded: Any) -> None:
    text = space("defaults: {capabilities: [{kind: space/kick}]}", guard=GUARD, a=AGENT)
    assert told(loaded, text) == ["3:16 An invited participant may remove `guard`, who may stop it, with `space/kick`."]
    text = space("defaults: {capabilities: [{kind: '**'}]}", guard=GUARD, a=AGENT)
    assert told(loaded, text) == ["3:16 Invited participants may do everything."]


EVERYTHING = "This agent may do everything: it can grant itself capabilities or make others act for it."


@pytest.mark.parametrize("kind", ["'*'", "['*']", "'**'", "'/.*/'", "'!x'", "'*', payload: {}", "['chat', '*/*']"])
def test_an_agent_may_do_everything_however_it_is_written(loaded: Any, kind: str) -> None:
    agent = f"{{roles: [agent], capabilities: [{{kind: {kind}}}]}}"
    assert told(loaded, space(guard=GUARD, a=agent)) == [f"6:49 {EVERYTHING}"]
    roles = f"roles: {{operator: [{{kind: {kind}}}]}}"
    text = space(roles, guard=GUARD, a="{roles: [agent, operator]}")
    assert told(loaded, text) == [f"6:18 {EVERYTHING}"]


@pytest.mark.parametrize(
    ("limit", "warning"),
    [
        ("connects: 1/1h", "2:22 After 1 in a row, a participant must wait for up to 1h."),
        ("join_timeout: 1ms", "2:26 Nobody can join within 1ms."),
        (
            "ping_interval: 1ms",
            "2:27 Connections are closed after 1ms without an answer, or have no time for anything else.",
        ),
        (
            "ping_timeout: 1ms",
            "2:26 Connections are closed after 1ms without an answer, or have no time for anything else.",
        ),
        ("ping_timeout: 365d", "2:26 A dead peer counts as connected for 365d."),
        ("settled_interrupts: 1", "2:32 The record of an interrupt is forgotten before it can be read."),
        (
            "closed_sequences: 1",
            "2:30 An ended sequence is forgotten at once: late envelopes in it are not refused.",
        ),
        ("connections: 1", "2:25 With one connection nobody can stop an agent that is here."),
        (
            "envelopes_per_second: 4",
            "2:34 With 4 a second, an agent that thinks cannot answer an interrupt in time.",
        ),
        ("remembered_ids: 1", "2:28 A duplicate envelope is accepted twice."),
    ],
)
def test_a_limit_of_the_gateway_that_disarms_it_is_a_warning(loaded: Any, limit: str, warning: str) -> None:
    text = f"gateway:\n  limits: {{{limit}}}\n" + space(guard=GUARD, a=AGENT)
    assert told(loaded, text) == [warning]


@pytest.mark.parametrize(("keep", "told_of"), [("1ms", True), ("59s", True), ("1m", False)])
def test_a_history_that_is_deleted_at_once_is_a_warning(loaded: Any, keep: str, told_of: bool) -> None:
    warning = f"2:19 History is deleted after {keep}: nobody can resume or read what happened."
    assert told(loaded, f"gateway:\n  journal: {{keep: {keep}}}\n{space(guard=GUARD, a=AGENT)}") == [warning] * told_of


@pytest.mark.parametrize("own", ["{}", "{max_thoughts: 5}", "{max_seconds: null}"])
def test_an_own_watchdog_without_a_limit_of_the_spaces_is_a_warning(loaded: Any, own: str) -> None:
    text = space("watchdog: {max_seconds: 60}", guard=GUARD, a=f"{{roles: [agent], watchdog: {own}}}")
    assert told(loaded, text) == [
        "6:27 This replaces the watchdog of the space: `max_seconds` no longer limits this participant."
    ]
    assert told(loaded, text.replace(own, "{max_seconds: 3600}")) == []


def test_guests_who_may_reason_can_be_stopped_and_resumed(loaded: Any) -> None:
    defaults = f"defaults: {{capabilities: [{REASONS}]}}"
    assert told(loaded, space(defaults, guard=GUARD, a=AGENT)) == []
    only = "{capabilities: [{kind: reasoning/interrupt, to: a}, {kind: participant/resume}]}"
    assert told(loaded, space(defaults, guard=only, a=AGENT)) == [
        "3:16 Invited participants may reason, and no participant may stop them in an emergency."
    ]
    half = "{capabilities: [{kind: reasoning/interrupt}, {kind: participant/resume, to: a}]}"
    assert told(loaded, space(defaults, guard=half, a=AGENT)) == [
        "5:7 `guard` may halt invited participants in an emergency, and no participant may resume them."
    ]


def test_an_agent_that_may_lift_the_halt_of_another_is_a_warning(loaded: Any) -> None:
    lifting = "{roles: [agent], capabilities: [{kind: reasoning/interrupt, to: TO}, {kind: participant/resume}]}"
    assert told(loaded, space(guard=GUARD, a=lifting.replace("TO", "b"), b=AGENT)) == [
        "6:7 It may reason, and may lift the halt of `b`: it may send it emergencies and a resume."
    ]
    assert told(loaded, space(guard=GUARD, a=lifting.replace("TO", "guard"), b=AGENT)) == []


def test_terminate_reaches_what_is_hosted(loaded: Any) -> None:
    hosted = "{roles: [agent], agent: 'mew_agents.echo:Echo'}"
    assert told(loaded, space("interrupts: {escalation: [terminate]}", guard=GUARD, a=hosted)) == []


def test_an_agent_that_may_do_everything_is_a_warning(loaded: Any) -> None:
    (warning,) = told(loaded, space(guard=GUARD, a="{roles: [agent], capabilities: [{kind: '*'}]}"))
    assert warning.endswith("This agent may do everything: it can grant itself capabilities or make others act for it.")


def test_a_role_of_a_space_that_lacks_the_interrupt_of_its_namesake_is_a_warning(loaded: Any) -> None:
    roles = "roles: {safety: [{kind: reasoning/interrupt}, {kind: participant/resume}]}\n"
    text = space("roles: {safety: [{kind: chat}]}", g="{roles: [safety]}", h=GUARD, a=AGENT)
    assert told(loaded, roles + text) == ["4:13 This replaces the shared role `safety`, and may not interrupt."]


def test_agents_with_the_same_patterns_are_asked_about_once(loaded: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each asked every other about every other: a hundred agents took 42 s."""
    asked: list[int] = []
    allow = Capabilities.allow_emergency

    def counted(self: Capabilities, *arguments: Any) -> bool:
        asked.append(1)
        return allow(self, *arguments)

    monkeypatch.setattr(Capabilities, "allow_emergency", counted)
    assert told(loaded, space(guard=GUARD, **{f"agent{n}": AGENT for n in range(40)})) == []
    assert 0 < len(asked) <= 42 * 2 * len(reasons.REASONS)
