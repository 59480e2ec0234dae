"""What a chat takes while others do their worst."""
