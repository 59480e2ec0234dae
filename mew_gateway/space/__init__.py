"""The space: a pure, deterministic state machine over an ordered journal (docs/architecture.md).

Start with `machine`. `interrupts/`, `participants/` and `limits/` have the handlers and the bounds of these topics.
`tests/repository/test_architecture.py` has the order in which modules and folders may import each other.
"""
