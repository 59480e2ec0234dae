"""How commands print: the terminal, times, ids, results."""
