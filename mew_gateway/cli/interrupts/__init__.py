"""An interrupt sent from the terminal: the session, its progress, its report, and advice if no run can be
interrupted."""
