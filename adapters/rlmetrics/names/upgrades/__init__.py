"""What changes between releases: each cause with the keys that it changed, and the history of a key."""
