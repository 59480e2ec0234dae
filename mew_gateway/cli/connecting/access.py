"""Access to a running gateway: its address, the space, the participant, and the token.

A command asks `find_access` for an `Access`, then either reads over HTTP (`Access.api`) or joins (`run_once`,
`joining`). Options come first; the configuration fills in what they leave out.

Code that reads the configuration is in `configured_access`. It is imported only if needed, because loading it takes
as long as everything else that connects. Where to go next: `http_client`, `run_once` (join, do one thing, leave),
`sent_envelope` (one and its answer).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from urllib.parse import urlsplit

from mew_gateway.protocol.address import address
from mew_gateway.tls_trust import Trust

from ..framework.failure import mistake
from ..framework.options import Where
from .http_client import Api

_DEFAULT_PARTICIPANT = "human"


@dataclass(frozen=True, kw_only=True)
class Access:
    """Address and identity of a command.

    `participant` is None if only the token determines it. `trust` says which certificates are accepted; None: those
    that the environment names.
    """

    url: str
    space: str
    participant: str | None
    token: str = field(repr=False)
    trust: Trust | None = None
    agents: Path | None = None

    @property
    def api(self) -> Api:
        """A client of the gateway's HTTP API."""
        return Api(self.url, space=self.space, token=self.token, trust=self.trust)

    def options(self, allowed: Sequence[str] = ()) -> list[str]:
        """Return the options to type for a command that only the participants `allowed` may send: the space, and one
        of them."""
        if (
            not allowed
            or self.participant is None
            or (self.participant == _DEFAULT_PARTICIPANT and _DEFAULT_PARTICIPANT in allowed)
        ):
            return ["--space", self.space]
        return ["--space", self.space, "--as", self.participant if self.participant in allowed else allowed[0]]


def find_access(where: Where, *, named: Sequence[str] = ()) -> Access:
    """Return the access that the options mean; the configuration and the running gateway supply what they leave out.

    `named` are participants that the command mentions: they determine the space if several are configured. Raises
    `Failure`, `ConfigError` or `TokenError`.
    """
    if where.url and where.space and where.token:  # no configuration is needed
        return access_to(where.url, where.space, where.as_, where.token)
    if where.url and not where.config.exists():
        missing = [name for name in ("space", "token") if not getattr(where, name)]
        options = " and ".join(f"--{name}" for name in missing)
        variables = " and ".join(f"MEW_{name.upper()}" for name in missing)
        raise mistake(f"Say {options} (or set {variables}), too: there is no {where.config} here to look that up in.")
    found: Access = import_module(".configured_access", __package__).configured_access(where, named=named)
    return found


def access_to(url: str, space: str, participant: str | None, token: str, *, trust: Trust | None = None) -> Access:
    """Return the access to a gateway. Raises `Failure` for an invalid address or token."""
    try:
        address(url, space)
        urlsplit(url).port  # noqa: B018 - raises for a port that is none
    except ValueError as error:
        raise mistake(str(error)) from None
    if not (token.isascii() and token.isprintable()):
        raise mistake("The token has characters that no token has.")  # it would break the HTTP header
    return Access(url=url, space=space, participant=participant, token=token, trust=trust)
