"""The server. Folders are layers; each imports those above it only.

auth/       tokens, certificates
broker/     the tick: sessions, inbox, engine over the journal, deliveries. No socket
websocket/  connections: sockets, frames, the handshake, what a peer has yet to take
http/       the HTTP side: routes, listings, history, posts, server-sent events
hosting/    hosted agents: processes, output files
server.py   all of it put together: how the gateway starts and stops
"""
