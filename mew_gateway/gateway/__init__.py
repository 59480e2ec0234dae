"""The server. Folders are layers; each imports those above it only.

auth/       tokens, certificates
broker/     the tick: sessions, inbox, engine over the journal, deliveries. No socket
websocket/  connections: acceptor, handshake, frames, outbox; the work queue
http/       HTTP: routes, listings, history, posts, server-sent events
hosting/    hosted participants: processes, output files
server.py   composition: starts and stops all of it
"""
