"""What an operator asked for and cannot have."""

from __future__ import annotations

from mew_gateway.errors import MewError


class Refused(MewError):
    """It cannot be done; `code` says why and the text what to do. Nothing was changed."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
