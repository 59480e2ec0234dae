"""The durable store: a database by URL, one thread that talks to it, migrations, failpoints."""

from __future__ import annotations

from .database import Database
from .errors import CommitUnknown, DatabaseError
from .failpoints import NONE, Crash, Failpoints, around
from .migrations import Migrations

__all__ = ["NONE", "CommitUnknown", "Crash", "Database", "DatabaseError", "Failpoints", "Migrations", "around"]
