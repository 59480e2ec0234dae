"""Proposals on the terminal: previews, and the live list of those that wait."""
