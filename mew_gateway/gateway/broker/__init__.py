"""The tick: what all connections send is journalled, handled and delivered, a batch at a time. Start with `broker`."""
