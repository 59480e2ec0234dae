"""Commands that say something."""
