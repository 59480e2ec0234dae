"""The schema of one package, as revisions that Alembic applies one after the other."""

from __future__ import annotations

import logging
import threading
from pathlib import Path

logging.getLogger("alembic").setLevel(logging.WARNING)  # else it names each of its plugins when it is imported

from alembic import command  # noqa: E402
from alembic.config import Config  # noqa: E402
from alembic.runtime.migration import MigrationContext  # noqa: E402
from alembic.script import ScriptDirectory  # noqa: E402
from alembic.util import CommandError  # noqa: E402
from sqlalchemy import Connection  # noqa: E402

from .errors import DatabaseError  # noqa: E402

_ENVIRONMENT = Path(__file__).parent / "alembic"
_ONE_AT_A_TIME = threading.Lock()  # Alembic's `op` and `context` are the process's own


class Migrations:
    """The folders of a package's revisions, and the table that says at which of them a database stands.

    A revision is a file with `revision`, `down_revision` and `upgrade()`; once released it is never changed, and
    no `downgrade()` is asked for: a backup goes back. Several folders are read as one (tests add theirs).
    """

    def __init__(self, *folders: Path, table: str) -> None:
        self._folders = folders
        self._table = table

    def current(self, connection: Connection) -> bool:
        """Whether the database stands at the newest revision. Raises `DatabaseError` (`newer_schema`)."""
        script = ScriptDirectory.from_config(self._config())
        found = MigrationContext.configure(connection, opts={"version_table": self._table}).get_current_heads()
        for revision in found:
            try:
                script.get_revision(revision)
            except CommandError:
                raise DatabaseError(
                    "newer_schema",
                    f"The database has the schema {revision}, which a newer version of this program made: "
                    "install that version, or take a database of your own.",
                ) from None
        return set(found) == set(script.get_heads())

    def upgrade(self, connection: Connection) -> None:
        """Apply what is missing, in the transaction that is open on `connection`."""
        config = self._config()
        config.attributes.update(connection=connection, version_table=self._table)
        with _ONE_AT_A_TIME:
            command.upgrade(config, "heads")
        if connection.dialect.name == "sqlite":  # which does not look while it migrates
            lost = connection.exec_driver_sql("PRAGMA foreign_key_check").fetchall()
            if lost:
                raise RuntimeError(f"A migration left rows that refer to nothing: {lost[:3]}.")

    def _config(self) -> Config:
        config = Config()
        folders = "\n".join(str(folder) for folder in self._folders)
        for name, value in (
            ("script_location", str(_ENVIRONMENT)),
            ("path_separator", "newline"),
            ("version_locations", folders),
        ):
            config.set_main_option(name, value.replace("%", "%%"))
        return config
