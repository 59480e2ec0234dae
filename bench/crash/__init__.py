"""`python -m bench.crash`: a gateway under load is killed again and again, and nothing may be missing."""
