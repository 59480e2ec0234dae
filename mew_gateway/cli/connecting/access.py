"""Access to a running gateway: its address, the space, who you are, and the token that proves it.

What reads the configuration is a module of its own (`configured_access`), imported only if the options leave something
out: it takes as long to load as everything else that connects.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from urllib.parse import urlsplit

from mew_gateway.protocol.address import address
from mew_gateway.trust import Trust

from ..framework.failure import mistake
from ..framework.options import Where
from .api import Api

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
        return access_to(where.url, where.space, where.as_, where.token)
    if where.url and not where.config.exists():
        missing = [name for name in ("space", "token") if not getattr(where, name)]
        options = " and ".join(f"--{name}" for name in missing)
        variables = " and ".join(f"MEW_{name.upper()}" for name in missing)
        raise mistake(f"Say {options} (or set {variables}), too: there is no {where.config} here to look that up in.")
    found: Access = import_module(".configured_access", __package__).configured_access(where, named=named)
    return found


def access_to(url: str, space: str, participant: str | None, token: str, *, trust: Trust | None = None) -> Access:
    """Return the access to a gateway. Raises `Failure` for an address or a token that cannot be one."""
    try:
        address(url, space)
        urlsplit(url).port  # noqa: B018 - raises for a port that is none
    except ValueError as error:
        raise mistake(str(error)) from None
    if not (token.isascii() and token.isprintable()):
        raise mistake("The token has characters that no token has.")  # it would break the header it travels in
    return Access(url=url, space=space, participant=participant, token=token, trust=trust)
