"""Where to listen, and whether anybody else can reach it."""

import pytest

from mew_gateway.config.address import Address, address


@pytest.mark.parametrize(
    ("text", "expected", "is_loopback"),
    [
        ("127.0.0.1:8080", Address("127.0.0.1", 8080), True),
        ("127.9.9.9:1", Address("127.9.9.9", 1), True),
        ("localhost:0", Address("localhost", 0), True),
        ("LocalHost:0", Address("LocalHost", 0), True),
        ("[::1]:8080", Address("::1", 8080), True),
        ("0.0.0.0:80", Address("0.0.0.0", 80), False),
        ("[::]:80", Address("::", 80), False),
        ("192.168.1.5:80", Address("192.168.1.5", 80), False),
        ("localhost.example.org:65535", Address("localhost.example.org", 65535), False),
        ("my-host:80", Address("my-host", 80), False),
    ],
)
def test_addresses(text, expected, is_loopback):
    found = address(text)
    assert (found, found.is_loopback) == (expected, is_loopback)


@pytest.mark.parametrize(
    "text",
    ["", ":8080", "8080", "localhost", "localhost:", "localhost:http", "localhost:65536", "localhost:-1", "::1:8080",
     "[::1]8080", "[x]:80", "[127.0.0.1]:80", "999.0.0.1:80", "1.2.3:80", "a b:80", "-x:80", "http://x:80", "é:80",
     "x:٣",     "x" * 300 + ":80"],
)  # fmt: skip
def test_no_addresses(text):
    with pytest.raises(ValueError):
        address(text)
