"""How two meanings differ: what sets them apart, how much it weighs, and how large it typically is."""
