"""Registry of the tokens that a test has used, and a search for them in every encoding."""

from __future__ import annotations

import base64
import json
import secrets
from collections.abc import Iterator
from urllib.parse import quote


class TokenRegistry:
    """Tokens by their use. `draw` makes one that belongs to no participant."""

    def __init__(self) -> None:
        self.tokens: dict[str, str] = {}

    def __setitem__(self, use: str, token: str) -> None:
        assert len(token) >= 16 and token not in self.tokens.values()
        self.tokens[use] = token

    def __getitem__(self, use: str) -> str:
        return self.tokens[use]

    def draw(self, use: str) -> str:
        """Return a new token, registered for this use."""
        self[use] = f"mew_{secrets.token_urlsafe(32)}"
        return self[use]

    def found_in(self, output: bytes) -> list[str]:
        """Return the uses of the tokens that occur in the output, in any encoding."""
        lower = output.lower()
        return [use for use, token in self.tokens.items() if any(form.lower() in lower for form in forms(token))]


def forms(token: str) -> Iterator[bytes]:
    """Yield the encodings of a token: plain; escaped for JSON, Python, URLs; hexadecimal; base64 at every offset."""
    data = token.encode()
    yield data
    yield json.dumps(token)[1:-1].encode()
    yield json.dumps(json.dumps(token))[3:-3].encode()
    yield repr(token)[1:-1].encode()
    yield repr(repr(token))[2:-2].encode()
    yield quote(token, safe="").encode()
    yield "".join(f"%{byte:02x}" for byte in data).encode()
    yield "".join(f"\\u{byte:04x}" for byte in data).encode()
    yield data.hex().encode()
    yield data.hex(" ").encode()
    for before in range(3):  # base64 has three forms of it; what it shares with its neighbours is left out
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            yield encode(b"\0" * before + data)[4 if before else 0 :][:-4]
