"""Agents' own timelines on the terminal: reading, verifying, drawing. Start with `timeline_files`."""
