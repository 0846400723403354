"""Translates a file, or every file of a folder that holds names."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from rlmetrics.names import infer_source
from rlmetrics.names.tables import Overlays, Tables

from .errors import InputError
from .files import default_output, replacing, require_free
from .kinds import KINDS, kind_of
from .report import Report
from .translator import Translator

__all__ = ["translate_file"]


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
    files, skipped = _find(path, kind)
    if not files:
        msg = f"holds no names that can be translated; kinds: {', '.join(KINDS)} (name one with --kind)"
        raise InputError(msg, path)
    if source == "auto":
        source = infer_source({name for file, kind_name in files for name in KINDS[kind_name].names(file)}, spec=spec)
    translator = Translator(
        source, target, config=config, bind=bind, spec=spec, strict=strict, both=both, unknown=unknown, surface=surface
    )
    total = translator.new_report(kind or _common_kind(files))
    with replacing(output) as part:
        for file, kind_name in files:
            report = translator.new_report(kind_name)
            goal = part if path.is_file() else part / file.relative_to(path)
            goal.parent.mkdir(parents=True, exist_ok=True)
            KINDS[kind_name].translate(file, goal, translator, report)
            report.outputs.append(str(output if path.is_file() else output / file.relative_to(path)))
            total.merge(report)
        if not total.translated and not total.collisions:
            first = ", ".join(sorted({*total.unknown, *total.unchanged, *total.set_aside})[:5]) or "none"
            msg = f"0 keys translated from {total.source} to {total.target}; is the source right? First names: {first}"
            raise InputError(msg, path)
    total.skipped = [str(file) for file in skipped]
    return total


def _find(path: Path, kind: str | None) -> tuple[list[tuple[Path, str]], list[Path]]:
    """Return the files to translate with their kinds, and those of a folder that hold no names."""
    candidates = [path] if path.is_file() else sorted(file for file in path.rglob("*") if file.is_file())
    found: list[tuple[Path, str]] = []
    skipped: list[Path] = []
    for file in candidates:
        name = kind_of(file, kind if path.is_file() else None)
        if name is None or (kind is not None and name != kind):
            skipped.append(file)
        else:
            found.append((file, name))
    return found, skipped


def _common_kind(files: list[tuple[Path, str]]) -> str:
    kinds = sorted({kind for _, kind in files})
    return kinds[0] if len(kinds) == 1 else "+".join(kinds)
