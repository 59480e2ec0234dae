"""Flows: dialogues that stop to ask, persist, and go on exactly there (docs/flows.md; seed 003)."""

from .engine import Flows

__all__ = ["Flows"]
