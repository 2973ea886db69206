"""Benchmarks of recursive_tf and its peers: `python -m benchmarks --help`."""
