"""Participants without a program of their own that connects: child processes, and files that are written."""
