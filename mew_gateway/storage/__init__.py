"""The code that all SQLite files of the project share: errors as sentences, file rights, format numbers, locks.

`journal`, the timelines of agents (`sdk.timeline`), the agents' databases and the tools' books open their files with
it. What only one of them does, such as the journal's recovery from errors of the disk (decision 18), stays there.
"""
