"""Listen addresses: `127.0.0.1:8080`, `localhost:8080`, `[::1]:8080`."""

from __future__ import annotations

import ipaddress
import re
from typing import NamedTuple

from mew_gateway.documents.problems import echo

_ADDRESS = re.compile(r"(?:\[(?P<six>[^\]]+)\]|(?P<host>[^:\[\]]+)):(?P<port>[0-9]{1,5})")
_NAME = re.compile(r"(?=.{1,253}\Z)[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*")


class Address(NamedTuple):
    """A host and a port; port 0 means any free port."""

    host: str
    port: int

    @property
    def is_loopback(self) -> bool:
        """True if only this machine can connect. The only host name that counts as loopback is `localhost`."""
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host.lower() == "localhost"


def address(text: str) -> Address:
    """Parse `host:port`. Raises `ValueError` with a sentence."""
    match = _ADDRESS.fullmatch(text)
    if match is None:
        raise ValueError("An address is `host:port`, an IPv6 one `[host]:port`.")
    host, port = match["six"] or match["host"], int(match["port"])
    if port > 65535:
        raise ValueError("A port is at most 65535.")
    is_six = match["six"] is not None
    if is_six or re.fullmatch(r"[0-9.]+", host):
        try:
            (ipaddress.IPv6Address if is_six else ipaddress.IPv4Address)(host)
        except ValueError:
            raise ValueError(f"{echo(host)} is not an IPv{6 if is_six else 4} address.") from None
    elif _NAME.fullmatch(host) is None:
        raise ValueError(f"{echo(host)} is not a host name.")
    return Address(host, port)
