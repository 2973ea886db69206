"""What is read of objects, and what of them was assumed."""
