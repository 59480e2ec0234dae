"""Commands that list and call tools, and decide on proposals."""
