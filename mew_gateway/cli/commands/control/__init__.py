"""Commands that interrupt, halt, pause, resume, restart and kick."""
