"""Payloads at random: the codec takes one exactly if the schema of its kind does."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
from hypothesis import event, given, settings
from hypothesis import strategies as st

from mew_gateway.errors import Rejected
from mew_gateway.protocol.codec import payload_of
from mew_gateway.protocol.envelope import Envelope
from mew_gateway.protocol.kinds import KINDS
from mew_gateway.schemas import shapes
from mew_gateway.schemas.rules import RULES

# Of the others a rule of the kind, too, speaks of the payload: the golden examples are for those.
TYPED = [kind for kind in KINDS if "payload" not in json.dumps(RULES.get(kind, {}))]
VALIDATORS = {kind: jsonschema.Draft202012Validator(shapes.kind(kind)["properties"]["payload"]) for kind in TYPED}

SCALARS = [None, True, False, 0, 1, -1, 2.0, 1.5, 1e9, "", "plain", "oldest", "upload", "stopping"]
LEAVES = st.sampled_from(SCALARS)
VALUES = LEAVES | st.lists(LEAVES, max_size=2) | st.dictionaries(st.sampled_from(["kind", "a"]), LEAVES, max_size=1)
ENTRIES = st.lists(st.just({"kind": "chat"}) | LEAVES, max_size=2)


@st.composite
def payloads(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    """A kind, and values for some of its fields that are often of the right type."""
    kind = draw(st.sampled_from(TYPED))
    shape = KINDS[kind].payload
    names = [*shape.__struct_encode_fields__, "further"]
    needed = dict.fromkeys(VALIDATORS[kind].schema.get("required", ()), "upload")
    chosen = draw(st.dictionaries(st.sampled_from(names), VALUES | ENTRIES, max_size=3))
    return kind, {**(needed if draw(st.booleans()) else {}), **chosen}


@given(payloads())
@settings(max_examples=600, deadline=None)
def test_the_codec_and_the_schema_agree(drawn: tuple[str, dict[str, Any]]) -> None:
    kind, payload = drawn
    try:
        payload_of(Envelope("mew/v0.4", "id", "2026-01-01T00:00:00Z", "ana", kind, payload=payload), KINDS[kind])
        accepted = True
    except Rejected:
        accepted = False
    event("accepted" if accepted else "refused")
    assert VALIDATORS[kind].is_valid(payload) == accepted


def test_most_kinds_are_compared() -> None:
    assert len(TYPED) > 25
