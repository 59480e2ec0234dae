"""`mew timeline`: what happened in a space, in order, as the journal has it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Annotated, Any

import typer
from rich.text import Text

from ..access import find_access
from ..api import Api
from ..ids import short
from ..moment import clock
from ..options import (
    CONFIG,
    AsOption,
    ConfigOption,
    JsonOption,
    SpaceOption,
    TokenOption,
    UrlOption,
    Where,
)
from ..terminal import one_line, print_json, show

EXAMPLES = (
    "mew timeline --space demo",
    "mew timeline --space demo --limit 50 --json  # for jq",
    "mew timeline --space demo --follow  # and what happens from now on",
)

_PAUSE = 0.5  # seconds between two looks at the journal
_BATCH = 1000

_STYLES = {
    "chat": "bold",
    "reasoning/thought": "dim",
    "reasoning/interrupt": "bold yellow",
    "reasoning/interrupt-ack": "yellow",
    "reasoning/conclusion": "green",
    "system/error": "red",
    "system/presence": "dim",
}
_TOLD = ("text", "message", "status", "reason", "class", "outcome", "method", "event", "error", "refused")


def timeline(
    *,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on until Ctrl-C.")] = False,
    limit: Annotated[int, typer.Option("--limit", min=1, max=1000, help="The newest so many entries.")] = 200,
    as_json: JsonOption = False,
    space: SpaceOption = None,
    as_: AsOption = None,
    config: ConfigOption = CONFIG,
    url: UrlOption = None,
    token: TokenOption = None,
) -> None:
    """Tell what happened in a space. `--json` prints one object; with `--follow`, one a line for each event."""
    api = find_access(Where(space, as_, config, url, token)).api
    found = api.get("timeline", limit=limit)
    if as_json and not follow:
        print_json(found)
        return
    try:
        for event in _events(api, found, follow=follow):
            if as_json:
                print_json(event)
            else:
                show(_line(event))
    except KeyboardInterrupt:
        return


def _events(api: Api, found: dict[str, Any], *, follow: bool) -> Iterator[dict[str, Any]]:
    after = 0
    while True:
        yield from found["events"]
        after = found["next"] or after
        if not follow:
            return
        if len(found["events"]) == 0:
            time.sleep(_PAUSE)
        found = api.get("timeline", after=after, limit=_BATCH)


def _line(event: dict[str, Any]) -> Text:
    kind = event["kind"]
    line = Text.assemble((f"{event['position']:>6} {clock(event['at'])}  ", "dim"))
    line.append(f"{one_line(kind):<24}", style="red" if "refused" in event else _STYLES.get(kind, "cyan"))
    line.append(f"{_who(event):<22} ")
    line.append("  ".join(_parts(event)))
    if "context" in event:
        line.append(f"  in {short(event['context'])}", style="dim")
    elif kind in ("reasoning/start", "reasoning/interrupt"):
        line.append(f"  {short(event['id'])}", style="dim")
    return line


def _who(event: dict[str, Any]) -> str:
    if event["kind"] == "system/presence":
        return one_line(event.get("participant"))
    sender = one_line(event.get("from", "gateway")).removeprefix("system:")
    return f"{sender} → {one_line(', '.join(event['to']))}" if event.get("to") else sender


def _parts(event: dict[str, Any]) -> Iterator[str]:
    """The telling fields: first what was said, then `field value` of the others."""
    for field in _TOLD:
        value = event.get(field)
        if value in (None, ""):
            continue
        yield one_line(value) if field in ("text", "message") else f"[{field}: {one_line(value)}]"
