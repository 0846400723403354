"""Configuration that names metrics: ``metric_for_best_model``, the ``metric`` of a sweep, a monitor."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from ..files import text_in
from ..input_errors import InputError
from ..jsontree import Document, TreeError
from ..log import Kind, Log
from ..yamlspans import Scalar, YamlError, json_scalars, scalars

__all__ = [
    "BEST_MODEL",
    "EVAL",
    "KIND",
    "ConfigurationLog",
    "is_named_at",
    "is_place",
    "line_and_column",
    "literals_in",
    "logged_name",
    "names_a_metric",
    "refuse_broken",
    "scalars_in",
]

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
BEST_MODEL = "metric_for_best_model"
EVAL = "eval_"
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
    text = text_in(path, "convert the file")
    if path.suffix == ".py":
        return {name for _, name, key in literals_in(path, text) if is_place(key)}
    if _PLACED.search(text) is None:
        return set()
    return {logged_name(scalar) for scalar in scalars_in(path, text) if names_a_metric(scalar)}


def scalars_in(path: Path, text: str) -> list[Scalar]:
    """Return the keys and values in YAML or JSON, each with where it stands.

    Raises:
        InputError: If the text is neither.
    """
    if path.suffix == ".json":
        _require_json(path, text)
        return json_scalars(text)
    try:
        return scalars(text)
    except YamlError as error:
        msg = f"not YAML: {error}; mend it here"
        raise InputError(msg, path, *line_and_column(text, error.offset)) from None


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


def is_place(name: object) -> bool:
    """Tell whether a key is one below which names of metrics stand."""
    return isinstance(name, str) and _PLACE.fullmatch(name) is not None


def names_a_metric(scalar: Scalar) -> bool:
    """Tell whether a scalar stands where metrics are named, be it by an alias."""
    return bool(_NAME.fullmatch(scalar.text)) and any(is_named_at(path, scalar) for path in scalar.paths)


def is_named_at(path: Sequence[str | int], scalar: Scalar) -> bool:
    """Tell whether metrics are named at a path: at such a key, in a list there, or as a member's name."""
    keys = [part for part in path if isinstance(part, str)]
    if scalar.is_key:
        return len(keys) > 1 and is_place(keys[-2]) and keys[-1] not in _MEMBERS and "/" in keys[-1]
    if keys and is_place(keys[-1]):
        return True
    return len(keys) > 1 and keys[-1] in _MEMBERS and is_place(keys[-2])


def logged_name(scalar: Scalar) -> str:
    """Return the key that a trainer logs for this name: transformers adds ``eval_`` to that of the best model."""
    best = not scalar.is_key and any(BEST_MODEL in path for path in scalar.paths) and not scalar.text.startswith(EVAL)
    return EVAL + scalar.text if best else scalar.text


def line_and_column(text: str, offset: int) -> tuple[int, int]:
    """Return where in a text an offset is, counted from 1."""
    before = text[:offset]
    return before.count("\n") + 1, offset - (before.rfind("\n") + 1) + 1


def literals_in(path: Path, text: str) -> Iterator[tuple[int, str, str | None]]:
    """Yield line, text and place of each string in code; the place is the keyword or key that it is the value of."""
    import ast  # few configurations are code

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
