"""Judges all runs of some files and folders: what can't be read is told, and keeps none of the others from it."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from rlmetrics.lazy_dataclasses import dataclass, field, replace
from rlmetrics.logs.checkpoints import continued
from rlmetrics.logs.folder_tree import Unit
from rlmetrics.logs.input_errors import InputError
from rlmetrics.logs.optional_packages import MissingPackageError, told_once
from rlmetrics.logs.reading import Account
from rlmetrics.logs.unrecognised import EMPTY
from rlmetrics.names.tables.loading import load_tables
from rlmetrics.names.tables.tables import Overlays, Tables
from rlmetrics.names.tables.user_errors import NamesError

from .judging import judged_run, logs_of
from .report_records import Report, counted

__all__ = ["Checked", "check", "check_all"]


@dataclass
class Checked:
    """What was found in some files and folders.

    Attributes:
        reports: A report for each run.
        left_out: Why what could not be judged was left out, a sentence each.
        files: How many files these sentences are about.
    """

    reports: list[Report] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    files: int = 0

    def leave_out(self, why: str) -> None:
        """Take down a file that is left out."""
        self.left_out.append(why)
        self.files += 1


def check(
    paths: str | Path | Iterable[str | Path],
    *,
    at: str = "auto",
    config: Mapping[str, Any] | None = None,
    spec: Overlays | Tables = None,
) -> list[Report]:
    """Judge the runs of files and folders.

    Args:
        paths: A log of any kind that translation reads, a folder with logs, or several of them.
        at: The source that logged them; by default inferred from keys and metadata of each run.
        config: Settings of the run beside those that it recorded, which they replace.
        spec: Folders with further YAML.

    Returns:
        A report for each run. What was left out of a folder is warned of.

    Raises:
        InputError: Nothing at one of the paths can be read as a log.
        NamesError: The source is unknown, or none explains the keys.
    """
    checked = check_all([paths] if isinstance(paths, str | Path) else paths, at=at, config=config, spec=spec)
    for reason in checked.left_out:
        warnings.warn(f"left out: {reason}", stacklevel=2)
    return checked.reports


def check_all(
    paths: Iterable[str | Path],
    *,
    at: str = "auto",
    config: Mapping[str, Any] | None = None,
    spec: Overlays | Tables = None,
) -> Checked:
    """Judge the runs of several files and folders; the arguments are those of ``check``.

    Raises:
        InputError: Nothing at one of the paths can be read as a log.
        NamesError: The source is unknown, or none explains the keys.
    """
    tables, checked = load_tables(spec), Checked()
    missing: list[MissingPackageError] = []
    for path in map(Path, paths):
        before = len(checked.reports)
        units, unreadable = logs_of(path)
        told = len(checked.left_out)
        for reason in unreadable:
            checked.leave_out(reason)
        logs = continued(units)
        for unit in logs.units:
            try:
                found = _judged(unit, at, config or {}, tables)
            except MissingPackageError as error:
                if len(units) == 1:
                    raise
                missing.append(error)
                checked.files += 1
            except (NamesError, InputError, OSError) as error:
                # One strange file in a folder does not keep the others from being judged.
                if len(units) == 1:
                    raise
                checked.leave_out(_told(error, unit))
            else:
                checked.reports += [_with_earlier(report, logs.earlier.get(unit.path, 0)) for report in found]
        if len(checked.reports) == before and not missing:
            msg = "holds no row with a number; give a log, or a folder with logs"
            raise InputError(checked.left_out[-1]) if len(checked.left_out) > told else InputError(msg, path)
    if missing:
        checked.left_out.append(told_once(missing))
    if not checked.reports:
        raise InputError(checked.left_out[-1])
    return checked


def _judged(unit: Unit, at: str, config: Mapping[str, Any], tables: Tables) -> list[Report]:
    """Return a report for each run of a log.

    Raises:
        InputError: It is damaged, or nothing is left of it.
        NamesError: The source of a run is unknown.
    """
    reports: list[Report] = []
    accounts: list[Account] = []
    for run in unit.open().read():
        name = str(unit.path) + (f":{run.name}" if run.name else "")
        reports += judged_run(unit, run, name, at, config, tables)
        accounts.append(run.account)
    why = "" if reports else _why_nothing(unit, accounts)
    if why:
        raise InputError(why, unit.path)
    return reports


def _told(error: Exception, unit: Unit) -> str:
    text = str(error) if not isinstance(error, OSError) else error.strerror or str(error)
    return text if str(unit.path) in text else f"{unit.path}: {text}"


def _with_earlier(report: Report, earlier: int) -> Report:
    if not earlier:
        return report
    note = f"{counted(earlier, 'earlier checkpoint')} of this run, whose rows it begins with, judged as part of it"
    return replace(report, notes=(*report.notes, note))


def _why_nothing(unit: Unit, accounts: list[Account]) -> str:
    """Return what is wrong with a log without a row; nothing if it is whole and says other things."""
    if not unit.size:
        return EMPTY
    skipped = sum(account.skipped for account in accounts)
    if skipped:
        first = next(account.first for account in accounts if account.skipped)
        return f"holds no row: none of {counted(skipped, 'line')} can be read; {first}"
    torn = sum(account.torn for account in accounts)
    return f"holds no whole row; {counted(torn, 'byte')} at its end were cut off" if torn else ""
