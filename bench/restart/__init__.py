"""`python -m bench.restart`: a gateway with a thousand clients is stopped and started again, and all come back."""
