"""TLS: hosted agents and `mew` beside the gateway verify its certificate, whoever signed it and whatever it names; a
renewed one is used by the next handshake."""

from __future__ import annotations

import asyncio
import logging
import os
import ssl
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import trustme
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from mew_gateway.cli.connecting.access import find_access
from mew_gateway.cli.connecting.joining import joined
from mew_gateway.cli.framework.options import Where
from mew_gateway.config import TlsFiles
from mew_gateway.errors import MewError
from mew_gateway.gateway.auth.certificate import Certificate
from mew_gateway.protocol.envelope import Envelope
from mew_gateway.sdk import Client
from mew_gateway.sdk._transport.reconnect import Disconnected

NAME = "mew.example.com"
WAIT = 60.0  # seconds for a child process
SPACES = """
gateway:
  listen: 127.0.0.1:0
  state_dir: state
  journal: {{url: "memory:"}}
  tls: {{certificate: gateway.pem, key: gateway.pem{more}}}
spaces:
  demo:
    participants:
      human: {{capabilities: [{{kind: "*"}}]}}
      {more_participants}
"""
ECHO = "echo: {capabilities: [{kind: [chat, participant/status]}], agent: mew_agents.echo:Echo}"


def write_signed(ca: trustme.CA, file: Path, *names: str, **options: Any) -> None:
    ca.issue_cert(*names, **options).private_key_and_cert_chain_pem.write_to_path(str(file))


def write_self_signed(file: Path) -> None:
    """As `openssl req -x509` makes one: a common name, and no other."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, NAME)])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    plain = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    file.write_bytes(key.private_bytes(*plain) + made.public_bytes(serialization.Encoding.PEM))


def by_a_ca(folder: Path) -> str:
    """A name's certificate of a CA that this machine does not know; agents are told of the CA."""
    ca = trustme.CA()
    ca.cert_pem.write_to_path(str(folder / "ca.pem"))
    write_signed(ca, folder / "gateway.pem", NAME)
    return ", ca: ca.pem"


def by_a_ca_untold(folder: Path) -> str:
    write_signed(trustme.CA(), folder / "gateway.pem", f"*.{NAME}")
    return ""


def by_itself(folder: Path) -> str:
    write_self_signed(folder / "gateway.pem")
    return ""


def access(tmp_path: Path) -> Any:
    return find_access(Where(space="demo", as_="human", config=tmp_path / "spaces.yaml"))


@pytest.mark.parametrize("make", [by_a_ca, by_a_ca_untold, by_itself])
async def test_mew_beside_the_gateway_verifies_its_certificate(
    start_gateway: Any, tmp_path: Path, make: Callable[[Path], str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "mew.server")
    async with start_gateway(SPACES.format(more=make(tmp_path), more_participants="")) as site:
        here = access(tmp_path)
        async with joined(here) as client:
            assert client.welcome.you.id == "human"
        listed = await asyncio.to_thread(here.api.get, "participants")
        assert [row["id"] for row in listed["participants"]] == ["human"]
        with pytest.raises(Disconnected, match="certificate verify failed"):  # whoever trusts the system's alone
            await Client(site.url, space="demo", token=here.token).connect()
        async with asyncio.timeout(WAIT):
            while "a TLS handshake failed: " not in caplog.text:
                await asyncio.sleep(0)


async def test_a_hosted_agent_joins_over_tls(start_gateway: Any, tmp_path: Path) -> None:
    text = SPACES.format(more=by_itself(tmp_path), more_participants=ECHO)
    async with start_gateway(text), joined(access(tmp_path)) as client, asyncio.timeout(WAIT):
        present = {other.id for other in client.welcome.participants}
        while "echo" not in present:
            item = await anext(aiter(client))
            assert isinstance(item, Envelope) and item.payload is not None
            present.add(item.payload.get("participant", {}).get("id"))


async def test_a_renewed_certificate_is_used_by_the_next_handshake(
    start_gateway: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "gateway.pem"
    by_itself(tmp_path)
    async with start_gateway(SPACES.format(more="", more_participants="")), joined(access(tmp_path)) as before:
        write_self_signed(tmp_path / "new.pem")
        os.replace(tmp_path / "new.pem", file)
        async with joined(access(tmp_path)):
            pass
        before_id = await before.send("chat", {"text": "still here"}, to=["human"])
        assert before_id
        file.write_text("half a fi")
        with caplog.at_level(logging.ERROR, "mew.server"), pytest.raises(Disconnected):
            await Client(access(tmp_path).url, space="demo", token="t" * 16).connect()
        assert "stays in use" in caplog.text


def test_a_certificate_that_clients_cannot_verify_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "gateway.pem"
    by_itself(tmp_path)
    certificate = Certificate(TlsFiles(certificate=file, key=file))
    assert certificate.server_name("127.0.0.1") == NAME
    with pytest.raises(MewError, match="Hostname mismatch"):
        Certificate(TlsFiles(certificate=file, key=file, name="other.example.com")).server_name("127.0.0.1")
    write_signed(trustme.CA(), file, NAME, not_after=datetime(2020, 1, 1, tzinfo=UTC), not_before=datetime(2019, 1, 1))
    with pytest.raises(MewError, match="certificate has expired"):
        Certificate(TlsFiles(certificate=file, key=file)).server_name("127.0.0.1")
    write_signed(trustme.CA(), file, "127.0.0.1", NAME)
    assert Certificate(TlsFiles(certificate=file, key=file)).server_name("127.0.0.1") == "127.0.0.1"
    ca = tmp_path / "ca.pem"
    trustme.CA().cert_pem.write_to_path(str(ca))
    with pytest.raises(MewError, match="unable to get local issuer"):
        Certificate(TlsFiles(certificate=file, key=file, ca=ca)).server_name("127.0.0.1")
    file.write_text("nothing")
    with pytest.raises(MewError, match="cannot be used"):
        Certificate(TlsFiles(certificate=file, key=file))


def test_the_context_is_reloaded_only_after_changes(tmp_path: Path) -> None:
    file = tmp_path / "gateway.pem"
    by_itself(tmp_path)
    certificate = Certificate(TlsFiles(certificate=file, key=file))
    first = certificate.context()
    assert isinstance(first, ssl.SSLContext)
    assert certificate.context() is first
    write_self_signed(file)
    assert certificate.context() is not first
