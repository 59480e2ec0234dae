"""Search in the gateway's record of a space: page by page from the newest, until there is enough."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from ..connecting.http_client import Api
from .envelope_filter import Selection
from .timeline_lines import envelope_of

_PAUSE = 0.5  # seconds between two reads of the record
_BATCH = 1000


class Search:
    """A search. `text` is matched without regard to case, in the whole event; `since` is milliseconds since the
    epoch."""

    def __init__(self, api: Api, selection: Selection, *, text: str | None, since: int | None) -> None:
        self._api = api
        self._selection = selection
        self._text = None if text is None else text.casefold()
        self._since = since

    def newest(self, *, limit: int, before: int | None) -> dict[str, Any]:
        """Return the newest `limit` matching entries, at most up to the position `before`.

        `events` are in order, `next` and `previous` are where to go on after and before them, `more` is true if
        there may be older ones.
        """
        found: list[dict[str, Any]] = []
        last = None
        while True:
            page = self._api.get("timeline", limit=_BATCH if self._is_selective else limit, before=before)
            last = last or page["next"]
            found = [*filter(self._is_wanted, page["events"]), *found]
            before = page["previous"]
            ended = before in (None, 1) or not page["events"] or self._is_too_old(page["events"][0])
            if ended or len(found) >= limit or not self._is_selective:
                break
        more = not ended or len(found) > limit
        events = found[-limit:]
        previous = events[0]["position"] if events and len(found) > limit else before
        return {"events": events, "next": last, "previous": previous, "more": more}

    def follow_on(self, found: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Yield what was found, then every matching event that follows. Does not end."""
        after = found["next"] or 0
        yield from found["events"]
        while True:
            page = self._api.get("timeline", after=after, limit=_BATCH)
            yield from filter(self._is_wanted, page["events"])
            after = page["next"] or after
            if not page["events"]:
                time.sleep(_PAUSE)

    @property
    def _is_selective(self) -> bool:
        return self._text is not None or self._since is not None or self._selection.is_selective

    def _is_wanted(self, event: dict[str, Any]) -> bool:
        if self._is_too_old(event):
            return False
        if self._text is not None and self._text not in json.dumps(event, ensure_ascii=False).casefold():
            return False
        return not self._selection.is_selective or self._selection.admits(envelope_of(event))

    def _is_too_old(self, event: dict[str, Any]) -> bool:
        return self._since is not None and datetime.fromisoformat(event["at"]).timestamp() * 1000 < self._since
