"""What lies beside a log and says what wrote it: a model card, requirements, arguments, the folders of hydra.

Nothing that must be unpickled is read, and nothing that is large.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from rlmetrics.lazy_dataclasses import dataclass, field

from .run_settings import of_file
from .shown_paths import given_path

__all__ = ["Surroundings", "beside"]

_CARD = "README.md"
_REQUIREMENTS = "requirements.txt"
_METADATA = "wandb-metadata.json"
_ARGUMENTS = ("training_args", "trainer_args", "training_arguments", "args")
_SETTINGS = (
    *(f"{name}{end}" for name in _ARGUMENTS for end in (".json", ".yaml", ".yml")),
    "config.yaml",
    ".hydra/config.yaml",
)
_OVERRIDES = ".hydra/overrides.yaml"
_RELEASE = re.compile(r"(?P<program>\w+)_version")
"""A setting in which a program records its own release, under the name by which it is imported."""
_VERSION = re.compile(r"^(?P<package>[A-Za-z][\w.-]*)==(?P<release>[0-9][^\s;+]*)", re.MULTILINE)
_CARD_VERSIONS = re.compile(r"^### Framework versions\s*\n(?P<versions>(?:\s*- [^\n]*(?:\n|\Z))+)", re.MULTILINE)
_CARD_VERSION = re.compile(r"^\s*- (?P<package>[\w.-]+): (?P<release>[0-9][\w.]*)[ \t]*$", re.MULTILINE)
_FRONT = re.compile(r"\A---\s*\n(?P<yaml>.*?)\n---\s*$", re.MULTILINE | re.DOTALL)
_TAG = re.compile(r"^\s*-\s+(?P<tag>[\w-]+)\s*$", re.MULTILINE)
_TAGS = re.compile(r"^tags:\s*\n(?P<tags>(?:\s*-\s[^\n]*\n?)+)", re.MULTILINE)
_ARGUMENT = re.compile(r"(?:--)?\+{0,2}(?P<name>[A-Za-z_][\w.\-]*)(?:=.*)?", re.DOTALL)
_LARGEST = 1 << 20
_MOST_FOLDERS = 64
_OF_ALL = {"generated_from_trainer", "transformers", "safetensors"}
"""Tags of cards that say nothing of a trainer."""


@dataclass(frozen=True)
class Surroundings:
    """What was found.

    Attributes:
        releases: Releases of packages by their names in small letters, frameworks among them.
        settings: Names of settings.
        tags: All tags of a model card, but for those that most have; some may name a trainer, and its framework.
        where: What says so: by field, and of releases by package.
    """

    releases: Mapping[str, str] = field(default_factory=dict)
    settings: frozenset[str] = frozenset()
    tags: tuple[str, ...] = ()
    where: Mapping[str, str] = field(default_factory=dict)


def beside(path: Path) -> Surroundings:
    """Return what the folder of a log says, or the one above it, or, of model cards, the only one below it."""
    path = Path(given_path(path))
    folder = path if path.is_dir() else path.parent
    near = [folder, folder / "files", folder.parent]
    releases: dict[str, str] = {}
    tags: tuple[str, ...] = ()
    where: dict[str, str] = {}
    card = _card(folder)
    if card is not None:
        text = _text(card)
        tags = _tags(text)
        if listed := _CARD_VERSIONS.search(text):
            found = _CARD_VERSION.finditer(listed["versions"])
            releases = {item["package"].lower(): item["release"] for item in found}
        where = dict.fromkeys((*releases, *(["tags"] if tags else [])), card.name)
    for file in _files(near, [_REQUIREMENTS]):
        named = {item["package"].lower(): item["release"] for item in _VERSION.finditer(_text(file))}
        releases = named | releases
        where = dict.fromkeys(named, file.name) | where
    settings: set[str] = set()
    for file in _files([*near, folder.parent.parent], [*_SETTINGS, _OVERRIDES, _METADATA]):
        names, recorded = _names(file)
        if names:
            where.setdefault("settings", file.name)
            settings |= names
        releases = recorded | releases
        where = dict.fromkeys(recorded, file.name) | where
    return Surroundings(releases, frozenset(settings), tags, where)


def _card(folder: Path) -> Path | None:
    """Return the model card of a run: beside its log, above it, or below it if it is the only one there."""
    for file in _files([folder, folder.parent], [_CARD]):
        if _FRONT.match(_text(file)) or "### Framework versions" in _text(file):
            return file
    with suppress(OSError):
        below = list(_files(_below(folder, os.stat(folder).st_mtime_ns), [_CARD]))
        return below[0] if len(below) == 1 and _FRONT.match(_text(below[0])) else None
    return None


@lru_cache(maxsize=64)
def _below(folder: Path, _changed: int) -> list[Path]:
    """Return the folders in one, unless they are many; looked through once while it is the same.

    Hundreds of logs may lie in one folder, and each asks for it.

    Raises:
        OSError: It can't be read.
    """
    with os.scandir(folder) as entries:
        names = sorted(entry.name for entry in entries if entry.is_dir(follow_symlinks=False))
    return [folder / name for name in names] if len(names) <= _MOST_FOLDERS else []


def _files(folders: list[Path], names: list[str]) -> Iterator[Path]:
    for folder in dict.fromkeys(folders):
        for name in names:
            # Nearly none is there, and this is asked for every one of many runs.
            file = os.path.join(folder, name)
            with suppress(OSError):
                if os.path.isfile(file) and not os.path.islink(file) and os.path.getsize(file) <= _LARGEST:
                    yield folder / name


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _tags(text: str) -> tuple[str, ...]:
    """Return the tags of a model card without those that most have."""
    front = _FRONT.match(text)
    tags = front and _TAGS.search(front["yaml"] + "\n")
    found = [item["tag"] for item in _TAG.finditer(tags["tags"])] if tags else []
    return tuple(tag for tag in found if tag not in _OF_ALL)


def _names(file: Path) -> tuple[set[str], dict[str, str]]:
    """Return names of settings in a file, and the releases that they record; none if it can't be read."""
    if file.name == _METADATA:
        try:
            arguments = json.loads(_text(file)).get("args", [])
        except (ValueError, AttributeError, RecursionError):
            return set(), {}
        return {name for text in arguments if isinstance(text, str) and (name := _argument(text))}, {}
    if file.name == "overrides.yaml":
        lines = (line.strip().removeprefix("- ").strip("'\"") for line in _text(file).splitlines())
        return {name for line in lines if (name := _argument(line))}, {}
    values = of_file(file).values
    named = ((_RELEASE.fullmatch(name), value) for name, value in values.items())
    recorded = {match["program"]: value for match, value in named if match and isinstance(value, str)}
    return {_plain(name) for name in values}, recorded


def _argument(text: str) -> str | None:
    match = _ARGUMENT.fullmatch(text)
    return match["name"].replace("-", "_") if match and (text.startswith("--") or "=" in text) else None


def _plain(name: str) -> str:
    """Return the name of a setting without what W&B puts around it."""
    return name.removesuffix(".value")
