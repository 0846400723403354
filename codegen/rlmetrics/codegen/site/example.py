"""A short program that calls a compute function on numbers that fit a screen."""

from __future__ import annotations

from collections.abc import Iterator

from ..generate.functions import ComputeFunction
from ..model import Input
from ..output.prose import module_name

__all__ = ["example_of"]

_FLOATS = (-0.9, -1.2, -0.4, -2.1, -0.7, -1.5, -0.2, -1.1, -1.8, -0.6, -1.3, -0.5, -2.4, -0.8, -1.0, -0.3)
"""What log-probabilities look like; other numbers are made of them."""
_STEP = 3
"""How far the numbers of one input are shifted against those of the one before."""
_WIDTH = 100
_SIZES = ("n", "k", "resamples")
_NEGATIVE = ("logprobs",)
_COUNTS = (3, 2, 4, 1, 5, 2, 3, 4)
_SHARES = ("mass", "probabilities", "utilisation", "fraction", "weights", "square_sums")


def example_of(function: ComputeFunction) -> str:
    """Return a program that runs as it stands, with the imports that it needs."""
    module = module_name(function.metric_id.partition("/")[0])
    sizes = _sizes(function)
    names = list(function.inputs)
    # A function that is called like one of its inputs is reached through its module.
    hidden = function.name in names
    called = f"{module}.{function.name}" if hidden else function.name
    imported = (
        f"rlmetrics.functional import {module}" if hidden else f"rlmetrics.functional.{module} import {function.name}"
    )
    lines = ["import torch", f"from {imported}", ""]
    for at, (name, word) in enumerate(function.inputs.items()):
        lines.append(f"{name} = torch.tensor({_written(name, word, at, sizes, names)})")
    arguments = [*names, *_arguments(function)]
    lines += ["", f"{called}({', '.join(arguments)})"]
    return "\n".join(lines)


def _arguments(function: ComputeFunction) -> Iterator[str]:
    """Yield the parameters that have no default."""
    for name, parameter in function.parameters.items():
        if parameter.default is None:
            yield f"{name}={2 if name in _SIZES else _required(name)}"


def _required(name: str) -> str:
    known = {"limit": "5", "end_token": "1", "unfilled": "4", "lower": "-0.3", "upper": "0.4"}
    return known.get(name, "0.5")


def _sizes(function: ComputeFunction) -> dict[str, int]:
    domains = {word.domain for word in function.inputs.values()}
    if "vocab" in domains:
        return {"B": 2, "T": 2, "V": 3, "N": 4, "G": 2}
    if "sequence" in domains:
        return {"B": 4, "T": 3, "V": 3, "N": 4, "G": 2}
    return {"B": 2, "T": 4, "V": 3, "N": 4, "G": 2}


_AXES = {"token": "BT", "vocab": "BTV", "sequence": "B", "group": "G", "batch": "N", "scalar": ""}


def _written(name: str, word: Input, at: int, sizes: dict[str, int], names: list[str]) -> str:
    shape = [sizes[axis] for axis in _AXES[word.domain]]
    count = 1
    for size in shape:
        count *= size
    values = [_value(name, word, at, place, shape, names) for place in range(count)]
    text = _nested(values, shape)
    return text if len(text) + len(name) <= _WIDTH else _nested(values, shape, broken=True)


def _nested(values: list[str], shape: list[int], *, broken: bool = False) -> str:
    if not shape:
        return values[0]
    if len(shape) == 1:
        return f"[{', '.join(values)}]"
    step = len(values) // shape[0]
    parts = [_nested(values[at : at + step], shape[1:]) for at in range(0, len(values), step)]
    return f"[\n    {f',{chr(10)}    '.join(parts)},\n]" if broken else f"[{', '.join(parts)}]"


def _value(name: str, word: Input, at: int, place: int, shape: list[int], names: list[str]) -> str:
    base = _FLOATS[(place + _STEP * at) % len(_FLOATS)]
    if word.dtype == "bool":
        if name.endswith("mask") and len(shape) == 2:
            row, column = divmod(place, shape[1])
            return str(column < shape[1] - row % 2 - (row == 0 and shape[1] > 3))
        return str(place % 3 != 1)
    if name == "group_ids":
        return str(place // 2)
    if word.dtype == "int":
        return str(place % 3 if name == "tokens" else _COUNTS[(place + at) % len(_COUNTS)])
    if name.endswith(_NEGATIVE) or word.domain == "vocab":
        return f"{base:g}"
    if any(part in name for part in _SHARES):
        return f"{round(0.4 + 0.1 * (place % 5), 2):g}"
    if "seconds" in name or "time" in name or "norm" in name or "entropy" in name:
        return f"{-base:g}"
    return f"{round(1.2 + base, 2):g}"
