"""Everything that a flow says to people besides its own words, in Spanish, Portuguese and English."""

from .keys import MANNERS
from .say import BOOK, KEYS, say

__all__ = ["BOOK", "KEYS", "MANNERS", "say"]
