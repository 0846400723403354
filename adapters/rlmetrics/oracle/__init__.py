"""A second, slow opinion on every formula, for tests: plain Python floats and loops, shared with nothing.

The compiled functions are tested against this evaluator. It reads the formula text with a parser of its own and
computes each function by its definition, element by element, in double precision, so that a mistake of the compiler
is not repeated here. Standard library only.
"""

from ._evaluate import Metrics, evaluate
from ._parse import FormulaSyntaxError

__all__ = ["FormulaSyntaxError", "Metrics", "evaluate"]
