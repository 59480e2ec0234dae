"""The I/O shell around the spaces: sockets, HTTP, tokens, hosted agents. It decides nothing a space decides."""
