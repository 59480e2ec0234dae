"""Rule-based classifier of chats: what a person's words ask of a running agent."""
