"""The spaces in service, over the one journal: append, apply, replay, history. Start with `engine`."""
