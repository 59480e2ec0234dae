"""What the commands of `mew flows` share."""
