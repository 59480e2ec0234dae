"""Which certificates a client accepts from a gateway (TLS)."""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from typing import Self

import msgspec

from mew_gateway.errors import MewError


class Trust(msgspec.Struct, frozen=True):
    """The certificates that are trusted, and the name that the gateway's certificate must be for.

    `ca` is the path of a PEM file. It replaces the system's certificates, and may hold a CA's certificate or the
    gateway's own, self-signed or not. `server_name` replaces the host of the address, for a gateway that is reached by
    an address which its certificate does not name. None: the system's certificates, the host of the address.
    """

    ca: str | None = None
    server_name: str | None = None

    @classmethod
    def of(cls, variables: Mapping[str, str]) -> Self:
        """What `MEW_CA` and `MEW_SERVER_NAME` say, which a hosted agent of a gateway with TLS finds in its
        environment."""
        return cls(variables.get("MEW_CA") or None, variables.get("MEW_SERVER_NAME") or None)

    def context(self) -> ssl.SSLContext:
        """A TLS context of a client; the file is read now. Raises `MewError` for one that cannot be used."""
        try:
            context = ssl.create_default_context(cafile=self.ca)
        except (OSError, ssl.SSLError) as error:
            raise MewError(f"The certificates in {self.ca} cannot be used: {error}.") from None
        if self.ca is not None:  # a certificate in the file is trusted, whoever has signed it
            context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
        return context
