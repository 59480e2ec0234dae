"""The URL of a database: read, and shown without what is secret in it."""

from __future__ import annotations

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from .errors import DatabaseError

FORMS = "write sqlite:///folder/file.db (a fourth slash begins an absolute path) or postgresql://user@host/name"


def read(url: str) -> URL:
    """The parts of `url`, its scheme `sqlite` or `postgresql+psycopg`. Raises `DatabaseError` (`bad_url`)."""
    try:
        parts = make_url(url)
    except (ArgumentError, ValueError):
        raise DatabaseError("bad_url", f"The database's URL cannot be read: {FORMS}.") from None
    match parts.drivername:
        case "sqlite":
            return _file(parts)
        case "postgresql" | "postgres" | "postgresql+psycopg":
            return parts.set(drivername="postgresql+psycopg")
        case other:
            raise DatabaseError("bad_url", f"Nothing is kept in a database of the kind {other!r}: {FORMS}.")


def show(parts: URL) -> str:
    """The URL for a person: no password, and no options, which may hold one."""
    plain = URL.create(parts.get_backend_name(), parts.username, None, parts.host, parts.port, parts.database)
    return plain.render_as_string()


def _file(parts: URL) -> URL:
    if parts.host:
        raise DatabaseError("bad_url", f"The file after sqlite:// needs a third slash: {FORMS}.")
    if parts.username or parts.password or parts.port or parts.query:
        raise DatabaseError("bad_url", f"An SQLite database is a file, with neither user nor options: {FORMS}.")
    if parts.database in (None, "", ":memory:"):
        raise DatabaseError("bad_url", f"A database in memory keeps nothing: {FORMS}.")
    return parts
