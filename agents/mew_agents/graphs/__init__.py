"""LangGraph in a space: any compiled graph as a participant that people talk to (docs/langgraph.md)."""
