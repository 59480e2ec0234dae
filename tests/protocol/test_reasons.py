"""Which class an interrupt has (docs/protocol.md §5)."""

from __future__ import annotations

from typing import Any

import pytest

from mew_gateway.protocol.reasons import CLASSES, REASONS, class_of


@pytest.mark.parametrize(
    ("reason", "expected"),
    [
        ("timeout", "cancel"),
        ("resource_limit", "cancel"),
        ("error", "cancel"),
        ("user_request", "cancel"),
        ("redirect", "override"),
        ("other", "cancel"),
        ("unheard of", "queue"),
        ("emergency", "queue"),
        ("", "queue"),
        (None, "queue"),
        (5, "queue"),
        (["timeout"], "queue"),
        ({"timeout": 1}, "queue"),
    ],
)
def test_without_a_class_the_reason_decides(reason: Any, expected: str) -> None:
    assert class_of(reason) == expected
    assert class_of(reason, None) == expected


@pytest.mark.parametrize("explicit", CLASSES)
@pytest.mark.parametrize("reason", REASONS)
def test_an_explicit_class_governs(reason: str, explicit: str) -> None:
    assert class_of(reason, explicit) == explicit


@pytest.mark.parametrize("explicit", ["halt", "", 5, ["cancel"], {"cancel": 1}, True])
def test_invalid_class_is_ignored(explicit: Any) -> None:
    assert class_of("redirect", explicit) == "override"


def test_reasons_of_the_seed_are_complete() -> None:
    assert REASONS == ("timeout", "redirect", "error", "user_request", "resource_limit", "other")
    assert CLASSES == ("queue", "clarification", "cancel", "override", "emergency")
