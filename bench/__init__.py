"""The measuring tools: the gateway against the floor of this machine and a plain server, in the same minute."""
