"""A file of one space, as upstream's gateway reads it: honoured, remarked upon, or refused with its place."""

from pathlib import Path

import pytest

from mew_gateway.config import ConfigError, Hosted, Restart, load
from mew_gateway.space.settings import Bounds, Interrupts, Participant

WHOLE = (Path(__file__).parent / "single.yaml").read_text(encoding="utf-8")


def test_what_the_file_says_is_honoured(loaded, tmp_path):
    configuration = loaded(WHOLE)
    assert configuration.warnings == ()
    (space,) = configuration.spaces.values()
    usual = ({"kind": "mcp/request", "payload": {"method": "tools/*"}},)
    assert space.settings.participants == {
        "echo-agent": Participant(id="echo-agent", capabilities=({"kind": "chat"}, {"kind": "system/*"})),
        "resting": Participant(id="resting", capabilities=usual),  # nobody said what it may
        "client": Participant(id="client", capabilities=usual),
        "silent": Participant(id="silent"),
    }
    assert (space.settings.id, space.settings.description) == ("demo", "A basic flow")
    assert space.settings.invited_capabilities == usual
    assert (space.settings.interrupts, space.settings.bounds) == (Interrupts(), Bounds())
    assert space.output_logs == {"client": tmp_path / "logs/client.jsonl"}
    assert space.tokens == {
        "echo-agent": "echo-token-of-some-length",
        "resting": None,
        "client": "client-token-of-some-length",
        "silent": None,
    }


def test_a_command_is_started_where_the_file_says_so(loaded, tmp_path):
    (space,) = loaded(WHOLE).spaces.values()
    assert space.hosted == {
        "echo-agent": Hosted(
            command=("node", "./echo.js", "--gateway", "ws://localhost:${PORT}", "--limit", "5"),
            restart=Restart(policy="on-failure"),
            env={
                "PORT": "${PORT}",
                "SPACE": "${SPACE}",
                "TOKEN": "${TOKEN}",
                "MEW_TOKEN_ECHO_AGENT": "${TOKEN}",
                "KEY": "${KEY}",
                "COUNT": "50",
                "FLAG": "true",
            },
            directory=tmp_path / "agents",
            is_template=True,
        )
    }


def test_the_gateways_own_settings_may_stand_beside_it_and_have_defaults(loaded, tmp_path):
    gateway = loaded(WHOLE).gateway
    assert (gateway.host, gateway.port, gateway.state_dir) == ("127.0.0.1", 8080, tmp_path / ".mew")
    settings = loaded("gateway: {listen: 127.0.0.1:0, limits: {grants: 5}}\n" + WHOLE)
    assert settings.gateway.port == 0
    assert settings.spaces["demo"].settings.bounds == Bounds(grants=5)


def test_paths_in_a_file_below_its_state_start_beside_the_state(tmp_path):
    file = tmp_path / ".mew" / "space.yaml"
    file.parent.mkdir()
    file.write_text(WHOLE)
    configuration = load(file)
    assert configuration.gateway.state_dir == tmp_path / ".mew"
    space = configuration.spaces["demo"]
    assert space.output_logs == {"client": tmp_path / "logs/client.jsonl"}
    assert space.hosted["echo-agent"].directory == tmp_path / "agents"


def test_of_a_description_and_a_name_the_description_is_shown(loaded):
    text = "space: {id: demo, name: Short, description: Long}\nparticipants: {a: {}}"
    assert loaded(text).spaces["demo"].settings.description == "Long"


BLOCKS = (Path(__file__).parent / "singles.txt").read_text(encoding="utf-8").split("====\n")


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_remarks_and_refusals(tmp_path, block):
    """`warned` are the warnings of a file that is good, `refused` the problems of one that is not."""
    text, expected = block.split("----\n")
    file = tmp_path / "space.yaml"
    file.write_text(text.rstrip("\n"), encoding="utf-8")
    try:
        told = "warned\n" + "\n".join(map(str, load(file).warnings))
    except ConfigError as error:
        told = f"refused\n{error}"
    assert told.replace(f"{file}:", "") == expected.rstrip("\n")
    assert "sesame" not in told
