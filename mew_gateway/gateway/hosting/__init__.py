"""Participants that the gateway runs itself: child processes, and output files that receive envelopes."""
