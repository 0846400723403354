"""Translates a file, or every file of a folder that holds names."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal

from rlmetrics.lazy_dataclasses import dataclass, replace
from rlmetrics.logs.files import default_output, naming, require_free
from rlmetrics.logs.folder_tree import Tree, Unit, survey
from rlmetrics.logs.input_errors import InputError
from rlmetrics.logs.kinds import KINDS
from rlmetrics.logs.kinds.config import refuse_broken
from rlmetrics.logs.optional_packages import MissingPackageError, told_once
from rlmetrics.logs.unrecognised import why_unrecognised
from rlmetrics.names.inference import Clues, NamesRead, names_read
from rlmetrics.names.sources.source import bases_left_open, source_parts
from rlmetrics.names.tables.loading import load_tables
from rlmetrics.names.tables.tables import Overlays, Tables
from rlmetrics.names.tables.user_errors import UserError

from . import shards
from .detection import origins_of
from .jobs import Job
from .mirroring import bring_over, settled, shape
from .misfits import misfits
from .origins import Known, Origin, Unknown
from .placing import recover, replacing
from .processes import Task, done_in
from .report import Report
from .shards import Shard, Share
from .translation_options import Options
from .translator import Translator, nothing_translated

__all__ = ["translate_file"]

Progress = Callable[[Path, int, int], None]

_LARGE = 1 << 26
"""What is larger goes nowhere in a dry run."""


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
    program: str | None = None,
    new_run_id: bool = False,
    keep_alerts: bool = False,
    copy_others: bool = True,
    dry_run: bool = False,
    jobs: int = 1,
    shard: str | None = None,
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
        program: As for ``Translator``.
        new_run_id: Give runs of W&B new ids, so that they can be synced beside the originals.
        keep_alerts: Keep the alerts of runs of W&B, which syncing would send again.
        copy_others: Copy files of a folder that hold no names, such as weights; they are left out otherwise.
        dry_run: Write nothing; the account is the same. What is not large is written to a temporary folder meanwhile.
        jobs: How many processes translate the files of a folder. A script that asks for several needs the guard
            ``if __name__ == "__main__":``, as with all of ``multiprocessing``.
        shard: Which share of a folder is translated, such as ``1/8``; the copy appears when all are done.
        progress: Called with the path of a file, and how many of how many bytes are done.

    Returns:
        What was translated, kept, set aside and lost. A damaged file does not keep those beside it from being
        translated: it is left out of the copy of a folder, and the report says why.

    Raises:
        InputError: If the input is no file of a known kind, is broken, or no key of it could be translated; nothing
            has been written then.
        NamesError: If source, target or configuration can't be resolved.
    """
    options = Options(
        target=target,
        source=source,
        kind=kind,
        config=config,
        bind=bind,
        spec=spec,
        strict=strict,
        both=both,
        unknown=unknown,
        surface=surface,
        program=program,
        new_run_id=new_run_id,
        keep_alerts=keep_alerts,
        copy_others=copy_others,
        dry_run=dry_run,
    )
    path = _checked(path)
    output = default_output(path) if output is None else Path(output)
    part_of = None if shard is None else Shard.parse(shard)
    if part_of and not path.is_dir():
        msg = "is a single file: only folders can be split into shares"
        raise InputError(msg, path)
    recovered = [] if dry_run else recover(output)
    require_free(output, path, force=force)
    tree = survey(path, kind)
    archive = next((unit.form for unit in tree.units if unit.form is not None and unit.form.is_archive), None)
    if archive is not None:
        msg = f"is {archive.forms[-1].name}; unpack it, and translate the folder"
        raise InputError(msg, path)
    if not tree.units:
        if path.is_file():
            refuse_broken(path)
        why = why_unrecognised(path) or "holds no names that can be translated"
        msg = f"{why}; kinds: {', '.join(KINDS)} (name one with --kind)"
        raise InputError(next(iter(tree.unreadable.values()), msg), None if tree.unreadable else path)
    job, alone = Job(options), dict[Path, str]()
    origins: dict[Path, dict[str | None, Origin]]
    if source == "auto":
        origins = origins_of(tree.units, spec=spec)
    else:
        named = job.translator(Known(source), tree.units[0])
        alone = _left_alone(tree, named, options)
        origins = _named_origins(tree, source, spec)
    work = _Work(path, output, tree, origins, job, options, jobs, progress, alone)
    if part_of:
        total = work.share(part_of)
    elif dry_run:
        with tempfile.TemporaryDirectory() as folder, naming(Path(folder)):
            total = work.whole(Path(folder, "new"))
    else:
        with replacing(output, force=force) as part:
            total = work.whole(part)
    total.notes += recovered
    return total


def _named_origins(tree: Tree, source: str, spec: Overlays | Tables) -> dict[Path, dict[str | None, Origin]]:
    """Return the named source for each unit: all that it may be, where it leaves open on what another one runs."""
    among = bases_left_open(source, load_tables(spec))
    found = origins_of(tree.units, spec=spec, among=among) if among else {}
    return {unit.path: _known(found.get(unit.path, {}), source, _read(unit, source, spec)) for unit in tree.units}


def _known(found: dict[str | None, Origin], source: str, read: NamesRead) -> dict[str | None, Origin]:
    """Return where the names of runs come from, from the named source if nothing tells more."""
    named = Known(source, read.prefix, read.spelling)
    return {name: named if isinstance(origin, Unknown) else origin for name, origin in found.items()} or {None: named}


def _read(unit: Unit, source: str, spec: Overlays | Tables) -> NamesRead:
    """Return how the names of a log are read as keys of the named source; what can't be read is told later."""
    with suppress(InputError, OSError):
        if not unit.kind.is_layout:
            parts = source_parts(source)
            return names_read(Clues(tuple(sorted(unit.open().names()))), spec, parts[0] if parts else "")
    return NamesRead()


def _left_alone(tree: Tree, named: Translator, options: Options) -> dict[Path, str]:
    """Take the files of a folder that another program logged than the named source out of what is translated."""
    found = misfits(tree.units, named.report.source, options.spec) if len(tree.units) > 1 else {}
    if len(found) == len(tree.units):
        return {}
    tree.others += [file for unit in tree.units if unit.path in found for file in unit.files]
    tree.units = [unit for unit in tree.units if unit.path not in found]
    return found


def _checked(path: str | Path) -> Path:
    """Return a path that can be translated.

    Raises:
        InputError: If it can't.
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
    return path


@dataclass
class _Work:
    """One call of ``translate_file``, whose arguments these are."""

    path: Path
    output: Path
    tree: Tree
    origins: Mapping[Path, Mapping[str | None, Origin]]
    job: Job
    options: Options
    jobs: int
    progress: Progress | None
    alone: Mapping[Path, str]

    def whole(self, part: Path) -> Report:
        """Write all to ``part``.

        Raises:
            InputError: If no key of it could be translated.
            NamesError: If there is no such target, or no source for anything.
        """
        reports, failed = self._translate(part, self.tree.units)
        if not reports:
            missing = [error for error in failed.values() if isinstance(error, MissingPackageError)]
            raise InputError(told_once(missing)) if len(missing) == len(failed) > 1 else next(iter(failed.values()))
        total = self._total(reports, failed, part, lambda _: True)
        if self.path.is_dir() and not self.options.dry_run:
            shape(self.path, part, self.tree)
        self._require_some(total)
        return total

    def share(self, shard: Shard) -> Report:
        """Write one share, and all of them to the output if no other is missing; the account is then that of all.

        Raises:
            InputError: If all shares are there, and no key of any could be translated.
        """
        units = [unit for unit in self.tree.units if shard.has(unit.path, self.path)]
        if self.options.dry_run:
            with tempfile.TemporaryDirectory() as folder, naming(Path(folder)):
                return self._share(Path(folder), units, shard)
        share = Share(self.output, shard, (self.path.resolve(), replace(self.options, dry_run=False)))
        stamp = shards.stamp_of([file for unit in units for file in unit.files])
        if not share.is_done(stamp):
            with replacing(share.place) as place:
                total = self._share(place, units, shard)
                shards.store(place, total, stamp)
        with share.all() as places:
            if places:
                total = self._put_together(places)
                if not (total.translated or total.collisions):
                    share.drop()
                self._require_some(total)
                total.notes.append(f"all {shard.of} shares are there: {self.output} is complete")
                return total
            done = share.done()
        total = shards.stored(share.place)
        total.notes.append(
            f"share {shard.number} of {shard.of} is done, {done} in all; the copy appears with the last one"
        )
        return total

    def _share(self, folder: Path, units: Sequence[Unit], shard: Shard) -> Report:
        part = shards.tree_of(folder)
        part.mkdir(parents=True, exist_ok=True)
        reports, failed = self._translate(part, units)
        return self._total(reports, failed, part, lambda path: shard.has(path, self.path))

    def _put_together(self, folders: Sequence[Path]) -> Report:
        parts = [shards.stored(folder) for folder in folders]
        order = {str(unit.path): number for number, unit in enumerate(self.tree.units)}
        files = [file for part in parts for file in part.files]
        files.sort(key=lambda file: order.get(file.path, order.get(file.path.rpartition(" (")[0], len(order))))
        failed = {path: why for part in parts for path, why in part.failed.items()}
        total = Report.of(files) if files else Report("", "", parts[0].target)
        total.kind = self.options.kind or total.kind
        total.failed = {path: failed[path] for path in sorted(failed, key=lambda path: order.get(path, len(order)))}
        total.copied = sorted(path for part in parts for path in part.copied)
        total.skipped = sorted({path for part in parts for path in part.skipped})
        total.notes = list(dict.fromkeys(note for part in parts for note in part.notes))
        total.outputs = [path for file in files for path in file.outputs]
        with replacing(self.output) as copy:
            copy.mkdir()
            for folder in folders:
                shards.link_all(folder, copy)
            shape(self.path, copy, self.tree)
        return total

    def _translate(self, part: Path, units: Sequence[Unit]) -> tuple[list[Report], dict[Path, UserError]]:
        """Translate units; one that is damaged is left out."""
        reports: dict[Path, list[Report]] = {}
        failed: dict[Path, UserError] = {}
        tasks = [
            Task(unit, self._scratch(part, unit, number), self.origins[unit.path]) for number, unit in enumerate(units)
        ]
        size, done = sum(unit.size for unit in units), 0
        if self.progress and units:
            self.progress(units[0].path, 0, size)
        for task, outcome in done_in(self.jobs, self.job, tasks):
            path = task.unit.path
            done += task.unit.size
            if outcome.refusal is not None:
                failed[path] = outcome.refusal
            else:
                goal = part if path == self.path and path.is_file() else part / path.relative_to(self.path)
                files = settled(task.goal, goal, dry_run=self.options.dry_run)
                outcome.reports[0].outputs = [str(self.output / file.relative_to(part)) for file in files]
                reports[path] = outcome.reports
            if self.progress:
                self.progress(path, done, size)
        ordered = [unit.path for unit in units]
        return (
            [report for path in ordered for report in reports.get(path, ())],
            {path: failed[path] for path in ordered if path in failed},
        )

    def _scratch(self, part: Path, unit: Unit, number: int) -> Path:
        """Return where a unit is written; where nothing is kept, what is large goes nowhere."""
        if unit.path == self.path and self.path.is_file():
            scratch = part
        else:
            part.mkdir(exist_ok=True)
            scratch = part / f".unit{number}"
        is_stream = (
            unit.path.is_file() and unit.form is None and not unit.kind.is_database and unit.path.suffix != ".py"
        )
        if self.options.dry_run and is_stream and unit.size > _LARGE:
            scratch.symlink_to(os.devnull)
        return scratch

    def _total(
        self, reports: list[Report], failed: Mapping[Path, UserError], part: Path, wanted: Callable[[Path], bool]
    ) -> Report:
        total = Report.of(reports) if reports else Report("", "", self.options.target)
        total.kind, total.dry_run = self.options.kind or total.kind, self.options.dry_run
        total.failed = {str(file): str(error) for file, error in failed.items()}
        missing = {file: error for file, error in failed.items() if isinstance(error, MissingPackageError)}
        if missing:
            total.missing, total.needing = told_once(missing.values()), [str(file) for file in missing]
            total.failed.update({str(file): f"{file}: {error}" for file, error in missing.items()})
        total.left_alone = {str(file): why for file, why in self.alone.items() if wanted(file)}
        if self.path.is_dir():
            bring_over(self.path, part, self.tree, total, self.options, wanted)
        return total

    def _require_some(self, total: Report) -> None:
        """Make sure that something was translated.

        Raises:
            InputError: If nothing was; it says why.
        """
        if total.translated or total.collisions:
            return
        for unit in self.tree.units:
            for origin in self.origins[unit.path].values():
                with suppress(UserError):
                    self.job.translator(origin, unit)
        raise InputError(nothing_translated(total, self.job.translators.values()), self.path)
