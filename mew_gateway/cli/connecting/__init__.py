"""How commands reach a gateway: HTTP, a joined connection, one request and its answer. Start with `access`."""
