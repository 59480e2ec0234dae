"""How commands are declared: groups loaded on use, shared options, errors with an exit status. Start with
`lazy_group`."""
