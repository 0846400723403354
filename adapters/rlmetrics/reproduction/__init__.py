"""The number that a release logs, computed from tensors that are cut as the framework cuts them.

- `recipes`: what is to be done for a key of a release: which function, which parameters, what is folded how
- `words`: the closed words by which the spec says what a code does to a number beside the metric's formula
- `nested_parts`: nested lists of tensors, and one batch that is cut
- `function_calls`, `folds`: one call of a function, and how numbers of parts become one at the levels above
- `as_logged`: all of that as one callable
- `shares`: what share of everything that is logged can be computed
"""

from __future__ import annotations

from .as_logged import AsLogged, as_logged

__all__ = ["AsLogged", "as_logged"]
