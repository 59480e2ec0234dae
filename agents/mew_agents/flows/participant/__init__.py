"""Flows as a participant of a space."""
