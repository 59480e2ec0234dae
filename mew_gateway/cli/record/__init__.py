"""The gateway's record of a space on the terminal: lines, search, the live transcript. Start with `transcript`."""
