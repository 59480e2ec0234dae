"""Tokens: where they come from, whose they are, and what becomes of them when a file changes."""

import os
import stat
from pathlib import Path

import pytest

from mew_gateway.config import load
from mew_gateway.gateway.auth.token_file import TokenFile
from mew_gateway.gateway.auth.tokens import Authenticator, Holder, TokenError, TokenStore

EXPLICIT = "an-explicit-token-in-the-file"
NOBODY: dict[str, str | None] = {"human": None}


class Clock:
    """A time that stands still until it is told."""

    def __init__(self) -> None:
        self.time = 1_000_000

    def __call__(self) -> int:
        return self.time


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "there" / ".mew"


def path_of(state: Path, space: str, participant: str) -> Path:
    return state / "tokens" / space / f"{participant}.token"


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def place(state: Path, space: str, participant: str, content: bytes) -> Path:
    path = path_of(state, space, participant)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.parent.parent.chmod(0o700)
    path.write_bytes(content)
    path.chmod(0o600)
    return path


def test_files_are_made_once_and_for_their_owner_only(state):
    store = TokenStore(state, {}, {"demo": {"human": None, "solver": None}, "other": {"human": None}})
    assert store.prepare() == []
    paths = [path_of(state, *holder) for holder in (("demo", "human"), ("demo", "solver"), ("other", "human"))]
    tokens = [path.read_text() for path in paths]
    assert len(set(tokens)) == 3
    assert all(token.startswith("mew_") and len(token) == 48 and token.endswith("\n") for token in tokens)
    assert {mode(path) for path in paths} == {0o600}
    assert {mode(path) for path in (state, state / "tokens", state / "tokens" / "demo")} == {0o700}
    assert sorted(os.listdir(state / "tokens" / "demo")) == ["human.token", "solver.token"]
    assert store.prepare() == []
    assert [path.read_text() for path in paths] == tokens


def test_precedence(state):
    environ = {"MEW_TOKEN_DEMO_HUMAN": "first-in-the-environment", "MEW_TOKEN_HUMAN": "second-in-the-environment"}
    participants = {"demo": NOBODY}
    assert TokenStore(state, environ, {"demo": {"human": EXPLICIT}}).token("demo", "human") == EXPLICIT
    assert TokenStore(state, environ, participants).token("demo", "human") == "first-in-the-environment"
    environ["MEW_TOKEN_DEMO_HUMAN"] = ""  # as good as unset
    assert TokenStore(state, environ, participants).token("demo", "human") == "second-in-the-environment"
    assert TokenStore(state, environ, participants).prepare() == []
    assert not state.exists()  # nothing is made where nothing is needed
    store = TokenStore(state, {}, participants)
    with pytest.raises(TokenError, match="start the gateway once"):
        store.token("demo", "human")
    store.prepare()
    assert store.token("demo", "human") == path_of(state, "demo", "human").read_text().strip()


def test_names_of_variables(state):
    environ = {"MEW_TOKEN_A_B_C_D": "token-of-dashes-and-dots"}
    store = TokenStore(state, environ, {"a-b": {"c.d": None}, "A.B": {"C_d": None}, "a": {"c.d": None}})
    assert store.token("a-b", "c.d") == "token-of-dashes-and-dots"
    assert store.token("A.B", "C_d") == "token-of-dashes-and-dots"
    with pytest.raises(TokenError, match="no token yet"):
        store.token("a", "c.d")


@pytest.mark.parametrize(
    ("participants", "variable", "named"),
    [
        ({"a": {"b-c": None}, "a-b": {"c": None}}, "MEW_TOKEN_A_B_C", "b-c of the space a and c of the space a-b"),
        ({"x": {"y-z": None}, "y": {"z": None}}, "MEW_TOKEN_Y_Z", "y-z of the space x and z of the space y"),
    ],
)
def test_a_variable_that_means_two_participants_is_refused(state, participants, variable, named):
    with pytest.raises(TokenError) as caught:
        TokenStore(state, {variable: "one-token-for-two-of-them"}, participants).prepare()
    assert str(caught.value) == (
        f"${variable} would be the token of {named}: unset it, and each has a file of its own."
    )
    assert "one-token" not in str(caught.value)
    assert TokenStore(state, {}, participants).prepare() == []


def test_a_variable_may_mean_one_participant_of_several_spaces(state):
    store = TokenStore(state, {"MEW_TOKEN_HUMAN": "one-token-for-one-human"}, {"a": NOBODY, "b": NOBODY})
    assert store.prepare() == []


def test_files_of_a_flat_space_are_where_upstreams_programs_look(state):
    (state / "tokens").mkdir(parents=True)
    (state / "tokens" / "solver.token").write_text("a-token-that-was-there")
    store = TokenStore(state, {}, {"demo": {"human": None, "solver": None}}, flat=["demo"])
    assert len(store.prepare()) == 2  # others could look into the folder, and read what was there
    assert mode(state / "tokens") == 0o700
    assert sorted(os.listdir(state / "tokens")) == ["human.token", "solver.token"]
    assert store.token("demo", "solver") == "a-token-that-was-there"
    assert store.token("demo", "human") == (state / "tokens" / "human.token").read_text().strip()
    assert store.rotate("demo", "human") == store.token("demo", "human")


def test_a_configuration_has_its_store(tmp_path, clock):
    file = tmp_path / "spaces.yaml"
    file.write_text(f"spaces: {{demo: {{participants: {{human: {{token: {EXPLICIT}}}, solver: {{}}}}}}}}")
    store = TokenStore.of(load(file), {})
    authenticator = store.authenticator(clock)
    assert authenticator.identify("demo", EXPLICIT) == "human"
    assert authenticator.identify("demo", path_of(tmp_path / ".mew", "demo", "solver").read_text().strip()) == "solver"


@pytest.mark.parametrize(
    ("token", "fault"),
    [
        ("sesame", "shorter than 16"),
        ("x" * 513, "longer than 512"),
        ("sesame with spaces in it", "space"),
        ("sesame-sesame-sesame\n", "space"),
        ("sesame-sésame-sesame", "ASCII"),
    ],
)
def test_an_unusable_token_in_the_environment(state, token, fault):
    environ = {"MEW_TOKEN_HUMAN": token}
    for ask in (
        TokenStore(state, environ, {"demo": NOBODY}).prepare,
        lambda: TokenStore(state, environ, {"demo": NOBODY}).token("demo", "human"),
    ):
        with pytest.raises(TokenError, match=rf"^\$MEW_TOKEN_HUMAN: .*{fault}") as caught:
            ask()
        assert token not in str(caught.value)


@pytest.mark.parametrize(
    "content", [b"", b"\n", b"short\n", b"x" * 513, b"x" * 99_999, b"sesame sesame sesame", b"\xff" * 32, b"\0" * 32]
)
def test_an_unusable_token_in_a_file_is_an_error(state, content):
    path = place(state, "demo", "human", content)
    store = TokenStore(state, {}, {"demo": NOBODY})
    for ask in (store.prepare, lambda: store.token("demo", "human")):
        with pytest.raises(TokenError) as caught:
            ask()
        assert str(caught.value).startswith(f"{path}: the token ")
        assert "sesame" not in str(caught.value)
    assert path.read_bytes() == content


def test_line_breaks_after_a_token_are_ignored(state):
    place(state, "demo", "human", b"x" * 512 + b"\r\n")
    assert TokenStore(state, {}, {"demo": NOBODY}).token("demo", "human") == "x" * 512


def test_an_unusable_file_is_an_error_with_a_sentence(state):
    place(state, "demo", "human", b"").unlink()
    path_of(state, "demo", "human").mkdir()
    with pytest.raises(TokenError, match=r"human\.token cannot be read: "):
        TokenStore(state, {}, {"demo": NOBODY}).prepare()
    (state / "tokens" / "other").write_text("")
    with pytest.raises(TokenError, match=r"human\.token cannot be (read|written): "):
        TokenStore(state, {}, {"other": NOBODY}).prepare()


def test_two_participants_of_a_space_never_share_a_token(state):
    place(state, "demo", "copy", b"one-token-in-two-places\n")
    environ = {"MEW_TOKEN_DEMO_HUMAN": "one-token-in-two-places", "MEW_TOKEN_A_B": "x" * 16}
    explicit: dict[str, dict[str, str | None]] = {
        "demo": {"human": None, "copy": None, "file": "one-token-in-two-places", "a.b": None, "a-b": None}
    }
    with pytest.raises(TokenError) as caught:
        TokenStore(state, environ, explicit).prepare()
    assert str(caught.value).splitlines() == [
        "human and copy of the space demo have the same token "
        f"(from $MEW_TOKEN_DEMO_HUMAN and {path_of(state, 'demo', 'copy')}): each needs its own.",
        "human and file of the space demo have the same token "
        "(from $MEW_TOKEN_DEMO_HUMAN and the configuration file): each needs its own.",
        "a.b and a-b of the space demo have the same token "
        "(from $MEW_TOKEN_A_B and $MEW_TOKEN_A_B): each needs its own.",
    ]
    with pytest.raises(TokenError):
        TokenStore(state, environ, explicit).authenticator(lambda: 0)


def test_open_permissions_are_corrected_and_reported(state):
    store = TokenStore(state, {}, {"demo": NOBODY})
    store.prepare()
    path = path_of(state, "demo", "human")
    path.chmod(0o644)
    path.parent.chmod(0o750)
    (warning,) = store.prepare()
    assert str(path) in warning
    assert str(path.parent) in warning
    assert "corrected" in warning
    assert (mode(path), mode(path.parent)) == (0o600, 0o700)
    assert store.prepare() == []


def test_permissions_that_cannot_be_corrected_are_reported(state, monkeypatch):
    store = TokenStore(state, {}, {"demo": NOBODY})
    store.prepare()
    path_of(state, "demo", "human").chmod(0o640)

    def refuse(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(Path, "chmod", refuse)
    (warning,) = store.prepare()
    assert warning.endswith("could not be corrected: Operation not permitted.")


def test_identify_returns_the_holder_of_a_token(state, clock):
    same = "the-same-token-in-two-spaces"
    explicit: dict[str, dict[str, str | None]] = {"one": {"a": same, "b": None}, "two": {"c": same}}
    authenticator = TokenStore(state, {}, explicit).authenticator(clock)
    b = path_of(state, "one", "b").read_text().strip()
    assert authenticator.identify("one", same) == "a"
    assert authenticator.identify("two", same) == "c"
    assert authenticator.identify("one", b) == "b"
    for space, token in [
        ("two", b),
        ("three", same),
        ("", same),
        ("one", ""),
        ("one", same[:-1]),
        ("one", same + " "),
        ("one", same.upper()),
        ("one", "x" * 1_000_000),
        ("one", "\ud800" * 20),
    ]:
        assert authenticator.identify(space, token) is None


def test_tokens_are_held_as_hashes_only(state, clock):
    store = TokenStore(state, {}, {"demo": {"human": EXPLICIT, "solver": None}})
    authenticator = store.authenticator(clock)
    solver = store.token("demo", "solver")
    held = repr(vars(authenticator))
    assert EXPLICIT not in held
    assert solver not in held
    assert EXPLICIT not in f"{store!r}{store}{authenticator!r}"


class Counted(Authenticator):
    """Counts its looks at the files."""

    looks = 0

    def _refresh(self, now: int) -> None:
        self.looks += 1
        super()._refresh(now)


def test_a_rotated_token_takes_over(state, clock):
    store = TokenStore(state, {}, {"demo": {"human": None, "solver": None}})
    authenticator = store.authenticator(clock)
    old, bystander = store.token("demo", "human"), store.token("demo", "solver")
    assert authenticator.identify("demo", old) == "human"
    new = store.rotate("demo", "human")
    assert new != old
    assert store.token("demo", "human") == new
    assert mode(path_of(state, "demo", "human")) == 0o600
    assert authenticator.identify("demo", new) == "human"  # not known yet: the files are looked at, at once
    assert authenticator.identify("demo", old) is None
    assert authenticator.identify("demo", bystander) == "solver"


def test_an_old_token_ends_within_a_second_by_itself(state, clock):
    store = TokenStore(state, {}, {"demo": NOBODY})
    authenticator = store.authenticator(clock)
    old = store.token("demo", "human")
    store.rotate("demo", "human")
    clock.time += 999
    assert authenticator.identify("demo", old) == "human"
    clock.time += 1
    assert authenticator.identify("demo", old) is None


def test_token_files_are_checked_rarely(state, clock):
    TokenStore(state, {}, {"demo": NOBODY}).prepare()
    authenticator = Counted({}, {Holder("demo", "human"): TokenFile(state, "demo", "human")}, now=clock)
    assert authenticator.looks == 1
    for space in ("demo", "unknown"):
        before = authenticator.looks
        clock.time += 5_000
        for _ in range(50):
            authenticator.identify(space, "wrong")
        assert authenticator.looks - before == 2  # one because it was time, one because it was not found
        clock.time += 999
        authenticator.identify(space, "wrong")
        assert authenticator.looks - before == 2


def test_a_deleted_token_is_invalid(state, clock):
    store = TokenStore(state, {}, {"demo": NOBODY})
    authenticator = store.authenticator(clock)
    token = store.token("demo", "human")
    path_of(state, "demo", "human").unlink()
    clock.time += 1_000
    assert authenticator.identify("demo", token) is None
    place(state, "demo", "human", token.encode())
    assert authenticator.identify("demo", token) is None  # looked at already in this second
    clock.time += 1_000
    assert authenticator.identify("demo", token) == "human"


def test_a_token_file_that_breaks_is_logged_and_invalid(state, clock, caplog):
    store = TokenStore(state, {}, {"demo": {"human": None, "solver": None}})
    authenticator = store.authenticator(clock)
    human, solver = store.token("demo", "human"), store.token("demo", "solver")
    place(state, "demo", "human", b"sesame sesame sesame")
    clock.time += 1_000
    assert authenticator.identify("demo", human) is None
    assert authenticator.identify("demo", "sesame sesame sesame") is None
    assert authenticator.identify("demo", solver) == "solver"
    assert [str(path_of(state, "demo", "human")) in record.getMessage() for record in caplog.records] == [True]
    assert "sesame" not in caplog.text


def test_a_copied_token_stays_with_its_first_holder(state, clock, caplog):
    store = TokenStore(state, {}, {"demo": {"human": None, "solver": None}})
    authenticator = store.authenticator(clock)
    human, solver = store.token("demo", "human"), store.token("demo", "solver")
    place(state, "demo", "solver", human.encode())
    clock.time += 1_000
    assert authenticator.identify("demo", human) == "human"
    assert authenticator.identify("demo", solver) is None
    assert "solver has the token of human and cannot join" in caplog.text
    assert human not in caplog.text


def test_swapped_tokens_are_swapped(state, clock):
    store = TokenStore(state, {}, {"demo": {"human": None, "solver": None}})
    authenticator = store.authenticator(clock)
    human, solver = store.token("demo", "human"), store.token("demo", "solver")
    place(state, "demo", "human", solver.encode())
    place(state, "demo", "solver", human.encode())
    clock.time += 1_000
    assert authenticator.identify("demo", human) == "solver"
    assert authenticator.identify("demo", solver) == "human"


def test_open_permissions_of_a_changed_file_are_corrected(state, clock, caplog):
    store = TokenStore(state, {}, {"demo": NOBODY})
    authenticator = store.authenticator(clock)
    path = place(state, "demo", "human", b"a-token-made-by-hand\n")
    path.chmod(0o664)
    assert authenticator.identify("demo", "a-token-made-by-hand") == "human"
    assert mode(path) == 0o600
    assert str(path) in caplog.text


def test_rotating_what_is_not_in_a_file_is_refused(state):
    environ = {"MEW_TOKEN_SOLVER": "a-token-in-the-environment"}
    store = TokenStore(state, environ, {"demo": {"human": EXPLICIT, "solver": None}})
    with pytest.raises(TokenError, match=r"of human is written in the configuration file: change it there\."):
        store.rotate("demo", "human")
    with pytest.raises(TokenError, match=r"of solver comes from \$MEW_TOKEN_SOLVER: change it there\."):
        store.rotate("demo", "solver")
    assert not state.exists()


@pytest.mark.parametrize(
    ("space", "participant", "sentence"),
    [
        ("dmo", "human", "There is no space 'dmo' (did you mean `demo`?)."),
        ("demo", "humn", "There is no participant 'humn' (did you mean `human`?)."),
        ("demo", "../x", "There is no participant '../x' (known here: human)."),
    ],
)
def test_only_configured_participants_have_tokens(state, space, participant, sentence):
    store = TokenStore(state, {}, {"demo": NOBODY})
    for ask in (store.token, store.rotate):
        with pytest.raises(TokenError) as caught:
            ask(space, participant)
        assert str(caught.value) == sentence


def test_reading_makes_nothing(state):
    with pytest.raises(TokenError, match="no token yet"):
        TokenStore(state, {}, {"demo": NOBODY}).token("demo", "human")
    assert not state.exists()


def test_a_failed_write_leaves_the_old_token(state, monkeypatch):
    store = TokenStore(state, {}, {"demo": NOBODY})
    store.prepare()
    old = store.token("demo", "human")

    def fail(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(TokenError, match=r"cannot be written: No space left on device\."):
        store.rotate("demo", "human")
    assert store.token("demo", "human") == old
    assert os.listdir(state / "tokens" / "demo") == ["human.token"]
