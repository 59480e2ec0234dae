"""Authentication: tokens of participants, and the TLS certificate."""
