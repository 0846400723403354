"""What is stored: the generated tables and those of overlays, and the records that their rows amount to."""
