"""Translates a file, or every file of a folder that holds names."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from rlmetrics.names import AmbiguousError
from rlmetrics.names.errors import NamesError
from rlmetrics.names.tables import Overlays, Tables

from .agreement import open_translator
from .detection import Source, located, sources_of
from .errors import InputError
from .files import default_output, discard, require_free
from .jsontree import Document, TreeError
from .judging import judged
from .kinds import DATABASES, KINDS, ROW_KINDS, surface_of, wandb
from .placing import recover, replacing
from .report import Report
from .translator import Translator, nothing_translated
from .tree import Tree, Unit, survey

__all__ = ["translate_file"]

Progress = Callable[[Path, int, int], None]


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
    copy_others: bool = True,
    progress: Progress | None = None,
) -> Report:
    """Write a translated copy of a file or folder; the input is never changed.

    Args:
        path: A file of a known kind, or a folder of them, whose tree the copy mirrors.
        target: Where the names go, such as ``trl[PPOTrainer]==0.18.2`` or ``canonical``.
        source: Where they come from; ``auto`` infers it from the names, for each run of a folder. Several that explain
            the names equally well are all right as long as they make the same of every name.
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
        copy_others: Copy files of a folder that hold no names, such as weights; they are left out otherwise.
        progress: Called before each file with its path, and how many of how many bytes are done.

    Returns:
        What was translated, kept, set aside and lost. A damaged file does not keep those beside it from being
        translated: it is left out of the copy of a folder, and the report says why.

    Raises:
        InputError: If the input is no file of a known kind, is broken, or no key of it could be translated; nothing
            has been written then.
        NamesError: If source, target or configuration can't be resolved.
    """
    if isinstance(path, str) and not path:
        msg = "the input has no name; an unset variable?"
        raise InputError(msg)
    path = Path(path)
    if not path.exists():
        msg = "is a symbolic link that leads nowhere" if path.is_symlink() else "no such file or folder"
        raise InputError(msg, path)
    if not path.is_file() and not path.is_dir():
        msg = "is a pipe or a device, which can be read only once; save it as a file first"
        raise InputError(msg, path)
    output = default_output(path) if output is None else Path(output)
    recovered = recover(output)
    require_free(output, path, force=force)
    tree = survey(path, kind)
    if not tree.units:
        _refuse_broken(path)
        msg = f"holds no names that can be translated; kinds: {', '.join(KINDS)} (name one with --kind)"
        raise InputError(next(iter(tree.unreadable.values()), msg), None if tree.unreadable else path)
    options = {"config": config, "bind": bind, "spec": spec, "strict": strict, "both": both, "unknown": unknown}
    job = _Job(target, options, surface, wandb.Options(new_id=new_run_id, keep_alerts=keep_alerts))
    sources: dict[Path, dict[str | None, Source]]
    if source == "auto":
        sources = sources_of(tree.units, config=config, spec=spec)
    else:
        sources = {unit.path: {None: source} for unit in tree.units}
        job.translator(source, tree.units[0])
    with replacing(output) as part:
        total = _translate(path, part, tree, sources, job, progress)
        total.kind = kind or total.kind
        total.outputs = [str(output / Path(file).relative_to(part)) for file in total.outputs]
        total.notes += recovered
        if path.is_dir():
            _mirror(path, part, tree, total, copy_others=copy_others)
        if not total.translated and not total.collisions:
            raise InputError(nothing_translated(total, job.translators.values()), path)
    return total


def _refuse_broken(path: Path) -> None:
    """Say where a JSON or YAML file is broken: no kind recognises one that is.

    Raises:
        InputError: If the file can't be read as what its name says.
    """
    if not path.is_file():
        return
    if path.suffix in {".yaml", ".yml"}:
        KINDS["config"].names(path)
    if path.suffix == ".json":
        document = Document(path.read_bytes().decode("utf-8", errors="replace"))
        try:
            document.parse()
        except TreeError as error:
            msg = f"not JSON: {error}; mend it here"
            raise InputError(msg, path, *document.position(error.offset)) from None


@dataclass
class _Job:
    """What is done to every unit, with one translator for each source and surface."""

    target: str
    options: dict[str, Any]
    surface: str | None
    wandb: wandb.Options

    def __post_init__(self) -> None:
        self.translators: dict[tuple[str | AmbiguousError, str | None], Translator] = {}

    def translator(self, source: str | AmbiguousError, unit: Unit) -> Translator:
        """Return the translator from a source, or from several that agree, for units like this one."""
        surface = self.surface or surface_of(unit.kind)
        if (source, surface) not in self.translators:
            self.translators[source, surface] = open_translator(source, self.target, surface=surface, **self.options)
        return self.translators[source, surface]

    def translate(self, unit: Unit, goal: Path, sources: Mapping[str | None, Source]) -> list[Report]:
        """Write the translation of a unit to ``goal``; there is an account for each source of its runs.

        Raises:
            InputError: If it is damaged, or its source can't be known; also NamesError for that.
        """
        runs: dict[str | AmbiguousError, list[str]] = {}
        for run, source in sources.items():
            if not isinstance(source, str | AmbiguousError):
                raise source
            runs.setdefault(source, []).append(run or "")
        if len(runs) == 1:
            return [self._whole(unit, goal, next(iter(runs)))]
        self._require_all(unit, runs)
        reports: list[Report] = []
        with tempfile.TemporaryDirectory(prefix=f".{goal.name}.", dir=goal.parent) as folder:
            path = unit.path
            for number, (source, names) in enumerate(runs.items()):
                part, listed = Path(folder, str(number)), ", ".join(names)
                try:
                    report = self._written(path, part, self.translator(source, unit), unit.kind, names)
                except NamesError as error:
                    raise located(f"run {listed}", error) from None
                report.path = f"{unit.path} ({listed})"
                reports.append(report)
                path = part
            path.replace(goal)
        return reports

    def _require_all(self, unit: Unit, runs: Mapping[str | AmbiguousError, list[str]]) -> None:
        """Make sure that every run of a database can be translated: one copy does not hold old and new names.

        Raises:
            NamesError: If the source of some is not certain; it names them.
        """
        refused: list[tuple[str, NamesError]] = []
        for source, names in runs.items():
            try:
                self.translator(source, unit)
            except NamesError as error:
                refused.append((", ".join(names), error))
        if refused:
            listed, reason = refused[0]
            more = "; ".join(names for names, _ in refused[1:])
            raise located(f"run {listed} (and likewise {more})" if more else f"run {listed}", reason)

    def _whole(self, unit: Unit, goal: Path, source: str | AmbiguousError) -> Report:
        translator = self.translator(source, unit)
        try:
            report = self._written(unit.path, goal, translator, unit.kind)
        except InputError as error:
            raise error if error.path else InputError(str(error), unit.path) from None
        report.path = str(unit.path)
        return report

    def _written(
        self, path: Path, goal: Path, translator: Translator, kind: str, only: list[str] | None = None
    ) -> Report:
        """Write a path, all runs of it or some, and return the account."""

        def write(path: Path, goal: Path, report: Report, only: list[str] | None) -> None:
            if kind == "wandb":
                wandb.translate(path, goal, translator, report, self.wandb)
            elif kind in DATABASES:
                DATABASES[kind].translate(path, goal, translator, report, only)
            else:
                KINDS[kind].translate(path, goal, translator, report)

        if kind in ROW_KINDS:
            return judged(path, goal, translator, kind, write, lambda: ROW_KINDS[kind].rows(path), only)
        report = translator.new_report(kind)
        write(path, goal, report, only)
        return report


def _translate(
    path: Path,
    part: Path,
    tree: Tree,
    sources: Mapping[Path, Mapping[str | None, Source]],
    job: _Job,
    progress: Progress | None,
) -> Report:
    """Translate all units; one that is damaged is left out and reported, unless nothing else is left.

    Raises:
        InputError: If no unit could be translated.
        NamesError: Likewise, or if there is no such target.
    """
    reports: list[Report] = []
    failed: dict[Path, Exception] = {}
    size, done = sum(unit.size for unit in tree.units), 0
    for unit in tree.units:
        if progress:
            progress(unit.path, done, size)
        was_guessed = any(isinstance(source, NamesError) for source in sources[unit.path].values())
        scratch = part if unit.path == path and path.is_file() else part / f".{os.getpid()}.unit"
        scratch.parent.mkdir(exist_ok=True)
        try:
            found = job.translate(unit, scratch, sources[unit.path])
        except (InputError, NamesError) as error:
            failed[unit.path] = error
            if isinstance(error, NamesError) and was_guessed:
                failed[unit.path] = located(unit.path, error)
            discard(scratch)
        except (PermissionError, FileNotFoundError) as error:
            failed[unit.path] = InputError(error.strerror or str(error), unit.path)
            discard(scratch)
        else:
            found[0].outputs = [str(file) for file in _settle(scratch, part / unit.path.relative_to(path))]
            reports += found
        done += unit.size
    if not reports:
        raise next(iter(failed.values()))
    total = Report.of(reports)
    total.failed = {str(file): str(error) for file, error in failed.items()}
    return total


def _settle(scratch: Path, goal: Path) -> list[Path]:
    """Move what was written for a unit to its place, and return the files there."""
    if scratch == goal or not scratch.exists():
        return [goal] if goal.is_file() else []
    if scratch.is_file():
        goal.parent.mkdir(parents=True, exist_ok=True)
        scratch.replace(goal)
        return [goal]
    moved = []
    for file in sorted(found for found in scratch.rglob("*") if found.is_file()):
        place = goal / file.relative_to(scratch)
        place.parent.mkdir(parents=True, exist_ok=True)
        moved.append(file.replace(place))
    shutil.rmtree(scratch)
    return moved


def _mirror(path: Path, part: Path, tree: Tree, total: Report, *, copy_others: bool) -> None:
    """Bring over what holds no names: folders, other files, code, which is only reported, and links within the tree."""
    for folder in tree.folders:
        (part / folder.relative_to(path)).mkdir(parents=True, exist_ok=True)
    total.failed.update({str(file): message for file, message in tree.unreadable.items()})
    code = [unit.path for unit in tree.units if unit.path.suffix == ".py" and str(unit.path) not in total.failed]
    total.notes += [f"{file}: is compressed: names in it stay as they are; unpack it first" for file in tree.packed]
    others = [*tree.others, *code] if copy_others else code
    for file in others:
        goal = part / file.relative_to(path)
        shutil.copy2(file, goal)
        total.copied.append(str(file))
    for link in tree.links:
        goal = part / link.relative_to(path)
        if goal.exists():
            continue  # what it leads to belongs to a run here, too, and has been translated
        root = path.resolve()
        aim = root / link.resolve().relative_to(root)
        goal.symlink_to(os.path.relpath(aim, root / link.parent.relative_to(path)))
    total.skipped += [str(file) for file in (*tree.skipped, *(() if copy_others else tree.others))]
