"""What was measured, kept in ``spec/sizes.lock``: read without torch, left out where a formula has changed since."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

__all__ = ["FILE", "Kept", "Size", "code_digest", "formula_digest", "read", "stale", "text_of", "valid"]

FILE = "sizes.lock"
"""Where it stands in the folder ``spec``."""

_HEAD = "# Kept by `rlmetrics generate --sizes`. Do not edit."
_CODE = ("batches", "departures", "draws", "measure", "step_parts", "batch_shapes", "wanted")
_SAID = ("formula", "let", "impl", "parameters", "empty", "nan", "atom")


class Size(NamedTuple):
    """How far two numbers lie apart.

    Attributes:
        low: Lower end of the range.
        high: Upper end.
        unit: ``%`` of the plain number, or the metric's own unit.
        direction: Whether the other number is ``higher`` or ``lower`` on nine of ten batches; None otherwise.
    """

    low: float
    high: float
    unit: str
    direction: str | None


class Kept(NamedTuple):
    """What was measured.

    Attributes:
        code: The digest of the code that made and compared the batches.
        formulas: The digest of each function's formula, by the function's name.
        sizes: Sizes by function and by what they are about.
    """

    code: str
    formulas: Mapping[str, str]
    sizes: Mapping[str, Mapping[str, Size]]


def code_digest() -> str:
    """Return the digest of the code that makes and compares the batches."""
    total = hashlib.blake2b(digest_size=8)
    for name in _CODE:
        total.update(Path(__file__).with_name(f"{name}.py").read_bytes().replace(b"\r\n", b"\n"))
    return total.hexdigest()


def formula_digest(texts: Mapping[str, Any], variant: str) -> str:
    """Return the digest of what a function computes.

    Args:
        texts: The long texts of its metric, from the tables.
        variant: The variant, empty for the metric's own formula.
    """
    said = {name: texts.get(name) for name in _SAID}
    if variant:
        own = {name: value for name, value in texts["variants"][variant].items() if name != "brief"}
        said |= {**own, "let": {**texts.get("let", {}), **own.get("let", {})}}
    # What a parameter is in words changes no number.
    parameters = {name: {**one, "brief": ""} for name, one in (said["parameters"] or {}).items()}
    said["parameters"] = parameters or None
    return hashlib.blake2b(json.dumps(said, sort_keys=True).encode(), digest_size=4).hexdigest()


def read(spec: Path) -> Kept | None:
    """Return what is kept in a folder ``spec``, None if nothing is."""
    path = spec / FILE
    if not path.is_file():
        return None
    code = ""
    function = ""
    formulas: dict[str, str] = {}
    sizes: dict[str, dict[str, Size]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        fields = line.strip().split("\t")
        if line.startswith("code "):
            code = line.removeprefix("code ")
        elif line.startswith("\t"):
            about, low, high, unit, direction = fields
            sizes[function][about] = Size(float(low), float(high), unit, None if direction == "-" else direction)
        elif line and not line.startswith("#"):
            function, digest = fields
            formulas[function] = digest
            sizes[function] = {}
    return Kept(code, formulas, sizes)


def text_of(kept: Kept) -> str:
    """Return the file that keeps what was measured: a line for each function and each size."""
    return "\n".join([_HEAD, f"code {kept.code}", *_lines(kept), ""])


def _lines(kept: Kept) -> Iterator[str]:
    for function in sorted(kept.sizes):
        yield f"{function}\t{kept.formulas[function]}"
        for about, size in sorted(kept.sizes[function].items()):
            yield "\t".join(["", about, f"{size.low:g}", f"{size.high:g}", size.unit, size.direction or "-"])


def valid(kept: Kept, texts: Mapping[str, Mapping[str, Any]]) -> dict[str, Mapping[str, Size]]:
    """Return the sizes of functions that still compute what they did when they were measured."""
    left_out = frozenset(stale(kept, texts))
    return {name: sizes for name, sizes in kept.sizes.items() if name not in left_out}


def stale(kept: Kept, texts: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return the functions that compute something else than when they were measured, or are gone."""
    return [name for name, digest in kept.formulas.items() if digest != _present(name, texts)]


def _present(function: str, texts: Mapping[str, Mapping[str, Any]]) -> str | None:
    metric, _, variant = function.partition("@")
    row = texts.get(metric)
    if row is None or (variant and variant not in row.get("variants", {})):
        return None
    return formula_digest(row, variant)
