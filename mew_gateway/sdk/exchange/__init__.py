"""Requests and answers between participants: MCP messages, waiting for answers, capabilities, who is present."""
