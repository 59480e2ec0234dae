"""What a tool answers about an effect: structured content, with a status that says what is known (docs/tools.md)."""

from __future__ import annotations

from typing import Any, TypeAlias

from mew_gateway.errors import MewError

# {"status": "applied" | "not_applied" | "unknown", "code": what exactly, …}: plain JSON.
Answer: TypeAlias = dict[str, Any]


class Declined(MewError):
    """The tool will not do it, and nothing has changed: `code` says why, `details` are further fields of the answer."""

    def __init__(self, code: str, **details: Any) -> None:
        super().__init__(code)
        self.code = code
        self.details = details


def applied(code: str, **fields: Any) -> Answer:
    """It is done, and durable."""
    return {"status": "applied", "code": code, **fields}


def not_applied(code: str, **fields: Any) -> Answer:
    """It is certain that nothing was done."""
    return {"status": "not_applied", "code": code, **fields}


def unknown(code: str, **fields: Any) -> Answer:
    """It is not certain what was done."""
    return {"status": "unknown", "code": code, **fields}


def repeated(answer: Answer) -> Answer:
    """An answer that was given before: this time nothing was done for it."""
    return {**answer, "repeated": True}


def is_applied(answer: Answer) -> bool:
    """Whether it is done."""
    return bool(answer["status"] == "applied")
