"""Which functions a property is shown for: a few that use every operation, for there are hundreds."""

from __future__ import annotations

import dis
import inspect
from collections import defaultdict
from functools import cache
from itertools import combinations

from rlmetrics.functional import REGISTRY

__all__ = ["BY_FAMILY", "COMPILED", "REPRESENTATIVES", "SELECTED"]

COMPILED = [key for key in REGISTRY if REGISTRY[key].formula]
"""Metrics whose functions are made from formulas."""

BY_FAMILY: dict[str, list[str]] = defaultdict(list)
for _key in REGISTRY:
    BY_FAMILY[_key.partition("/")[0]].append(_key)


def _operations(key: str) -> frozenset[str]:
    """Return what a function is made of: the names that it uses and the instructions of its control flow."""
    finalize = REGISTRY[key].finalize
    codes = (inspect.unwrap(REGISTRY[key].function).__code__, finalize.__code__)
    jumps = {*dis.hasjrel, *dis.hasjabs}
    steps = {step.opname for code in codes for step in dis.get_instructions(code) if step.opcode in jumps}
    return frozenset(steps.union(*(code.co_names for code in codes)))


@cache
def _one_for_each_pair() -> tuple[str, ...]:
    """Return metrics such that any two operations that some function uses together are used together by one of them."""
    pairs = {key: set(combinations(sorted(_operations(key)), 2)) for key in COMPILED}
    left = set[tuple[str, str]]().union(*pairs.values())
    chosen: list[str] = []
    while left:
        chosen.append(max(pairs, key=lambda key: len(pairs[key] & left)))
        left -= pairs[chosen[-1]]
    return tuple(chosen)


REPRESENTATIVES = _one_for_each_pair()
"""Compiled metrics that together use every pair of operations that stand together anywhere."""

SELECTED = [*REPRESENTATIVES, *(key for key in REGISTRY if key not in set(COMPILED))]
"""Representatives, and what is written by hand; ``tests/lanes/every`` takes all."""
