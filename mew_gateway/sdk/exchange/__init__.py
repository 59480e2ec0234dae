"""Requests and answers between participants: MCP messages, tracking of answers, capabilities, presence."""
