"""What is done to every unit of an input: one translator for each source, one account for each source of its runs."""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from rlmetrics.lazy_dataclasses import dataclass, replace
from rlmetrics.logs.files import discard
from rlmetrics.logs.folder_tree import Unit
from rlmetrics.logs.input_errors import InputError
from rlmetrics.logs.optional_packages import MissingPackageError
from rlmetrics.names.tables.user_errors import NamesError

from .detection import located
from .origins import Origin
from .report import Report
from .rewriting import rewriter_of
from .run_severity import judge_by_run
from .translation_options import Options
from .translator import Translator

__all__ = ["Job"]


@dataclass
class Job:
    """What is done to every unit, with one translator for each source and surface."""

    options: Options

    def __post_init__(self) -> None:
        self.translators: dict[tuple[Origin, str | None], Translator] = {}

    def __getstate__(self) -> dict[str, Any]:
        """Return what another process needs; it makes its own translators."""
        return {**self.__dict__, "translators": {}}

    def translator(self, origin: Origin, unit: Unit) -> Translator:
        """Return the translator from a source, or from several that agree, for units like this one.

        Raises:
            UserError: If there is none.
        """
        surface = self.options.surface or unit.kind.surface
        if (origin, surface) not in self.translators:
            self.translators[origin, surface] = origin.translator(self.options, surface)
        return self.translators[origin, surface]

    def attempt(self, unit: Unit, goal: Path, origins: Mapping[str | None, Origin]) -> list[Report]:
        """Translate a unit; nothing is left at ``goal`` if it is refused.

        Raises:
            UserError: If it is refused; it names the unit.
        """
        goal.parent.mkdir(exist_ok=True)
        try:
            reports = self.translate(unit, goal, origins)
            if unit.form is not None and goal.is_file() and not goal.is_symlink():
                reports[0].notes += unit.form.close(goal)
            return reports
        except (InputError, NamesError) as error:
            discard(goal)
            if isinstance(error, NamesError) and not all(origin.is_certain for origin in origins.values()):
                raise located(unit.path, error) from None
            raise
        except (PermissionError, FileNotFoundError) as error:
            discard(goal)
            raise InputError(error.strerror or str(error), unit.path) from None

    def translate(self, unit: Unit, goal: Path, origins: Mapping[str | None, Origin]) -> list[Report]:
        """Write the translation of a unit to ``goal``; there is an account for each source of its runs.

        Raises:
            UserError: If it is damaged, or its source can't be known.
        """
        runs: dict[Origin, list[str]] = {}
        for run, origin in origins.items():
            runs.setdefault(origin, []).append(run or "")
        if len(runs) == 1:
            return [self._whole(unit, goal, next(iter(runs)))]
        self._require_all(unit, runs)
        reports: list[Report] = []
        with tempfile.TemporaryDirectory(prefix=f".{goal.name}.", dir=goal.parent) as folder:
            path = unit.read_from
            for number, (origin, names) in enumerate(runs.items()):
                part, listed = Path(folder, str(number)), ", ".join(names)
                try:
                    report = self._written(unit, path, part, self.translator(origin, unit), names)
                except NamesError as error:
                    raise located(f"run {listed}", error) from None
                report.path = f"{unit.path} ({listed})"
                reports.append(report)
                path = part
            path.replace(goal)
        return reports

    def _require_all(self, unit: Unit, runs: Mapping[Origin, list[str]]) -> None:
        """Make sure that every run of a database can be translated: one copy does not hold old and new names.

        Raises:
            NamesError: If the source of some is not certain; it names them.
        """
        refused: list[tuple[str, NamesError]] = []
        for origin, names in runs.items():
            try:
                self.translator(origin, unit)
            except NamesError as error:
                refused.append((", ".join(names), error))
        if refused:
            listed, reason = refused[0]
            more = "; ".join(names for names, _ in refused[1:])
            raise located(f"run {listed} (and likewise {more})" if more else f"run {listed}", reason)

    def _whole(self, unit: Unit, goal: Path, origin: Origin) -> Report:
        translator = self.translator(origin, unit)
        try:
            report = self._written(unit, unit.read_from, goal, translator)
        except MissingPackageError:
            raise
        except InputError as error:
            raise error if error.path else InputError(str(error), unit.path) from None
        report.path = str(unit.path)
        return report

    def _written(
        self, unit: Unit, path: Path, goal: Path, translator: Translator, only: Collection[str] | None = None
    ) -> Report:
        """Write a path, all runs of it or some, and return the account, judged by what the unit is configured with."""
        rewriter = rewriter_of(unit.kind.open(path), self.options, only)
        report = rewriter.translate(goal, translator)
        judge_by_run(report, translator, replace(rewriter, log=unit.open()))
        return report
