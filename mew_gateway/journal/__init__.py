"""The journal: the ordered, durable inputs of every space, and what can be read back from them."""
