"""The journal: the ordered, durable input of every space, and its history. Start with `base`."""
