"""What the front ends have in common: calls, fallback, comparing with plain Python."""
