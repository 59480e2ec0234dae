"""ANIMA's core: how an agent takes an interruption (seeds 000 and 001). Pure: no clock, no socket, no randomness.

`Core.handle(event, now) -> effects`, the same shape as the space machine. `sdk.agent` is its shell.
"""
