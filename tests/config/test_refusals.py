"""The transcript of refusals: wrong files, and word for word what is said about them."""

from pathlib import Path

import pytest

from mew_gateway.config import ConfigError, load

BLOCKS = (Path(__file__).parent / "refusals.txt").read_text(encoding="utf-8").split("====\n")


def told(file: Path, text: str) -> str:
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        load(file)
    return str(caught.value).replace(f"{file}:", "")


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_refusal(tmp_path, block):
    text, expected = block.split("----\n")
    answer = told(tmp_path / "spaces.yaml", text.rstrip("\n"))
    assert answer == expected.rstrip("\n")
    assert "sesame" not in answer  # the tokens of the transcript


@pytest.mark.parametrize(
    "origin", ["https://*.b", "b", "ftp://b", "http://u@b", "http://b:x", "http://[", "null", "//b", " "]
)
def test_no_origins(problems, origin):
    (problem,) = problems(f"""
gateway: {{allowed_origins: [https://ok.example:8443, '{origin}']}}
spaces: {{demo: {{participants: {{human: {{}}}}}}}}
""")
    assert problem.key_path == "gateway.allowed_origins[1]"
    assert problem.message == f"`{origin}` is not an origin."


@pytest.mark.parametrize(
    "gateway",
    [
        "listen: 0.0.0.0:1, allow_public: true",
        "listen: 0.0.0.0:1, tls: {certificate: spaces.yaml, key: spaces.yaml}",
        "limits: {frame_bytes: 9000000, outbox_bytes: 9000000}",
    ],
)
def test_what_stops_just_short_of_a_refusal(loaded, gateway):
    configuration = loaded(f"""
gateway: {{{gateway}}}
spaces:
  demo:
    participants:
      a: {{agent: 'a:B', command: null}}
      b: {{command: [x], restart: {{backoff: 1m, max_backoff: 1m}}}}
      c: {{token: "0123456789abcdef"}}
""")
    assert list(configuration.spaces["demo"].hosted) == ["a", "b"]


def test_many_problems_are_counted(problems):
    found = problems("spaces: {demo: {participants: {human: {}}}}\n" + "\n".join(f"k{n}: 5" for n in range(150)))
    assert len(found) == 101
    assert found[-1].message == "There are 50 more problems."


@pytest.mark.parametrize("name", ["absent.yaml", "nul\0.yaml", "x" * 5000, "."])
def test_a_file_that_cannot_be_read(tmp_path, name):
    with pytest.raises(ConfigError) as caught:
        load(tmp_path / name)
    (problem,) = caught.value.problems
    assert (problem.line, problem.column, problem.key_path) == (0, 0, "")
    assert problem.message.endswith(".")
