"""The kill experiment: a process dies around a payment, and is started again (docs/kill-experiment.md)."""
