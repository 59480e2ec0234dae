"""The WebSocket side: upgrades, join frames, connections (docs/protocol.md §1)."""
