"""TLS trust of a client: the certificates that it accepts from a gateway."""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from typing import Self

import msgspec

from mew_gateway.errors import MewError


class Trust(msgspec.Struct, frozen=True):
    """Trusted certificates, and the host name that the gateway's certificate must have.

    `ca` is the path of a PEM file with a CA's certificate or the gateway's own; it replaces the system's certificates.
    `server_name` replaces the host of the address, for a gateway whose certificate does not have that host. None means
    the system's certificates, and the host of the address.
    """

    ca: str | None = None
    server_name: str | None = None

    @classmethod
    def of(cls, variables: Mapping[str, str]) -> Self:
        """Return the trust that `MEW_CA` and `MEW_SERVER_NAME` describe; a gateway with TLS sets them for hosted
        agents."""
        return cls(variables.get("MEW_CA") or None, variables.get("MEW_SERVER_NAME") or None)

    def context(self) -> ssl.SSLContext:
        """Return a client's TLS context. Reads the file. Raises `MewError` if the file cannot be used."""
        try:
            context = ssl.create_default_context(cafile=self.ca)
        except (OSError, ssl.SSLError) as error:
            raise MewError(f"The certificates in {self.ca} cannot be used: {error}.") from None
        if self.ca is not None:  # trust a certificate in the file without its issuer
            context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
        return context
