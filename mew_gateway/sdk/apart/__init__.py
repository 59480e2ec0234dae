"""An agent's wire, in a thread of its own: `Apart`, and what it is made of."""
