"""An agent's wire, in a thread of its own: `IoThread`, and what it is made of."""
