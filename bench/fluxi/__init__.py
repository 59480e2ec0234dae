"""What Fluxi costs: its engine and its store, with tools that answer at once."""
