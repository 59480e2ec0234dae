"""Printing of commands: the terminal, times, ids, results. Start with `terminal`."""
