"""Tools in the same process, called as the gateway would call them (docs/tools.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import anyio

from mew_agents.fluxi.canonical import read, written
from mew_agents.fluxi.outcomes import NEVER, answer_of_question, garbage, outcome_of, outcome_of_error
from mew_agents.fluxi.ports import Answer, Call, Prepared, ToolPort
from mew_agents.fluxi.tool_lists import ToolLists
from mew_agents.tools.local import LocalTools, ToolRefused


class LocalPort(ToolPort):
    """The seam to LocalTools. Sending the same request again is the same request for a tool that honours keys."""

    def __init__(self, tools: LocalTools) -> None:
        self._tools = tools
        self._lists = ToolLists()

    def prepare(self, call: Call) -> Prepared:
        effect = {"key": call.key, "attempt": call.attempt, "fence": call.fence, "deadline": call.deadline}
        request = {"id": call.request_id, "tool": call.tool, "arguments": dict(call.arguments), "effect": effect}
        return Prepared(request=written(request))

    async def send(self, prepared: Prepared, *, timeout: float) -> Answer:
        request = read(prepared.request)
        return await self._call(request["tool"], request["arguments"], request["effect"], request["id"], timeout)

    async def look_back(self, _: Prepared) -> Answer | None:
        return None  # there is no history outside of a space

    async def ask(self, tool: str, key: str, *, fence: int, timeout: float) -> Answer:
        effect = {"key": key, "attempt": 1, "fence": fence, "deadline": NEVER}
        return answer_of_question(await self._call(tool, {"key": key}, effect, None, timeout))

    async def names(self, tool: str) -> Mapping[str, Sequence[str]] | None:
        try:
            result = await self._tools.call(tool, {})
        except Exception as error:  # whatever broke in it, there is no list
            self._lists.missing(tool, str(error))
            return None
        return self._lists.read(tool, result.get("structuredContent") if isinstance(result, Mapping) else None)

    async def _call(
        self, tool: str, arguments: dict[str, Any], effect: dict[str, Any], request_id: str | None, timeout: float
    ) -> Answer:
        try:
            with anyio.fail_after(timeout):
                result = await self._tools.call(tool, arguments, effect, request_id=request_id)
        except ToolRefused as error:
            return outcome_of_error(error.code, error.message)
        except TimeoutError:
            return Answer(outcome="unknown", code="timeout", message=f"{tool} did not answer within {timeout:g} s.")
        except Exception as error:
            # A tool that breaks may have done it before.
            return garbage(error)
        return outcome_of(result)
