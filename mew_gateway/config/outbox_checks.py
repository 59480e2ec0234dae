"""Faults of an outbox that is too small for a frame, or for the welcomes of a space.

A welcome tells a newcomer the capabilities of all who are present. What is given at run time is bounded
(`limits.given_bytes`, an eighth of an outbox); here the configured capabilities are. A quarter of the outbox leaves
room for the rest of the welcome, for the interrupts that wait for an answer, and for what is replayed behind it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mew_gateway.documents.document import Node
from mew_gateway.documents.problems import Fault
from mew_gateway.space.limits.given_capabilities import given_size
from mew_gateway.space.settings import SpaceSettings

from .configuration import GatewayLimits

_PART = 4  # the configured capabilities take at most an outbox divided by this
_GIVEN_PART = 8  # the same of what is given
_PENDING_PART = 16  # the same of the interrupts that one target has not answered, and of its emergencies


def of_spaces(root: Node, spaces: Iterable[SpaceSettings], *, outbox: int) -> Iterator[Fault]:
    """Yield a fault for each space whose configured capabilities take more than their part of an outbox."""
    for settings in spaces:
        size = sum(given_size(one.capabilities) for one in settings.participants.values())
        if size > outbox // _PART:
            found = root.find("spaces", settings.id)
            message = f"The capabilities of these participants are {size} bytes, which every welcome tells."
            yield Fault(
                (*(found[0].path if found else ()), "participants"),
                message,
                f"`gateway.limits.outbox_bytes` of {_PART * size} has room for them, or give them fewer",
                at_key=True,
            )


def given(wanted: int, *, outbox: int) -> int:
    """Return how many bytes of capabilities may be given at run time: the setting, or less with a small outbox."""
    return min(wanted, outbox // _GIVEN_PART)


def pending(outbox: int) -> int:
    """Return how many bytes of unanswered interrupts one target may have, and as many of unanswered emergencies."""
    return outbox // _PENDING_PART


def of_gateway(gateway: Node) -> Iterator[Fault]:
    """Yield the faults of an outbox that cannot hold a frame, or the capabilities that may be given."""
    usual = GatewayLimits()
    for limits in gateway.find("limits"):
        frame = limits.get("frame_bytes") or usual.frame_bytes
        outbox = limits.get("outbox_bytes") or usual.outbox_bytes
        if isinstance(frame, int) and isinstance(outbox, int) and outbox < frame:
            key = "outbox_bytes" if "outbox_bytes" in limits.value else "frame_bytes"
            yield Fault((*limits.path, key), f"An outbox of {outbox} bytes cannot hold a frame of {frame}.")
        asked = limits.get("given_bytes")
        if not isinstance(asked, int) or not isinstance(outbox, int):
            continue
        if (most := given(asked, outbox=outbox)) < asked:
            message = f"An outbox of {outbox} bytes has room for {most} bytes of given capabilities, not {asked}."
            yield Fault((*limits.path, "given_bytes"), message)
