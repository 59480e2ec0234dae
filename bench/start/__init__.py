"""`python -m bench.start`: how long a gateway takes to get ready on a long journal that nobody closed."""
