"""Garbage in: what reads bytes that somebody else chose, fed with a million inputs each (docs/operations.md)."""
