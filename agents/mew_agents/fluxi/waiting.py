"""A second wish of a message waits as a proposal, and begins by itself when the Work before it has ended."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Row

from mew_agents.fluxi import gate
from mew_agents.fluxi.canonical import read
from mew_agents.fluxi.decisions import restored_slots
from mew_agents.fluxi.fsm import ENDED, State
from mew_agents.fluxi.message import Conversation, Message
from mew_agents.fluxi.opening import Opening
from mew_agents.fluxi.refusing import say_invalid, say_refused
from mew_agents.fluxi.scene import Scene
from mew_agents.fluxi.wording import title
from mew_agents.fluxi.work import Work

# The reason of a pending proposal that waits for a Work before it, and not for a person.
WAITS = "waits"


def _begin_waiting(scene: Scene, work: Work) -> None:
    """Begins the oldest wish that waits for the end of a Work, if nothing else of its owner is under way. One that
    cannot begin is told, and the next one has its turn. Whoever let the Work expire is gone: then the wishes behind it
    are dropped.
    """
    records = scene.records
    waiting = [
        one for one in records.proposed(work.account_id, work.conversation_id, work.owner) if one.reason == WAITS
    ]
    if work.state is State.EXPIRED:
        for one in waiting:
            records.settle_proposal(one.proposal_id, "discarded", "the Work before it has expired", at=scene.at)
        return
    live = [one for one in records.live_in(work.account_id, work.conversation_id) if one.owner == work.owner]
    if any(one.work_id != work.work_id for one in live):
        return
    for row in waiting:
        if _begin(scene, row, work):
            return


def begin_what_waits(scene: Scene) -> None:
    """Begin what waits for the Works that have ended in this transaction, after everything else that it does."""
    ended = (event for event in scene.records.events if event.target in ENDED and event.source not in ENDED)
    for work_id in dict.fromkeys(event.work_id for event in ended):
        work = scene.records.work(work_id)
        if work is not None and work.ended and work.part_of is None:
            _begin_waiting(scene, work)


def _begin(scene: Scene, row: Row[Any], work: Work) -> bool:
    """Open the Work of a wish that waits. False: it cannot be, and its person is told why."""
    records, conversation = scene.records, Conversation(work.account_id, work.conversation_id)
    definition = scene.catalogue.current(row.type_id)
    if definition is None or not gate.allowed(definition, work.account_id):
        records.settle_proposal(row.proposal_id, "discarded", "not_allowed", at=scene.at)
        named = row.type_id if definition is None else title(definition, scene.policy)
        scene.say("failed", "not_allowed", title=named)
        return False
    said = records.message_of(row.proposal_id)
    slots = restored_slots(row.candidate_slots)
    message = Message(message_id=said.message_id, sender=said.sender, **read(said.message))
    opening = Opening(scene, conversation, message, definition)
    heard = datetime.fromtimestamp(row.proposed_at / 1000, UTC)
    refused, filling = opening.examine(slots, source=WAITS, heard=heard, wish=(0, len(message.text)))
    scene.say("reply", "next_wish", title=title(definition, scene.policy))
    say_invalid(scene, filling.refused)
    if refused is not None:
        records.settle_proposal(row.proposal_id, "discarded", refused, at=scene.at)
        say_refused(scene, definition, refused)
        return False
    records.settle_proposal(row.proposal_id, "opened", "the Work before it has ended", at=scene.at)
    opening.open(row.proposal_id, filling, waited=True)
    return True
