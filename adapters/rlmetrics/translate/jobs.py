"""What is done to every unit of an input: one translator for each source, one account for each source of its runs."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rlmetrics.names import AmbiguousError
from rlmetrics.names.errors import NamesError, UserError

from .agreement import open_translator
from .detection import Source, located
from .errors import InputError
from .files import discard
from .judging import judged
from .kinds import DATABASES, KINDS, LAYOUTS, ROW_KINDS, surface_of, wandb
from .report import Report
from .run_severity import judge_by_run
from .translator import Translator
from .tree import Unit

__all__ = ["Job"]


@dataclass
class Job:
    """What is done to every unit, with one translator for each source and surface."""

    target: str
    options: dict[str, Any]
    surface: str | None
    wandb: wandb.Options

    def __post_init__(self) -> None:
        self.translators: dict[tuple[str | AmbiguousError, str | None], Translator] = {}

    def __getstate__(self) -> dict[str, Any]:
        """Return what another process needs; it makes its own translators."""
        return {**self.__dict__, "translators": {}}

    def translator(self, source: str | AmbiguousError, unit: Unit) -> Translator:
        """Return the translator from a source, or from several that agree, for units like this one."""
        surface = self.surface or surface_of(unit.kind)
        if (source, surface) not in self.translators:
            self.translators[source, surface] = open_translator(source, self.target, surface=surface, **self.options)
        return self.translators[source, surface]

    def attempt(self, unit: Unit, goal: Path, sources: Mapping[str | None, Source]) -> list[Report] | UserError:
        """Translate a unit, or return why it is refused; nothing is left at ``goal`` then."""
        was_guessed = any(isinstance(source, NamesError) for source in sources.values())
        goal.parent.mkdir(exist_ok=True)
        refused: UserError
        try:
            return self.translate(unit, goal, sources)
        except (InputError, NamesError) as error:
            refused = located(unit.path, error) if isinstance(error, NamesError) and was_guessed else error
        except (PermissionError, FileNotFoundError) as error:
            refused = InputError(error.strerror or str(error), unit.path)
        discard(goal)
        return refused

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
                    report = self._written(unit, path, part, self.translator(source, unit), names)
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
            report = self._written(unit, unit.path, goal, translator)
        except InputError as error:
            raise error if error.path else InputError(str(error), unit.path) from None
        report.path = str(unit.path)
        return report

    def _written(
        self, unit: Unit, path: Path, goal: Path, translator: Translator, only: list[str] | None = None
    ) -> Report:
        """Write a path, all runs of it or some, and return the account, judged by what the unit is configured with."""
        kind = unit.kind

        def write(path: Path, goal: Path, report: Report, only: list[str] | None) -> None:
            if kind == "wandb":
                wandb.translate(path, goal, translator, report, self.wandb)
            elif kind in DATABASES:
                DATABASES[kind].translate(path, goal, translator, report, only)
            else:
                KINDS[kind].translate(path, goal, translator, report)

        if kind in ROW_KINDS:
            report = judged(path, goal, translator, kind, write, lambda: ROW_KINDS[kind].rows(path), only)
        else:
            report = translator.new_report(kind)
            write(path, goal, report, only)
        if kind not in LAYOUTS:
            judge_by_run(report, translator, kind, unit.path, only)
        return report
