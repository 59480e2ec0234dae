"""The HTTP side: posts, listings, history, health (docs/protocol.md §6)."""
