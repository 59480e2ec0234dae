"""Currencies as everybody writes them, whatever the language: signs, codes, and families of one name."""

from __future__ import annotations

# The signs, folded. "$" alone is the currency that the asker expects.
SIGNS = {
    "us$": "USD", "u$s": "USD", "u$d": "USD", "usd$": "USD", "r$": "BRL", "ar$": "ARS", "mx$": "MXN", "clp$": "CLP",
    "cop$": "COP", "$u": "UYU", "s/": "PEN", "€": "EUR", "£": "GBP", "¥": "JPY", "$": "",
}  # fmt: skip

# ISO 4217, as far as no word of our languages is spelt the same.
CODES = (
    "ARS", "AUD", "BOB", "BRL", "CAD", "CHF", "CLP", "CNY", "COP", "CRC", "DOP", "EUR", "GBP", "GTQ", "HNL", "JPY",
    "MXN", "NIO", "PEN", "PYG", "USD", "UYU", "VES",
)  # fmt: skip

# What one name means in many countries, the most spoken of first.
FAMILIES = {
    "PESO": ("MXN", "COP", "ARS", "CLP", "DOP", "UYU", "CUP", "PHP"),
    "DOLLAR": ("USD", "CAD", "AUD", "NZD", "SGD", "HKD", "JMD", "TTD", "BZD"),
}
