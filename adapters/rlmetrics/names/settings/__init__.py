"""Settings of a run: their defaults, what guards say of them, and what a logged key proves about them."""
