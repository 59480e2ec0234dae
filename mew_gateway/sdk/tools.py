"""Tools and resources that a participant offers: functions as MCP has them, and the answers to their callers."""

from __future__ import annotations

import base64
import inspect
import logging
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Self, TypeVar, overload

import msgspec

from mew_gateway import __version__
from mew_gateway.protocol.envelope import Envelope

from ._arguments import arguments_of
from ._tasks.cancel_guard import guarded
from ._tool_calls import Body
from .exchange.mcp import ToolFailed, ToolResult, texts
from .exchange.rpc import INVALID_PARAMS, METHOD_NOT_FOUND, RESOURCE_NOT_FOUND, ToolError
from .execution.policy import Policy
from .execution.spans import Declaration, Misdeclared
from .span import milliseconds

log = logging.getLogger(__name__)

Function = TypeVar("Function", bound=Callable[..., Any])

_LIMIT = 60_000  # milliseconds for a body, unless its author says otherwise
PROTOCOL = "2025-06-18"  # of MCP
_MARK = "__mew_offer__"


class _ToolMark(NamedTuple):
    name: str | None
    description: str | None
    read_only: bool = False
    limit: float | None = None


class _ResourceMark(NamedTuple):
    uri: str
    name: str | None
    description: str | None
    mime_type: str | None
    limit: float | None = None


class _Called(msgspec.Struct):
    """The parameters of `tools/call`."""

    name: str
    arguments: dict[str, Any] = {}


class _Read(msgspec.Struct):
    """The parameters of `resources/read`."""

    uri: str


@overload
def tool(function: Function, /) -> Function: ...
@overload
def tool(
    *, name: str | None = None, description: str | None = None, read_only: bool = False, limit: float | None = None
) -> Callable[[Function], Function]: ...
def tool(
    function: Any = None,
    /,
    *,
    name: str | None = None,
    description: str | None = None,
    read_only: bool = False,
    limit: float | None = None,
) -> Any:
    """Offer a method of an `Agent` or `Participant` as a tool: `@tool`, or `@tool(name=…, description=…)`.

    Others see its name and the first paragraph of its docstring, unless given here. Its type hints become the JSON
    Schema of its arguments (`Annotated[int, msgspec.Meta(ge=0, description=…)]` says more), which are checked before
    the call. A parameter of type `Envelope` gets the request itself. It may be `async`; otherwise it must not block.
    Its return value is the answer: a `str` as text, another value as JSON, a `ToolResult` unchanged. `ToolFailed`
    reports a failure to the caller; `ToolError` becomes the JSON-RPC error; for any other exception the caller only
    learns that the tool failed.

    A tool is not interruptible: a caller that cancels its request does not end it. One that is `read_only` (MCP's
    `readOnlyHint`) is cancelled at its next await; one that is a `capability` follows its policy. Its time limit is
    `limit` seconds, else the capability's, else 60: then the caller gets an error, and the tool goes on.
    """
    return _marker(_ToolMark(name, description, read_only, limit), function)


def resource(
    uri: str,
    *,
    name: str | None = None,
    description: str | None = None,
    mime_type: str | None = None,
    limit: float | None = None,
) -> Callable[[Function], Function]:
    """Offer the return value of a method without parameters as a resource: `str` as text, `bytes` as a blob, else JSON.

    Reading has no effect, so it is cancelled with its request, and after `limit` seconds (60).
    """
    mark: Callable[[Function], Function] = _marker(_ResourceMark(uri, name, description, mime_type, limit), None)
    return mark


class Offers:
    """Tools and resources of one participant, in the order in which they were added."""

    def __init__(self) -> None:
        self._tools: dict[str, _Tool] = {}
        self._resources: dict[str, _Resource] = {}

    @classmethod
    def of(cls, owner: object) -> Self:
        """Return the marked methods of an object. Raises `TypeError` for one that cannot be a tool."""
        offers = cls()
        for name in dict.fromkeys(name for one in reversed(type(owner).__mro__) for name in vars(one)):
            method = inspect.getattr_static(type(owner), name)
            mark = getattr(method, _MARK, None)
            if mark is not None:
                offers._add(mark, getattr(owner, name), getattr(method, "declared", None))
        return offers

    def tool(
        self,
        function: Any = None,
        /,
        *,
        name: str | None = None,
        description: str | None = None,
        read_only: bool = False,
        limit: float | None = None,
    ) -> Any:
        """Add a function as a tool: by a call, or as a decorator with or without options (see `sdk.tool`)."""
        return self._adder(_ToolMark(name, description, read_only, limit), function)

    def resource(
        self, uri: str, *, name: str | None = None, description: str | None = None, mime_type: str | None = None
    ) -> Callable[[Function], Function]:
        """Add what a function returns as a resource: a decorator (see `sdk.resource`)."""
        adder: Callable[[Function], Function] = self._adder(_ResourceMark(uri, name, description, mime_type), None)
        return adder

    def answers(self, method: str) -> bool:
        """Return true if we answer this method: MCP's handshake, and lists that are not empty."""
        return (
            method in ("initialize", "ping")
            or (method.startswith("tools/") and bool(self._tools))
            or (method.startswith("resources/") and bool(self._resources))
        )

    def body(self, method: str, params: dict[str, Any]) -> Body | None:
        """Return the body that answers a request, not yet begun; None if the answer takes no time."""
        name: Any = params.get("name" if method == "tools/call" else "uri")
        offered: dict[str, Mapping[str, _Tool | _Resource]] = {
            "tools/call": self._tools,
            "resources/read": self._resources,
        }
        found = offered[method].get(name) if method in offered and isinstance(name, str) else None
        return None if found is None else Body(name, found.declared)

    async def answer(self, method: str, params: dict[str, Any], request: Envelope, *, me: str) -> Any:
        """Return the JSON-RPC result. Raises `ToolError`. A list has one page, whatever the cursor."""
        match method:
            case "initialize":
                return self._initialize(params, me)
            case "ping":
                return {}
            case "tools/list":
                return {"tools": [one.listed for one in self._tools.values()]}
            case "tools/call":
                return await self._call(params, request)
            case "resources/list":
                return {"resources": [one.listed for one in self._resources.values()]}
            case "resources/read":
                return await self._read(params)
            case _:
                raise ToolError(METHOD_NOT_FOUND, f"Method not found: {method}")

    def _initialize(self, params: dict[str, Any], me: str) -> dict[str, Any]:
        offered = {"tools": self._tools, "resources": self._resources}
        return {
            "protocolVersion": params.get("protocolVersion", PROTOCOL),
            "capabilities": {name: {} for name, some in offered.items() if some},
            "serverInfo": {"name": me, "version": __version__},
        }

    async def _call(self, params: dict[str, Any], request: Envelope) -> dict[str, Any]:
        asked = _read_params(params, _Called)
        tool = self._tools.get(asked.name)
        if tool is None:
            raise ToolError(INVALID_PARAMS, f"Unknown tool: {asked.name}. There are: {', '.join(self._tools)}.")
        try:
            arguments = tool.arguments.bind(asked.arguments, request)
        except msgspec.ValidationError as error:
            fault = tool.arguments.fault(error)
            raise ToolError(INVALID_PARAMS, f"Wrong arguments of {asked.name}: {fault}.") from None
        try:
            return _said(await guarded(_run(tool.function, **arguments)))
        except ToolFailed as failed:
            return failure(failed.message)
        except ToolError:
            raise
        except Exception:
            log.exception("the tool %s failed", asked.name)
            return failure("The tool failed; its log says why.")

    async def _read(self, params: dict[str, Any]) -> dict[str, Any]:
        uri = _read_params(params, _Read).uri
        resource = self._resources.get(uri)
        if resource is None:
            raise ToolError(RESOURCE_NOT_FOUND, f"Resource not found: {uri}", data={"uri": uri})
        value = await guarded(_run(resource.function))
        contents: dict[str, Any] = {"uri": uri}
        if resource.mark.mime_type is not None:
            contents["mimeType"] = resource.mark.mime_type
        if isinstance(value, bytes):
            contents["blob"] = base64.b64encode(value).decode()
        else:
            contents["text"] = _text(value)
        return {"contents": [contents]}

    def _adder(self, mark: _ToolMark | _ResourceMark, function: Any) -> Any:
        def add(function: Any) -> Any:
            self._add(mark, function)
            return function

        return add if function is None else add(function)

    def _add(
        self, mark: _ToolMark | _ResourceMark, function: Callable[..., Any], capability: Declaration | None = None
    ) -> None:
        if isinstance(mark, _ToolMark):
            tool = _Tool(mark, function, _declared(mark, capability))
            if tool.name in self._tools:
                raise ValueError(f"There is a tool {tool.name!r} already.")
            self._tools[tool.name] = tool
        else:
            if mark.uri in self._resources:
                raise ValueError(f"There is a resource {mark.uri!r} already.")
            self._resources[mark.uri] = _Resource(mark, function)


class _Tool:
    def __init__(self, mark: _ToolMark, function: Callable[..., Any], declared: Declaration) -> None:
        self.name = mark.name or _name_of(function)
        self.function = function
        self.declared = declared
        self.arguments = arguments_of(function, name=self.name)
        description = mark.description or _summary(function)
        self.listed = {"name": self.name, "description": description, "inputSchema": self.arguments.schema}
        if mark.read_only:
            self.listed["annotations"] = {"readOnlyHint": True}


class _Resource:
    def __init__(self, mark: _ResourceMark, function: Callable[..., Any]) -> None:
        self.mark = mark
        self.function = function
        self.declared = _declaration("hard-stop", milliseconds(mark.limit))
        described = {"description": mark.description or _summary(function), "mimeType": mark.mime_type}
        self.listed = {"uri": mark.uri, "name": mark.name or _name_of(function)} | {
            key: value for key, value in described.items() if value
        }


def tools_of(kind: type) -> list[str]:
    """Return the names of the tools among the methods of a class."""
    names = dict.fromkeys(name for one in reversed(kind.__mro__) for name in vars(one))
    marks = ((name, getattr(inspect.getattr_static(kind, name), _MARK, None)) for name in names)
    return [mark.name or name for name, mark in marks if isinstance(mark, _ToolMark)]


def _declared(mark: _ToolMark, capability: Declaration | None) -> Declaration:
    """Return the declaration of a tool. Raises `Misdeclared` if it is read-only and has a side effect."""
    limit = milliseconds(mark.limit)
    if capability is None:
        return _declaration("hard-stop" if mark.read_only else "non-interruptible", limit)
    if mark.read_only and capability.side_effect != "none":
        raise Misdeclared("A tool that is read-only has no side effect: leave one of the two out.")
    return _declaration(capability.effective, limit or capability.limit)


def _declaration(policy: Policy, limit: int | None) -> Declaration:
    return Declaration(policy, kind="act", limit=limit or _LIMIT, foreground=False)


def _marker(mark: _ToolMark | _ResourceMark, function: Any) -> Any:
    def set_mark(function: Any) -> Any:
        setattr(function, _MARK, mark)
        return function

    return set_mark if function is None else set_mark(function)


def _name_of(function: Callable[..., Any]) -> str:
    name = getattr(function, "__name__", "<unnamed>")
    if not callable(function) or not name.isidentifier():
        raise TypeError(f"{function!r} has no name to offer it by. Name it: tool(function, name=…).")
    return str(name)


def _summary(function: Callable[..., Any]) -> str:
    """Return the first paragraph of the docstring, on one line."""
    paragraph = (inspect.getdoc(function) or "").partition("\n\n")[0]
    return " ".join(paragraph.split())


Params = TypeVar("Params", bound=msgspec.Struct)


def _read_params(params: dict[str, Any], expected: type[Params]) -> Params:
    try:
        return msgspec.convert(params, expected)
    except msgspec.ValidationError as error:
        raise ToolError(INVALID_PARAMS, f"Wrong parameters: {error}.") from None


async def _run(function: Callable[..., Any], **arguments: Any) -> Any:
    value = function(**arguments)
    return await value if inspect.isawaitable(value) else value


def _text(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _said(value: Any) -> dict[str, Any]:
    """Return MCP's result for the return value of a tool."""
    if isinstance(value, ToolResult):
        answer: dict[str, Any] = {"content": value.content, "isError": value.is_error}
        return answer if value.structured is None else {**answer, "structuredContent": value.structured}
    answer = {"content": [] if value is None else texts([_text(value)]), "isError": False}
    plain = msgspec.to_builtins(value, str_keys=True)
    return {**answer, "structuredContent": plain} if isinstance(plain, dict) else answer


def failure(message: str) -> dict[str, Any]:
    """Return MCP's result for a tool that failed."""
    return {"content": texts([message]), "isError": True}
