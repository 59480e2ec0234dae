"""The gateway's TLS certificate: reloaded when its files change, and verified as hosted agents will verify it."""

from __future__ import annotations

import logging
import ssl
from typing import Any, TypeAlias

from mew_gateway.config import TlsFiles
from mew_gateway.errors import MewError

logger = logging.getLogger("mew.server")

_ROUNDS = 4  # of a handshake in memory: TLS 1.2 takes two

_Stamp: TypeAlias = tuple[tuple[int, int, int], ...] | None  # of the files; None: one is not there


class Certificate:
    """The TLS contexts of a certificate and its key.

    A renewed certificate is used by the next handshake. While the new files cannot be used (only one of the two is
    written yet) the old certificate stays in use, and the log says why. Connections that are open keep theirs.
    """

    def __init__(self, files: TlsFiles) -> None:
        """Raises `MewError` for files that cannot be used."""
        self._files = files
        self._stamp = self._look()
        self._context = self._load()

    def context(self) -> ssl.SSLContext:
        """Return the context for a handshake that begins now."""
        stamp = self._look()
        if stamp != self._stamp:
            self._stamp = stamp
            try:
                self._context = self._load()
                logger.info("the certificate %s has changed and is used from now on", self._files.certificate)
            except MewError as error:
                logger.error("%s The certificate that was read before stays in use.", error)
        return self._context

    def server_name(self, host: str) -> str:
        """Return the name that clients on this machine verify.

        It is the configured one, else `host` if the certificate is for it, else the certificate's first name. Raises
        `MewError` for a certificate that the clients could not verify.
        """
        names = [self._files.name] if self._files.name else _names(self._handshake(None))
        if not names:
            raise MewError(f"The certificate {self._files.certificate} is for no name: clients cannot verify it.")
        name = host if host in names else names[0]
        self._handshake(name)
        return name

    def _handshake(self, name: str | None) -> dict[str, Any]:
        """Return the certificate as a client sees it that trusts `ca` and verifies `name`. Raises `MewError`."""
        try:
            trusted = ssl.create_default_context(cafile=self._files.ca or self._files.certificate)
            trusted.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
            trusted.check_hostname = name is not None
            return _handshake(trusted, self._context, name)
        except ssl.SSLCertVerificationError as error:
            raise MewError(
                f"Clients on this machine cannot verify the certificate {self._files.certificate}: "
                f"{error.verify_message}."
            ) from None
        except (OSError, ssl.SSLError) as error:
            raise MewError(f"The certificates in {self._files.ca} cannot be used: {error}.") from None

    def _load(self) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        try:
            context.load_cert_chain(self._files.certificate, self._files.key, password=_no_password)
        except (OSError, ssl.SSLError) as error:
            raise MewError(f"The certificate or its key cannot be used: {error}.") from None
        return context

    def _look(self) -> _Stamp:
        try:
            found = [path.stat() for path in (self._files.certificate, self._files.key)]
        except OSError:
            return None
        return tuple((stat.st_mtime_ns, stat.st_size, stat.st_ino) for stat in found)


def _no_password() -> str:
    raise ssl.SSLError("the key has a password, and a gateway that starts by itself cannot be asked for it")


def _handshake(client: ssl.SSLContext, server: ssl.SSLContext, name: str | None) -> dict[str, Any]:
    """Return the server's certificate as verified by the client, in a handshake in memory."""
    there, back = ssl.MemoryBIO(), ssl.MemoryBIO()
    authentication = client.wrap_bio(back, there, server_hostname=name)
    answering = server.wrap_bio(there, back, server_side=True)
    for _ in range(_ROUNDS):
        for side in (authentication, answering):
            try:
                side.do_handshake()
            except ssl.SSLWantReadError:
                continue
    return dict(authentication.getpeercert() or {})


def _names(certificate: dict[str, Any]) -> list[str]:
    """Return the names and addresses that a certificate is for, those without a wildcard first."""
    alternative = [value for _, value in certificate.get("subjectAltName", ())]
    common = [value for part in certificate.get("subject", ()) for key, value in part if key == "commonName"]
    names = alternative or common
    return [name for name in names if "*" not in name] + [name.replace("*", "gateway") for name in names if "*" in name]
