"""Tokens of participants: where they come from, and the participant that a token identifies (docs/protocol.md §1).

`TokenStore` finds the tokens of configured participants; `Authenticator` knows only their hashes.
"""

from __future__ import annotations

import hashlib
import hmac
import logging
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple, TypeAlias

from mew_gateway.config import Configuration
from mew_gateway.config.token_format import LONGEST, fault_of
from mew_gateway.documents.problems import did_you_mean

from .token_file import Stamp, TokenError, TokenFile

__all__ = ["Authenticator", "TokenError", "TokenStore"]

logger = logging.getLogger("mew.auth")

_CHECK_EVERY = 1_000  # milliseconds between two checks of the files
_NO_DIGEST = bytes(32)

Invited: TypeAlias = Callable[[str, bytes], str | None]  # the guest of a space with the token of this SHA-256


class Holder(NamedTuple):
    """A participant of a space that holds a token."""

    space: str
    participant: str


def _no_guests(_space: str, _digest: bytes) -> None:
    return None


class TokenStore:
    """The tokens of all configured participants. Only tokens in the configuration file are kept in memory.

    A token comes from the first of: the configuration file, `$MEW_TOKEN_<SPACE>_<PARTICIPANT>`,
    `$MEW_TOKEN_<PARTICIPANT>` (capitals; `-` and `.` as `_`; empty counts as unset), its token file. The files of
    `flat` spaces are in the folder of all tokens, not in one of the space.
    """

    def __init__(
        self,
        state_dir: Path,
        environ: Mapping[str, str],
        explicit: Mapping[str, Mapping[str, str | None]],
        *,
        flat: Collection[str] = (),
    ) -> None:
        self._state_dir = state_dir
        self._environ = environ
        self._flat = flat
        self._explicit = {Holder(space, who): token for space, all_ in explicit.items() for who, token in all_.items()}

    @classmethod
    def of(cls, configuration: Configuration, environ: Mapping[str, str]) -> TokenStore:
        """Return the token store of a configuration."""
        explicit = {name: space.tokens for name, space in configuration.spaces.items()}
        flat = [name for name, space in configuration.spaces.items() if space.has_flat_tokens]
        return cls(configuration.gateway.state_dir, environ, explicit, flat=flat)

    def prepare(self) -> list[str]:
        """Make missing token files and restrict permissions; return sentences about what was corrected.

        Raises `TokenError` if a token cannot be used, if two participants of a space share one, or if one variable is
        for two participants.
        """
        owners: dict[tuple[str, str], Holder] = {}
        warnings, faults = [], []
        for holder in self._explicit:
            try:
                token, warning = self._prepared(holder)
            except TokenError as error:
                faults.append(str(error))
                continue
            warnings.extend([warning] if warning else [])
            other = owners.setdefault((holder.space, token), holder)
            if other != holder:
                faults.append(self._shared(other, holder))
        faults.extend(self._ambiguous())
        if faults:
            raise TokenError("\n".join(faults))
        return warnings

    def unusable(self) -> Iterator[tuple[Holder, str]]:
        """Yield the holders whose token in the environment cannot be used, and why; makes no files."""
        for holder, explicit in self._explicit.items():
            variable, token = _from_environment(self._environ, holder)
            if token is not None and not explicit:
                try:
                    _usable(variable, token)
                except TokenError as error:
                    yield holder, str(error)

    def authenticator(
        self, now: Callable[[], int], *, invited: Invited = lambda _space, _digest: None
    ) -> Authenticator:
        """Return an authenticator that knows the tokens as hashes, and asks `invited` about others.

        `now` returns the time in milliseconds. Raises `TokenError` as `prepare`.
        """
        for warning in self.prepare():
            logger.warning(warning)
        fixed, files = {}, {}
        for holder, explicit in self._explicit.items():
            token = explicit or _from_environment(self._environ, holder)[1]
            if token is None:
                files[holder] = self._file(holder)
            else:
                fixed[holder] = _digest(token)
        return Authenticator(fixed, files, now=now, invited=invited)

    def token(self, space: str, participant: str) -> str:
        """Return a participant's present token. Raises `TokenError` if it is unknown, not made yet, or unusable."""
        holder = self._known(space, participant)
        variable, found = _from_environment(self._environ, holder)
        token = self._explicit[holder] or (self._file(holder).read() if found is None else _usable(variable, found))
        if token is None:
            raise TokenError(f"{participant} has no token yet: start the gateway once.")
        return token

    def rotate(self, space: str, participant: str) -> str:
        """Replace the token in a participant's file and return the new one; the old one becomes invalid.

        Raises `TokenError` if the token does not come from a file.
        """
        holder = self._known(space, participant)
        if self._explicit[holder]:
            raise TokenError(f"The token of {participant} is written in the configuration file: change it there.")
        variable, token = _from_environment(self._environ, holder)
        if token is not None:
            raise TokenError(f"The token of {participant} comes from ${variable}: change it there.")
        return self._file(holder).renew()

    def _known(self, space: str, participant: str) -> Holder:
        holder = Holder(space, participant)
        if holder in self._explicit:
            return holder
        spaces = list(dict.fromkeys(known.space for known in self._explicit))
        if space not in spaces:
            raise TokenError(_unknown("space", space, spaces))
        raise TokenError(_unknown("participant", participant, [each.participant for each in self._of(space)]))

    def _of(self, space: str) -> Iterator[Holder]:
        return (holder for holder in self._explicit if holder.space == space)

    def _file(self, holder: Holder) -> TokenFile:
        space = None if holder.space in self._flat else holder.space
        return TokenFile(self._state_dir, space, holder.participant)

    def _prepared(self, holder: Holder) -> tuple[str, str | None]:
        """Return a participant's token, and a sentence about what was corrected for it."""
        explicit = self._explicit[holder]
        if explicit:
            return explicit, None
        variable, token = _from_environment(self._environ, holder)
        if token is not None:
            return _usable(variable, token), None
        file = self._file(holder)
        warning = file.tighten()
        return file.read() or file.renew(), warning

    def _ambiguous(self) -> list[str]:
        """Return the faults of variables that are for participants with different names in two spaces.

        An example: the variable of `b-c` in `a` and of `c` in `a-b`. Within a space, their equal tokens are refused.
        """
        owners: dict[str, Holder] = {}
        faults = []
        for holder in self._explicit:
            variable, token = _from_environment(self._environ, holder)
            if token is None or self._explicit[holder]:
                continue
            other = owners.setdefault(variable, holder)
            if other.participant != holder.participant and other.space != holder.space:
                names = " and ".join(f"{each.participant} of the space {each.space}" for each in (other, holder))
                faults.append(f"${variable} would be the token of {names}: unset it, and each has a file of its own.")
        return faults

    def _shared(self, first: Holder, second: Holder) -> str:
        sources = " and ".join(self._source(holder) for holder in (first, second))
        return (
            f"{first.participant} and {second.participant} of the space {first.space} have the same token "
            f"(from {sources}): each needs its own."
        )

    def _source(self, holder: Holder) -> str:
        if self._explicit[holder]:
            return "the configuration file"
        variable, token = _from_environment(self._environ, holder)
        return f"${variable}" if token is not None else str(self._file(holder).path)


class Authenticator:
    """Identifies participants by the hashes of their tokens.

    Changed token files are read again: at most once a second, and at most once more a second for an unknown token, so
    that a new token works at once.
    """

    def __init__(
        self,
        fixed: Mapping[Holder, bytes],
        files: Mapping[Holder, TokenFile],
        *,
        now: Callable[[], int],
        invited: Invited = _no_guests,
    ) -> None:
        self._now = now
        self._invited = invited
        self._files = dict(files)
        self._stamps: dict[Holder, Stamp | None] = {}
        self._digests = dict(fixed)
        self._owners = {(holder.space, digest): holder for holder, digest in fixed.items()}
        self._missed = now() - _CHECK_EVERY
        self._refresh(now())

    def identify(self, space: str, token: str) -> str | None:
        """Return the participant of that space whose token it is.

        None for a wrong token, a token of another space and an unknown space: the caller cannot tell these apart.
        """
        now = self._now()
        digest = _digest(token) if len(token) <= LONGEST else _NO_DIGEST
        if now - self._checked >= _CHECK_EVERY:
            self._refresh(now)
        found = self._find(space, digest)
        if found is None and now - self._missed >= _CHECK_EVERY:
            self._missed = now
            self._refresh(now)
            found = self._find(space, digest)
        return found

    def _find(self, space: str, digest: bytes) -> str | None:
        holder = self._owners.get((space, digest))
        known = _NO_DIGEST if holder is None else self._digests[holder]
        is_equal = hmac.compare_digest(known, digest)
        return holder.participant if holder is not None and is_equal else self._invited(space, digest)

    def _refresh(self, now: int) -> None:
        """Drop the tokens whose file has changed, then read the files again."""
        self._checked = now
        stamps = {holder: file.stamp() for holder, file in self._files.items()}
        changed = [holder for holder in stamps if holder not in self._stamps or stamps[holder] != self._stamps[holder]]
        self._stamps = stamps
        for holder in changed:
            digest = self._digests.pop(holder, None)
            if digest is not None:
                del self._owners[holder.space, digest]
        for holder in changed:
            self._read(holder)

    def _read(self, holder: Holder) -> None:
        """Read the token in a file. An unusable one is logged; its participant cannot join."""
        file = self._files[holder]
        warning = file.tighten()
        try:
            token = file.read()
        except TokenError as error:
            token, warning = None, str(error)
        if warning:
            logger.warning(warning)
        if token is None:
            return
        digest = _digest(token)
        owner = self._owners.setdefault((holder.space, digest), holder)
        if owner == holder:
            self._digests[holder] = digest
        else:
            logger.warning("%s has the token of %s and cannot join", holder.participant, owner.participant)


def _from_environment(environ: Mapping[str, str], holder: Holder) -> tuple[str, str | None]:
    """Return the variable that has the token, and the token; None if there is none."""
    space, participant = (name.replace("-", "_").replace(".", "_").upper() for name in holder)
    for variable in (f"MEW_TOKEN_{space}_{participant}", f"MEW_TOKEN_{participant}"):
        if environ.get(variable):
            return variable, environ[variable]
    return "", None


def _usable(variable: str, token: str) -> str:
    fault = fault_of(token)
    if fault is not None:
        raise TokenError(f"${variable}: the token {fault}.")
    return token


def _unknown(what: str, name: str, known: list[str]) -> str:
    suggestion = did_you_mean(name, known)
    return f"There is no {what} {name!r}" + (f" ({suggestion})." if suggestion else ".")


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()
