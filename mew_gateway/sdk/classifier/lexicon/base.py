"""Structure of a lexicon: phrases by the sign they are, and the words that they are built from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple, TypeAlias

from mew_gateway.sdk.classifier.normalise import fold

Sign: TypeAlias = Literal[
    "filler",  # says nothing: "ok", "uh"
    "link",  # says nothing either, and parts what stands before it from what follows: "please", "and"
    "yes",
    "no",
    "wait",  # asks for a pause
    "sorry",  # may correct, may ask
    "slip",  # owns a mistake, so that what follows corrects it: "oops"
    "turn",  # turns to something else: "actually", "better"
    "ask",  # makes a request of what follows: "can you"
    "stop",  # always means stop, alone or before a comma or an "and"
    "enough",  # means it here, but may be an answer elsewhere: "that's enough"
    "all",  # may mean it, or that nothing is left to say: "that's all"
    "drop",  # means it with any object: "forget Berlin"
    "halt",  # means it with an object that a run may be called, or a deed: "cancel the search", "stop talking"
    "said",  # repeats what was asked, so that what follows corrects the agent: "I said"
    "change",  # begins a correction or another wish: "make it", "I meant"
    "question",  # begins a question
    "question-perhaps",  # the same word exclaims: "qué …", without a question mark
    "unclear",  # says that something was not understood, or asks to explain
    "later",  # begins what is to follow: "after that", "when you are done"
    "go-on",  # encourages: "no problem", "continue"
    "remark",  # looks like one of the others and is none: "what a …"
]


class Lexicon(NamedTuple):
    """One language. Phrases are separated by commas and spelled as they should be; they are folded when read.

    `signs` are looked for at the beginning of what is left of a text, the longest first. The rest are words.

    After a stop: `tails` do not change it, `reasons` say why and ask for nothing. `objects` begin the object of a
    `drop` or `halt` phrase (`~ing`: a word that ends so), `runs` are what a run may be called. `negations` before one
    of `stopping` (with one of `clitics` between) want it to go on, before one of `going` want it to stop; `forbids`
    before one of `imperatives` forbid that, and with `more` at the end want it to end.

    In what is left: `imperatives`, also with one of `enclitics` after them, begin an order; `instead` means another
    wish wherever it stands, `instead_of` only in an order; `also` makes a request one for afterwards, `again` at its
    end one to repeat; `praise` at a clause's end agrees; `tags` at the end make a question of a statement;
    `pointers` after "no" begin what is wanted instead.
    """

    language: str
    signs: dict[Sign, str]
    tails: str
    negations: str
    clitics: str
    stopping: str
    going: str
    objects: str
    runs: str
    imperatives: str
    enclitics: str
    instead: str
    instead_of: str
    also: str
    praise: str
    reasons: str
    tags: str
    again: str
    forbids: str
    more: str
    pointers: str


def phrases(listed: str) -> Iterator[str]:
    """Return the phrases of one list, folded as texts are."""
    for phrase in listed.split(","):
        if folded := " ".join(fold(phrase.replace("'", "")).split()):
            yield folded
