"""Commands for capabilities and tokens."""
