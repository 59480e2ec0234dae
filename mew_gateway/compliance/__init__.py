"""The compliance kit for agent authors: somebody's agent is driven over the wire, and judged by the wire alone.

Nothing is imported here: the pytest plugin of this package is loaded by every run of pytest.
"""
