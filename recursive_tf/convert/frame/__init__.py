"""One call of a recursive function while it is converted."""
