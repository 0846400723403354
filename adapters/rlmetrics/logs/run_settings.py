"""The configuration that a run carries: settings by dotted names, as the framework calls them.

Trackers record it (W&B, Trackio, MLflow, TensorBoard's arguments and hyperparameters), verl prints it into its log,
and arguments lie beside a trainer's state as JSON or YAML; each kind of log knows where. A person can
name a file that holds one, too. Nothing that has to be unpickled is read. What can't be read of a run is told in one
line and left out, of a file that was named it is an error: nothing is guessed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from rlmetrics.lazy_dataclasses import dataclass, field, replace
from rlmetrics.names.settings.configuration import UNKNOWN, RecordedName, is_plain

from .input_errors import InputError
from .yamlspans import YamlError, scalars

__all__ = [
    "RunSettings",
    "agreeing",
    "first_line",
    "flattened",
    "in_row",
    "named_file",
    "of_file",
    "setting",
]

_LONGEST = 1 << 20
_CONFIGS = ("config", "hparams", "args")
_AROUND = ("value", "desc", "sort")
"""What trackers keep of each setting in a ``config.yaml``."""
_MOST_AROUND = 4
"""Keys that a row has at most if settings stand under one of them."""
_REFERENCE = re.compile(r"\$\{(?:oc\.select:)?(?P<name>[\w.]+)(?:,(?P<default>[^${}]*))?\}")
"""Another setting's value as OmegaConf writes it, with what holds where there is none."""
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
    from ast import literal_eval  # few settings are lists

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
    """Return the settings in a file of JSON or YAML that lies beside a run."""
    try:
        values = _read(path)
    except InputError as error:
        why = str(error).removeprefix(f"{path}:").strip()
        return RunSettings(problems=(f"{path.name} can't be read: {why}; its settings are left out",))
    return RunSettings(values, path.name if values else "")


def named_file(path: Path) -> dict[str, Any]:
    """Return the settings in a file that a person names, as a source takes a whole configuration.

    It is JSON or YAML: training arguments, flat or below a section, what hydra or W&B keep of a run, or a list of
    ``NAME=VALUE`` such as hydra's overrides.

    Raises:
        InputError: If it can't be read, or holds no settings.
    """
    values = _read(path)
    if not values:
        msg = "holds no settings; name a file of JSON or YAML, such as training arguments, or config.yaml of a run"
        raise InputError(msg, path)
    return {RecordedName(name): value for name, value in values.items()}


def _read(path: Path) -> dict[str, Any]:
    try:
        content = path.read_bytes() if path.is_file() else None
    except OSError as error:
        raise InputError(f"can't be read: {error.strerror}; is it the right file?", path) from None
    if content is None:
        why = "is a folder" if path.is_dir() else "is no file" if path.exists() else "does not exist"
        raise InputError(f"{why}; name a file of JSON or YAML with settings", path)
    if len(content) > _LONGEST:
        raise InputError("is too large for settings; name the configuration of a run", path)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError("is not UTF-8; save it as UTF-8", path, content.count(b"\n", 0, error.start) + 1) from None
    try:
        values = _of_json(text) if text.lstrip()[:1] in ("{", "[") and path.suffix != ".yaml" else _of_yaml(text)
    except json.JSONDecodeError as error:
        raise InputError(f"is no JSON: {error.msg}; mend this place", path, error.lineno, error.colno) from None
    except YamlError as error:
        before = text[: error.offset]
        line, column = before.count("\n") + 1, error.offset - before.rfind("\n")
        raise InputError(f"is no YAML: {first_line(error)}; mend this place", path, line, column) from None
    except (ValueError, RecursionError) as error:
        raise InputError(first_line(error), path) from None
    return _filled(_unwrapped(values))


def _of_json(text: str) -> dict[str, Any]:
    read = json.loads(text)
    if isinstance(read, list):
        return _of_overrides(item for item in read if isinstance(item, str))
    return flattened(read)


def _of_overrides(items: Iterable[str]) -> dict[str, Any]:
    """Return settings written as hydra takes them on its command line; ``+`` adds one, ``~`` takes one away."""
    pairs = (item.partition("=") for item in items if not item.startswith("~"))
    return {name.strip().lstrip("+"): _plain(value.strip()) for name, equals, value in pairs if equals}


def _unwrapped(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings without what ``config.yaml`` of W&B, or of SwanLab, puts around each, such as ``desc``."""
    parts = [(name, *name.split(".", 2)) for name in values]
    wrapped = [names for _, *names in parts if len(names) > 1]
    if not wrapped or any(names[1] not in _AROUND for names in wrapped) or len(wrapped) < len(parts) - 1:
        return dict(values)
    return {
        ".".join((names[0], *names[2:])): values[name]
        for name, *names in parts
        if len(names) > 1 and names[1] == "value" and names[0] != "_wandb"
    }


def _filled(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings with the others that they name filled in, as hydra does; what can't be told is unknown."""
    return {name: _filled_in(value, values) for name, value in values.items() if value != "???"}


def _filled_in(value: Any, values: Mapping[str, Any], depth: int = 8) -> Any:
    if not isinstance(value, str) or "${" not in value:
        return value
    reference = _REFERENCE.fullmatch(value)
    if reference is None or depth == 0:
        return UNKNOWN
    name, default = reference["name"], reference["default"]
    if name in values:
        return _filled_in(values[name], values, depth - 1)
    return UNKNOWN if default is None else _plain(default.strip())


def _of_yaml(text: str) -> dict[str, Any]:
    values: dict[str, Any] = {}
    found = scalars(text)
    if all(len(scalar.path) == 1 and not isinstance(scalar.path[0], str) for scalar in found):
        return _of_overrides(scalar.text for scalar in found)
    for scalar in found:
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
