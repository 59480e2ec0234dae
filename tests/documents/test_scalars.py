"""Plain scalars are those of YAML 1.2's core schema."""

import pytest

from mew_gateway.documents.scalars import resolve


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None), ("~", None), ("null", None), ("Null", None), ("NULL", None), ("nUll", "nUll"),
        ("true", True), ("True", True), ("TRUE", True), ("false", False), ("False", False), ("FALSE", False),
        ("yes", "yes"), ("no", "no"), ("on", "on"), ("off", "off"), ("y", "y"), ("n", "n"),
        ("0", 0), ("-5", -5), ("+5", 5), ("007", 7), ("0o17", 15), ("0x1F", 31), ("1_000", "1_000"), ("0b1", "0b1"),
        ("1.5", 1.5), (".5", 0.5), ("5.", 5.0), ("1e3", 1000.0), ("-1.5E-3", -0.0015), ("1.2.3", "1.2.3"),
        ("-", "-"), ("+", "+"), (".", "."), ("..", ".."), ("e5", "e5"), ("12:30:45", "12:30:45"),
        ("2024-01-01", "2024-01-01"), ("<<", "<<"), ("=", "="), ("127.0.0.1", "127.0.0.1"), ("5/10s", "5/10s"),
        (str(2**64 - 1), 2**64 - 1), (str(-(2**63)), -(2**63)), ("٣", "٣"),
    ],
)  # fmt: skip
def test_values(text, value):
    found = resolve(text)
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(
    "text",
    [
        ".inf",
        "-.Inf",
        "+.INF",
        ".nan",
        ".NaN",
        "1e999",
        "-1e999",
        str(2**64),
        str(-(2**63) - 1),
        "9" * 5000,
        "0x" + "f" * 99,
    ],
)
def test_numbers_that_no_envelope_could_carry(text):
    with pytest.raises(ValueError, match=r"\.$"):
        resolve(text)
