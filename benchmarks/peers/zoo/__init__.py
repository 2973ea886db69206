"""The models of the zoo, each by every arm: see `benchmarks/zoo.py`."""
