"""Stands in for verl 0.9.1 where it is not installed."""
