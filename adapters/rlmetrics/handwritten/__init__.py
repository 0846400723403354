"""Hand-written metric functions: what no formula can say. The spec names them with ``impl``.

Each takes tensors of the declared inputs by position and its parameters by keyword, returns a float64 tensor, and has
an independent counterpart in :mod:`rlmetrics.handwritten.by_definition`.
"""
