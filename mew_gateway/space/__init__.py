"""The space: a pure, deterministic state machine over an ordered journal (docs/architecture.md).

Start with `machine`.
"""
