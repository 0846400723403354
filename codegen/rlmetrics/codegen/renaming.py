"""Renames a metric everywhere: in the spec, and in the tests, pages and modules that name it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from rlmetrics.names.sources.source import nearest

from .generate.driver import OWNED
from .model import ComponentFile
from .output.prose import anchor, function_name, registry_key
from .output.store import replace
from .spec import Spec

__all__ = ["Edited", "MetricRenaming", "RenameError", "plan"]

_CANONICAL = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*(?:/[a-z0-9]+(?:_[a-z0-9]+)*)+")
_TEXTS = (".py", ".md", ".yaml", ".yml", ".json", ".toml", ".j2", ".txt")
_FOLDERS = ("spec", "docs", "tests", "adapters", "codegen")
_OF_FRAMEWORKS = frozenset({"key", "keys", "also", "renamed", "name", "aliases"})
"""Fields of the spec that hold names of frameworks and conventions, never ids of metrics."""


class RenameError(ValueError):
    """A renaming that cannot be done; the text is one line."""


@dataclass(frozen=True)
class Edited:
    """A file as it will be, and how many names change in it."""

    path: str
    text: str
    count: int


@dataclass(frozen=True)
class MetricRenaming:
    """Everything that a renaming changes.

    Attributes:
        edited: The files.
        left: Places (``file:line``) that hold the old name and are left alone: a framework logs a key of that name, or
            it is part of a longer one, and only a person can tell what is meant.
    """

    edited: tuple[Edited, ...]
    left: tuple[str, ...]

    def write(self, root: Path) -> None:
        """Write the files, each in one step."""
        for one in self.edited:
            replace(root / one.path, one.text.encode("utf-8", "surrogateescape"))


def plan(spec: Spec, root: Path, old: str, new: str, why: str) -> MetricRenaming:
    """Work out what a renaming changes; nothing is written.

    Args:
        spec: The spec of the checkout.
        root: The checkout.
        old: The id of a metric.
        new: What it will be called.
        why: The reason, for ``spec.yaml``.

    Returns:
        Every file with the new name. All other text of the files stays as it is.

    Raises:
        RenameError: There is no such metric, or the new name cannot be had.
    """
    _check(spec, old, new)
    names = _names(spec, old, new)
    logged = {key for _, _, file in spec.component_files() for key in _keys_of(file)}
    is_clear = old not in logged
    edited, left = [], []
    for path in _files(root):
        text = (root / path).read_bytes().decode("utf-8", "surrogateescape")
        if not any(name in text for name in names):
            continue
        if path.startswith("spec/"):
            changed, count = _in_spec(path, text, old, new, is_clear=is_clear)
        elif is_clear:
            changed, count = _replaced(text, names)
        else:
            changed, count = _replaced(text, {name: names[name] for name in names if name != old})
        if path == "spec/spec.yaml":
            continue
        if count:
            edited.append(Edited(path, changed, count))
        left += [f"{path}:{number}" for number in _lines_with(changed, old)] if not path.startswith("spec/") else []
    recorded = _record(spec, (root / "spec" / "spec.yaml").read_text(encoding="utf-8"), old, new, why)
    return MetricRenaming((*edited, Edited("spec/spec.yaml", recorded, 1)), tuple(left))


def _check(spec: Spec, old: str, new: str) -> None:
    if old not in spec.metrics:
        renamed = {rename.from_: rename.to for rename in spec.info.renamed}
        hint = f"it is called {renamed[old]} now" if old in renamed else nearest(old, spec.metrics, "metrics")
        raise RenameError(f"there is no metric {old}; {hint}")
    if not _CANONICAL.fullmatch(new):
        raise RenameError(f"{new} is not lower snake case with slashes, such as family/what_is_measured/statistic")
    if new in spec.metrics:
        raise RenameError(f"{new} is another metric, at {spec.locate_metric(new)}; choose a free name")
    if any(rename.from_ == new for rename in spec.info.renamed):
        raise RenameError(f"{new} was the name of another metric once, and old logs still use it; choose a free name")
    family = spec.family_of[old]
    if new.partition("/")[0] != family:
        raise RenameError(f"{new} does not begin with its family {family}/; a renaming leaves a metric in its file")


def _names(spec: Spec, old: str, new: str) -> dict[str, str]:
    """Return every form of the name with what takes its place: ids, functions, and anchors of pages."""
    names = {old: new}
    for variant in (None, *spec.metrics[old].variants):
        names[function_name(old, variant)] = function_name(new, variant)
        names[f"#{anchor(registry_key(old, variant))}"] = f"#{anchor(registry_key(new, variant))}"
    return names


def _keys_of(file: ComponentFile) -> Iterator[str]:
    for name, _, record in file.records():
        yield from record.family or (name,)


def _files(root: Path) -> Iterator[str]:
    """Yield every file that people wrote and that may name a metric."""
    yield from (path.name for path in sorted(root.glob("*.md")))
    for folder in _FOLDERS:
        for place, folders, files in os.walk(root / folder):
            here = Path(place).relative_to(root).as_posix()
            if here in OWNED:
                folders.clear()
                continue
            folders[:] = sorted(name for name in folders if not name.startswith((".", "__pycache__")))
            yield from (f"{here}/{name}" for name in sorted(files) if name.endswith(_TEXTS))


def _pattern(name: str) -> re.Pattern[str]:
    before = "" if name.startswith("#") else r"(?<![\w/.-])" if "/" in name else r"(?<!\w)"
    return re.compile(rf"{before}{re.escape(name)}(?![\w/-])")


def _replaced(text: str, names: Mapping[str, str]) -> tuple[str, int]:
    total = 0
    for name, other in names.items():
        text, count = _pattern(name).subn(other, text)
        total += count
    return text, total


def _lines_with(text: str, name: str) -> list[int]:
    pattern = re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w/-])")
    return [number for number, line in enumerate(text.split("\n"), 1) if pattern.search(line)]


def _in_spec(path: str, text: str, old: str, new: str, *, is_clear: bool) -> tuple[str, int]:
    """Replace the name in a file of the spec, but not where it is what a framework or a convention calls something."""
    pattern = _pattern(old)
    is_framework = path.startswith("spec/frameworks/")

    def is_id(node: ScalarNode, field: str, *, key: bool) -> bool:
        if field in _OF_FRAMEWORKS or (key and is_framework):
            return False
        return is_clear or node.value.partition("@")[0] == old or f"'{old}" in node.value

    spans = [
        (node.start_mark.index, node.end_mark.index)
        for node, field, key in _scalars(yaml.compose(text, yaml.CSafeLoader))
        if pattern.search(node.value) and is_id(node, field, key=key)
    ]
    count = 0
    for start, end in sorted(spans, reverse=True):
        part, times = pattern.subn(new, text[start:end])
        text = text[:start] + part + text[end:]
        count += times
    return text, count


def _scalars(node: Node | None, field: str = "", *, key: bool = False) -> Iterator[tuple[ScalarNode, str, bool]]:
    """Yield every scalar with the field in which it stands, and whether it is a key of a mapping."""
    if isinstance(node, ScalarNode):
        yield node, field, key
    elif isinstance(node, SequenceNode):
        for item in node.value:
            yield from _scalars(item, field)
    elif isinstance(node, MappingNode):
        for name, value in node.value:
            yield from _scalars(name, field, key=True)
            yield from _scalars(value, str(name.value))


def _record(spec: Spec, text: str, old: str, new: str, why: str) -> str:
    """Return ``spec.yaml`` with the renaming; earlier names lead to the new one at once."""
    text = re.sub(rf"(\bto: *){re.escape(old)}(?=\s*[,}}\n])", rf"\g<1>{new}", text)
    quoted = why.replace("\\", "\\\\").replace('"', '\\"')
    entry = f'  - {{from: {old}, to: {new}, since: "{spec.info.version}", why: "{quoted}"}}\n'
    if re.search(r"^renamed:\s*\[\]\s*$", text, re.MULTILINE):
        return re.sub(r"^renamed:\s*\[\]\s*$", lambda _: f"renamed:\n{entry.rstrip()}", text, flags=re.MULTILINE)
    lines = text if text.endswith("\n") else text + "\n"
    if not re.search(r"^renamed:", lines, re.MULTILINE):
        return f"{lines}renamed:\n{entry}"
    block = re.search(r"^renamed:[^\n]*\n((?:[ \t]+[^\n]*\n|\n|- [^\n]*\n)*)", lines, re.MULTILINE)
    assert block is not None
    end = block.start() + len(block[0].rstrip("\n")) + 1
    return lines[:end] + entry + lines[end:]
