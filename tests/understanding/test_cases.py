"""The cases are sound: their form, their values, their number and mix; and the goals that plain words lead to."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import msgspec
import pytest

from mew_agents.language.found import LANGUAGES, Language

from .cases import DEFINITIONS, FOLDER, HALVES, PHENOMENA, CaseFile, Half, files, load
from .checking import LEAST, problems
from .filling import NoSuchCase, fill
from .running import wrong

FILES = (*files("open"), *files("held"))
# Every so many cases are rehearsed here; `python -m tests.understanding check` rehearses all of them.
SAMPLE = 8


def test_there_is_a_file_for_each_definition_and_language() -> None:
    for half in HALVES:
        found = {(file.definition, file.language) for file in files(half)}
        assert found == {(definition, language) for definition in DEFINITIONS for language in LANGUAGES}
        assert {path.name for path in (FOLDER / half).iterdir()} == {file.name for file in files(half)}


def test_an_id_is_of_one_case() -> None:
    ids = [case.id for file in FILES for case in file.cases]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
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
    assert len({(file.now, file.timezone, file.sender) for file in FILES}) == 1


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
async def test_plain_words_lead_to_the_state_and_the_goal(file: CaseFile) -> None:
    assert [fault async for fault in wrong(file, file.cases[::SAMPLE])] == []


def test_an_unknown_key_is_refused(tmp_path: Path) -> None:
    text = (FOLDER / "onboarding_es.yaml").read_text(encoding="utf-8")
    wrong_file = tmp_path / "onboarding_es.yaml"
    wrong_file.write_text(text.replace("    open:", "    opened:", 1), encoding="utf-8")
    with pytest.raises(msgspec.ValidationError, match="opened"):
        load(wrong_file)


def test_a_message_is_filled_in_and_nothing_else_changes(tmp_path: Path) -> None:
    source = FOLDER / "onboarding_es.yaml"
    copy = tmp_path / source.name
    copy.write_text(source.read_text(encoding="utf-8"), encoding="utf-8")
    case = load(copy).cases[3]
    said = 'hola "amigos": sí, no\n– 3 kg, mañana'
    fill({case.id: said}, tmp_path)
    load.cache_clear()
    before, after = (path.read_text(encoding="utf-8").splitlines() for path in (source, copy))
    changed = [pair for pair in zip(before, after, strict=True) if pair[0] != pair[1]]
    assert [line for _, line in changed] == [f"    message: {json.dumps(said, ensure_ascii=False)}"]
    assert load(copy).cases[3] == msgspec.structs.replace(case, message=said)


def test_a_message_for_no_case_writes_nothing(tmp_path: Path) -> None:
    copy = tmp_path / "onboarding_es.yaml"
    copy.write_text((FOLDER / copy.name).read_text(encoding="utf-8"), encoding="utf-8")
    known = load(copy).cases[0].id
    with pytest.raises(NoSuchCase, match="nobody"):
        fill({known: "hola", "nobody": "hola"}, tmp_path)
    assert copy.read_text(encoding="utf-8") == (FOLDER / copy.name).read_text(encoding="utf-8")


def test_too_few_cases_and_wrong_values_are_told() -> None:
    file = FILES[0]
    case = msgspec.structs.replace(file.cases[0], says={"start": "2020-01-01T10:00", "nothing": 1}, message=" ")
    told = list(problems(msgspec.structs.replace(file, cases=(case, case))))
    assert f"there are 2 cases, and at least {LEAST} are needed" in told
    assert f"two cases are called {case.id}" in told
    assert f"{case.id}: its message is empty" in told
    assert f"{case.id}: says nothing, which is no slot" in told
    assert any("which is refused: past" in line for line in told)
