"""Capabilities: methods of an agent, each with its policy for interruptions (seed 000 §5; docs/interruption.md §3)."""

from __future__ import annotations

import asyncio
import functools
import inspect
from collections.abc import Callable, Coroutine
from typing import Any, Concatenate, Generic, ParamSpec, Protocol, TypeVar, overload

from ._tasks.pausable import Pausable
from ._tasks.shielded import Shielded
from .execution.policy import Policy
from .execution.spans import Declaration, Kind, Misdeclared, SideEffect, validated
from .span import Span, current_span, milliseconds

P = ParamSpec("P")
T = TypeVar("T")
AgentT = TypeVar("AgentT")


class Capable(Protocol):
    """Owner of a capability: an agent, which opens runs."""

    def run_of(self, declared: Declaration, message: str, capability: str) -> Span:
        """Return a run for a capability that is called outside of a run."""


class Capability(Generic[P, T]):
    """Method that runs in its own span: within a run as a part of it, otherwise as a run.

    A call returns what the method returns, or None if it was stopped.
    """

    def __init__(
        self, method: Callable[..., Coroutine[Any, Any, T]], declared: Declaration, *, chat: bool | None
    ) -> None:
        if not inspect.iscoroutinefunction(method):
            raise TypeError(f"{method.__qualname__} is a capability: it has to be async.")
        parameters = list(inspect.signature(method).parameters.values())
        if len(parameters) < 2:
            raise TypeError(f"{method.__qualname__} is a capability: its first parameter, after self, is the run.")
        functools.update_wrapper(self, method)
        self.declared = validated(declared)
        self._method = method
        self._signature = inspect.signature(method)
        required = [one for one in parameters[2:] if one.default is one.empty and one.kind in _PLAIN]
        self.takes_words = len(required) == 1 if chat is None else chat
        self.says_so = chat is True

    @overload
    def __get__(self, agent: None, owner: type) -> Capability[P, T]: ...
    @overload
    def __get__(self, agent: object, owner: type) -> Callable[P, Coroutine[Any, Any, T | None]]: ...
    def __get__(self, agent: Any, owner: type) -> Any:
        if agent is None:
            return self

        @functools.wraps(self._method)
        async def bound(*args: Any, **kwargs: Any) -> T | None:
            return await self._call(agent, *args, **kwargs)

        bound.__signature__ = _without_run(self._signature)  # type: ignore[attr-defined]
        return bound

    def __call__(self, agent: Any, /, *args: P.args, **kwargs: P.kwargs) -> Coroutine[Any, Any, T | None]:
        """Call the capability of this agent."""
        return self._call(agent, *args, **kwargs)

    async def _call(self, agent: Capable, *args: Any, **kwargs: Any) -> T | None:
        within = current_span()
        name = self._method.__name__
        if within is None:
            about = next((one for one in args if isinstance(one, str)), None)
            span = agent.run_of(self.declared, name if about is None else f"{name}: {about}", name)
        else:
            span = within.child(self.declared, name=name)
        value: T | None = None
        was_cancelled = False
        span.is_pausable = span.policy == "hard-stop"
        async with span:
            body = self._method(agent, span, *args, **kwargs)
            if self.declared.side_effect == "irreversible":
                shielded = Shielded(body, holds=lambda: span.is_shielded)
                value = await shielded.result()
                was_cancelled = shielded.was_cancelled
            elif span.policy == "hard-stop":
                value = await Pausable(body, hold=lambda: span.hold() if span.pauses_now else None)
            else:
                value = await body
            if within is None:
                _conclude(span, value)
        if was_cancelled:  # it was done all the same; now pass the cancellation on
            raise asyncio.CancelledError
        return None if span.was_stopped else value


_PLAIN = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


@overload
def capability(method: Callable[Concatenate[AgentT, Any, P], Coroutine[Any, Any, T]], /) -> Capability[P, T]: ...
@overload
def capability(
    *,
    policy: Policy = ...,
    kind: Kind = ...,
    side_effect: SideEffect = ...,
    limit: float | None = ...,
    foreground: bool = ...,
    interruptible: bool | None = ...,
    chat: bool | None = ...,
    ignored_below: float | None = ...,
    queued_below: float | None = ...,
) -> Callable[[Callable[Concatenate[AgentT, Any, P], Coroutine[Any, Any, T]]], Capability[P, T]]: ...
def capability(
    method: Any = None,
    /,
    *,
    policy: Policy = "non-interruptible",
    kind: Kind = "think",
    side_effect: SideEffect = "none",
    limit: float | None = None,
    foreground: bool = True,
    interruptible: bool | None = None,
    chat: bool | None = None,
    ignored_below: float | None = None,
    queued_below: float | None = None,
) -> Any:
    """Mark an async method `(self, run, …)` of an agent as a capability; `run` is its `Span`.

    - `policy`: how it takes an interruption; by default nothing may be interrupted (seed 000 §3).
    - `kind`: think, speak, listen, wait, move, act or plan. `side_effect`: none, reversible or irreversible; an
      irreversible one is `non-interruptible` and has a `limit`, in seconds.
    - `foreground`: it has the focus while it runs, so that chats to the agent may interrupt it.
    - `chat`: a chat to the agent calls it with the text, and a `str` that it returns is the reply. By default true for
      an agent's only capability with exactly one required parameter.
    - `ignored_below`, `queued_below`: required confidence of an interrupt (0 to 1); by default that of the agent.

    Raises `Misdeclared` if the declaration contradicts itself.
    """
    if method is not None and not callable(method):
        raise Misdeclared(f"A capability's options have names: policy={method!r}.")
    sure = (ignored_below, queued_below)
    declared = Declaration(policy, kind, side_effect, milliseconds(limit), foreground, interruptible, *sure)
    if method is None:
        return lambda method: Capability(method, declared, chat=chat)
    return Capability(method, declared, chat=chat)


def capabilities_of(agent: type) -> dict[str, Capability[..., Any]]:
    """Return the capabilities of a class of agents by name, those of its bases first."""
    names = dict.fromkeys(name for one in reversed(agent.__mro__) for name in vars(one))
    found = {name: inspect.getattr_static(agent, name) for name in names}
    return {name: one for name, one in found.items() if isinstance(one, Capability)}


def validate_capabilities(agent: type) -> None:
    """Check the capabilities of a class. Raises `Misdeclared`."""
    for name, one in vars(agent).items():
        inherited = any(isinstance(vars(base).get(name), Capability) for base in agent.__mro__[1:])
        if inherited and not isinstance(one, Capability):
            raise Misdeclared(f"{agent.__name__}.{name} takes the place of a capability and is none: mark it as one.")
    marked = [name for name, one in capabilities_of(agent).items() if one.says_so]
    if len(marked) > 1:
        raise Misdeclared(
            f"One capability of {agent.__name__} takes chats, not {' and '.join(marked)}: chat=True once."
        )


def for_chats(agent: type) -> str | None:
    """Return the name of the capability that chats call; None if there is none, or several qualify."""
    every = capabilities_of(agent)
    marked = [name for name, one in every.items() if one.says_so]
    candidates = marked or [name for name, one in every.items() if one.takes_words]
    return candidates[0] if len(candidates) == 1 else None


def _conclude(span: Span, value: Any) -> None:
    """Set the returned value as the conclusion, unless the body has set one."""
    if span.has_concluded or value is None:
        return
    if isinstance(value, str):
        span.conclude(value)
    else:
        span.conclude(result=value)


def _without_run(signature: inspect.Signature) -> inspect.Signature:
    _, _, *others = signature.parameters.values()
    return signature.replace(parameters=others)
