"""Environment variables of an agent: its gateway, space and identity."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

import msgspec

from mew_gateway.errors import Misconfigured
from mew_gateway.protocol.address import address, redacted
from mew_gateway.protocol.ids import is_valid

from ._transport.link import secret


class Environment(msgspec.Struct, frozen=True):
    """Values of the environment variables of an agent.

    `MEW_URL` (as ws://127.0.0.1:8080), `MEW_SPACE`, `MEW_TOKEN`, `MEW_OPTIONS` (a JSON object), `MEW_STATE` (the folder
    of the agent's state) and `MEW_ACCOUNT` (the account of the space).
    """

    url: str
    space: str
    token: str
    options: dict[str, Any] = {}
    state: str | None = None
    account: str | None = None

    def __repr__(self) -> str:
        return f"Environment(url={redacted(self.url)!r}, space={self.space!r})"  # the token is never printed

    @classmethod
    def read(cls, variables: Mapping[str, str]) -> Self:
        """Read the variables. Raises `Misconfigured` if one is missing or invalid."""
        missing = [name for name in ("MEW_URL", "MEW_SPACE", "MEW_TOKEN") if not variables.get(name)]
        if missing:
            raise Misconfigured(f"Set {', '.join(missing)}: they say which gateway, which space, and who you are.")
        try:
            address(variables["MEW_URL"], variables["MEW_SPACE"])
            options = msgspec.json.decode(variables.get("MEW_OPTIONS") or "{}", type=dict[str, Any])
        except msgspec.MsgspecError as error:
            raise Misconfigured(f"MEW_OPTIONS is not a JSON object: {error}.") from None
        except ValueError as error:
            raise Misconfigured(f"MEW_URL: {error}") from None
        state = variables.get("MEW_STATE") or None
        return cls(
            variables["MEW_URL"],
            variables["MEW_SPACE"],
            _token(variables["MEW_TOKEN"]),
            options,
            state,
            variables.get("MEW_ACCOUNT") or None,
        )

    def folder(self, participant: str) -> Path:
        """Return the state folder, which may not exist yet: `state`, or by default one below the working directory.

        `participant` is our id. Raises `Misconfigured` if a name cannot be a folder's.
        """
        if self.state is not None:
            return Path(self.state)
        if not (is_valid(self.space) and is_valid(participant)):
            raise Misconfigured(f"{self.space}/{participant} cannot name a folder: set MEW_STATE.")
        return Path(".mew", "agents", self.space, participant)


def _token(given: str) -> str:
    try:
        return secret(given)
    except ValueError as error:
        raise Misconfigured(f"MEW_TOKEN: {error}") from None
