"""Proposals on the terminal: the open ones, a preview of each, the live view."""
