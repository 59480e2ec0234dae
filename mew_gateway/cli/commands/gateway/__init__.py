"""Commands that run, check, copy and examine a gateway and its agents."""
