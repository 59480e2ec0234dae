"""Log formatter for programs: one JSON object a line, with the fields of each event."""

from __future__ import annotations

import logging
from datetime import UTC, datetime

import msgspec


class JsonLines(logging.Formatter):
    """Formatter with `time` (RFC 3339, UTC), `level`, `logger`, `message`, the event's fields, and `traceback` if there
    is one.

    The fields are a record's attribute `fields`: `event`, `space`, `participant`, … of `mew.space`.
    """

    def format(self, record: logging.LogRecord) -> str:
        """Return the record on one line."""
        fields = getattr(record, "fields", {})
        line = {
            **(fields if isinstance(fields, dict) else {}),
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return msgspec.json.encode(line).decode()
