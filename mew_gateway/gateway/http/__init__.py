"""HTTP endpoints: posts, listings, history, events, health (docs/protocol.md §6)."""
