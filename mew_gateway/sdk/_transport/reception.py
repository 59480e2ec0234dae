"""What comes in: the welcome that makes a connection one, then envelopes and frames, whatever the gateway sends."""

from __future__ import annotations

import logging
from datetime import datetime

import anyio
import msgspec

from mew_gateway.protocol.address import redacted
from mew_gateway.protocol.codec import reread
from mew_gateway.protocol.envelope import Envelope
from mew_gateway.protocol.ids import GATEWAY

from .frames import Frame, frame_in, is_frame
from .link import Disconnected, Link, Opener
from .welcome import welcome_in

log = logging.getLogger(__name__)

_OPENING = 10  # seconds for the welcome
_REPLAY = 30  # seconds for all that is given again


async def join(open: Opener, url: str, *, space: str, token: str, after: str | None) -> tuple[Link, Envelope]:
    """A connection and its welcome, which can be read. Raises `Stopped` or `Disconnected`."""
    link = await open(url, space=space, token=token, after=after)
    try:
        with anyio.fail_after(_OPENING):
            return link, await _welcome(link)
    except BaseException as error:
        link.abort()
        if isinstance(error, TimeoutError | msgspec.MsgspecError):
            raise Disconnected(f"No welcome came from {redacted(url)}: {str(error) or 'timed out'}.") from None
        raise


async def replayed(open: Opener, url: str, *, space: str, token: str, after: str) -> list[Envelope] | None:
    """What is given again behind an envelope, on a connection made for that; None: not all of it is held.

    Raises `Stopped` or `Disconnected`.
    """
    link, envelope = await join(open, url, space=space, token=token, after=after)
    try:
        resume = welcome_in(envelope.payload).resume
        if resume is None or resume.count is None:
            return None
        with anyio.fail_after(_REPLAY):
            given = [item_in(await link.receive()) for _ in range(resume.count)]
    except TimeoutError:
        raise Disconnected(f"{redacted(url)} did not give all of its history again within {_REPLAY} s.") from None
    finally:
        link.abort()  # what comes live is not read, and a parting would wait behind it
    return [item for item in given if isinstance(item, Envelope)]


def sent_at(envelope: Envelope) -> int | None:
    """When an envelope says that it was sent, in milliseconds since the epoch; None for what is no time."""
    try:
        return round(datetime.fromisoformat(envelope.ts).timestamp() * 1000)
    except ValueError:
        return None


def item_in(data: str | bytes) -> Envelope | Frame | None:
    """What has arrived; None for what cannot be read, which is logged or no frame."""
    if is_frame(data):
        return frame_in(data)
    try:
        return reread(_bytes(data))
    except (msgspec.MsgspecError, AttributeError, RecursionError) as error:  # no object; nested too deep
        log.warning("a frame that is no envelope: %s", error)
        return None


def is_recorded(envelope: Envelope) -> bool:
    """Whether the gateway can find the envelope again: some refusals are no part of the space's history."""
    return envelope.sender != GATEWAY or envelope.id.startswith("gw-")


async def _welcome(link: Link) -> Envelope:
    while True:
        envelope = reread(_bytes(await link.receive()))
        if envelope.kind == "system/welcome":
            welcome_in(envelope.payload)  # one that cannot be read is none
            return envelope


def _bytes(data: str | bytes) -> bytes:
    return data.encode() if isinstance(data, str) else data
