"""An interrupt sent from the terminal: its progress, its report, what it cannot reach."""
