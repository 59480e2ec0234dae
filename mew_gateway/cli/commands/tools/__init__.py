"""Commands for tools and proposals."""
