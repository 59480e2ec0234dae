"""Capabilities that can be read, and that nobody can have meant: each is a fault or a warning with its place."""

from __future__ import annotations

from typing import Any

import pytest

from mew_gateway.config import load

REASONS = "{kind: [chat, reasoning/start, reasoning/interrupt-ack]}"
SAFE = "{capabilities: [{kind: reasoning/interrupt}, {kind: participant/resume}]}"


def space(*capabilities: str, participants: str = "") -> str:
    listed = ", ".join(capabilities)
    start = f"spaces:\n  demo:\n    participants:\n      {participants or 'human: {}'}\n"
    return f"{start}      one: {{capabilities: [{listed}]}}\n"


@pytest.mark.parametrize(
    ("capability", "told"),
    [
        (
            "{kind: reasoning/interupt-ack}",
            "5:35: There is no kind `reasoning/interupt-ack` (did you mean `reasoning/interrupt-ack`?)",
        ),
        ("{kind: resoning/start}", "5:35: There is no kind `resoning/start` (did you mean `reasoning/start`?)"),
        ("{kind: [chat, '!chta']}", "5:42: There is no kind `chta` (did you mean `chat`?)"),
        ('{kind: "resoning/*"}', "5:35: There is no kind `resoning/*` (did you mean `reasoning/*`?)"),
        (
            "{kind: reasoning/interrupt, payload: {class: [cancle, queue]}}",
            "5:74: An interrupt has no class `cancle` (did you mean `cancel`?)",
        ),
        (
            "{kind: reasoning/interrupt, payload: {reason: boredom}}",
            "5:74: An interrupt has no reason `boredom` "
            "(known here: timeout, redirect, error, user_request, resource_limit, other)",
        ),
        (
            "{kind: reasoning/interrupt, payload: {class: 'cancle*'}}",
            "5:73: An interrupt has no class `cancle*` (did you mean `cancel`?)",
        ),
        (
            "{kind: reasoning/interrupt, payload: {class: '/^cancle$/'}}",
            "5:73: An interrupt has no class `/^cancle$/` (did you mean `cancel`?)",
        ),
        (
            "{kind: reasoning/interrupt, payload: {class: false}}",
            "5:73: An interrupt has no class `false` (known here: queue, clarification, cancel, override, emergency)",
        ),
        ("{kind: interrupt}", "5:35: There is no kind `interrupt` (did you mean `reasoning/interrupt`?)"),
        (
            "{kind: emergency}",
            "5:35: There is no kind `emergency` (did you mean `reasoning/interrupt` with the class `emergency`?)",
        ),
    ],
)
def test_what_is_misspelt_is_a_fault(problems: Any, capability: str, told: str) -> None:
    (problem,) = problems(space(capability))
    said = str(problem).split("spaces.yaml:")[1]
    place, _, message = said.partition(f" {problem.key_path}: ")
    assert f"{place} {message}" == told


@pytest.mark.parametrize(
    "capability",
    [
        "{kind: x/start}",  # a kind of one's own
        "{kind: participant/mood}",
        "{kind: ['mcp/*', 'stream/**', '/re.*/', '*', system/heartbeat]}",
        "{kind: reasoning/interrupt, payload: {class: '!emergency'}}",
        "{kind: chat, payload: {class: first}}",
    ],
)
def test_what_may_be_meant_is_none(loaded: Any, capability: str) -> None:
    loaded(space(capability))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (space("{kind: participant/mood}"), "5:35 No kind of this version matches `participant/mood`."),
        (
            space("{kind: mcp/request, to: calculater}", participants="calculator: {}"),
            "5:52 There is no participant `calculater`.",
        ),
        (
            space("{kind: reasoning/interrupt, payload: {clas: [cancel]}}"),
            "5:66 The payload of reasoning/interrupt has no `clas`.",
        ),
        (space(REASONS), "2:3 No participant may stop an agent in an emergency: a wildcard does not allow that."),
        (
            space(REASONS, participants="human: {capabilities: [{kind: 'reasoning/*'}]}"),
            "2:3 No participant may stop an agent in an emergency: a wildcard does not allow that.",
        ),
        (
            space(REASONS, participants="guard: {capabilities: [{kind: reasoning/interrupt}]}"),
            "4:7 `guard` may halt agents in an emergency, and no participant may resume them.",
        ),
        (
            space("{kind: reasoning/start}", participants=f"guard: {SAFE}"),
            "5:7 It may reason, but cannot answer an interrupt: it may not send `reasoning/interrupt-ack`.",
        ),
    ],
)
def test_what_disarms_safety_is_a_warning(loaded: Any, text: str, told: str) -> None:
    (warning,) = loaded(text).warnings
    assert f"{warning.line}:{warning.column} {warning.message}" == told


def test_a_hosted_agent_may_send_what_the_sdk_does(loaded: Any) -> None:
    hosted = "agent: mew_agents.echo:Echo"
    text = space("{kind: [reasoning/start, reasoning/interrupt-ack]}", participants=f"guard: {SAFE}")
    (warning,) = loaded(text.replace("one: {", f"one: {{{hosted}, ")).warnings
    assert (
        warning.message
        == "It may reason, but may not send `chat`, `chat/acknowledge`, `reasoning/thought`, `participant/status`."
    )
    assert warning.suggestion == "give it the built-in role `agent`"
    good = f"spaces: {{demo: {{participants: {{guard: {SAFE}, one: {{roles: [agent], {hosted}}}}}}}}}"
    assert loaded(good).warnings == ()


def test_roles_of_all_spaces_and_a_spaces_own(loaded: Any) -> None:
    found = loaded("""
roles: {talker: [{kind: chat}], watcher: []}
spaces:
  one: {participants: {a: {roles: [talker]}}}
  two: {roles: {talker: [{kind: x/y}], agent: [{kind: x/z}]}, participants: {a: {roles: [talker, agent, watcher]}}}
""").spaces
    assert found["one"].settings.participants["a"].capabilities == ({"kind": "chat"},)
    assert found["two"].settings.participants["a"].capabilities == ({"kind": "x/y"}, {"kind": "x/z"})


def test_variables_stand_for_values(tmp_path: Any, problems: Any) -> None:
    file = tmp_path / "spaces.yaml"
    file.write_text(
        """
gateway:
  listen: 127.0.0.1:${PORT:-0}
  limits: {connections: "${MANY}"}
  state_dir: ${FOLDER}/state
  allowed_origins: ["https://${HOST}"]
spaces: {demo: {description: "$${PORT} costs $5", participants: {human: {}}}}
""".replace('"${MANY}"}', "7}\n  allow_public: ${PUBLIC}")
    )
    found = load(file, variables={"FOLDER": "here", "HOST": "a.example", "PUBLIC": "true", "PORT": ""})
    assert (found.gateway.port, found.gateway.allow_public) == (0, True)
    assert found.gateway.state_dir == tmp_path / "here/state"
    assert found.gateway.allowed_origins == ("https://a.example",)
    assert found.spaces["demo"].settings.description == "${PORT} costs $5"
    unset, broken = problems("""
gateway:
  listen: ${MEW_SURELY_UNSET}
spaces: {demo: {description: "${a b}", participants: {human: {}}}}
""")
    assert (unset.line, unset.column, unset.key_path) == (3, 11, "gateway.listen")
    assert unset.message == "The variable MEW_SURELY_UNSET is not set: set it, or write `${MEW_SURELY_UNSET:-default}`."
    assert (broken.line, broken.key_path) == (4, "spaces.demo.description")


def test_it_listens_elsewhere_by_the_same_rules(tmp_path: Any) -> None:
    file = tmp_path / "spaces.yaml"
    file.write_text("spaces: {demo: {participants: {human: {}}}}")
    gateway = load(file, listen="[::1]:9").gateway
    assert (gateway.host, gateway.port) == ("::1", 9)
    with pytest.raises(Exception, match=r"`0.0.0.0:80` is a public address"):
        load(file, listen="0.0.0.0:80")
