"""The cases are sound: their form, their values, their number and mix; and the goals that plain words lead to."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import msgspec
import pytest

from mew_agents.language.found import LANGUAGES, Language

from .cases import DEFINITIONS, FOLDER, HALVES, PHENOMENA, CaseFile, Half, files, load, paths
from .checking import LEAST, problems
from .filling import NoSuchCase, fill
from .running import wrong

PLACES = [(half, path) for half in HALVES for path in paths(half)]
# Read by the test, not while tests are collected: each worker would read them all.
each_file = pytest.mark.parametrize("file", PLACES, ids=lambda place: f"{place[0]}/{place[1].name}", indirect=True)
# Every so many cases are rehearsed here; `python -m tests.understanding check` rehearses all of them.
SAMPLE = 8


@pytest.fixture
def file(request: pytest.FixtureRequest) -> CaseFile:
    half, path = request.param
    return load(path, half)


def all_files() -> list[CaseFile]:
    return [load(path, half) for half, path in PLACES]


def test_there_is_a_file_for_each_definition_and_language() -> None:
    for half in HALVES:
        found = {(file.definition, file.language) for file in files(half)}
        assert found == {(definition, language) for definition in DEFINITIONS for language in LANGUAGES}
        assert {f"{half}/{path.name}" for path in (FOLDER / half).iterdir()} == {file.name for file in files(half)}


def test_an_id_is_of_one_case() -> None:
    ids = [case.id for file in all_files() for case in file.cases]
    assert len(ids) == len(set(ids))


@each_file
def test_every_case_of_a_file_is_sound(file: CaseFile) -> None:
    assert list(problems(file)) == []


@pytest.mark.parametrize("half", HALVES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_half_has_cases_of_every_kind(half: Half, language: Language) -> None:
    mine = [case for file in files(half, language=language) for case in file.cases]
    assert len(mine) >= {"open": 300, "held": 150}[half]
    assert all(case.message is not None for case in mine)
    shares = {name: times / len(mine) for name, times in Counter(case.phenomenon for case in mine).items()}
    assert shares.keys() == set(PHENOMENA)
    assert 0.2 <= shares["opening"] <= 0.3
    assert all(0.1 <= shares[name] <= 0.2 for name in ("bare_opening", "answer", "correction"))
    assert all(0.03 <= shares[name] <= 0.1 for name in ("free_text", "question", "two_wishes", "change", "typos"))


def test_all_cases_are_said_at_the_same_moment() -> None:
    assert len({(file.now, file.timezone, file.sender) for file in all_files()}) == 1


@each_file
async def test_plain_words_lead_to_the_state_and_the_goal(file: CaseFile) -> None:
    assert [fault async for fault in wrong(file, file.cases[::SAMPLE])] == []


def test_an_unknown_key_is_refused(tmp_path: Path) -> None:
    text = (FOLDER / "open" / "onboarding_es.yaml").read_text(encoding="utf-8")
    wrong_file = tmp_path / "onboarding_es.yaml"
    wrong_file.write_text(text.replace("    open:", "    opened:", 1), encoding="utf-8")
    with pytest.raises(msgspec.ValidationError, match="opened"):
        load(wrong_file, "open")


def test_a_message_is_filled_in_and_nothing_else_changes(tmp_path: Path) -> None:
    source = FOLDER / "open" / "onboarding_es.yaml"
    copy = tmp_path / source.name
    copy.write_text(source.read_text(encoding="utf-8"), encoding="utf-8")
    case = load(copy, "open").cases[3]
    said = 'hola "amigos": sí, no\n– 3 kg, mañana'
    fill({case.id: said}, tmp_path)
    load.cache_clear()
    before, after = (path.read_text(encoding="utf-8").splitlines() for path in (source, copy))
    changed = [pair for pair in zip(before, after, strict=True) if pair[0] != pair[1]]
    assert [line for _, line in changed] == [f"    message: {json.dumps(said, ensure_ascii=False)}"]
    assert load(copy, "open").cases[3] == msgspec.structs.replace(case, message=said)


def test_a_message_for_no_case_writes_nothing(tmp_path: Path) -> None:
    copy = tmp_path / "onboarding_es.yaml"
    copy.write_text((FOLDER / "open" / copy.name).read_text(encoding="utf-8"), encoding="utf-8")
    known = load(copy, "open").cases[0].id
    with pytest.raises(NoSuchCase, match="nobody"):
        fill({known: "hola", "nobody": "hola"}, tmp_path)
    assert copy.read_text(encoding="utf-8") == (FOLDER / "open" / copy.name).read_text(encoding="utf-8")


def test_other_messages_of_a_case_are_cases_of_their_own() -> None:
    file = all_files()[0]
    case = msgspec.structs.replace(file.cases[0], message="one", others=("two", "three"))
    unwritten = msgspec.structs.replace(file.cases[1], message=None, others=())
    played = msgspec.structs.replace(file, cases=(case, unwritten)).written
    assert [(one.id, one.message) for one in played] == [
        (case.id, "one"),
        (f"{case.id}+1", "two"),
        (f"{case.id}+2", "three"),
    ]
    assert all(one.goal == case.goal and not one.others for one in played[1:])


def test_other_messages_must_hold_the_words_that_are_said() -> None:
    file = next(file for file in all_files() if file.definition == "refund_request")
    case = msgspec.structs.replace(
        file.cases[0], phenomenon="opening", says={"order": "A-1042"}, message="order A-1042", others=("my order",)
    )
    told = list(problems(msgspec.structs.replace(file, cases=(case,))))
    assert f"{case.id}: says order 'A-1042', which is not in its message" in told


@pytest.mark.parametrize("half", HALVES)
def test_a_file_of_a_half_has_its_number_of_cases(half: Half) -> None:
    file = files(half)[0]
    enough = msgspec.structs.replace(file, cases=file.cases[: LEAST[half]])
    assert not any("are needed" in line for line in problems(enough))
    assert any(
        "are needed" in line for line in problems(msgspec.structs.replace(file, cases=file.cases[1 : LEAST[half]]))
    )


def test_too_few_cases_and_wrong_values_are_told() -> None:
    file = all_files()[0]
    case = msgspec.structs.replace(file.cases[0], says={"start": "2020-01-01T10:00", "nothing": 1}, message=" ")
    told = list(problems(msgspec.structs.replace(file, cases=(case, case))))
    assert f"there are 2 cases, and at least {LEAST[file.half]} are needed" in told
    assert f"two cases are called {case.id}" in told
    assert f"{case.id}: its message is empty" in told
    assert f"{case.id}: says nothing, which is no slot" in told
    assert any("which is refused: past" in line for line in told)
