"""What NumPy computes of arrays and scalars that only the run knows, as ops of the graph."""
