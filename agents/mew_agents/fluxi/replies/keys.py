"""Everything that Fluxi ever says to a person, by key: the mood of each, and the sign that goes with it."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple, TypeAlias

Key: TypeAlias = str  # one of MANNERS
Mood: TypeAlias = Literal["ask", "good", "calm", "sorry"]


class Manner(NamedTuple):
    """How a key is said: the mood that a warm tone opens with, and the sign that ends it where signs are wanted.

    `repeats`: its `prompt` may be a whole reply, which is said again within it.
    """

    mood: Mood
    emoji: str
    repeats: bool = False


MANNERS: Final[dict[Key, Manner]] = {
    "courtesy": Manner("ask", "😊"),
    "no_intent": Manner("calm", "🤔"),
    "no_operations": Manner("sorry", "🙏"),
    "which_intent": Manner("ask", "🤔"),
    "no_evidence": Manner("calm", "🔎"),
    "not_allowed": Manner("sorry", "🔒"),
    "conflict": Manner("calm", "☝️"),
    "conflict_elsewhere": Manner("sorry", "☝️"),
    "in_review": Manner("calm", "👀"),
    "reviewed": Manner("good", "👍"),
    "review_declined": Manner("sorry", "🙏"),
    "which_work": Manner("ask", "🤔"),
    "ask_slot": Manner("ask", "😊"),
    "ask_date": Manner("good", "📅"),
    "ask_time": Manner("good", "🕐"),
    "ask_again": Manner("calm", "🤔", repeats=True),
    "ask_anew": Manner("calm", "⏰", repeats=True),
    "confirm_slot": Manner("ask", "🤔"),
    "confirm_execution": Manner("good", "📋"),
    "what_to_change": Manner("calm", "✏️"),
    "which_slot": Manner("ask", "🤔"),
    "noted": Manner("calm", "✏️"),
    "put_off": Manner("calm", "📌"),
    "queued": Manner("calm", "📌"),
    "next_wish": Manner("good", "↩️"),
    "told_facts": Manner("calm", "💬", repeats=True),
    "told_purpose": Manner("calm", "💬", repeats=True),
    "cannot_tell": Manner("calm", "💬", repeats=True),
    "ask_among": Manner("calm", "🤔", repeats=True),
    "unused": Manner("calm", "🔎"),
    "maybe_unwanted": Manner("calm", "🤔"),
    "person_called": Manner("calm", "🙋"),
    "immutable_slot": Manner("sorry", "🔒"),
    "frozen_executing": Manner("sorry", "⏳"),
    "nothing_to_confirm": Manner("calm", "👌"),
    "which_question": Manner("ask", "🤔"),
    "question_closed": Manner("calm", "👌"),
    "question_expired": Manner("calm", "⏰"),
    "expired": Manner("sorry", "⌛"),
    "expired_asking": Manner("sorry", "⌛"),
    "reopened": Manner("good", "🔄"),
    "invalid_form": Manner("sorry", "🔎"),
    "invalid_no_such": Manner("sorry", "📅"),
    "invalid_pattern": Manner("sorry", "🔎"),
    "invalid_future": Manner("sorry", "📅"),
    "invalid_past": Manner("sorry", "📅"),
    "invalid_too_far": Manner("sorry", "📅"),
    "invalid_weekday": Manner("sorry", "📅"),
    "invalid_hours": Manner("sorry", "🕐"),
    "invalid_too_small": Manner("sorry", "📏"),
    "invalid_too_big": Manner("sorry", "📏"),
    "invalid_too_short": Manner("sorry", "✏️"),
    "invalid_too_long": Manner("sorry", "✂️"),
    "invalid_currency": Manner("sorry", "💱"),
    "invalid_unknown": Manner("sorry", "🔎"),
    "executing": Manner("good", "⏳"),
    "retrying": Manner("calm", "🔄"),
    "proposed": Manner("calm", "👀"),
    "declined": Manner("sorry", "🙏"),
    "completed": Manner("good", "✅"),
    "failed": Manner("sorry", "❌"),
    "failed_partly": Manner("sorry", "⚠️"),
    "in_doubt": Manner("sorry", "⚠️"),
    "confirm_undo": Manner("calm", "↩️"),
    "confirm_change": Manner("calm", "🔄"),
    "stands": Manner("calm", "📋"),
    "none_stands": Manner("calm", "👌"),
    "left_as_is": Manner("calm", "👌"),
    "undone": Manner("calm", "↩️"),
    "undoing": Manner("calm", "↩️"),
    "undoing_proposed": Manner("calm", "👀"),
    "undoing_in_doubt": Manner("sorry", "⚠️"),
    "undoing_failed": Manner("sorry", "⚠️"),
    "cancelled": Manner("calm", "🚫"),
    "cancelled_partly": Manner("calm", "🚫"),
    "cancel_requested": Manner("calm", "✋"),
    "cancel_refused_executing": Manner("sorry", "⏳"),
    "cancel_not_allowed": Manner("sorry", "🔒"),
    "nothing_to_cancel": Manner("calm", "👌"),
    "status_none": Manner("calm", "👌"),
    "status_waiting": Manner("calm", "📋", repeats=True),
    "status_executing": Manner("calm", "⏳"),
    "status_in_doubt": Manner("sorry", "⚠️"),
    "status_suspended": Manner("calm", "👀"),
    "status_completed": Manner("good", "✅"),
    "status_failed": Manner("sorry", "❌"),
    "status_expired": Manner("sorry", "⌛"),
    "status_cancelled": Manner("calm", "🚫"),
    "needs_human": Manner("calm", "🙋"),
    "halted": Manner("calm", "🛑"),
    "duplicate": Manner("sorry", "♻️"),
    "unreadable": Manner("sorry", "🙏"),
    "unavailable": Manner("sorry", "🛠️"),
    "suggestion": Manner("calm", "💡"),
    "off": Manner("calm", "🔕"),
}
