"""What can go wrong with a database, as codes and sentences for a person."""

from __future__ import annotations

from typing import Literal, TypeAlias

from mew_gateway.errors import MewError

Code: TypeAlias = Literal[
    "bad_url",
    "missing_driver",
    "not_found",
    "unreachable",
    "refused",
    "not_a_database",
    "other_schema",
    "busy",
    "failing",
    "commit_unknown",
    "closed",
]


class DatabaseError(MewError):
    """The database does not do what was asked; nothing of the transaction holds.

    `code`: `bad_url`, `missing_driver`, `not_found`, `refused`, `not_a_database` and `other_schema` want a person,
    `unreachable`, `busy` and `failing` may pass, `closed` is this program's own doing. The text is a sentence that
    says what to do, and never holds a password.
    """

    def __init__(self, code: Code, message: str) -> None:
        super().__init__(message)
        self.code = code


class CommitUnknown(DatabaseError):
    """COMMIT was sent and its answer never came: look for what you wrote, by its key, before you do anything else.

    Look within a `write` that meets the same key or locks the same row: the lost COMMIT may still be under way, which
    such a write waits for and a `read` does not see.
    """

    def __init__(self, message: str) -> None:
        super().__init__("commit_unknown", message)
