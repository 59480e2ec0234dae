"""Commands that send envelopes, acknowledge chats, and read and write streams."""
