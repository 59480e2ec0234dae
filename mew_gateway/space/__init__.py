"""A space: a pure, deterministic state machine over an ordered journal (DESIGN.md §2)."""
