"""The command line, `mew`: one command a file. It does nothing that a participant could not do by hand."""
