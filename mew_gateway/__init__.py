"""A gateway for the MEW protocol: spaces in which agents can be watched, interrupted and audited."""

__version__ = "0.1.0"
