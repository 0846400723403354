"""Examples that were worked out on paper: every metric with a function needs one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from ..lint_check import Check, Hit, check

if TYPE_CHECKING:
    from ...model import Input, Metric
    from ..context import Context

__all__ = ["CHECKS", "FOLDER"]

FOLDER = "tests/fixtures/hand_computed"
"""Where a checkout keeps them: tensors by name, and under ``cases`` the metrics with their results."""

_CASE = re.compile(r"^  ([a-z][\w/]*):", re.MULTILINE)
_TENSOR = re.compile(r"^  ([a-z]\w*):", re.MULTILINE)
_SAMPLES = {
    "token": "[[1, 2, -9], [3, -9, -9]]",
    "vocab": "[[[0, 0], [1, 2], [-9, -9]], [[2, 1], [-9, -9], [-9, -9]]]",
    "sequence": "[1, 2]",
    "group": "[1, 2]",
    "batch": "[1, 2, 6]",
    "scalar": "2",
}


@check(
    "hand-computed",
    "warning",
    what="A metric with a function whose result nobody has worked out on paper.",
    fix=f"put the lines below under `cases:` of a file in {FOLDER}, with the arithmetic in place of the question mark",
)
def hand_computed(context: Context) -> Iterator[Hit]:
    files = _files(context.spec.root.parent / FOLDER)
    if not files:
        return  # not a checkout with tests
    known = {key for cases, _, _ in files for key in cases}
    for name, metric in context.spec.metrics.items():
        if name in known or (metric.formula is None and metric.impl is None):
            continue
        ref = f"metrics/{context.spec.family_of[name]}"
        yield Hit(
            ref, ("metrics", name), f"no example shows by hand what `{name}` is", notes=(_stub(context, name, metric),)
        )


def _stub(context: Context, name: str, metric: Metric) -> str:
    files = _files(context.spec.root.parent / FOLDER)
    _, tensors, file = max(files, key=lambda value: len(value[1] & set(metric.inputs)))
    given = {word: context.spec.inputs.get(word) for word in metric.inputs if word not in tensors}
    replaced = ", ".join(f"{word}: {_sample(value)}" for word, value in given.items())
    result = "counts: {0: '?'}, min: '?', max: '?'" if metric.kind == "distribution" else "is: '?'"
    case = f"{{with: {{{replaced}}}, {result}}}" if replaced else f"{{{result}}}"
    shared = ", ".join(word for word in metric.inputs if word in tensors)
    lines = [f"{FOLDER}/{file}" + (f" has {shared} already:" if shared else ":"), f"  {name}: {case}"]
    return "\n".join(lines)


def _sample(word: Input | None) -> str:
    if word is None or word.dtype == "float":
        return _SAMPLES.get(word.domain if word else "batch", "[1, 2, 6]")
    return {"token": "[[1, 1, 0], [1, 0, 0]]", "scalar": "1"}.get(word.domain, "[1, 0]")


def _files(folder: Path) -> list[tuple[frozenset[str], frozenset[str], str]]:
    """Return of each file the metrics that it has examples of, the tensors that it gives, and its name."""
    if not folder.is_dir():
        return []
    return [_read(path.read_text(encoding="utf-8"), path.name) for path in sorted(folder.glob("*.yaml"))]


@lru_cache(maxsize=16)
def _read(text: str, name: str) -> tuple[frozenset[str], frozenset[str], str]:
    # These files have one line for each case and each tensor: a parser would take as long as all other checks.
    tensors, _, cases = text.partition("\ncases:")
    return frozenset(_CASE.findall(cases)), frozenset(_TENSOR.findall(tensors)), name


CHECKS: tuple[Check, ...] = (hand_computed,)
