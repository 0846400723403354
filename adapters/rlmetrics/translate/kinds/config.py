"""Configuration in which names of metrics are values: ``metric_for_best_model``, the ``metric`` of a sweep, a monitor.

In YAML and JSON the names are replaced where they stand; every other byte stays. Python code is only reported, line by
line, since a name in code may be put together or compared anywhere.
"""

from __future__ import annotations

import ast
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from rlmetrics.logs.input_errors import InputError
from rlmetrics.logs.jsontree import Document, TreeError
from rlmetrics.logs.yamlspans import Scalar, YamlError, json_scalars, respelled, scalars

from ..logs import Kind, Log
from ..report import Report
from ..thresholds import following
from ..translator import Translator

__all__ = ["KIND", "refuse_broken"]

_PLACE = re.compile(
    r"(?:\w+_)?metrics?(?:_(?:names?|keys?|columns?|filter|for_best_model))?|monitor(?:ed)?|objectives?|define_metric|"
    r"(?:threshold|change|zscore)_filter|(?:early_stopping|early_stop)_(?:on|key)|thresholds?_(?:on|for)|plots?|panels?|y_?axis|y",
    re.IGNORECASE,
)
"""Keys below which names of metrics stand."""
_PLACED = re.compile(rf"\b(?:{_PLACE.pattern})\b", re.IGNORECASE)
_MEMBERS = {"name", "names", "key", "keys", "metric", "value", "y"}
"""Keys of an object at such a place that hold the name itself; W&B's ``config.yaml`` puts it under ``value``."""
_NAME = re.compile(r"(?!(?:null|true|false|yes|no|on|off|none|nan|inf)$)[A-Za-z][^\s:]*(?: - [^\s:]+)?", re.IGNORECASE)
_BEST = "metric_for_best_model"
_EVAL = "eval_"
_TEXTS = {".yaml", ".yml", ".json"}
_MAX_BYTES = 1 << 21
"""No configuration is longer, but vocabularies and data sets are."""


def recognises(path: Path) -> bool:
    """Tell whether ``path`` is YAML, JSON or Python with a name where names of metrics stand."""
    if path.suffix not in {*_TEXTS, ".py"} or path.stat().st_size > _MAX_BYTES:
        return False
    try:
        return bool(_names(path))
    except InputError:
        return False


class ConfigurationLog(Log):
    """A file of YAML, JSON or Python in which metrics are named."""

    def names(self) -> set[str]:
        """Return the names at the places where metrics are named."""
        return _names(self.path)

    def rewrite(self, output: Path, translator: Translator, report: Report) -> None:
        """Write a copy with the names of metrics translated; of Python code, report the lines and write nothing.

        Names that stand elsewhere are reported and left as they are.

        Raises:
            InputError: If the file can't be read as YAML, JSON or Python.
        """
        path, text = self.path, _read(self.path)
        if path.suffix == ".py":
            _report_code(path, text, translator, report)
            return
        spans = _spans(path, text)
        changes: list[tuple[Scalar, str]] = []
        clashing = _clashing(spans, translator, report)
        for scalar in spans:
            old = scalar.text
            where = _place_of(path, text, scalar)
            if not _names_a_metric(scalar):
                if "/" in old and translator.key(old).metric is not None:
                    report.notes.append(f"{where}: {old} looks like a metric, but none is named here: left as it is")
                continue
            report.records += 1
            if scalar in clashing:
                continue
            if _is_two_names(scalar):
                said = f"{old} is {_EVAL}{old} for the best model, and by an alias {old} elsewhere: left as it is"
                report.notes.append(f"{where}: {said}")
                continue
            new = _translated(scalar, translator)
            if new == old:
                continue
            changes.append((scalar, new if scalar.is_block else respelled(text[scalar.start : scalar.end], new)))
            report.notes.append(f"{where}: {old} -> {new}{_conversion(_logged(scalar), translator)}")
        for scalar, new in _beside(spans, translator):
            changes.append((scalar, text[scalar.start : scalar.end].replace(scalar.text, new)))
            report.notes.append(f"{_place_of(path, text, scalar)}: {scalar.text} -> {new}")
        if changes and translator.both:
            report.notes.append(f"{path}: only one name can stand at each of these places: the old ones are replaced")
        output.write_bytes(_changed(text, changes).encode("utf-8"))


def refuse_broken(path: Path) -> None:
    """Say where a JSON or YAML file is broken: no kind recognises one that is.

    Raises:
        InputError: If the file can't be read as what its name says.
    """
    if path.suffix in {".yaml", ".yml"}:
        _names(path)
    if path.suffix == ".json":
        document = Document(path.read_bytes().decode("utf-8", errors="replace"))
        try:
            document.parse()
        except TreeError as error:
            msg = f"not JSON: {error}; mend it here"
            raise InputError(msg, path, *document.position(error.offset)) from None


def _names(path: Path) -> set[str]:
    text = _read(path)
    if path.suffix == ".py":
        return {name for _, name, key in _literals(path, text) if _is_place(key)}
    if _PLACED.search(text) is None:
        return set()
    return {_logged(scalar) for scalar in _spans(path, text) if _names_a_metric(scalar)}


def _read(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        msg = "is not UTF-8 text; convert the file"
        raise InputError(msg, path, 1, error.start + 1) from None


def _spans(path: Path, text: str) -> list[Scalar]:
    if path.suffix == ".json":
        _require_json(path, text)
        return json_scalars(text)
    try:
        return scalars(text)
    except YamlError as error:
        msg = f"not YAML: {error}; mend it here"
        raise InputError(msg, path, *_position(text, error.offset)) from None


def _require_json(path: Path, text: str) -> None:
    """Refuse what the more lenient reader of YAML would take."""
    try:
        json.loads(text.removeprefix("\ufeff"), parse_int=str, parse_float=str)
    except json.JSONDecodeError as error:
        msg = f"not JSON: {error.msg}; mend it here"
        raise InputError(msg, path, error.lineno, error.colno) from None
    except RecursionError:
        msg = "not JSON that can be followed: values are nested too deeply"
        raise InputError(msg, path, 1, 1) from None


def _is_place(name: object) -> bool:
    return isinstance(name, str) and _PLACE.fullmatch(name) is not None


def _names_a_metric(scalar: Scalar) -> bool:
    """Tell whether a scalar stands where metrics are named, be it by an alias."""
    return bool(_NAME.fullmatch(scalar.text)) and any(_is_named(path, scalar) for path in scalar.paths)


def _is_named(path: Sequence[str | int], scalar: Scalar) -> bool:
    """Tell whether metrics are named at a path: at such a key, in a list there, or as a member's name."""
    keys = [part for part in path if isinstance(part, str)]
    if scalar.is_key:
        return len(keys) > 1 and _is_place(keys[-2]) and keys[-1] not in _MEMBERS and "/" in keys[-1]
    if keys and _is_place(keys[-1]):
        return True
    return len(keys) > 1 and keys[-1] in _MEMBERS and _is_place(keys[-2])


def _logged(scalar: Scalar) -> str:
    """Return the key that a trainer logs for this name: transformers adds ``eval_`` to that of the best model."""
    best = not scalar.is_key and any(_BEST in path for path in scalar.paths) and not scalar.text.startswith(_EVAL)
    return _EVAL + scalar.text if best else scalar.text


def _is_two_names(scalar: Scalar) -> bool:
    """Tell whether a scalar names the best model's metric, with ``eval_`` to be added, and elsewhere another one."""
    places = {_BEST in path for path in scalar.paths if _is_named(path, scalar)}
    return len(places) > 1 and not scalar.text.startswith(_EVAL)


def _translated(scalar: Scalar, translator: Translator) -> str:
    logged = _logged(scalar)
    move = translator.key(logged)
    entries = translator.entries({logged: None})
    if not entries or move.output == logged:
        return scalar.text
    return move.output.removeprefix(_EVAL) if logged != scalar.text else move.output


def _beside(spans: list[Scalar], translator: Translator) -> Iterator[tuple[Scalar, str]]:
    """Yield thresholds and directions beside names whose values are converted, unless other names stand there, too."""
    named = [scalar for scalar in spans if not scalar.is_key and _names_a_metric(scalar)]
    for scalar in named:
        move = translator.key(_logged(scalar))
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
    keys = [scalar for scalar in spans if scalar.is_key and _names_a_metric(scalar)]
    outputs = [(scalar.path[:-1], translator.key(scalar.text).output) for scalar in keys]
    counts = Counter(outputs)
    clashing = {scalar: output for scalar, output in zip(keys, outputs, strict=True) if counts[output] > 1}
    for scalar, (_, output) in clashing.items():
        report.collisions.setdefault(output, []).append(scalar.text)
    return set(clashing)


def _place_of(path: Path, text: str, scalar: Scalar) -> str:
    line, column = _position(text, scalar.start)
    return f"{path}:{line}:{column}: {'.'.join(map(str, scalar.path))}"


def _position(text: str, offset: int) -> tuple[int, int]:
    before = text[:offset]
    return before.count("\n") + 1, offset - (before.rfind("\n") + 1) + 1


def _report_code(path: Path, text: str, translator: Translator, report: Report) -> None:
    for line, name, key in _literals(path, text):
        best = key == _BEST and not name.startswith(_EVAL)
        logged = _EVAL + name if best else name
        if translator.key(logged).metric is None or not (_is_place(key) or "/" in name):
            continue
        report.records += 1
        entries = translator.entries({logged: None})
        new = entries[0].name.removeprefix(_EVAL) if best and entries else translator.key(logged).output
        change = f"{name} -> {new}{_conversion(logged, translator)}" if new != name else f"{name} stays"
        report.notes.append(f"{path}:{line}: {change}; code is not rewritten")


def _literals(path: Path, text: str) -> Iterator[tuple[int, str, str | None]]:
    """Yield line, text and place of each string in code; the place is the keyword or key that it is the value of."""
    try:
        tree = ast.parse(text, filename=str(path))
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        msg = f"not Python that can be parsed: {error or 'it is nested too deeply'}"
        raise InputError(msg, path, getattr(error, "lineno", None) or 1) from None
    places: dict[ast.AST, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword) and node.arg:
            places[node.value] = node.arg
        elif isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                if isinstance(key, ast.Constant) and isinstance(key.value, str):
                    places[value] = key.value
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            places[node.value] = node.targets[0].id
    literals = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and _NAME.fullmatch(node.value):
            literals.append((node.lineno, node.col_offset, node.value, places.get(node)))
    for line, _, name, owner in sorted(literals, key=lambda entry: entry[:2]):
        yield line, name, owner


KIND = Kind("config", recognises, ConfigurationLog, is_layout=True)
