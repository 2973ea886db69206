"""Data-parallel training on several processes or machines, on TensorFlow's distributed runtime."""
