"""Execution core of an agent: spans, policies and interrupts (seeds 000 and 001). Pure: no clock, socket or randomness.

`Core.handle(event, now)` returns effects, the same shape as the space machine. `sdk._runner` is its shell: it feeds
events in and performs the effects. Because the core is pure, `timeline.replay` can verify that recorded events lead to
the recorded decisions.

Read in this order: `policy` (the table), `spans` and `runs` (what there is), `interrupt`, `events` and `effects` (the
interface), `state`, `core` (dispatch), `decide` (an interrupt), `ending` (how spans and runs end), `chat_interrupts`,
`halt`.
"""
