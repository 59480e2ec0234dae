"""An effect as a caller announces it to a tool: `params._meta["mew/effect"]` of a `tools/call` (docs/fluxi.md §4)."""

from __future__ import annotations

from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta

from mew_gateway.sdk import ToolError
from mew_gateway.sdk.exchange.rpc import INVALID_PARAMS

META: Final = "mew/effect"

Key = Annotated[str, Meta(min_length=1, max_length=200)]
Id = Annotated[int, Meta(ge=1, lt=2**53)]  # of a row, and the number of an attempt
Number = Annotated[int, Meta(ge=0, lt=2**53)]


class Effect(msgspec.Struct, frozen=True):
    """What lets a tool do something once, however often and by whomever it is asked.

    `key` is the same for every attempt at one effect; `attempt` counts them; `fence` grows whenever somebody else takes
    the effect over, so that who was overtaken is refused; `deadline`, in milliseconds since the epoch, is when nobody
    waits any more. Fields that are not known here are left alone.
    """

    key: Key
    attempt: Id
    fence: Number
    deadline: Number

    @property
    def rank(self) -> tuple[int, int]:
        """What orders the attempts at one effect: the fence, and under one fence the attempt's number."""
        return self.fence, self.attempt


def effect_in(params: dict[str, Any]) -> Effect | None:
    """The effect that a request's parameters announce, None if they announce none.

    Raises `ToolError` -32602, which says that nothing was done, for one that is not well-formed: a caller who wants a
    promise is not served without it.
    """
    meta = params.get("_meta", {})
    if not isinstance(meta, dict):
        raise ToolError(INVALID_PARAMS, "_meta is to be an object.")
    if META not in meta:
        return None
    try:
        return msgspec.convert(meta[META], Effect)
    except msgspec.ValidationError as error:
        raise ToolError(INVALID_PARAMS, f"Wrong _meta[{META!r}]: {error}.") from None
