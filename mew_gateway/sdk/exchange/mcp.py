"""MCP lists and results of other participants; malformed entries are left out (§4.3)."""

from __future__ import annotations

import base64
import binascii
import logging
from collections.abc import Sequence
from typing import Any, TypeVar

import msgspec

from .rpc import INTERNAL_ERROR, ToolError

log = logging.getLogger(__name__)


class Tool(msgspec.Struct, frozen=True, rename="camel"):
    """Tool that a participant offers.

    `input_schema` is the JSON Schema of its arguments. `annotations` are hints of MCP, such as `readOnlyHint`.
    """

    name: str
    description: str = ""
    input_schema: dict[str, Any] = {}
    participant: str = ""
    annotations: dict[str, Any] = {}


class Resource(msgspec.Struct, frozen=True, rename="camel"):
    """Readable resource that a participant offers."""

    uri: str
    name: str = ""
    description: str = ""
    mime_type: str | None = None
    participant: str = ""


class ToolResult(msgspec.Struct, frozen=True):
    """Result of a tool: MCP's content blocks, and the structured form if there is one.

    `is_error` is for a tool that failed and has more to report than a text.
    """

    content: list[dict[str, Any]] = []
    structured: dict[str, Any] | None = None
    is_error: bool = False

    @property
    def text(self) -> str:
        """The text blocks, joined by line breaks."""
        texts = [block.get("text") for block in self.content if block.get("type") == "text"]
        return "\n".join(text for text in texts if isinstance(text, str))


class Content(msgspec.Struct, frozen=True):
    """Content of a resource: text, or bytes."""

    uri: str
    data: str | bytes
    mime_type: str | None = None


class ToolFailed(ToolError):
    """The tool was called and failed (`isError`). If a tool raises it, the caller gets its text."""

    def __init__(self, message: str, *, data: Any = None) -> None:
        super().__init__(INTERNAL_ERROR, message, data=data)


Listed = TypeVar("Listed", Tool, Resource)


def listed(page: Any, key: str, kind: type[Listed], *, participant: str) -> tuple[list[Listed], str | None]:
    """Parse one page of a list: its entries, and the next cursor. Raises `ToolError` if it is no list."""
    entries, cursor = (page.get(key), page.get("nextCursor")) if isinstance(page, dict) else (None, None)
    if not isinstance(entries, list):
        raise ToolError(INTERNAL_ERROR, f"{participant} answered with no list of {key}.")
    found = []
    for entry in entries:
        try:
            found.append(msgspec.structs.replace(msgspec.convert(entry, kind), participant=participant))
        except msgspec.ValidationError as error:
            log.warning("an entry of %s's %s is left out: %s", participant, key, error)
    return found, cursor if isinstance(cursor, str) else None


def result_in(answer: Any) -> ToolResult:
    """Parse the result of a `tools/call`. Raises `ToolFailed` if the tool failed, `ToolError` if it is no result."""
    content = answer.get("content", []) if isinstance(answer, dict) else None
    if not isinstance(content, list):
        raise ToolError(INTERNAL_ERROR, "The answer is no result of a tool.")
    structured = answer.get("structuredContent")
    result = ToolResult(
        [block for block in content if isinstance(block, dict)],
        structured if isinstance(structured, dict) else None,
    )
    if answer.get("isError") is True:
        raise ToolFailed(result.text or "The tool failed without a word.", data=answer)
    return result


def contents_in(answer: Any) -> list[Content]:
    """Parse the result of a `resources/read`. Raises `ToolError` if it is invalid."""
    contents = answer.get("contents") if isinstance(answer, dict) else None
    if not isinstance(contents, list):
        raise ToolError(INTERNAL_ERROR, "The answer has no contents.")
    return [_content(one) for one in contents if isinstance(one, dict)]


def pages(cursor: str | None) -> dict[str, Any]:
    """Return the parameters that request a page."""
    return {} if cursor is None else {"cursor": cursor}


def texts(lines: Sequence[str]) -> list[dict[str, Any]]:
    """Return the lines as text blocks."""
    return [{"type": "text", "text": line} for line in lines]


def _content(one: dict[str, Any]) -> Content:
    text, blob, mime_type = one.get("text"), one.get("blob"), one.get("mimeType")
    try:
        data = text if isinstance(text, str) else base64.b64decode(blob or "", validate=True)
    except (binascii.Error, TypeError, ValueError):
        raise ToolError(INTERNAL_ERROR, "The contents are neither text nor base64.") from None
    return Content(str(one.get("uri", "")), data, mime_type if isinstance(mime_type, str) else None)
