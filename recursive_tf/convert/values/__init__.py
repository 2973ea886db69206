"""What an abstract value may be, and the forms in which values cross branches, loops and calls."""
