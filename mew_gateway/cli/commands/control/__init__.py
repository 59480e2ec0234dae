"""Commands that stop, hold and resume."""
