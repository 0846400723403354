"""The documentation of a compute function, in Google's style."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..formula import width
from ..model import ClaimSource, Input
from ..output.layout import WIDTH, columns
from ..output.prose import sentence, wrap
from ..spec import Spec
from .functions import ComputeFunction

AXES_TEXT = {
    "token": "[B, T]",
    "vocab": "[B, T, V]",
    "sequence": "[B]",
    "group": "[G]",
    "batch": "[N]",
    "scalar": "[]",
}
_ATOMS = {
    "token": "Additive over tokens: states of any parts of the data merge exactly.",
    "sequence": "Additive over sequences: states merge exactly if no sequence is split.",
    "group": "Additive over groups: states merge exactly if no group is split.",
    "batch": "Additive over updates: states merge exactly if the data of no update is split.",
    "groups": "Additive over groups: states merge exactly if no group is split.",
    "batches": "Each update of a state must be one whole batch as the trainer forms it; the result is the unweighted "
    "mean over batches.",
}
_KEPT = "The state stores every value, 8 bytes for each position of the inputs; suites do not accept it."

_INDENT = 4
_SHORTEST = 20
"""A shorter opening says too little."""


def docstring(spec: Spec, function: ComputeFunction, example: Sequence[str] = ()) -> str:
    """Return the docstring with its quotes, indented for a function's body."""
    lines = list(_lines(spec, function))
    if example:
        lines += ["", "    Example:", *example]
    text = "\n".join(lines).replace('"""', "'''")
    mark = 'r"""' if "\\" in text else '"""'
    return f'    {mark}{text.lstrip()}\n    """'


def source_text(source: ClaimSource) -> str:
    """Return a source as text: its title, and where it is found."""
    place = source.path or ""
    if source.line is not None:
        place += f":{source.line}"
    release = f"release {source.release}" if source.release else ""
    return ", ".join(part for part in (source.title, release, place, source.url) if part)


def _lines(spec: Spec, function: ComputeFunction) -> Iterator[str]:
    brief = sentence(function.brief)
    opening = _opening(brief, WIDTH - _INDENT - 4)
    yield opening
    if opening != brief:
        yield ""
        yield from wrap(brief, _INDENT)
    metric = function.metric
    yield ""
    yield from wrap(metric.description, _INDENT)
    yield ""
    definition = _definition(spec, function)
    if function.formula is not None:
        short = f"Formula: ``{function.formula}``."
        if function.let or len(short) > WIDTH - _INDENT or "``" in function.formula:
            yield "    Formula::"
            yield ""
            for name, text in function.let.items():
                yield from wrap(f"{name} = {text}", _INDENT + 4, 4)
            yield from wrap(function.formula, _INDENT + 4, 4)
            yield ""
        else:
            yield f"    {short}"
    yield from wrap(definition, _INDENT)
    yield ""
    yield "    Args:"
    for name, word in function.inputs.items():
        yield from wrap(f"{name}: {_shape(word)}. {sentence(word.brief)}", _INDENT + 4, 4)
    for name, parameter in function.parameters.items():
        origin = f" Default from {source_text(parameter.source)}." if parameter.source else ""
        yield from wrap(f"{name}: {sentence(parameter.brief)}{origin}", _INDENT + 4, 4)
    yield ""
    yield "    Returns:"
    yield from wrap(_result(function), _INDENT + 4)
    yield ""
    yield "    Raises:"
    more = ", or a parameter is out of bounds" if function.parameters else ""
    yield f"        TypeError, ValueError: An input has a wrong type, dtype, shape or device{more}."
    if metric.references:
        yield ""
        yield "    References:"
        for reference in metric.references:
            yield from wrap(sentence(source_text(reference)), _INDENT + 4, 4)


def _opening(brief: str, width: int) -> str:
    """Return a sentence of one line: the brief, or as much of it as fits and stands by itself."""
    if columns(brief) <= width:
        return brief
    end = brief.find(". ")
    if not 0 < end < width:
        end = max(brief.rfind(mark, _SHORTEST, width) for mark in (", ", "; ", ": ", " that ", " which "))
    return f"{brief[:end]}." if end > 0 else f"{brief[: brief.rindex(' ', 0, width - 1)]} …"


def _definition(spec: Spec, function: ComputeFunction) -> str:
    parts = []
    population = spec.signatures.populations.get(function.population or "")
    if population is not None:
        parts.append(f"Population: {sentence(population.brief)}")
    estimator = function.metric.identity.estimator
    if estimator is not None:
        parts.append(f"Estimator: {estimator}.")
    parts.append(_ATOMS[function.mean_over or function.atom])
    if any(slot.kind == "values" for slot in function.slots):
        parts.append(_KEPT)
    return " ".join(parts)


def _shape(word: Input) -> str:
    unit = f" in {word.unit}" if word.unit and word.unit != "1" else ""
    return f"{word.dtype.capitalize()} tensor ``{AXES_TEXT[word.domain]}``{unit}"


def _result(function: ComputeFunction) -> str:
    unit = "dimensionless" if function.metric.unit == "1" else f"in {function.metric.unit}"
    bins = next((slot for slot in function.slots if slot.kind == "bins"), None)
    if bins is not None:
        return (
            f"Float64 tensor ``[{width(bins)}]``: the count below {bins.low:g}, the counts of {bins.bins} equal bins, "
            f"the count above {bins.high:g}, then minimum and maximum, {unit}."
        )
    empty = "0" if function.empty == 0 else "NaN"
    return f"Float64 tensor ``[]``, {unit}; {empty} for an empty population."
