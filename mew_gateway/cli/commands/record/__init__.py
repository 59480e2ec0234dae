"""Commands that show the participants, the state and the record of a space."""
