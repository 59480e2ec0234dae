"""Commands that show what goes on."""
