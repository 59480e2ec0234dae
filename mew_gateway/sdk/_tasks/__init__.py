"""Tasks and cancellation: what the SDK's own asyncio code is built on. Private."""
