"""Tool participants: calendar, ledger and pager, and how a tool does something once (docs/tools.md)."""
