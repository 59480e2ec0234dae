"""Features of the words after the signs at a text's front, which the rules ask for."""

from __future__ import annotations

from mew_gateway.sdk.classifier.signs import Phrases, Reading, listed, orders, phrase_at, read_from, sign_at

_INSTEAD = listed(lambda lexicon: lexicon.instead)
_INSTEAD_OF = listed(lambda lexicon: lexicon.instead_of)
_ALSO = listed(lambda lexicon: lexicon.also)
_PRAISE = listed(lambda lexicon: lexicon.praise)
_REASONS = listed(lambda lexicon: lexicon.reasons)
_TAGS = listed(lambda lexicon: lexicon.tags)
_POINTERS = listed(lambda lexicon: lexicon.pointers)
_AGAIN = listed(lambda lexicon: lexicon.again)
_MORE = listed(lambda lexicon: lexicon.more)
_TURNS = listed(lambda lexicon: lexicon.signs["turn"])


class Tail:
    """The words of a reading from its `rest` on."""

    def __init__(self, reading: Reading) -> None:
        self._text = reading.text
        self._start = reading.rest
        self._end = len(reading.text.words)
        self._behind = reading.marks[-1].end if reading.marks else 0
        self._signs = tuple(mark.sign for mark in reading.marks)

    @property
    def behind_signs(self) -> bool:
        return bool(self._signs)

    def after(self, sign: str) -> bool:
        """Return true if the sign is somewhere before it."""
        return sign in self._signs

    def right_after(self, sign: str) -> bool:
        return self._signs[-1:] == (sign,)

    @property
    def empty(self) -> bool:
        return self._start == self._end

    @property
    def orders(self) -> bool:
        """True if it begins with an order: "book …"."""
        return orders(self._text, self._start)

    @property
    def points(self) -> bool:
        """True if it begins with an alternative: "the other", "in euros"."""
        return self._begins(_POINTERS)

    @property
    def gives_reason(self) -> bool:
        # "Ya" and "já" are fillers too: "olvídalo, ya lo encontré".
        return self._begins(_REASONS) or phrase_at(self._text, self._behind, _REASONS) is not None

    @property
    def says_instead(self) -> bool:
        """True if it has an "instead", or an "instead of" in an order."""
        for at in range(self._start, self._end):
            of = phrase_at(self._text, at, _INSTEAD_OF)
            phrase = phrase_at(self._text, at, _INSTEAD)
            if phrase is not None and (of is None or len(of) < len(phrase)):
                return True
            if of is not None:
                return self.orders or orders(self._text, self._text.clause_end(at))
        return False

    @property
    def turns(self) -> bool:
        """True if it has a "better" or "actually" in it."""
        return self._has(_TURNS)

    @property
    def says_also(self) -> bool:
        return self._has(_ALSO)

    @property
    def praises(self) -> bool:
        """True if its first clause ends with praise: "that is right"."""
        if self.empty:
            return False
        end = self._text.clause_end(self._start)
        return any(" ".join(self._text.words[at:end]) in _PRAISE for at in range(max(self._start, end - 3), end))

    @property
    def says_again(self) -> bool:
        return self._ends(_AGAIN)

    @property
    def tagged(self) -> bool:
        """True if it ends with a "verdad", "né", "isn't it" after a statement."""
        return self._ends(_TAGS)

    @property
    def corrects(self) -> bool:
        """True if it ends with what is not meant ("on Sunday, not Saturday"), or begins with it ("the logo no, the
        banner")."""
        words, middle = self._text.words, self._text.clause_end(self._start)
        if 1 < middle - self._start <= 4 and sign_at(self._text, middle - 1) == "no":
            return middle < self._end <= middle + 3 and sign_at(self._text, middle) is None
        nearest = max(self._end - 3, self._start + 2)
        at = next((at for at in range(nearest, self._end - 1) if sign_at(self._text, at) == "no"), self._end)
        return words[at : at + 1] == ("not",) or (at < self._end and self._text.breaks[at])

    @property
    def ends_with_turn(self) -> bool:
        return self._ends(_TURNS)

    @property
    def wants_no_more(self) -> bool:
        return self._ends(_MORE, offset=0)

    @property
    def second(self) -> Reading:
        """The reading of its second clause, if that is the last; otherwise empty."""
        middle = self._text.clause_end(self._start) if not self.empty else self._end
        last = middle < self._end and self._text.clause_end(middle) == self._end
        return read_from(self._text, middle if last else self._end)

    @property
    def asked(self) -> bool:
        return self._text.asked

    @property
    def could_replace(self) -> bool:
        """True if, after a "no", it is an alternative: a separate clause, an order, "the other", or "Paris, London"."""
        if self.empty:
            return False
        middle = self._text.clause_end(self._start)
        contrasts = middle - self._start == 1 and 1 <= self._end - middle <= 3
        return self._text.breaks[self._start] or self.orders or self.points or contrasts

    def _begins(self, known: Phrases[None]) -> bool:
        return phrase_at(self._text, self._start, known) is not None

    def _ends(self, known: Phrases[None], *, offset: int = 1) -> bool:
        """Return true if it ends with one of these, after at least so many other words."""
        nearest = max(self._start + offset, self._end - 3)
        return any(" ".join(self._text.words[at:]) in known for at in range(nearest, self._end))

    def _has(self, known: Phrases[None]) -> bool:
        return any(phrase_at(self._text, at, known) is not None for at in range(self._start, self._end))
