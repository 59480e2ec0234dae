"""Connections over WebSocket, and the bounds on what a peer may have waiting in either direction."""
