"""Fluxi in a space: what its agent is made of (docs/fluxi-in-a-space.md)."""
