"""Everything that Fluxi says to people, in Spanish, Portuguese and English (docs/fluxi.md §1)."""

from .book import FLUXI, Book
from .display import bounds, display
from .keys import MANNERS, Key
from .rules import unknown
from .spoken import Sayable, every, spoken

say = FLUXI.say

__all__ = ["FLUXI", "MANNERS", "Book", "Key", "Sayable", "bounds", "display", "every", "say", "spoken", "unknown"]
