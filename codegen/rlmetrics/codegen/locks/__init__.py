"""Anchors, which say what in a package's source proves a fact, and locks, in which a machine keeps where they stand."""
