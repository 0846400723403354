"""The configuration that a run carries: settings by dotted names, as the framework calls them.

Trackers record it (W&B, Trackio, MLflow, TensorBoard's arguments and hyperparameters), verl prints it into its log,
and arguments lie beside a trainer's state as JSON or YAML. Nothing that has to be unpickled is read. What can't be read
is told in one line and left out: nothing is guessed.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import islice, takewhile
from pathlib import Path
from typing import Any

from rlmetrics.names.config import UNKNOWN

from .consoles import ESCAPE, sample_lines
from .databases import columns, reading
from .errors import InputError
from .kinds import mlflow, tensorboard, wandb
from .kinds.wandb import run as wandb_run
from .modelcards import folders_of_run
from .yamlspans import scalars

__all__ = [
    "RunSettings",
    "agreeing",
    "flattened",
    "in_row",
    "only",
    "recorded",
    "setting",
]

_ARGUMENTS = ("training_args", "trainer_args", "training_arguments", "args")
"""What files beside a trainer's state are called that hold its arguments."""
_SUFFIXES = (".json", ".yaml", ".yml")
_LONGEST = 1 << 20
_MOST_LINES = 5000
_CONFIGS = ("config", "hparams", "args")
_MOST_AROUND = 4
"""Keys that a row has at most if settings stand under one of them."""
_ROWS = 20
"""Rows at the beginning of a file among which settings are looked for."""
_PRINTED = re.compile(rf"(?:{ESCAPE})*(?P<worker>\([^()]*pid=\d+[^()]*\)(?:{ESCAPE})* )?(?P<text>.*)")
_STEP = re.compile(r"\bstep:[0-9]")
_SECTIONS = {"trainer", "data"}
"""What every configuration of verl has."""
_FIRST = ("{'actor_rollout_ref'", "{'algorithm'", "{'data'")
"""How the configuration begins, sorted by name as it is printed."""
_MOST_BEFORE = 100_000
_TEXTS = {"true": True, "false": False, "null": None, "none": None, "~": None, "": None}


@dataclass(frozen=True)
class RunSettings:
    """What a run says about its configuration.

    Attributes:
        values: Settings by dotted names; `UNKNOWN` for those that are lists or the like.
        where: What says so, such as ``W&B``; empty where nothing does.
        problems: What could not be read, a line each.
    """

    values: Mapping[str, Any] = field(default_factory=dict)
    where: str = ""
    problems: tuple[str, ...] = ()


def recorded(kind: str, path: Path) -> dict[str | None, RunSettings]:
    """Return the configuration of each run of a file or folder; where it is one run, under None.

    Args:
        kind: What it is.
        path: The file or folder.
    """
    try:
        return _READERS[kind](path) if kind in _READERS else {}
    except (InputError, OSError, ValueError) as error:
        return {None: RunSettings(problems=(f"the configuration of {path.name} can't be read: {_line(error)}",))}


def only(path: Path, kind: str) -> Mapping[str, Any]:
    """Return the configuration of a file or folder that is one run; what can't be read is missing."""
    return next(iter(recorded(kind, path).values()), RunSettings()).values


def flattened(settings: Any, prefix: str = "") -> dict[str, Any]:
    """Return nested settings under dotted names; lists are there, but unknown."""
    found: dict[str, Any] = {}
    for name, value in settings.items() if isinstance(settings, Mapping) else ():
        if isinstance(value, Mapping):
            found.update(flattened(value, f"{prefix}{name}."))
        else:
            found[f"{prefix}{name}"] = value if isinstance(value, str | int | float | bool | None) else UNKNOWN
    return found


def setting(text: Any) -> Any:
    """Return a setting that was kept as text, as MLflow does, as what it was."""
    known = {"True": True, "False": False, "None": None}
    if not isinstance(text, str) or text in known:
        return known.get(text, text) if isinstance(text, str) else text
    for read in (int, float):
        with suppress(ValueError):
            return read(text)
    return UNKNOWN if text[:1] in "[{" and text else text


def in_row(row: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the settings that a logged row holds in the place of values; None if it holds none."""
    if len(row) >= _MOST_AROUND:
        return None
    settings = next((row[name] for name in _CONFIGS if isinstance(row.get(name), dict)), None)
    return None if settings is None else flattened(settings)


def agreeing(found: Iterable[RunSettings]) -> RunSettings:
    """Return what several runs have in common: what only some say, or say differently, is unknown."""
    first, *others = found
    values = dict(first.values)
    for other in others:
        for name in {*values, *other.values}:
            if values.get(name, UNKNOWN) != other.values.get(name, UNKNOWN):
                values[name] = UNKNOWN
    problems = dict.fromkeys(problem for one in (first, *others) for problem in one.problems)
    return replace(first, values=values, problems=tuple(problems))


def _wandb(path: Path) -> dict[str | None, RunSettings]:
    files = [file for file in wandb.members(path) if file.suffix == ".wandb"] if path.is_dir() else [path]
    found = [RunSettings(flattened(wandb_run.config_of(file)), "W&B") for file in files]
    return {None if len(files) == 1 else file.name: one for file, one in zip(files, found, strict=True)}


def _tensorboard(path: Path) -> dict[str | None, RunSettings]:
    values: dict[str, Any] = dict(tensorboard.hyperparameters(path))
    where, problems = "TensorBoard's hyperparameters" if values else "", list[str]()
    for text in tensorboard.argument_texts(path):
        try:
            values.update(flattened(json.loads(text)))
            where = "TensorBoard's arguments"
        except ValueError as error:
            problems.append(f"the arguments in {path.name} are no JSON: {_line(error)}")
    return {None: RunSettings(values, where, tuple(problems))}


def _trackio(path: Path) -> dict[str | None, RunSettings]:
    found: dict[str | None, RunSettings] = {}
    with reading(path) as database:
        if "configs" in columns(database):
            for name, content in database.execute("SELECT run_name, config FROM configs"):
                try:
                    found[name] = RunSettings(flattened(json.loads(content)), "Trackio")
                except ValueError as error:
                    problem = f"the configuration of run {name} is no JSON: {_line(error)}"
                    found[name] = RunSettings(problems=(problem,))
    return found


def _mlflow(path: Path) -> dict[str | None, RunSettings]:
    if path.is_dir():
        root = path / "params"
        files = [file for file in root.rglob("*") if file.is_file()] if root.is_dir() else []
        values = {
            file.relative_to(root).as_posix(): setting(file.read_text(encoding="utf-8", errors="replace"))
            for file in files
            if file.stat().st_size < _LONGEST
        }
        return {None: RunSettings(values, "MLflow" if values else "")}
    found: dict[str | None, RunSettings] = {}
    with reading(path) as database:
        if "params" in columns(database):
            for run in mlflow.runs(path):
                rows = database.execute("SELECT key, value FROM params WHERE run_uuid = ?", (run,))
                values = {key: setting(value) for key, value in rows}
                found[run] = RunSettings(values, "MLflow" if values else "")
    return found


def _trainer_state(path: Path) -> dict[str | None, RunSettings]:
    """Return the arguments that were saved beside a state, or one folder higher for that of a checkpoint."""
    files = (
        folder / f"{name}{end}" for folder in folders_of_run(path.parent) for name in _ARGUMENTS for end in _SUFFIXES
    )
    for file in files:
        if file.is_file() and not file.is_symlink() and file != path:
            return {None: _of_file(file)}
    return {None: RunSettings()}


def _of_file(path: Path) -> RunSettings:
    """Return the settings in a file of JSON or YAML."""
    if path.stat().st_size > _LONGEST:
        return RunSettings(problems=(f"{path.name} is too large for arguments; left out",))
    try:
        text = path.read_text(encoding="utf-8-sig")
        values = flattened(json.loads(text)) if path.suffix == ".json" else _of_yaml(text)
    except (ValueError, RecursionError) as error:
        return RunSettings(problems=(f"{path.name} can't be read: {_line(error)}; its settings are left out",))
    return RunSettings(values, path.name if values else "")


def _of_yaml(text: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for scalar in scalars(text):
        if scalar.is_key:
            continue
        for path in scalar.paths:
            names = [part for part in path if isinstance(part, str)]
            is_single = len(names) == len(path) and not scalar.is_block
            plain = is_single and text[scalar.start : scalar.start + 1] not in "\"'"
            found[".".join(names)] = (_plain(scalar.text) if plain else scalar.text) if is_single else UNKNOWN
    return found


def _plain(text: str) -> Any:
    """Return what a plain scalar of YAML says."""
    if text.lower() in _TEXTS:
        return _TEXTS[text.lower()]
    for read in (int, float):
        with suppress(ValueError):
            return read(text)
    return text


def _jsonl(path: Path) -> dict[str | None, RunSettings]:
    found: dict[str, Any] = {}
    with path.open("rb") as file:
        for _, line in zip(range(_ROWS), file, strict=False):
            with suppress(ValueError, RecursionError):
                row = json.loads(line)
                found.update((in_row(row) or {}) if isinstance(row, dict) else {})
    return {None: RunSettings(found, path.name if found else "")}


def _verl_console(path: Path) -> dict[str | None, RunSettings]:
    """Return the configuration that verl printed before the first step, with or without Ray's name of the worker."""
    before = takewhile(lambda line: _STEP.search(line) is None, sample_lines(path))
    lines = [_parts(line) for line in islice(before, _MOST_BEFORE)]
    for number, (worker, text) in enumerate(lines):
        if text.startswith("{'"):
            found = _dictionary(text, [more for other, more in lines[number + 1 :] if other == worker])
            if found is None and text.startswith(_FIRST):
                problem = f"line {number + 1}: the configuration in the log is cut off or mixed with other lines"
                return {None: RunSettings(problems=(f"{problem}; left out",))}
            if found is not None and found.keys() >= _SECTIONS:
                return {None: RunSettings(flattened(found), "the log")}
    return {None: RunSettings()}


def _dictionary(first: str, lines: list[str]) -> dict[str, Any] | None:
    """Return the dictionary that begins with a line and goes on in others; None if there is none."""
    text, depth = [first], first.count("{") - first.count("}")
    for line in lines[:_MOST_LINES] if depth > 0 else ():
        text.append(line)
        depth += line.count("{") - line.count("}")
        if depth <= 0:
            break
    try:
        found = ast.literal_eval("\n".join(text))
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return None
    return found if isinstance(found, dict) else None


def _parts(line: str) -> tuple[str, str]:
    found = _PRINTED.match(line.rstrip("\r\n"))
    return (found["worker"] or "", found["text"]) if found else ("", "")


def _line(error: Exception) -> str:
    return str(error).partition("\n")[0]


_READERS: dict[str, Callable[[Path], dict[str | None, RunSettings]]] = {
    "wandb": _wandb,
    "tensorboard": _tensorboard,
    "trackio": _trackio,
    "mlflow": _mlflow,
    "trainer-state": _trainer_state,
    "jsonl": _jsonl,
    "verl-console": _verl_console,
}
