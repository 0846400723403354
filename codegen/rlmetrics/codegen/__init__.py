"""Reads the spec, checks it and generates everything that is derived from it."""
