"""How two meanings differ: what sets them apart, how much that weighs, and what relation it leaves between them."""
