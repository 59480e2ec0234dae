"""Connections over WebSocket, and the bounds on the data that waits in either direction."""
