"""Everything that Fluxi says to people, in Spanish, Portuguese and English (docs/fluxi.md §1)."""

from .display import bounds, display
from .keys import MANNERS, Key
from .rules import unknown
from .say import Sayable, every, say, spoken

__all__ = ["MANNERS", "Key", "Sayable", "bounds", "display", "every", "say", "spoken", "unknown"]
