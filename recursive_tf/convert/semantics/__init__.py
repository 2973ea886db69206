"""What each construct of the language does to abstract values."""
