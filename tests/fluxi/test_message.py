"""What may go into Fluxi: a message that is text, and a policy that can be."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from mew_agents.fluxi.message import LONGEST, LONGEST_ID, Conversation, Message, PolicyContext, is_name, readable

NOW = datetime(2026, 11, 24, 15, tzinfo=UTC)
HERE = Conversation("clinic", "c")


@pytest.mark.parametrize(
    ("changed", "part"),
    [
        ({"mode": "loud"}, "There is no mode 'loud'; it is one of auto, suggest, off."),
        ({"tone": "rude"}, "There is no tone 'rude'"),
        ({"formality": ["formal"]}, "There is no formality"),
        ({"language": "fr"}, "it is one of es, pt, en"),
        ({"timezone": "Mars/Base"}, "There is no time zone 'Mars/Base'"),
        ({"timezone": ""}, "There is no time zone ''"),
        ({"timezone": "../etc/passwd"}, "There is no time zone"),
        ({"timezone": None}, "There is no time zone None"),
        ({"now": NOW.replace(tzinfo=None)}, "`now` is a datetime with a time zone"),
        ({"rules": "before: Hola."}, "`rules` is a sequence"),
    ],
)
def test_a_policy_that_cannot_be_is_refused_with_a_sentence(changed: dict[str, Any], part: str) -> None:
    with pytest.raises(ValueError) as refused:
        PolicyContext(**{"now": NOW, **changed})
    assert part in str(refused.value) and str(refused.value).endswith(".")


def test_rules_may_be_given_as_a_list() -> None:
    given: Any = ["before: Hola."]
    policy = PolicyContext(now=NOW, rules=given, timezone="America/Bogota")
    assert policy.rules == ("before: Hola.",)
    assert (hash(policy), policy.zone.key) == (hash(policy), "America/Bogota")


@pytest.mark.parametrize("text", [None, b"hola", 7])
def test_a_text_that_is_none_is_refused(text: Any) -> None:
    with pytest.raises(TypeError, match="The text of a message is a str"):
        Message(message_id="m", sender="ana", text=text)


def test_the_limits_are_of_characters_and_of_bytes() -> None:
    at_most = Message(message_id="é" * (LONGEST_ID // 2), sender="ana", text="ñ" * LONGEST)
    assert readable(at_most, HERE)
    assert not readable(Message(message_id="m", sender="ana", text="ñ" * (LONGEST + 1)), HERE)
    assert [is_name(one) for one in ("", "é" * (LONGEST_ID // 2 + 1), "a\nb", "a b")] == [False, False, False, True]
