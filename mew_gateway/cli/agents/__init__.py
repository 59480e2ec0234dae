"""Agents' timelines on the terminal: reading, verifying, drawing."""
