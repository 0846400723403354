"""Signatures in words: over what a number is taken, how it is averaged, whose parameters computed it."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from rlmetrics.lazy_typing import TYPE_CHECKING, Any
from rlmetrics.names.tables.sentence_case import lowered

from .terminal import wrapped
from .voice import language, later

if TYPE_CHECKING:
    from rlmetrics.names.tables.key_records import Signature
    from rlmetrics.names.tables.levels import Level
    from rlmetrics.names.tables.tables import Tables

__all__ = [
    "averaged_words",
    "chosen_lines",
    "enumerated",
    "levels_in",
    "listed",
    "merged_levels",
    "population_words",
    "quantity_words",
    "ranges_words",
    "snapshot_words",
    "source_words",
]

_WITHOUT = " without "
_POOL, _NONE = "pool", "none"
_WINDOW, _RANK = "window", "rank"
_ADDED_UP = frozenset({"nonfinite_losses_replaced", "rounded_with_transformers_4"})
"""Traits of what transformers adds up within a step before it averages steps; trainers put other values into a list."""
_OF_UPDATES = ("micro_batch", "mini_batch", "epoch")
"""Into what training cuts a batch; an evaluation goes on batch by batch."""
_BATCHES, _ALL_BATCHES = later("batches of the evaluation"), later("all batches of the evaluation")
_NEUTRAL = frozenset({("max", "max"), ("min", "min"), ("sum", "sum")})
"""Statistic and operation where reducing the parts is the same as taking all at once."""


_SELECTION = re.compile(r", over=(?:mask & )?(?P<other>~?)(?:per_token\()?(?P<input>\w+)\)+$")
"""How a formula ends that takes only those elements for which an input, alone or beside the mask, is true or not."""
_WHOLE_POPULATION = frozenset({"everything", "mask", "step_mask"})
"""What selects no part of a population."""
_WHERE_TRUE, _WHERE_FALSE = (
    later("{what}, only where {input} is true"),
    later("{what}, only where {input} is false"),
)


def listed(texts: Sequence[str], joint: str = "and") -> str:
    """Return texts as a list in a sentence."""
    return f" {joint} ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)


def enumerated(texts: Sequence[str], joint: str = "and") -> str:
    """Return texts that are in the language that is spoken as a list in a sentence."""
    return listed(texts, joint) if language() == "en" else "、".join(texts)


def population_words(population: str | None, tables: Tables) -> str | None:
    """Return over what a number is taken, such as "all response tokens"; None where nothing says it."""
    if population is None:
        return None
    words: Mapping[str, str] = tables.signatures["WORDS"]["populations"]
    if population in words:
        return words[population]
    # A population that has no name of its own is one that has, without some parts.
    base, _, parts = population.partition(_WITHOUT)
    left: Mapping[str, Sequence[str]] = tables.signatures["WITHOUT"]
    said = [left[part][0].rstrip(".") for part in parts.split(", ") if part in left]
    if base not in words or not said:
        return population.replace("_", " ")
    return f"{words[base]}, without {listed([*map(lowered, said)])}"


def snapshot_words(snapshot: str | None, tables: Tables) -> str | None:
    """Return whose parameters computed a number; None where nothing says it."""
    words: Mapping[str, str] = tables.signatures["WORDS"]["snapshots"]
    return None if snapshot is None else words.get(snapshot, snapshot)


def quantity_words(metric: str, tables: Tables) -> str:
    """Return a metric in a few words: the two policies of a divergence, otherwise its brief."""
    row: Mapping[str, Any] = tables.metrics.get(metric, {})
    identity: Mapping[str, Any] = row.get("identity", {})
    sides: Sequence[str] = identity.get("distributions", ())
    words = tables.signatures["WORDS"]
    brief = str(row.get("brief", metric)).rstrip(".")
    if identity.get("quantity") not in words["divergences"] or not all(side in words["policies"] for side in sides):
        return brief
    parts = [" vs ".join(words["policies"][side] for side in sides)]
    if identity.get("extent") in words["extents"]:
        parts.append(words["extents"][identity["extent"]])
    parts += [str(identity[name]).replace("_", " ") for name in ("estimator",) if name in identity]
    if identity.get("statistic", "mean") != "mean":
        parts.append(str(identity["statistic"]).replace("_", " "))
    return ", ".join(parts)


def averaged_words(signature: Signature, metric: str | None, tables: Tables, mode: str | None = None) -> str | None:
    """Return over what a number is taken and how its parts are put together, as far as that is stated.

    For example "all response tokens; a micro-batch at once, then plain means over micro-batches and processes".

    Args:
        signature: How the code computes it.
        metric: What it is.
        tables: The spec.
        mode: ``eval`` where it is logged in evaluation, which has other steps.
    """
    taken = None if "population" in signature.unstated else population_words(signature.population, tables)
    if taken is not None and (selected := _selected(metric, signature, tables)) is not None:
        taken = selected.format(what=taken)
    if "reduction" in signature.unstated:
        return taken
    row = tables.metrics.get(metric or "", {})
    default = _POOL if "function" in row else _NONE
    statistic = row.get("identity", {}).get("statistic")
    operations = {level: signature.reduction.get(level, default) for level in tables.levels}
    levels = levels_in(mode, tables)
    for level in merged_levels(signature, mode):
        operations[level] = _NONE
    plain = True
    for level, operation in operations.items():
        # The largest of the largest is the largest of all, but not of means.
        if plain and (statistic, operation) in _NEUTRAL:
            operations[level] = _POOL
        plain = plain and operations[level] in (_POOL, _NONE)
    words = tables.signatures["WORDS"]
    weights = _weights_of(signature, tables)
    flat = _WINDOW in signature.reduction and not _ADDED_UP & {*signature.traits}
    steps = [*_at_once(operations, signature, levels, words), *_rest(operations, weights, levels, words, flat)]
    return "; ".join(text for text in (taken, ", then ".join(steps)) if text) or None


def _selected(metric: str | None, signature: Signature, tables: Tables) -> str | None:
    """Return "{what}" with the part of it that the formula takes; None where it takes all."""
    text: Mapping[str, Any] = tables.texts.get(metric or "", {})
    if signature.reproduced_by is not None:
        text = text.get("variants", {}).get(signature.reproduced_by, {})
    formula = " ".join(str(text.get("formula", "")).split())
    found = _SELECTION.search(formula)
    if found is None or found["input"] in _WHOLE_POPULATION or not _is_one_call(formula):
        return None
    return (_WHERE_FALSE if found["other"] else _WHERE_TRUE).replace("{input}", found["input"])


def _is_one_call(formula: str) -> bool:
    """Tell whether a formula is one statistic and no sum of several."""
    depths = itertools.accumulate((char == "(") - (char == ")") for char in formula)
    name, _, _ = formula.partition("(")
    return name.isidentifier() and [*depths].index(0, len(name)) == len(formula) - 1


def _weights_of(signature: Signature, tables: Tables) -> dict[str, str]:
    """Return by what parts of a level weigh in a mean, where they do not count alike."""
    return {level: by for name in signature.traits for level, by in tables.traits[name].get("weighs", {}).items()}


def levels_in(mode: str | None, tables: Tables) -> Mapping[str, Level]:
    """Return the levels in words: between two logs of an evaluation lie its batches."""
    if mode != "eval":
        return tables.levels
    window = tables.levels[_WINDOW]._replace(parts=_BATCHES, whole=_ALL_BATCHES)
    return {**tables.levels, _WINDOW: window}


def merged_levels(signature: Signature, mode: str | None) -> list[str]:
    """Return the levels below the batches of an evaluation that are put together as these are: each has one part."""
    said = signature.reduction
    if mode != "eval" or _WINDOW not in said:
        return []
    return [level for level in _OF_UPDATES if said.get(level) == said[_WINDOW]]


def _at_once(
    operations: Mapping[str, str], signature: Signature, levels: Mapping[str, Level], words: Mapping[str, Any]
) -> Iterator[str]:
    """Yield what is reduced at once, if anything is."""
    together = None
    for name, level in levels.items():
        if level.lies != "within":
            continue
        if operations[name] == _POOL:
            together = level
        elif operations[name] != _NONE:
            break
    if signature.population is None and _POOL not in signature.reduction.values():
        # A learning rate or a timer is not taken over anything.
        return
    if together is None:
        innermost = next(iter(levels.values()))
        operation = operations[innermost.name]
        if operation in words["operations"]:
            yield f"{_over(operation, words)} the {innermost.parts} of {innermost.whole}"
        return
    # Nothing is pooled over several steps unless the spec says so: a level that it doesn't name does not occur.
    across = [
        level.whole
        for name, level in levels.items()
        if operations[name] == _POOL
        and (level.lies == "across" or (level.lies == "apart" and name in signature.reduction))
    ]
    of_all = f" of {listed(across)}" if across else ""
    yield f"{together.whole}{of_all} at once"


def _rest(
    operations: Mapping[str, str],
    weights: Mapping[str, str],
    levels: Mapping[str, Level],
    words: Mapping[str, Any],
    flat: bool,
) -> Iterator[str]:
    """Yield what happens to the parts, the same operation at neighbouring levels told once.

    ``flat`` says that all values since the last log are one list, however many of them a step has.
    """
    steps: list[tuple[tuple[str, str | None], list[str]]] = []
    innermost = next(iter(levels))
    listing = [*operations]
    if flat and _RANK in listing:
        # What is put into the list is one value of all processes.
        listing.remove(_RANK)
        listing.insert(listing.index(_OF_UPDATES[0]), _RANK)
    for name in listing:
        operation = operations[name]
        if operation in (_POOL, _NONE) or name == innermost:
            continue
        parts, how = levels[name].parts, (operation, weights.get(name) if operation == "mean" else None)
        apart = name == (_OF_UPDATES[0] if flat else _WINDOW)
        if steps and steps[-1][0] == how and not apart:
            steps[-1][1].append(parts)
        else:
            steps.append((how, [parts]))
    for (operation, by), together in steps:
        if by is not None:
            yield f"mean weighted by {by} over {listed(together)}"
        elif flat and operation == "mean" and len(together) > 1 and together[-1] == levels[_WINDOW].parts:
            yield f"one {_over(operation, words)} {listed(together)}"
        else:
            yield f"{_over(operation, words, len(together))} {listed(together)}"


def _over(operation: str, words: Mapping[str, Any], count: int = 1) -> str:
    phrase = str(words["operations"][operation])
    if operation in ("first", "last"):
        return f"{phrase} of the"
    return f"{phrase}{'s' if operation in ('mean', 'sum') and count > 1 else ''} over"


def ranges_words(releases: Iterable[str], names: Sequence[str]) -> str:
    """Return releases as ranges, such as ``0.9.2..0.12.2, 0.14.0..``; one that reaches the newest stays open.

    Args:
        releases: The releases that are meant.
        names: All releases among which a range has no gap, the oldest first.
    """
    meant = {*releases}
    runs: list[list[str]] = []
    follows = False
    for name in names:
        if name not in meant:
            follows = False
            continue
        if follows:
            runs[-1][1] = name
        else:
            runs.append([name, name])
        follows = True
    return ", ".join(f"{a}.." if b == names[-1] else a if a == b else f"{a}..{b}" for a, b in runs)


def chosen_lines(choices: Sequence[str]) -> list[str]:
    """Return which releases were picked for sources that name none, in a line where they fit."""
    return wrapped("; ".join(dict.fromkeys(choices))) if choices else []


def source_words(source: object, tables: Tables) -> str:
    """Return a source as it stands in prose, such as "TRL PPOTrainer 0.12.2"."""
    framework, _, rest = str(source).partition("==")
    name, _, component = framework.rstrip("]").partition("[")
    row = tables.head(name) if isinstance(tables.frameworks, Mapping) else None
    title = row.get("title", name) if isinstance(row, Mapping) else name
    return " ".join(part for part in (str(title), component, rest) if part)
