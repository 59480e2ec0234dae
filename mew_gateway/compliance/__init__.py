"""Compliance kit for agent authors: drives an agent over the wire and judges it by the wire alone.

Read `examination` first: it runs the `exercises` in a `testbed` and judges their `record` by the `cases`.
Nothing is imported here, because every run of pytest loads the pytest plugin of this package.
"""
