"""What Fluxi says: a key and its values, in the language and the manner of the account (docs/fluxi.md §1)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import TypeAlias

from mew_agents.fluxi.message import PolicyContext
from mew_agents.fluxi.replies import written
from mew_agents.fluxi.replies.keys import Key
from mew_agents.fluxi.replies.manner import dressed, undressed
from mew_agents.fluxi.replies.sentence import capital, filled, sentence
from mew_agents.fluxi.replies.sentences import TONGUES

Sayable: TypeAlias = "str | int | Decimal | datetime | date | time | timedelta | Sequence[str] | None"

# Their `prompt` may be a whole reply, which is said again within them.
_REPEATING = ("ask_again", "ask_anew", "status_waiting")


def say(key: Key, policy: PolicyContext, **values: Sayable) -> str:
    """The reply of a key. Values that its sentence has no place for are not said; None and "" are no values.

    Times are written in the time zone of the policy. `warm` opens with a friendly word, `brief` says only what must
    be said. Raises `KeyError` for an unknown key, or a value that its sentence cannot do without.
    """
    parsed = sentence(key, policy.language, policy.formality, brief=policy.tone == "brief")
    told = {name: spoken(value, policy) for name, value in values.items() if value not in (None, "", [], ())}
    if key in _REPEATING:
        told = {name: undressed(text, policy) for name, text in told.items()}
    return dressed(capital(filled(parsed, told)), key, policy)


def every(names: Sequence[str], policy: PolicyContext) -> str:
    """All of them in a row: `la reserva y el aviso`; of none, nothing."""
    return written.listed(names, policy.language, "and") if names else ""


def spoken(value: Sayable, policy: PolicyContext) -> str:
    """A value in words."""
    language = policy.language
    match value:
        case str():
            return value
        case bool():
            return TONGUES[language].yes if value else TONGUES[language].no
        case int() | Decimal():
            return written.number(value, language)
        case datetime():
            return written.moment(value, language, policy.zone)
        case date():
            return written.day(value, language)
        case time():
            return written.hour(value, language)
        case timedelta():
            return written.length(value, language)
        case None:
            return ""
        case _:
            return written.listed([spoken(item, policy) for item in value], language)
