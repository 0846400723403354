"""Writes configuration in which metrics are named.

In YAML and JSON the names are replaced where they stand; every other byte stays. Python code is only reported, line by
line, since a name in code may be put together or compared anywhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from rlmetrics.logs.files import text_in
from rlmetrics.logs.kinds.config import (
    BEST_MODEL,
    EVAL,
    ConfigurationLog,
    is_named_at,
    is_place,
    line_and_column,
    literals_in,
    logged_name,
    names_a_metric,
    scalars_in,
)
from rlmetrics.logs.yamlspans import Scalar, respelled

from ..report import Report
from ..thresholds import following
from ..translator import Translator
from .log_rewriter import LogRewriter

__all__ = ["ConfigurationRewriter"]


class ConfigurationRewriter(LogRewriter[ConfigurationLog]):
    """Writes a file of YAML, JSON or Python in which metrics are named."""

    def rewrite(self, output: Path, translator: Translator, report: Report) -> None:
        """Write a copy with the names of metrics translated; of Python code, report the lines and write nothing.

        Names that stand elsewhere are reported and left as they are.

        Raises:
            InputError: If the file can't be read as YAML, JSON or Python.
        """
        path, text = self.log.path, text_in(self.log.path, "convert the file")
        if path.suffix == ".py":
            _report_code(path, text, translator, report)
            return
        spans = scalars_in(path, text)
        changes: list[tuple[Scalar, str]] = []
        clashing = _clashing(spans, translator, report)
        for scalar in spans:
            old = scalar.text
            where = _place_of(path, text, scalar)
            if not names_a_metric(scalar):
                if "/" in old and translator.key(old).metric is not None:
                    report.notes.append(f"{where}: {old} looks like a metric, but none is named here: left as it is")
                continue
            report.records += 1
            if scalar in clashing:
                continue
            if _is_two_names(scalar):
                said = f"{old} is {EVAL}{old} for the best model, and by an alias {old} elsewhere: left as it is"
                report.notes.append(f"{where}: {said}")
                continue
            new = _translated(scalar, translator)
            if new == old:
                continue
            changes.append((scalar, new if scalar.is_block else respelled(text[scalar.start : scalar.end], new)))
            report.notes.append(f"{where}: {old} -> {new}{_conversion(logged_name(scalar), translator)}")
        for scalar, new in _beside(spans, translator):
            changes.append((scalar, text[scalar.start : scalar.end].replace(scalar.text, new)))
            report.notes.append(f"{_place_of(path, text, scalar)}: {scalar.text} -> {new}")
        if changes and translator.both:
            report.notes.append(f"{path}: only one name can stand at each of these places: the old ones are replaced")
        output.write_bytes(_changed(text, changes).encode("utf-8"))


def _is_two_names(scalar: Scalar) -> bool:
    """Tell whether a scalar names the best model's metric, with ``eval_`` to be added, and elsewhere another one."""
    places = {BEST_MODEL in path for path in scalar.paths if is_named_at(path, scalar)}
    return len(places) > 1 and not scalar.text.startswith(EVAL)


def _translated(scalar: Scalar, translator: Translator) -> str:
    logged = logged_name(scalar)
    move = translator.key(logged)
    entries = translator.entries({logged: None})
    if not entries or move.output == logged:
        return scalar.text
    return move.output.removeprefix(EVAL) if logged != scalar.text else move.output


def _beside(spans: list[Scalar], translator: Translator) -> Iterator[tuple[Scalar, str]]:
    """Yield thresholds and directions beside names whose values are converted, unless other names stand there, too."""
    named = [scalar for scalar in spans if not scalar.is_key and names_a_metric(scalar)]
    for scalar in named:
        move = translator.key(logged_name(scalar))
        alone = all(other is scalar or other.path[:-1] != scalar.path[:-1] for other in named)
        if move.transform is not None and move.translated and alone:
            yield from following(scalar, move.transform, spans)


def _changed(text: str, changes: list[tuple[Scalar, str]]) -> str:
    parts: list[str] = []
    done = 0
    for scalar, new in sorted(changes, key=lambda change: change[0].start):
        parts += (text[done : scalar.start], new)
        done = scalar.end
    return "".join([*parts, text[done:]])


def _conversion(name: str, translator: Translator) -> str:
    """Say that numbers that stand elsewhere must follow its values."""
    move = translator.key(name)
    if move.transform is None or not move.translated:
        return ""
    change = f"{move.transform.scale:g} * value + {move.transform.offset:g}"
    return f" (its values become {change}: adapt what is compared with them elsewhere)"


def _clashing(spans: Iterable[Scalar], translator: Translator, report: Report) -> set[Scalar]:
    """Return the keys of one mapping that would get one name; they stay as they are."""
    keys = [scalar for scalar in spans if scalar.is_key and names_a_metric(scalar)]
    outputs = [(scalar.path[:-1], translator.key(scalar.text).output) for scalar in keys]
    counts = Counter(outputs)
    clashing = {scalar: output for scalar, output in zip(keys, outputs, strict=True) if counts[output] > 1}
    for scalar, (_, output) in clashing.items():
        report.collisions.setdefault(output, []).append(scalar.text)
    return set(clashing)


def _place_of(path: Path, text: str, scalar: Scalar) -> str:
    line, column = line_and_column(text, scalar.start)
    return f"{path}:{line}:{column}: {'.'.join(map(str, scalar.path))}"


def _report_code(path: Path, text: str, translator: Translator, report: Report) -> None:
    for line, name, key in literals_in(path, text):
        best = key == BEST_MODEL and not name.startswith(EVAL)
        logged = EVAL + name if best else name
        if translator.key(logged).metric is None or not (is_place(key) or "/" in name):
            continue
        report.records += 1
        entries = translator.entries({logged: None})
        new = entries[0].name.removeprefix(EVAL) if best and entries else translator.key(logged).output
        change = f"{name} -> {new}{_conversion(logged, translator)}" if new != name else f"{name} stays"
        report.notes.append(f"{path}:{line}: {change}; code is not rewritten")
