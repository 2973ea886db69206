"""What runs in the workers: the only modules here that import a framework."""
