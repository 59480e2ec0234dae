"""What the commands of `mew fluxi` share."""
