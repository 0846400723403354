"""Writes the first files of an overlay: a framework of one's own, or a trainer that extends a described one.

What is written passes lint: a guess that does not becomes a comment, with what lint said of it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from .lint import lint
from .loader import load
from .meaning.resolution import chain, constants

if TYPE_CHECKING:
    from rlmetrics.answers.guessed_keys import GuessedKey

    from .findings import SpecFinding

__all__ = ["Draft", "OwnFramework", "OwnTrainer", "drafted"]

_ROUNDS = 4
_FIRST = "0.1.0"
_PLAIN = re.compile(r"[A-Za-z_][\w/.-]*")
_RESERVED = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})
_WIDE = 130


@dataclass(frozen=True)
class OwnFramework:
    """A framework that nobody described.

    Attributes:
        name: Its name in sources, also that of its package.
    """

    name: str

    @property
    def source(self) -> str:
        """How it is asked for."""
        return f"{self.name}=={_FIRST}"

    def files(self, keys: str) -> dict[str, str]:
        """Return what is written, by path; ``keys`` is the table of keys."""
        module = self.name.replace("-", "_")
        folder = f"frameworks/{self.name}"
        return {
            f"{folder}/framework.yaml": (
                f"framework: {self.name}\n"
                f"title: {self.name} # as people write it\n"
                f"package: {self.name} # as pip installs it\n"
                f"brief: A framework of our own. # what it is\n"
                "releases: # from the oldest to the newest\n"
                f"  - {{release: {_FIRST}, date: '{date.today().isoformat()}'}}\n"
                "allow:\n"
                "  - {check: unproven-framework, reason: Nobody has read its source yet.} # until then\n"
            ),
            f"{folder}/trainer.yaml": (
                f"title: {_class(self.name)}\n"
                "brief: The loop that logs. # what it trains, and how\n"
                f"components: [{{name: {_class(self.name)}, releases: {_FIRST}.., module: {module}.trainer}}]\n"
                "tracking: [{route: direct, enable: nothing, x_axis: step}] # how numbers reach a tracker\n"
                f"{keys}"
            ),
        }


@dataclass(frozen=True)
class OwnTrainer:
    """A trainer beside those of a described framework.

    Attributes:
        name: The overlay's name.
        framework: The framework.
        stem: The file whose keys it takes over.
        release: The first release with which it runs.
        constants: Placeholders of the extended file that stand for the name of its class.
    """

    name: str
    framework: str
    stem: str
    release: str
    constants: tuple[str, ...] = ()

    @property
    def source(self) -> str:
        """How it is asked for."""
        return f"{self.framework}[{_class(self.name)}]=={self.release}"

    def files(self, keys: str) -> dict[str, str]:
        """Return what is written, by path; ``keys`` is the table of keys."""
        module = self.name.replace("-", "_")
        return {
            f"frameworks/{self.framework}/{module}.yaml": (
                f"title: {_class(self.name)}\n"
                "brief: A trainer of our own. # what it does otherwise than the one that it extends\n"
                f"components: [{{name: {_class(self.name)}, releases: {self.release}.., module: {module}.trainer}}]\n"
                f"extends: [{self.stem}]\n"
                f"{self._constants()}"
                "tracking: [{route: direct, enable: nothing, x_axis: step}] # how numbers reach a tracker\n"
                f"{keys}"
            )
        }

    def _constants(self) -> str:
        """Return the placeholders that stand for the name of the class."""
        name = _class(self.name)
        lines = [
            f"  {each}: {{brief: The name of the class., pattern: {name}, examples: [{name}]}}\n"
            for each in self.constants
        ]
        return "".join(["placeholders:\n", *lines]) if lines else ""


@dataclass(frozen=True)
class Draft:
    """What is to be written.

    Attributes:
        files: Contents by path in the overlay.
        kept: Guesses that stand as records.
        left: Keys that stand as comments, with the reason.
    """

    files: Mapping[str, str]
    kept: tuple[GuessedKey, ...]
    left: Mapping[str, str]


def drafted(
    own: OwnFramework | OwnTrainer, guesses: Sequence[GuessedKey], spec: Path, overlays: Sequence[Path]
) -> Draft:
    """Return the files of an overlay that passes lint.

    Args:
        own: What is described.
        guesses: Its keys.
        spec: The folder ``spec``.
        overlays: Overlays that are there already.
    """
    if isinstance(own, OwnTrainer):
        described = load(spec, overlays).frameworks[own.framework].files
        own = replace(own, constants=tuple(constants([described[stem] for stem in chain(described, own.stem)])))
    left = {item.key: item.why for item in guesses if item.metric is None}
    kept = [item for item in guesses if item.metric is not None]
    for _ in range(_ROUNDS):
        files = own.files(_keys(kept, left))
        faults = _faults(files, spec, overlays)
        wrong = {key: fault for key, fault in faults.items() if any(item.key == key for item in kept)}
        if not wrong:
            break
        left.update(wrong)
        kept = [item for item in kept if item.key not in wrong]
    return Draft(own.files(_keys(kept, left)), tuple(kept), left)


def _faults(files: Mapping[str, str], spec: Path, overlays: Sequence[Path]) -> dict[str, str]:
    """Return what lint finds at keys, by key."""
    with TemporaryDirectory() as folder:
        for path, text in files.items():
            place = Path(folder, path)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")
        found = lint(spec, [*overlays, Path(folder)])
        faults: dict[str, str] = {}
        for item in found:
            path = item.location.file.removeprefix(f"{Path(folder).as_posix()}/")
            if path in files and path != item.location.file:
                faults.setdefault(_key_at(files[path], item), f"lint: {item.message}")
    return faults


def _key_at(text: str, finding: SpecFinding) -> str:
    """Return the key on whose line a finding is."""
    match = re.match(r'  (?P<key>"(?:\\.|[^"\\])*"|[^\s:{]+): \{', text.splitlines()[finding.location.line - 1])
    if match is None:
        return ""
    key: str = match["key"]
    return str(json.loads(key)) if key.startswith('"') else key


def _keys(kept: Sequence[GuessedKey], left: Mapping[str, str]) -> str:
    """Return the table of keys: records for guesses, comments for the others."""
    lines = [
        "# Every metric below is a guess by name. Read the line that writes the key, correct the metric, and say over",
        "# what (population) and how (reduction) it is computed, or `as_defined: true`; until then it is unreviewed.",
        "keys:" if kept else "keys: {} # such as `kl: {metric: kl/reference/k3}`",
    ]
    lines += [_cut(f"  {_quoted(item.key)}: {{metric: {item.metric}}} # {item.why}") for item in kept]
    if left:
        lines += [
            "# What these measure nobody knows:",
            *(_cut(f"#  {_quoted(key)}: {why}") for key, why in left.items()),
        ]
    return "\n".join(lines) + "\n"


def _cut(line: str) -> str:
    line = " ".join(line.split("\n"))
    return line if len(line) <= _WIDE or " # " not in line else f"{line[: _WIDE - 2].rstrip()} …"


def _quoted(key: str) -> str:
    return key if _PLAIN.fullmatch(key) and key.lower() not in _RESERVED else json.dumps(key, ensure_ascii=False)


def _class(name: str) -> str:
    """Return a name for the class of a trainer."""
    words = "".join(part[:1].upper() + part[1:] for part in re.split(r"[-_]+", name) if part)
    return words if words.endswith("Trainer") else f"{words}Trainer"
