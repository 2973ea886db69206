"""What a run does besides its result: writes and prints, held back until it is committed."""
