"""Options that name capabilities, for commands that grant or revoke them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, TypeAlias

import msgspec
import typer

from mew_gateway.protocol.capabilities import compile_capability

from ..framework.completion import complete_kinds, complete_participants
from ..framework.failure import mistake

_PANEL = "Capabilities"

KindOption: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--kind",
        metavar="PATTERN",
        help="What may be sent; several make one capability.",
        autocompletion=complete_kinds,
        rich_help_panel=_PANEL,
    ),
]
PayloadOption: TypeAlias = Annotated[
    str | None,
    typer.Option("--payload", metavar="JSON", help="With --kind: what the payload must match.", rich_help_panel=_PANEL),
]
ToOption: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--to",
        metavar="ID",
        help="With --kind: to whom it may be sent.",
        autocompletion=complete_participants,
        rich_help_panel=_PANEL,
    ),
]
CapabilityOption: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--capability",
        metavar="JSON|@FILE",
        help='A whole capability, or a list: {"kind": …, "payload": …, "to": …}.',
        rich_help_panel=_PANEL,
    ),
]


def capabilities(
    kinds: list[str] | None, payload: str | None, to: list[str] | None, whole: list[str] | None
) -> list[dict[str, Any]]:
    """Return the patterns that the four options name together, none if none is given.

    Raises `Failure`, or `Rejected` `invalid_capability` for one that does not compile.
    """
    found = [one for text in whole or [] for one in _read(text)]
    if kinds:
        pattern: dict[str, Any] = {"kind": kinds[0] if len(kinds) == 1 else kinds}
        if payload is not None:
            pattern["payload"] = _decoded(payload, "--payload", dict[str, Any])
        if to:
            pattern["to"] = to[0] if len(to) == 1 else to
        found.append(pattern)
    elif payload is not None or to:
        raise mistake("--payload and --to belong to a --kind.")
    for index, one in enumerate(found):
        compile_capability(one, f"capabilities[{index}]")
    return found


def _read(text: str) -> list[dict[str, Any]]:
    if text.startswith("@"):
        try:
            text = Path(text[1:]).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            why = error.strerror if isinstance(error, OSError) else "it is no text in UTF-8"
            raise mistake(f"--capability {text}: {why}.") from None
    read = _decoded(text, "--capability", dict[str, Any] | list[dict[str, Any]])
    return [read] if isinstance(read, dict) else read


def _decoded(text: str, option: str, expected: Any) -> Any:
    try:
        return msgspec.json.decode(text.encode("utf-8", "surrogateescape"), type=expected)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise mistake(f"{option} is not what is needed: {error}") from None
