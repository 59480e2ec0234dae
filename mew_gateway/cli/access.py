"""Access to a running gateway: its address, the space, who you are, and the token that proves it."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from mew_gateway.config import Configuration, load
from mew_gateway.documents.problems import did_you_mean
from mew_gateway.gateway.auth import TokenStore
from mew_gateway.protocol.address import address
from mew_gateway.trust import Trust

from .api import Api
from .failure import Failure, mistake
from .options import Where

_USUAL = "human"


@dataclass(frozen=True, kw_only=True)
class Access:
    """Where a command goes, and as whom. `participant` is None where only the token knows. `trust` says which
    certificates are accepted; None: what the environment says."""

    url: str
    space: str
    participant: str | None
    token: str = field(repr=False)
    trust: Trust | None = None
    agents: Path | None = None

    @property
    def api(self) -> Api:
        """The gateway's HTTP side."""
        return Api(self.url, space=self.space, token=self.token, trust=self.trust)

    def options(self, able: Sequence[str] = ()) -> list[str]:
        """The options to type here for a command that only the `able` may send: the space, and as whom of them."""
        if not able or self.participant is None or (self.participant == _USUAL and _USUAL in able):
            return ["--space", self.space]
        return ["--space", self.space, "--as", self.participant if self.participant in able else able[0]]


def find_access(where: Where, *, named: Sequence[str] = ()) -> Access:
    """The access that the options mean; what they leave out comes from the configuration and what runs beside it.

    `named` are the participants the command speaks of: they tell the space where several are configured. Raises
    `Failure`, `ConfigError` or `TokenError`.
    """
    if where.url and where.space and where.token:  # somebody else's gateway: no configuration is needed
        return _access(where.url, where.space, where.as_, where.token)
    if where.url and not where.config.exists():
        missing = [name for name in ("space", "token") if not getattr(where, name)]
        options = " and ".join(f"--{name}" for name in missing)
        variables = " and ".join(f"MEW_{name.upper()}" for name in missing)
        raise mistake(f"Say {options} (or set {variables}), too: there is no {where.config} here to look that up in.")
    configuration = load(where.config)
    space = choose_space(configuration, where.space, named=[*named, *([where.as_] if where.as_ else [])])
    participant, token = where.as_, where.token
    if token is None:
        participant = participant or _usual_participant(configuration, space)
        check_participant(configuration, space, participant)
        token = TokenStore.of(configuration, os.environ).token(space, participant)
    if where.url:
        return _access(where.url, space, participant, token)
    running = _running(configuration)
    found = _access(running.url, space, participant, token, trust=running.trust)
    return replace(found, agents=configuration.gateway.state_dir / "agents" / space)


def choose_space(configuration: Configuration, asked: str | None, *, named: Sequence[str] = ()) -> str:
    """The space asked for, or the only one that has all the `named`. Raises `Failure`."""
    spaces = configuration.spaces
    if asked is not None:
        if asked not in spaces:
            raise mistake(f"There is no space {asked!r} in {configuration.file.name} ({_known(asked, spaces)}).")
        return asked
    fitting = [name for name in spaces if all(who in spaces[name].settings.participants for who in named)]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        raise mistake(f"Which space? Say --space with one of: {', '.join(fitting)} (or set MEW_SPACE).")
    if len(spaces) == 1:
        return next(iter(spaces))
    raise mistake(f"No space has {' and '.join(named)}. Say --space with one of: {', '.join(spaces)}.")


def check_participant(configuration: Configuration, space: str, participant: str) -> None:
    """Raises `Failure` for a participant that the space does not have."""
    known = configuration.spaces[space].settings.participants
    if participant not in known:
        raise mistake(f"There is no participant {participant!r} in the space {space} ({_known(participant, known)}).")


def _known(word: str, known: Collection[str]) -> str:
    return did_you_mean(word, known) or f"there are {len(known)}"


def _usual_participant(configuration: Configuration, space: str) -> str:
    participants = configuration.spaces[space].settings.participants
    if _USUAL not in participants:
        raise mistake(f"Who are you? Say --as with one of: {', '.join(participants)} (or set MEW_PARTICIPANT).")
    return _USUAL


class _Address(msgspec.Struct):
    """`gateway.json`, which a running gateway keeps beside its state."""

    url: str
    ca: str | None = None
    server_name: str | None = None

    @property
    def trust(self) -> Trust | None:
        """The certificates to accept, if it has some of its own."""
        return None if self.ca is None else Trust(self.ca, self.server_name)


def _running(configuration: Configuration) -> _Address:
    file = configuration.gateway.state_dir / "gateway.json"
    try:
        return msgspec.json.decode(file.read_bytes(), type=_Address)
    except (OSError, msgspec.MsgspecError):
        raise Failure("No gateway is running here: start one with `mew serve`, or say --url.") from None


def _access(url: str, space: str, participant: str | None, token: str, *, trust: Trust | None = None) -> Access:
    try:
        address(url, space)
        urlsplit(url).port  # noqa: B018 - raises for a port that is none
    except ValueError as error:
        raise mistake(str(error)) from None
    if not (token.isascii() and token.isprintable()):
        raise mistake("The token has characters that no token has.")  # it would break the header it travels in
    return Access(url=url, space=space, participant=participant, token=token, trust=trust)
