"""Token file: made once, readable by its owner only, replaced atomically."""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import NamedTuple

from mew_gateway.config.token_format import LONGEST, fault_of
from mew_gateway.errors import MewError

_PREFIX = "mew_"
_OTHERS = 0o077


class TokenError(MewError):
    """A token cannot be used or changed. The message is for a person and never has the token."""


class Stamp(NamedTuple):
    """Identity of a file's contents: differs after each change."""

    inode: int
    modified: int
    size: int


class TokenFile:
    """`<state>/tokens/<space>/<participant>.token`; without a space, the file is in `tokens` itself.

    The names are valid ids, so the path stays below the state.
    """

    def __init__(self, state_dir: Path, space: str | None, participant: str) -> None:
        tokens = state_dir / "tokens"
        self._state_dir = state_dir
        self._folders = (tokens,) if space is None else (tokens, tokens / space)
        self.path = self._folders[-1] / f"{participant}.token"

    def read(self) -> str | None:
        """Return the token, or None without a file. Raises `TokenError`."""
        try:
            with self.path.open("rb") as stream:
                data = stream.read(LONGEST + 3)  # a line break may follow
        except FileNotFoundError:
            return None
        except OSError as error:
            raise TokenError(f"{self.path} cannot be read: {error.strerror}.") from None
        token = data.rstrip(b"\r\n").decode("ascii", "replace")
        fault = fault_of(token)
        if fault is not None:
            raise TokenError(f"{self.path}: the token {fault}. Delete the file, and the next start makes a new one.")
        return token

    def renew(self) -> str:
        """Write a new token atomically and return it. Raises `TokenError`."""
        token = draw_token()
        draft = self.path.with_name(f".{self.path.name}.{secrets.token_hex(4)}")
        try:
            self._make_folders()
            try:
                _write(draft, token)
                draft.replace(self.path)
            finally:
                draft.unlink(missing_ok=True)
        except OSError as error:
            raise TokenError(f"{self.path} cannot be written: {error.strerror}.") from None
        return token

    def stamp(self) -> Stamp | None:
        """Return the stamp of the file; None without a file."""
        try:
            status = self.path.stat()
        except OSError:
            return None
        return Stamp(status.st_ino, status.st_mtime_ns, status.st_size)

    def tighten(self) -> str | None:
        """Remove the permissions of others on the file and its folders.

        Return a sentence about what was corrected or could not be; None if nothing had to be.
        """
        open_ones = [path for path in (*self._folders, self.path) if _is_open(path)]
        if not open_ones:
            return None
        names = ", ".join(map(str, open_ones))
        try:
            for path in open_ones:
                path.chmod(path.stat().st_mode & ~_OTHERS & 0o777)
        except OSError as error:
            return f"Others could get at {names}; that could not be corrected: {error.strerror}."
        return f"Others could get at {names}; corrected. If another user may have read a token, rotate it."

    def _make_folders(self) -> None:
        """Make the state folder and those below it, accessible by their owner only."""
        self._state_dir.parent.mkdir(parents=True, exist_ok=True)
        for path in (self._state_dir, *self._folders):
            path.mkdir(mode=0o700, exist_ok=True)


def draw_token() -> str:
    """Return a new token of 256 random bits."""
    return _PREFIX + secrets.token_urlsafe(32)


def _is_open(path: Path) -> bool:
    try:
        return bool(path.stat().st_mode & _OTHERS)
    except OSError:
        return False


def _write(path: Path, token: str) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as stream:
        stream.write(f"{token}\n")
        stream.flush()
        os.fsync(stream.fileno())
