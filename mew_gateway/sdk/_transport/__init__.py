"""Connection to a gateway: links, frames, send and receive queues, the I/O thread. Private."""
