"""What logged names mean, and what they are called elsewhere."""
