"""The wire: envelopes, kinds, payloads, codes and capability patterns. Pure: no clock, no socket, no logging.

Start with `envelope`, `kinds` (the table) and `codec` (bytes in and out); then `capabilities` and `patterns`.
"""
