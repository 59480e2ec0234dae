"""How the tables of Fluxi came to be, revision by revision (docs/store.md)."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from mew_agents.durable import Migrations

VERSIONS: Final = Path(__file__).parent / "versions"
MIGRATIONS: Final = Migrations(VERSIONS, table="fluxcore_version")
