"""Commands that grant, revoke and explain capabilities, invite, and show tokens."""
