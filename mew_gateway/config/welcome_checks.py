"""Faults of a space whose welcomes would be too large: what its participants may do must fit every outbox.

A welcome tells a newcomer the capabilities of all who are present. What is given at run time is bounded
(`limits.given_bytes`, an eighth of an outbox); here the configured capabilities are. A quarter of the outbox leaves
room for the rest of the welcome, for the interrupts that wait for an answer, and for what is replayed behind it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mew_gateway.documents.document import Node
from mew_gateway.documents.problems import Fault
from mew_gateway.space.settings import SpaceSettings
from mew_gateway.space.shares import given_size

_PART = 4  # the configured capabilities take at most an outbox divided by this
_GIVEN_PART = 8  # the same of what is given
_PENDING_PART = 16  # the same of the interrupts that one target has not answered, and of its emergencies


def faults(root: Node, spaces: Iterable[SpaceSettings], *, outbox: int) -> Iterator[Fault]:
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
