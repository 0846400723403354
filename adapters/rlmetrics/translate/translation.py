"""Translates a file, or every file of a folder that holds names."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from rlmetrics.names import infer_source
from rlmetrics.names.tables import Overlays, Tables

from .errors import InputError
from .files import default_output, replacing, require_free
from .kinds import FOLDER_KINDS, KINDS, kind_of, wandb
from .report import Report
from .translator import Translator

__all__ = ["translate_file"]


@dataclass(frozen=True, slots=True)
class _Unit:
    """A file, or a folder of which some files are translated together."""

    path: Path
    kind: str
    files: tuple[Path, ...]


def translate_file(
    path: str | Path,
    *,
    target: str,
    source: str = "auto",
    output: str | Path | None = None,
    kind: str | None = None,
    force: bool = False,
    config: Mapping[str, Any] | None = None,
    bind: Mapping[str, str] | None = None,
    spec: Overlays | Tables = None,
    strict: bool = False,
    both: bool = False,
    unknown: Literal["keep", "drop", "error"] = "keep",
    surface: str | None = None,
    new_run_id: bool = False,
    keep_alerts: bool = False,
) -> Report:
    """Write a translated copy of a file or folder; the input is never changed.

    Args:
        path: A file of a known kind, or a folder of them. Files of a folder that hold no names are left out and
            reported.
        target: Where the names go, such as ``trl[PPOTrainer]==0.18.2`` or ``canonical``.
        source: Where they come from; ``auto`` infers it from the names.
        output: Where the copy goes; ``path`` with ``.translated`` appended if left out.
        kind: One of ``KINDS``; recognised from name and content if left out.
        force: Overwrite an existing output.
        config: As for ``Translator``.
        bind: As for ``Translator``.
        spec: As for ``Translator``.
        strict: As for ``Translator``.
        both: As for ``Translator``.
        unknown: As for ``Translator``.
        surface: As for ``Translator``.
        new_run_id: Give runs of W&B new ids, so that they can be synced beside the originals.
        keep_alerts: Keep the alerts of runs of W&B, which syncing would send again.

    Returns:
        What was translated, kept, set aside and lost.

    Raises:
        InputError: If the input is no file of a known kind, is broken, or no key of it could be translated; nothing
            has been written then.
        NamesError: If source, target or configuration can't be resolved.
    """
    path = Path(path)
    if not path.exists():
        msg = "no such file or folder"
        raise InputError(msg, path)
    output = default_output(path) if output is None else Path(output)
    require_free(output, path, force=force)
    units, skipped = _find(path, kind)
    if not units:
        msg = f"holds no names that can be translated; kinds: {', '.join(KINDS)} (name one with --kind)"
        raise InputError(msg, path)
    if source == "auto":
        keys = {name for unit in units for name in KINDS[unit.kind].names(unit.path)}
        source = infer_source(keys, releases=_releases(units), config=config, spec=spec)
    translator = Translator(
        source, target, config=config, bind=bind, spec=spec, strict=strict, both=both, unknown=unknown, surface=surface
    )
    total = translator.new_report(kind or _common_kind(units))
    with replacing(output) as part:
        for unit in units:
            report = translator.new_report(unit.kind)
            goal = part if unit.path == path else part / unit.path.relative_to(path)
            goal.parent.mkdir(parents=True, exist_ok=True)
            if unit.kind == "wandb":
                options = wandb.Options(new_id=new_run_id, keep_alerts=keep_alerts)
                wandb.translate(unit.path, goal, translator, report, options)
            else:
                KINDS[unit.kind].translate(unit.path, goal, translator, report)
            written = [goal / file.relative_to(unit.path) for file in unit.files]
            report.outputs += [str(output / file.relative_to(part)) for file in written if file.exists()]
            total.merge(report)
        if not total.translated and not total.collisions:
            first = ", ".join(sorted({*total.unknown, *total.unchanged, *total.set_aside})[:5]) or "none"
            msg = f"0 keys translated from {total.source} to {total.target}; is the source right? First names: {first}"
            raise InputError(msg, path)
    total.skipped = [str(file) for file in skipped]
    return total


def _find(path: Path, kind: str | None) -> tuple[list[_Unit], list[Path]]:
    """Return what there is to translate, and the files of a folder that hold no names."""
    if path.is_file():
        name = kind_of(path, kind)
        return ([_Unit(path, name, (path,))] if name else []), []
    if kind is not None:
        kind_of(path, kind)
    units: list[_Unit] = []
    skipped: list[Path] = []
    claimed: set[Path] = set()
    for folder, _, entries in sorted(os.walk(path)):
        found = [_Unit(Path(folder), name, tuple(held)) for name, held in _members(Path(folder), kind)]
        found = [unit for unit in found if claimed.isdisjoint(unit.files)]
        units += found
        claimed.update(file for unit in found for file in unit.files)
        for file in (Path(folder, entry) for entry in sorted(entries)):
            if file in claimed or not file.is_file():
                continue
            name = kind_of(file, None)
            if name is None or (kind is not None and name != kind):
                skipped.append(file)
            else:
                units.append(_Unit(file, name, (file,)))
    return units, skipped


def _releases(units: list[_Unit]) -> dict[str, str]:
    """Return which releases the runs say were installed, as far as they agree."""
    said = [pair for unit in units if unit.kind == "wandb" for pair in wandb.releases(unit.path).items()]
    return {framework: release for framework, release in said if len({r for f, r in said if f == framework}) == 1}


def _members(folder: Path, kind: str | None) -> list[tuple[str, list[Path]]]:
    wanted = {name: found for name, found in FOLDER_KINDS.items() if kind in (None, name)}
    return [(name, held) for name, found in wanted.items() if (held := found.members(folder))]


def _common_kind(units: list[_Unit]) -> str:
    kinds = sorted({unit.kind for unit in units})
    return kinds[0] if len(kinds) == 1 else "+".join(kinds)
