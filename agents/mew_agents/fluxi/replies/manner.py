"""The manner in which a reply is said: the account's own sentences, a friendly word, a sign; put on and taken off."""

from __future__ import annotations

from mew_agents.fluxi.message import PolicyContext
from mew_agents.fluxi.replies.keys import MANNERS, Key
from mew_agents.fluxi.replies.rules import additions
from mew_agents.fluxi.replies.sentence import either
from mew_agents.fluxi.replies.sentences import TONGUES


def dressed(reply: str, key: Key, policy: PolicyContext) -> str:
    """A reply in the manner of the account."""
    manner, added = MANNERS[key], additions(tuple(policy.rules), key)
    if policy.tone == "warm":
        reply = f"{either(TONGUES[policy.language].openings[manner.mood], policy.formality)} {reply}"
    reply = " ".join((*added.before, reply, *added.after))
    return f"{reply} {manner.emoji}" if policy.emojis else reply


def undressed(text: str, policy: PolicyContext) -> str:
    """What was dressed without it, so that it can be said within another reply. Any other text stays as it is."""
    most, bare = 0, text
    for key in MANNERS:
        before, _, after = dressed("\0", key, policy).partition("\0")
        worn = len(before) + len(after)
        if most < worn < len(text) and text.startswith(before) and text.endswith(after):
            most, bare = worn, text[len(before) : len(text) - len(after)]
    return bare
