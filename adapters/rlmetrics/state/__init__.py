"""Additive metric states. Importing this package does not import torch: ``layout`` is standard library only."""
