"""What flows say that Fluxi does not, by key: the mood of each, and the sign that goes with it.

Fluxi's own keys say the rest: `courtesy` what can be asked for, `no_intent` that nothing was understood while nothing
is asked, `no_operations`, `which_intent`, `ask_slot`, `ask_date`, `ask_time`, `ask_again`, `ask_anew`, `confirm_slot`
for a value that is asked back, `what_to_change`, `nothing_to_confirm`, `nothing_to_cancel`, `question_closed`,
`question_expired`, `frozen_executing`, `invalid_*`, `executing`, `retrying`, `failed` and `in_doubt` of an effect,
`cancel_requested`, `cancel_refused_executing`, `status_*`, `halted`, `unreadable`, `unavailable`, `duplicate`,
`suggestion`, `off`.
"""

from __future__ import annotations

from typing import Final

from mew_agents.fluxi.replies.keys import Key, Manner

MANNERS: Final[dict[Key, Manner]] = {
    "flow_completed": Manner("good", "✅"),
    "flow_cancelled": Manner("calm", "🚫"),
    "flow_cancelled_partly": Manner("calm", "🚫"),
    "flow_failed": Manner("sorry", "❌"),
    "flow_failed_partly": Manner("sorry", "⚠️"),
    "all_cancelled": Manner("calm", "🚫"),
    "closed_by_operator": Manner("sorry", "🙅"),
    "question_cancelled": Manner("calm", "👌"),
    "question_superseded": Manner("calm", "👌", repeats=True),
    "question_not_out": Manner("calm", "⏳", repeats=True),
    "not_yours": Manner("sorry", "🔒"),
    "not_understood": Manner("calm", "🤔", repeats=True),
    "yes_or_no": Manner("ask", "🤔", repeats=True),
    "digression_denied": Manner("calm", "☝️", repeats=True),
    "already_under_way": Manner("calm", "☝️", repeats=True),
    "back_to": Manner("calm", "↩️", repeats=True),
    "corrected": Manner("good", "✏️"),
    "emptied": Manner("good", "✏️"),
    "change_what": Manner("ask", "✏️", repeats=True),
    "say_new_value": Manner("ask", "✏️", repeats=True),
    "no_answer": Manner("calm", "💡", repeats=True),
    "left_out": Manner("calm", "☝️", repeats=True),
    "only_now": Manner("calm", "☝️", repeats=True),
    "second_wish": Manner("calm", "☝️", repeats=True),
    "waits_below": Manner("calm", "☝️", repeats=True),
    "waiting": Manner("calm", "⏳", repeats=True),
    "next_flow": Manner("calm", "↩️", repeats=True),
    "nothing_to_correct": Manner("calm", "✏️", repeats=True),
    "too_late_to_correct": Manner("sorry", "⏳"),
    "already_done": Manner("calm", "👌"),
    "done_before": Manner("calm", "👌"),
    "invalid_check": Manner("sorry", "🔎"),
    "clarify_slot": Manner("ask", "💡", repeats=True),
    "slot_options": Manner("ask", "💡", repeats=True),
    "slot_bounds": Manner("ask", "💡", repeats=True),
    "clarify_confirm": Manner("ask", "💡", repeats=True),
    "chit_chat": Manner("good", "😊", repeats=True),
    "handoff": Manner("calm", "🙋"),
    "handoff_noted": Manner("calm", "🙋"),
    "handed_off_waiting": Manner("calm", "🙋"),
    "suspended": Manner("calm", "👀"),
    "action_failed": Manner("sorry", "❌"),
    "busy": Manner("calm", "⏳"),
}
