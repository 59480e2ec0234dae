"""What a model said, read as a proposal: what the text and the typed extractors do not bear out does not count."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from mew_agents.fluxi import values
from mew_agents.fluxi.definitions.model import Definition
from mew_agents.fluxi.definitions.slots import Slot
from mew_agents.fluxi.interpreter.base import Candidate, ProposedWork, Understanding
from mew_agents.fluxi.interpreter.completion import ModelFault

_MOST_SLOTS = 64
_TRUST = 0.9  # in what the extractors bear out
_GUESS = 0.5  # in what only the model says


def proposal_of(
    said: str, text: str, definitions: Sequence[Definition], understanding: Understanding
) -> ProposedWork | None:
    """The proposal in a model's answer. Raises ModelFault for whatever it made up: then none of it is used.

    A value that the extractors do not read from its evidence alone is kept unchecked, to be confirmed.
    """
    plain = first_object(said, listing="slots")
    known = {definition.type_id: definition for definition in definitions}
    if understanding.within is None:
        operation, others = plain.get("operation"), plain.get("others") or []
        if operation is None:
            return None
    else:
        operation, others = understanding.within, []
    if not isinstance(operation, str) or not isinstance(others, list):
        raise ModelFault("wrong_shape")
    if any(type_id not in known for type_id in (operation, *map(str, others))):
        raise ModelFault("unknown_operation")
    slots = tuple(_candidates(plain.get("slots"), text, known[operation], understanding, bool(others)))
    if understanding.within is not None and not slots:
        return None
    rivals = tuple(dict.fromkeys(type_id for type_id in others if type_id != operation))
    return ProposedWork(type_id=operation, confidence=_TRUST, slots=slots, rivals=rivals)


def first_object(said: str, *, listing: str) -> Mapping[str, Any]:
    """The first JSON object in an answer, whatever was written around it. Raises ModelFault.

    `listing`: the key under which it must have a list.
    """
    start = said.find("{")
    try:
        plain, _ = json.JSONDecoder(parse_constant=_refused).raw_decode(said, start) if start >= 0 else (None, 0)
        json.dumps(plain, ensure_ascii=False).encode()  # half a sign is none, and could not be stored
    except (ValueError, RecursionError):
        raise ModelFault("not_json") from None
    if plain is None:
        raise ModelFault("not_json")
    if not isinstance(plain, dict) or not isinstance(plain.get(listing), list):
        raise ModelFault("wrong_shape")
    return plain


def _refused(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON")


def _candidates(
    items: Any, text: str, definition: Definition, understanding: Understanding, several: bool
) -> Iterator[Candidate]:
    """`several`: slots of another operation may be among them."""
    slots = {slot.path: slot for slot in definition.slots}
    seen: set[str] = set()
    for item in items[:_MOST_SLOTS]:
        if not isinstance(item, dict) or not isinstance(item.get("path"), str):
            raise ModelFault("wrong_shape")
        path = item["path"]
        if path not in slots:
            if several:
                continue
            raise ModelFault("unknown_slot")
        if path not in seen:
            seen.add(path)
            yield candidate_of(slots[path], item, text, understanding)


def candidate_of(slot: Slot, item: Mapping[str, Any], text: str, understanding: Understanding) -> Candidate:
    """A slot's `{value, evidence}` as a model said it. Raises ModelFault if the text has not this evidence."""
    evidence = item.get("evidence")
    if not isinstance(evidence, str) or not evidence.strip():
        raise ModelFault("no_evidence")
    evidence = evidence.strip()
    start = text.find(evidence)
    if start < 0:
        raise ModelFault("no_evidence")
    candidate = Candidate(
        path=slot.path,
        value=values.normal(slot, item.get("value"), understanding),
        start=start,
        end=start + len(evidence),
        evidence=evidence,
        confidence=_TRUST,
    )
    candidate = values.completed(slot, candidate, understanding)
    checked = values.checked(slot, candidate, text, understanding)
    if checked is None:
        raise ModelFault("no_evidence")
    return checked if checked.checked else replace(checked, confidence=_GUESS)
