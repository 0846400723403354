"""The configuration that a run carries: settings by dotted names, as the framework calls them.

Trackers record it (W&B, Trackio, MLflow, TensorBoard's arguments and hyperparameters), verl prints it into its log,
and arguments lie beside a trainer's state as JSON or YAML; each kind of log knows where. Nothing that has to be
unpickled is read. What can't be read is told in one line and left out: nothing is guessed.
"""

from __future__ import annotations

import json
from ast import literal_eval
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from rlmetrics.names.config import UNKNOWN, is_plain

from .yamlspans import scalars

__all__ = [
    "RunSettings",
    "agreeing",
    "first_line",
    "flattened",
    "in_row",
    "of_file",
    "setting",
]

_LONGEST = 1 << 20
_CONFIGS = ("config", "hparams", "args")
_MOST_AROUND = 4
"""Keys that a row has at most if settings stand under one of them."""
_TEXTS = {"true": True, "false": False, "null": None, "none": None, "~": None, "": None}


@dataclass(frozen=True)
class RunSettings:
    """What a run says about its configuration.

    Attributes:
        values: Settings by dotted names; `UNKNOWN` for those that are neither single values nor lists of them.
        where: What says so, such as ``W&B``; empty where nothing does.
        problems: What could not be read, a line each.
    """

    values: Mapping[str, Any] = field(default_factory=dict)
    where: str = ""
    problems: tuple[str, ...] = ()


def flattened(settings: Any, prefix: str = "") -> dict[str, Any]:
    """Return nested settings under dotted names; lists of anything but single values are there, but unknown."""
    flat: dict[str, Any] = {}
    for name, value in settings.items() if isinstance(settings, Mapping) else ():
        if isinstance(value, Mapping):
            flat.update(flattened(value, f"{prefix}{name}."))
        else:
            flat[f"{prefix}{name}"] = value if is_plain(value) else UNKNOWN
    return flat


def setting(text: Any) -> Any:
    """Return a setting that was kept as text, as MLflow does, as what it was."""
    known = {"True": True, "False": False, "None": None}
    if not isinstance(text, str) or text in known:
        return known.get(text, text) if isinstance(text, str) else text
    for read in (int, float):
        with suppress(ValueError):
            return read(text)
    if not text or text[0] not in "[{":
        return text
    found: Any = UNKNOWN
    with suppress(ValueError, SyntaxError, RecursionError, MemoryError):
        found = literal_eval(text)
    return found if isinstance(found, list) and is_plain(found) else UNKNOWN


def in_row(row: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the settings that a logged row holds in the place of values; None if it holds none."""
    if len(row) >= _MOST_AROUND:
        return None
    settings = next((row[name] for name in _CONFIGS if isinstance(row.get(name), dict)), None)
    return None if settings is None else flattened(settings)


def agreeing(settings: Iterable[RunSettings]) -> RunSettings:
    """Return what several runs have in common: what only some say, or say differently, is unknown."""
    first, *others = settings
    values = dict(first.values)
    for other in others:
        for name in {*values, *other.values}:
            if values.get(name, UNKNOWN) != other.values.get(name, UNKNOWN):
                values[name] = UNKNOWN
    problems = dict.fromkeys(problem for one in (first, *others) for problem in one.problems)
    return replace(first, values=values, problems=tuple(problems))


def of_file(path: Path) -> RunSettings:
    """Return the settings in a file of JSON or YAML."""
    if path.stat().st_size > _LONGEST:
        return RunSettings(problems=(f"{path.name} is too large for arguments; left out",))
    try:
        text = path.read_text(encoding="utf-8-sig")
        values = flattened(json.loads(text)) if path.suffix == ".json" else _of_yaml(text)
    except (ValueError, RecursionError) as error:
        return RunSettings(problems=(f"{path.name} can't be read: {first_line(error)}; its settings are left out",))
    return RunSettings(values, path.name if values else "")


def _of_yaml(text: str) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for scalar in scalars(text):
        if scalar.is_key:
            continue
        for path in scalar.paths:
            names = [part for part in path if isinstance(part, str)]
            name, plain = ".".join(names), text[scalar.start : scalar.start + 1] not in "\"'"
            value = UNKNOWN if scalar.is_block else _plain(scalar.text) if plain else scalar.text
            if len(names) == len(path):
                values[name] = value
            elif path[:-1] == tuple(names) and value is not UNKNOWN and isinstance(values.setdefault(name, []), list):
                values[name].append(value)
            else:
                values[name] = UNKNOWN
    return values


def _plain(text: str) -> Any:
    """Return what a plain scalar of YAML says."""
    if text.lower() in _TEXTS:
        return _TEXTS[text.lower()]
    for read in (int, float):
        with suppress(ValueError):
            return read(text)
    return text


def first_line(error: Exception) -> str:
    """Return the first line of what an error says."""
    return str(error).partition("\n")[0]
