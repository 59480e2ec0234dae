"""What one participant may use up of a space: work, memory of what is over, bytes of given capabilities."""
