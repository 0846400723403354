"""What generated files are made of and how they are written: sources, words of their heads, layout, manifest."""
