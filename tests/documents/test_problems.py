"""How problems read."""

from pathlib import Path

from mew_gateway.documents.problems import DocumentError, Problem, did_you_mean, dotted, echo, shorten
from mew_gateway.errors import MewError

FILE = Path("spaces.yaml")


def test_a_problem_reads_as_one_line():
    problem = Problem(FILE, 3, 5, "gateway.listn", "Unknown key.", "did you mean `listen`?")
    assert str(problem) == "spaces.yaml:3:5: gateway.listn: Unknown key (did you mean `listen`?)"
    assert str(Problem(FILE, 3, 5, "", "Not UTF-8.")) == "spaces.yaml:3:5: Not UTF-8."
    assert str(Problem(FILE, 0, 0, "", "No such file.")) == "spaces.yaml: No such file."


def test_an_error_has_all_problems_one_a_line():
    error = DocumentError([Problem(FILE, 1, 1, "a", "One."), Problem(FILE, 2, 1, "b", "Two.")])
    assert isinstance(error, MewError)
    assert str(error) == "spaces.yaml:1:1: a: One.\nspaces.yaml:2:1: b: Two."
    assert [problem.line for problem in error.problems] == [1, 2]


def test_paths_are_dotted_and_odd_keys_quoted():
    assert dotted(()) == ""
    assert dotted(("spaces", "a.b", "roles", "r-1", 0, "kind")) == 'spaces."a.b".roles.r-1[0].kind'
    assert dotted(("a b\n",)) == '"a b\\\\n"'
    assert len(dotted(("x",) * 200)) < 130


def test_echoes_are_short_and_printable():
    assert echo("a") == "`a`"
    assert echo(True) == "`true`"
    assert echo({"a": [None]}) == '`{"a": [null]}`'
    assert shorten("a\x1b[31m\u202e") == "a\\x1b[31m\\u202e"
    assert shorten("x" * 100) == "x" * 60 + "…"


def test_suggestions():
    assert did_you_mean("lisen", ["listen", "limits"]) == "did you mean `listen`?"
    assert did_you_mean("zzz", ["listen", "limits"]) == "known here: listen, limits"
    assert did_you_mean("zzz", [str(n) for n in range(100)]) is None
    assert did_you_mean("zzz", []) is None
