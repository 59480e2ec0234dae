"""The result of a request as it is printed: the text of a tool's result, JSON for anything else."""

from __future__ import annotations

import json
from typing import Any

from rich.text import Text

from mew_gateway.sdk.exchange.mcp import result_in

from .terminal import clean, print_json, show


def show_result(result: Any, *, as_json: bool) -> None:
    """Print a result. Raises `ToolFailed` if the tool reports that it failed."""
    if _is_of_a_tool(result):
        result_in(result)
    if as_json:
        print_json({"result": result})
        return
    for text in _texts(result):
        show(Text(clean(text)))


def _is_of_a_tool(result: Any) -> bool:
    return isinstance(result, dict) and isinstance(result.get("content"), list)


def _texts(result: Any) -> list[str]:
    if not _is_of_a_tool(result):
        return [json.dumps(result, ensure_ascii=False, indent=2)]
    shown = [_block(block) for block in result["content"] if isinstance(block, dict)]
    structured = result.get("structuredContent")
    if not shown and structured is not None:
        shown = [json.dumps(structured, ensure_ascii=False, indent=2)]
    return shown or ["done"]


def _block(block: dict[str, Any]) -> str:
    text = block.get("text")
    if block.get("type") == "text" and isinstance(text, str):
        return text
    data = block.get("data")
    size = f", {len(data):,} characters" if isinstance(data, str) else ""
    return f"[{block.get('type', '?')} {block.get('mimeType', '')}{size}: --json has it]".replace(" ,", ",")
