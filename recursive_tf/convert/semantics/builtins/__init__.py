"""Python's builtin functions, and TensorFlow's functions of lists, on abstract values."""
