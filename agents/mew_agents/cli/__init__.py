"""The `mew` commands of the reference agents: `mew fluxi`, `mew flows`, `mew demo`.

They belong to the extra `agents` and are registered under the entry point `mew.commands` (docs/commands.md). What they
share with the gateway's own commands (printing, options, connecting) is `mew_gateway.cli`.
"""
