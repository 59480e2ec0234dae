"""Access to the gateway that a configuration describes, and lookup of its spaces and participants."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from dataclasses import replace

import msgspec

from mew_gateway.config import Configuration, load
from mew_gateway.documents.problems import did_you_mean
from mew_gateway.gateway.auth.tokens import TokenStore
from mew_gateway.tls_trust import Trust

from ..framework.failure import Failure, mistake
from ..framework.options import Where
from .access import Access, access_to

_DEFAULT_PARTICIPANT = "human"


def configured_access(where: Where, *, named: Sequence[str] = ()) -> Access:
    """Return the access that the options mean; the configuration and the running gateway supply what they leave out.

    Raises `Failure`, `ConfigError` or `TokenError`.
    """
    configuration = load(where.config)
    space = choose_space(configuration, where.space, named=[*named, *([where.as_] if where.as_ else [])])
    participant, token = where.as_, where.token
    if token is None:
        participant = participant or _default_participant(configuration, space)
        check_participant(configuration, space, participant)
        token = TokenStore.of(configuration, os.environ).token(space, participant)
    if where.url:
        return access_to(where.url, space, participant, token)
    running = _running(configuration)
    found = access_to(running.url, space, participant, token, trust=running.trust)
    return replace(found, agents=configuration.gateway.state_dir / "agents" / space)


def choose_space(configuration: Configuration, asked: str | None, *, named: Sequence[str] = ()) -> str:
    """Return the space `asked` for, or the only one that has all participants `named`. Raises `Failure`."""
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
    """Raise `Failure` for a participant that the space does not have."""
    known = configuration.spaces[space].settings.participants
    if participant not in known:
        raise mistake(f"There is no participant {participant!r} in the space {space} ({_known(participant, known)}).")


def _known(word: str, known: Collection[str]) -> str:
    return did_you_mean(word, known) or f"there are {len(known)}"


def _default_participant(configuration: Configuration, space: str) -> str:
    participants = configuration.spaces[space].settings.participants
    if _DEFAULT_PARTICIPANT not in participants:
        raise mistake(f"Who are you? Say --as with one of: {', '.join(participants)} (or set MEW_PARTICIPANT).")
    return _DEFAULT_PARTICIPANT


class _Address(msgspec.Struct):
    """The content of `gateway.json`, which a running gateway keeps in its state folder."""

    url: str
    ca: str | None = None
    server_name: str | None = None

    @property
    def trust(self) -> Trust | None:
        """The certificates to accept, None if the gateway has no certificate of its own."""
        return None if self.ca is None else Trust(self.ca, self.server_name)


def _running(configuration: Configuration) -> _Address:
    file = configuration.gateway.state_dir / "gateway.json"
    try:
        return msgspec.json.decode(file.read_bytes(), type=_Address)
    except (OSError, msgspec.MsgspecError):
        raise Failure("No gateway is running here: start one with `mew serve`, or say --url.") from None
