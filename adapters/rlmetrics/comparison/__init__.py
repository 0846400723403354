"""Runs side by side: what of them is comparable, whether it is the same within noise, and the pages that show it."""
