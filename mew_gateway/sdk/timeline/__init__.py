"""An agent's timeline: entries, where they are stored, replay and verification."""
