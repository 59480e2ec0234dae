"""Reading from a link: join and welcome, replay, then envelopes and frames; tolerant of invalid input."""

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
from .link import Link, Opener
from .reconnect import Disconnected
from .welcome import welcome_in

log = logging.getLogger(__name__)

_OPENING = 10  # seconds for the welcome
_REPLAY = 30  # seconds for the whole replay


async def join(open: Opener, url: str, *, space: str, token: str, after: str | None) -> tuple[Link, Envelope]:
    """Connect and read the welcome. Raises `Stopped` or `Disconnected`."""
    link = await open(url, space=space, token=token, after=after)
    try:
        with anyio.fail_after(_OPENING):
            return link, await _welcome(link)
    except BaseException as error:
        link.abort()
        if isinstance(error, TimeoutError | msgspec.MsgspecError):
            raise Disconnected(f"No welcome came from {redacted(url)}: {str(error) or 'timed out'}.") from None
        raise


async def fetch_replay(open: Opener, url: str, *, space: str, token: str, after: str) -> list[Envelope] | None:
    """Return the envelopes after `after`, read on a connection opened for that; None if the gateway does not hold all
    of them.

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
        link.abort()  # live frames are not read, and a parting would wait for it
    return [item for item in given if isinstance(item, Envelope)]


def sent_at(envelope: Envelope) -> int | None:
    """Return the time of an envelope in milliseconds since the epoch; None if it is no valid time."""
    try:
        return round(datetime.fromisoformat(envelope.ts).timestamp() * 1000)
    except ValueError:
        return None


def item_in(data: str | bytes) -> Envelope | Frame | None:
    """Parse a received frame. Return None if it cannot be read; an invalid envelope is logged."""
    if is_frame(data):
        return frame_in(data)
    try:
        return reread(_bytes(data))
    except (msgspec.MsgspecError, AttributeError, RecursionError) as error:  # no object; nested too deep
        log.warning("a frame that is no envelope: %s", error)
        return None


def is_recorded(envelope: Envelope) -> bool:
    """Return true if the gateway can find the envelope again: some refusals are not part of the history."""
    return envelope.sender != GATEWAY or envelope.id.startswith("gw-")


async def _welcome(link: Link) -> Envelope:
    while True:
        envelope = reread(_bytes(await link.receive()))
        if envelope.kind == "system/welcome":
            welcome_in(envelope.payload)  # raises if it cannot be read
            return envelope


def _bytes(data: str | bytes) -> bytes:
    return data.encode() if isinstance(data, str) else data
