"""Who takes part: joining and leaving, invitations and kicks, capabilities given and taken, pauses."""
