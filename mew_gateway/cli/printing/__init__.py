"""What commands print with: the terminal, times, ids, results. Start with `terminal`."""
