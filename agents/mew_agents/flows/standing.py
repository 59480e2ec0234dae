"""Where a dialogue stands, as understanding is told it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

from mew_agents.flows.commands import AnyCommand, Clarify, CorrectSlot, QueueFlow, SetSlot
from mew_agents.flows.definitions.library import Library
from mew_agents.flows.definitions.model import Flow
from mew_agents.flows.state import Dialogue
from mew_agents.flows.understanding.asides import SOFT
from mew_agents.flows.understanding.base import Standing
from mew_agents.fluxi.definitions.slots import RefSlot
from mew_agents.fluxi.message import PolicyContext
from mew_agents.language.folding import fold
from mew_agents.language.found import Language

Lists = Mapping[str, Mapping[str, Sequence[str]]]


def standing_of(library: Library, dialogue: Dialogue, policy: PolicyContext, lists: Lists) -> Standing:
    """What understanding needs to know of a dialogue, now."""
    top = dialogue.top
    asked = None if top is None else top.asked
    return Standing(
        language=policy.language,
        now=policy.now.astimezone(policy.zone),
        flows=library.startable,
        at_hand=None if top is None else library.flow(top.version),
        values={} if top is None else {path: slot.value for path, slot in top.slots.items()},
        asked=None if asked is None else asked.path,
        changing=top is not None and top.changing,
        question=None if asked is None else "slot" if asked.wants == "value" else "execution",
        history=[(line.who, line.text) for line in dialogue.history],
        lists=lists,
    )


def may_hold_more(commands: Sequence[AnyCommand], text: str, language: Language) -> bool:
    """Whether pass 2 has something to look for: nothing was understood, or words are left over beside a value that
    say something (“son 25 años” has none).
    """
    valued = [one for one in commands if isinstance(one, SetSlot | CorrectSlot)]
    if not commands:
        return True
    if not valued:
        return False
    left = list(text)
    for one in valued:
        left[one.start : one.end] = " " * (one.end - one.start)
    if all(len(word) <= _SHORT for word in "".join(left).split()):
        return False
    return not SOFT[language].covers(fold(text), [(one.start, one.end) for one in valued])


# Words that go with a value and are as short say nothing themselves: “de”, “a”.
_SHORT = 3
# Names of a tool's list that a reply may have, and one more so that it is known that there are others.
_SHOWN = 7


def lists_for(flow: Flow | None, command: AnyCommand, lists: Lists) -> dict[str, dict[str, Any]]:
    """Of the lists that tools have, what has to be known to check a value, or to name what there is, so that a replay
    knows it too.
    """
    if flow is not None and isinstance(command, Clarify):
        slots = (one.slot for one in flow.slots.values() if command.path in (None, one.slot.path))
        tools = (slot.tool for slot in slots if isinstance(slot, RefSlot) and slot.tool in lists)
        return {str(tool): dict(islice(lists[str(tool)].items(), _SHOWN)) for tool in tools}
    if isinstance(command, QueueFlow):
        found: dict[str, dict[str, Any]] = {}
        for value in command.values:
            for tool, known in lists_for(flow, value, lists).items():
                found[tool] = found.get(tool, {}) | known
        return found
    if flow is None or not isinstance(command, SetSlot | CorrectSlot) or command.path not in flow.slots:
        return {}
    slot = flow.slots[command.path].slot
    if not isinstance(slot, RefSlot) or slot.tool is None or slot.tool not in lists:
        return {}
    ids = lists[slot.tool]
    return {slot.tool: {id: list(ids[id]) for id in (command.value, *command.alternatives) if id in ids}}
