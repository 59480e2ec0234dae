"""The wire: envelopes, kinds, payloads, codes and capability patterns. Pure: no clock, no socket, no logging."""
