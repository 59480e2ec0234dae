"""Formats of a stream's frames on stdout."""

from __future__ import annotations

import base64
import sys
from collections.abc import Callable
from typing import Any, Literal, TypeAlias

from rich.text import Text

from mew_gateway.sdk.streams import Chunk, Stream

from .terminal import clean, print_json, show

Format: TypeAlias = Literal["raw", "shown", "json"]


def object_of(stream: Stream) -> dict[str, Any]:
    """Return a stream as an object for programs."""
    return {**stream.fields, "stream_id": stream.id, "owner": stream.owner, "authorized_writers": stream.writers}


def _write_raw(_: str, chunk: Chunk) -> None:
    """Write the very bytes, and nothing between them."""
    sys.stdout.buffer.write(chunk.encode() if isinstance(chunk, str) else chunk)
    sys.stdout.buffer.flush()


def _show_text(_: str, chunk: Chunk) -> None:
    """Print a text, or the size of what is no text."""
    try:
        text = chunk if isinstance(chunk, str) else chunk.decode()
    except UnicodeDecodeError:
        show(Text(f"[{len(chunk):,} bytes]", style="dim"))
        return
    show(Text(clean(text.removesuffix("\n"))))


def _print_json(id: str, chunk: Chunk) -> None:
    if isinstance(chunk, str):
        print_json({"stream": id, "text": chunk})
    else:
        print_json({"stream": id, "base64": base64.b64encode(chunk).decode()})


FORMATS: dict[Format, Callable[[str, Chunk], None]] = {"raw": _write_raw, "shown": _show_text, "json": _print_json}
