"""Interrupts: accepted, acknowledged, overdue, escalated; emergencies, and the watchdog. Start with `acceptance`."""
