"""YAML is read as 1.2, with its places; what it allows beyond plain data is refused."""

import pytest

from mew_gateway.documents.composer import MAX_DEPTH, MAX_VALUES, compose
from mew_gateway.documents.document import Mark
from mew_gateway.documents.problems import Fault, KeyPath


def faults(text: str) -> list[tuple[int, int, KeyPath, str, str | None]]:
    return [(*mark, fault.path, fault.message, fault.suggestion) for mark, fault in compose(text).placed]


def test_values_and_places():
    document = compose("a: 1\nb:\n  - x\n  - {c: 'y', \"d\": }\n1: [true, ~]\n")
    assert document.root == {"a": 1, "b": ["x", {"c": "y", "d": None}], "1": [True, None]}
    assert (document.complete, document.placed) == (True, [])
    assert document.keys["b",] == Mark(2, 1)
    assert document.values["b", 0] == Mark(3, 5)
    assert document.keys["b", 1, "c"] == Mark(4, 6)
    assert document.values["b", 1, "c"] == Mark(4, 9)
    assert document.values["1", 1] == Mark(5, 11)


def test_a_fault_finds_its_place():
    document = compose("a:\n  - b: 1\n")
    assert document.mark(Fault(("a", 0, "b"), "")) == Mark(2, 8)
    assert document.mark(Fault(("a", 0, "b"), "", at_key=True)) == Mark(2, 5)
    assert document.mark(Fault(("a", 0, "missing", "deeper"), "")) == Mark(2, 5)
    assert document.mark(Fault(("a", "missing"), "")) == Mark(1, 1)
    assert document.mark(Fault((), "")) == Mark(1, 1)


def test_quoted_is_text_and_keys_are_text():
    assert compose("a: '1'\nb: \"true\"\nc: |\n  5\nnull: yes\n'': 12:30\n").root == {
        "a": "1",
        "b": "true",
        "c": "5\n",
        "null": "yes",
        "": "12:30",
    }


@pytest.mark.parametrize(
    ("text", "line", "column", "path", "word", "hint"),
    [
        ("kind: !chat", 1, 7, ("kind",), "`!` starts a tag", "!chat"),
        ("a: [x, !chat y]", 1, 8, ("a", 1), "`!` starts a tag", "!chat"),
        ("a: {kind: !chat}", 1, 11, ("a", "kind"), "`!` starts a tag", "!chat"),
        ("a: [!chat, !x]", 1, 5, ("a", 0), "`!` starts a tag", "!chat"),
        ("kind: !{x}", 1, 7, ("kind",), "`!` starts a tag", "!"),
        ("kind: !reasoning/*", 1, 7, ("kind",), "`!` starts a tag", "!reasoning/*"),
        ("kind: !!str 5", 1, 7, ("kind",), "`!` starts a tag", "!!str"),
        ("!e!x 5", 1, 1, (), "`!` starts a tag", "!e!x"),
        ("!x {a: 1}", 1, 1, (), "`!` starts a tag", "!x"),
        ("a: 1\n!x b: 2", 2, 1, (), "`!` starts a tag", "!x"),
        ("kind: *", 1, 7, ("kind",), "`*` starts an alias", "*"),
        ("kind: *chat", 1, 7, ("kind",), "`*` starts an alias", "*chat"),
        ("*a : b", 1, 1, (), "`*` starts an alias", "*a"),
        ("kind: &chat x", 1, 7, ("kind",), "`&` starts an anchor", "&chat"),
        ("a:\n  &b\n  c: d", 2, 3, ("a",), "`&` starts an anchor", "&b"),
        ("kind: &", 1, 7, ("kind",), "`&` starts an anchor", "&"),
    ],
)
def test_tags_anchors_and_aliases_are_refused_with_the_hint_to_quote(text, line, column, path, word, hint):
    ((*place, found_path, message, suggestion),) = faults(text)
    assert (place, found_path) == ([line, column], path)
    assert word in message
    assert suggestion == f'a pattern that starts with `{hint[0]}` must be quoted: `"{hint}"`'


@pytest.mark.parametrize(
    "text", ["token: !sesame", "a: {token: !sesame}", "token: *sesame", "'token' : &sesame x", "token:\n  !sesame"]
)
def test_a_token_is_never_repeated(text):
    ((*_, message, suggestion),) = faults(text)
    assert "sesame" not in f"{message}{suggestion}"


def test_the_places_of_all_refusals_are_told():
    assert [row[:3] for row in faults("a: &x [1]\nb: *x\nc: *x\na: 2\n")] == [
        (1, 4, ("a",)),
        (2, 4, ("b",)),
        (3, 4, ("c",)),
        (4, 1, ("a",)),
    ]


def test_reading_ends_when_enough_is_said():
    twins = "a: 1\n" * 200
    assert len(faults(twins)) == 100
    assert len(faults("a: 1\n" * 100 + "b: 'x\n")) == 100  # 99 twins, and then the end
    assert not compose(twins).complete


def test_an_alias_bomb_is_never_expanded():
    bomb = "a: &a [x, x, x]\n" + "".join(
        f"{name}: &{name} [{', '.join(['*' + before] * 9)}]\n"
        for before, name in zip("abcdefgh", "bcdefghi", strict=True)
    )
    document = compose(bomb)
    assert (document.placed[0][0], document.placed[0][1].path) == (Mark(1, 4), ("a",))
    assert document.root["b"] == [None] * 9


def test_a_key_stands_once():
    document = compose("a: {b: 1, c: 2,\n  b: {d: 3}}\n")
    ((line, column, path, message, _),) = faults("a: {b: 1, c: 2,\n  b: {d: 3}}\n")
    assert (line, column, path) == (2, 3, ("a", "b"))
    assert message == "Duplicate key, first on line 1."
    assert document.root == {"a": {"b": 1, "c": 2}}


@pytest.mark.parametrize("text", ["? [a]\n: b", "{[a]: b}", "? {a: b}\n: c\n"])
def test_a_key_is_text(text):
    assert [row[3] for row in faults(text)] == ["A key must be text."]


@pytest.mark.parametrize("unit", ["[", "{a: ", "- ", "? ", "[{a: "])
def test_deep_nesting_is_refused_before_it_is_read(unit):
    document = compose(unit * 100_000)
    ((mark, fault),) = document.placed
    assert not document.complete
    assert fault.message == f"Nested deeper than {MAX_DEPTH} levels."
    assert mark.line == 1
    assert mark.column <= MAX_DEPTH * len(unit) + 1


def test_nesting_up_to_the_bound_is_fine():
    assert faults("[" * MAX_DEPTH + "]" * MAX_DEPTH) == []
    assert len(faults("[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1))) == 1


def test_too_many_values_are_refused():
    ((line, _, path, message, _),) = faults("a:\n" + "- x\n" * MAX_VALUES)
    assert (line, path) == (MAX_VALUES - 1, ("a", MAX_VALUES - 3))
    assert message == f"The file holds more than {MAX_VALUES} values."


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("a: 1\n---\nb: 2", 2, 1, "A second document starts here."),
        ("%YAML 1.1\n---\na: yes", 1, 1, "This file is read as YAML 1.2 only."),
        ("# 1.15\n%YAML 1.15\n---\na: yes", 2, 1, "This file is read as YAML 1.2 only."),
        ("a:\n\tb: 1", 2, 1, "A tab cannot indent YAML."),
        ("a: b: c", 1, 5, "A second `:` is not allowed here."),
        ("a: 'x\nb: 5", 1, 4, "This quote is not closed."),
        ("a: @x", 1, 4, "No text can start with this character."),
        ("a: {b: c", 1, 9, "A `{` is not closed, or a `,` is missing."),
        ("a: [b\nc: d", 2, 2, "A `[` is not closed, or a `,` is missing."),
        ("a:\n  b: 1\n c: 2", 3, 2, "The indentation does not fit the lines above."),
        ("a: 1\nb\nc: 2", 2, 1, "A `:` is missing after this key."),
        ('a: "\\q"', 1, 6, "An unknown escape in a quoted text."),
        ('a: "\\x4"', 1, 7, "An unfinished escape in a quoted text."),
        ('a: "\\U0001F600"\nb:\n  c: "\\UFFFFFFFF"', 3, 7, "This escape is not a character."),
        ('a: "x \\U00110000"', 1, 7, "This escape is not a character."),
        ('a: "\\0"', 1, 4, "The text holds U+0000, which is not allowed."),
        ('a: "\\ud800"', 1, 4, "The text holds U+D800, which is not allowed."),
        ('"\\ud800": x', 1, 1, "The text holds U+D800, which is not allowed."),
        ("a: .inf", 1, 4, "Infinity and NaN are not numbers here."),
        ("a: " + "9" * 5000, 1, 4, "The number does not fit 64 bits."),
    ],
)
def test_what_is_not_plain_yaml_has_a_sentence_and_a_place(text, line, column, message):
    ((*place, _, found, _),) = faults(text)
    assert (place, found) == ([line, column], message)


def test_an_unforeseen_complaint_is_cut_to_one_line():
    ((*_, message, _),) = faults("a: |x\n")
    assert message.startswith("This is not YAML: ")
    assert "\n" not in message


def test_json_is_read_as_itself_escapes_and_tabs_included():
    assert compose('{\n\t"a": "\\ud83d\\ude00",\t"b": "c\\/d", "e": [1,\t2.5, true, null]\n}').root == {
        "a": "😀",
        "b": "c/d",
        "e": [1, 2.5, True, None],
    }
