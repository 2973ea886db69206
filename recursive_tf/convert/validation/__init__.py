"""A run compared with what plain Python does."""
