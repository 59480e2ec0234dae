"""Ways to reach somebody: telephone numbers and e-mail addresses."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from mew_agents.fluxi.definitions.slots import EmailSlot, PhoneSlot
from mew_agents.fluxi.interpreter.base import Understanding
from mew_agents.fluxi.values.kind import Kind
from mew_agents.fluxi.values.reading import Attention, Reading, Refusal, Span, reading
from mew_agents.language.contacts import emails, emails_without_sign, phones

_LONGEST_PHONE = 20
_LONGEST_EMAIL = 254
_NOWHERE = "ZZ"  # whose numbers all need a prefix


class Phones(Kind[PhoneSlot]):
    """`phone`: E.164."""

    specific = 8

    def readings(
        self,
        slot: PhoneSlot,
        text: str,
        understanding: Understanding,
        attention: Attention,  # noqa: ARG002
        *,
        taken: Sequence[Span] = (),  # noqa: ARG002
    ) -> Iterable[Reading]:
        """Numbers with their prefix, or of the slot's region."""
        return [reading(item, str) for item in phones(text, understanding.language, region=slot.region or _NOWHERE)]

    def refusal(self, slot: PhoneSlot, value: Any, understanding: Understanding) -> Refusal | None:
        """A number that can be dialled from everywhere."""
        if not isinstance(value, str) or not value.startswith("+") or len(value) > _LONGEST_PHONE:
            return Refusal("form")
        known = phones(value, understanding.language, region=slot.region or _NOWHERE)
        return None if [item.value for item in known] == [value] else Refusal("form")


class Emails(Kind[EmailSlot]):
    """`email`: an address with its domain in small letters."""

    specific = 9

    def readings(
        self,
        slot: EmailSlot,  # noqa: ARG002
        text: str,
        understanding: Understanding,  # noqa: ARG002
        attention: Attention,
        *,
        taken: Sequence[Span] = (),  # noqa: ARG002
    ) -> Iterable[Reading]:
        """Addresses; where one was asked for, also one whose sign is missing, to be asked back."""
        found = emails(text) or (emails_without_sign(text) if attention is Attention.ASKED else [])
        return [reading(item, str) for item in found]

    def refusal(self, slot: EmailSlot, value: Any, understanding: Understanding) -> Refusal | None:  # noqa: ARG002
        """An address and nothing else."""
        if not isinstance(value, str) or len(value) > _LONGEST_EMAIL:
            return Refusal("form")
        return None if [item.value for item in emails(value)] == [value] else Refusal("form")
