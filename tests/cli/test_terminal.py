"""Texts of other participants never act on the terminal; ids, times and lines as people read them."""

from __future__ import annotations

import json

import pytest

from mew_gateway.cli.framework.failure import Failure
from mew_gateway.cli.printing.ids import Candidate, Naming, choose, is_meant, short, typable, unambiguous
from mew_gateway.cli.printing.moment import between, clock, duration
from mew_gateway.cli.printing.terminal import clean, one_line, print_json

ID = "01a1fdea-1bd5-7594-9ed8-4b184c2ecdbe"


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("plain, mañana, 日本 👩\u200d🚀", "plain, mañana, 日本 👩\u200d🚀"),
        ("red \x1b[31m", "red \\x1b[31m"),
        ("c1 \x9b2J", "c1 \\x9b2J"),
        ("backwards \u202e", "backwards \\u202e"),
        ("two\r\nlines\tand a tab", "two\nlines and a tab"),
        ("half \ud800", "half \\ud800"),
        (7, "7"),
    ],
)
def test_controls_are_shown_and_not_obeyed(written: object, shown: str) -> None:
    assert clean(written) == shown


def test_one_line_is_one_line_and_not_too_long() -> None:
    assert one_line("a\nb   c") == "a b c"
    assert one_line("x" * 200, longest=10) == "x" * 9 + "…"


def test_json_is_one_line_that_no_terminal_obeys(capsys: pytest.CaptureFixture[str]) -> None:
    value = {"text": "mañana \x1b[31m \x9b2J \n"}
    print_json(value)
    out = capsys.readouterr().out
    assert json.loads(out) == value and out.count("\n") == 1
    assert "mañana" in out and not set("\x1b\x9b") & set(out)


def test_no_character_of_an_id_is_hidden() -> None:
    for id, shown in (("p\rq", "p\\rq"), ("a  b", "a  b"), ("x\ty", "x\\ty"), ("1\nby boss", "1\\nby boss")):
        assert short(id) == shown
        assert is_meant(id, id) and is_meant(shown, id)
    ids = ["p\rq", "p\\rq", "p\\\\rq"]
    assert len({short(id, ids) for id in ids}) == len(ids)
    known = [Candidate(id, "mallory") for id in ids]
    for one in known:
        typed, *options = unambiguous(one, known)
        assert choose(typed, known, what="proposal", naming=Naming(whole="--whole" in options)) == one


def test_ids_are_shown_short_and_found_by_what_is_shown() -> None:
    assert (short(ID), typable(ID), short("run-7")) == ("…4c2ecdbe", "4c2ecdbe", "run-7")
    assert all(is_meant(typed, ID) for typed in (ID, short(ID), typable(ID), "01a1fdea"))
    assert not any(is_meant(typed, ID) for typed in ("dbe", "", "4c2e", "01a1fdeb"))
    assert is_meant("run", "run") and not is_meant("run", "run-7")


def test_ids_that_end_alike_are_shown_longer() -> None:
    alike = [f"{first * 8}-12345678-12345678" for first in "ab"]
    assert [short(one, alike) for one in alike] == ["…aa-12345678-12345678", "…bb-12345678-12345678"]
    whole = "b" * 20 + "12345678"
    assert (typable(whole, ["12345678"]), short(whole, [f"x{whole}"])) == ("bbbb12345678", whole)


def test_choose_returns_the_only_candidate_or_fails() -> None:
    long, end = Candidate(f"{'a' * 20}-12345678", "ann"), Candidate("12345678", "bob")
    assert choose(long.id, [long, end], what="thing") == long
    assert choose("aaaa", [long, end], what="thing") == long
    for typed in ("12345678", "…12345678", "5678"):
        with pytest.raises(Failure, match="Which thing") as caught:
            choose(typed, [long, end], what="thing")
        assert caught.value.status == 2
    assert choose("12345678", [long, end], what="thing", naming=Naming(whole=True)) == end
    assert choose("5678", [long, end], what="thing", naming=Naming(from_="ann")) == long
    same = [Candidate("one", "ann"), Candidate("one", "bob")]
    with pytest.raises(Failure, match="one --whole --from ann") as caught:
        choose("one", same, what="thing")
    assert [" ".join(unambiguous(one, [long, end])) for one in (long, end)] == ["aaa-12345678", "12345678 --whole"]
    odd = [Candidate("a; rm -rf 1", "x", "1"), Candidate("b; rm -rf 1", "x", "2")]
    with pytest.raises(Failure, match="'a; rm -rf 1'  # x: 1"):
        choose("rm -rf 1", odd, what="thing")


@pytest.mark.parametrize("id", ["--all", "-y", f"{'a' * 20}---yes--all", f"--{'a' * 30}", "-" * 40])
def test_what_is_shown_of_an_id_is_no_option(id: str) -> None:
    known = [Candidate(id, "ann"), Candidate("12345678", "bob")]
    words = [typable(id), short(id).removeprefix("…") if len(id) > 16 and id[0] != "-" else short(id)]
    words += [unambiguous(known[0], known, whole=whole)[0] for whole in (False, True)]
    for word in words:
        assert not word.startswith("-")
        assert choose(word, known, what="thing") == known[0]
    whole = unambiguous(known[0], known, whole=True)[0]
    assert choose(whole, known, what="thing", naming=Naming(whole=True)) == known[0]


def test_times() -> None:
    assert between("2026-01-01T10:00:00.250Z", "2026-01-01T12:00:01+02:00") == 750
    assert between("2026-01-01T10:00:00Z", "soon") is None
    assert (clock("yesterday"), clock("2026-13-01T00:00:00Z")) == ("--:--:--", "--:--:--")
    assert clock("2026-01-01T10:59:58Z").endswith(":58")
    shown = [duration(it) for it in (0, 99, 1_240, 27_400, 185_000, 7_800_000)]
    assert shown == ["0 ms", "99 ms", "1.2 s", "27 s", "3 min 5 s", "2 h 10 min"]
