"""Reference agents, to run and to copy: echo, calculator, solver and mute. Each is one small file on `sdk.Agent`."""
