"""The HTTP interface in one table: requests and their possible replies (docs/protocol.md §6)."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import msgspec

from . import http_replies

MOST = 1000  # rows of one answer
USUAL = 200


class Parameter(NamedTuple):
    """A parameter of a route. `schema` is its JSON Schema."""

    name: str
    where: Literal["path", "query", "header"]
    schema: dict[str, Any]
    meaning: str


class Route(NamedTuple):
    """One route. `reply` is the body of a 200 (None: `media` describes it), `more` those of other statuses.

    `failures` are the statuses that come with a `Failure`, besides 500. `is_public`: no token is needed.
    """

    method: Literal["GET", "POST"]
    path: str
    name: str
    meaning: str
    reply: type[msgspec.Struct] | None
    parameters: tuple[Parameter, ...] = ()
    failures: tuple[int, ...] = ()
    more: tuple[tuple[int, type[msgspec.Struct]], ...] = ()
    media: str = "application/json"
    is_public: bool = False

    @property
    def types(self) -> list[type[msgspec.Struct]]:
        """The body types of all replies but failures."""
        return [*([] if self.reply is None else [self.reply]), *(type_ for _, type_ in self.more)]


_ID = {"type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"}
_SPACE = Parameter("space", "path", _ID, "The space's id.")
_WHO = Parameter("id", "path", _ID, "The id of the participant whose token it is.")
_OF_SPACE = Parameter("space", "query", _ID, "The space's id; without it, that of the token.")
_LIMIT = Parameter(
    "limit",
    "query",
    {"type": "integer", "minimum": 1, "maximum": 999_999_999_999_999_999, "default": USUAL},
    f"At most so many; more than {MOST} is {MOST}.",
)
_SKIP = Parameter(
    "skip",
    "query",
    {"type": "integer", "minimum": 0, "maximum": 999_999_999_999_999_999, "default": 0},
    "So many of the newest are left out: what comes before an answer of `limit` rows.",
)
_BEFORE = Parameter(
    "before",
    "query",
    {"type": "integer", "minimum": 1, "maximum": 999_999_999_999_999_999},
    "The position that all to be told stand in front of.",
)
_AFTER = Parameter(
    "after",
    "query",
    {"type": "integer", "minimum": 0, "maximum": 999_999_999_999_999_999},
    "The position to go on behind; without it, the newest.",
)
_OPEN = Parameter(
    "open",
    "query",
    {"type": "string", "enum": ["true", "false", "1", "0"], "default": "false"},
    "Only those that are open.",
)
_LAST = Parameter(
    "Last-Event-ID",
    "header",
    {"type": "string", "minLength": 1, "maxLength": 200},
    "The id of the last event that one had: what came behind it is told first.",
)
_SINCE = Parameter(
    "since",
    "query",
    {"type": "string", "minLength": 1, "maxLength": 200},
    "A time (RFC 3339), the id of an envelope, or the `next` of an answer; without it, the newest.",
)


def _of_space(
    name: str, reply: type[msgspec.Struct], meaning: str, *parameters: Parameter, failures: tuple[int, ...] = ()
) -> Route:
    path, failures = f"/spaces/{{space}}/{name}", (400, 401, 403, 429, *failures)
    return Route("GET", path, name, meaning, reply, (_SPACE, *parameters), failures)


ROUTES: tuple[Route, ...] = (
    Route("GET", "/health", "health", "Whether the process runs.", http_replies.Health, is_public=True),
    Route(
        "GET",
        "/ready",
        "ready",
        "Whether connections are taken and envelopes accepted.",
        http_replies.Ready,
        more=((503, http_replies.Ready),),
        is_public=True,
    ),
    Route(
        "GET",
        "/metrics",
        "metrics",
        "Counters and gauges in Prometheus' text format.",
        None,
        media="text/plain",
        is_public=True,
        failures=(429,),
    ),
    Route("GET", "/openapi.json", "openapi", "This document.", None, is_public=True, failures=(429,)),
    Route(
        "POST",
        "/participants/{id}/messages",
        "post",
        "Send an envelope, or a stream's frame, without a connection.",
        http_replies.Posted,
        (_WHO, _OF_SPACE),
        failures=(400, 401, 403, 404, 409, 413, 415, 429, 503),
        more=((201, http_replies.Invited),),
    ),
    Route(
        "GET",
        "/participants/{id}/messages",
        "messages",
        "The envelopes that were delivered to a participant, or would have been.",
        http_replies.Messages,
        (_WHO, _OF_SPACE, _SINCE, _LIMIT),
        failures=(400, 401, 403, 404, 429, 503),
    ),
    _of_space("participants", http_replies.Participants, "Who belongs to the space."),
    _of_space("sequences", http_replies.Sequences, "Reasoning sequences.", _OPEN, _LIMIT, _SKIP),
    _of_space("interrupts", http_replies.Interrupts, "Interrupts.", _LIMIT, _SKIP),
    _of_space("proposals", http_replies.Proposals, "Proposals.", _OPEN, _LIMIT, _SKIP),
    _of_space("grants", http_replies.Grants, "Capabilities given and taken at run time.", _LIMIT, _SKIP),
    _of_space("timeline", http_replies.Timeline, "What happened, in order.", _AFTER, _BEFORE, _LIMIT, failures=(503,)),
    _of_space("history", http_replies.History, "Envelopes, whole, in order.", _AFTER, _LIMIT, failures=(503,)),
    Route(
        "GET",
        "/spaces/{space}/events",
        "events",
        "A session that only listens, as server-sent events: an envelope an event, `frame` for a stream's frame, "
        "`close` at its end.",
        None,
        (_SPACE, _LAST),
        (401, 403, 429, 503),
        media="text/event-stream",
    ),
)
