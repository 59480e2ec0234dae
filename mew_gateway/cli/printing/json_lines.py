"""The log as JSON: an object a line, with what each event is about in fields of its own."""

from __future__ import annotations

import logging
from datetime import UTC, datetime

import msgspec


class JsonLines(logging.Formatter):
    """`time` (RFC 3339, UTC), `level`, `logger`, `message`, the fields of the event, and `traceback` if there is one.

    The fields are what a record has in `fields`: `event`, `space`, `participant`, … of `mew.space`.
    """

    def format(self, record: logging.LogRecord) -> str:
        """The record on one line."""
        fields = getattr(record, "fields", {})
        told = {
            **(fields if isinstance(fields, dict) else {}),
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info:
            told["traceback"] = self.formatException(record.exc_info)
        return msgspec.json.encode(told).decode()
