"""What conversations cost that wait for an answer: rows, and hardly anything else."""
