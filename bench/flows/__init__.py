"""What a turn of a flow costs, and what the same dialogue costs on LangGraph."""
