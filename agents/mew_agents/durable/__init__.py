"""The durable store: a database by URL, one thread that talks to it, its tables, failpoints."""

from __future__ import annotations

from .database import Database
from .errors import CommitUnknown, DatabaseError
from .failpoints import NONE, Crash, Failpoints, around
from .schema import Schema

__all__ = ["NONE", "CommitUnknown", "Crash", "Database", "DatabaseError", "Failpoints", "Schema", "around"]
