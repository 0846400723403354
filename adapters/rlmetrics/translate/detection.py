"""Where the names of each run come from, if nobody says."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from rlmetrics.lazy_dataclasses import dataclass
from rlmetrics.logs.folder_tree import Unit
from rlmetrics.logs.input_errors import InputError
from rlmetrics.logs.log import Log
from rlmetrics.logs.log_clues import clues_of, with_values
from rlmetrics.logs.printable import printable
from rlmetrics.logs.successive_runs import successive_clues
from rlmetrics.logs.unrecognised import EMPTY
from rlmetrics.names.inference import Clues, SourceAnswer, find_source
from rlmetrics.names.inference.wording import short_source, unknown_line
from rlmetrics.names.tables.tables import Overlays, Tables
from rlmetrics.names.tables.user_errors import NamesError

from .agreement import FLAG
from .origins import Known, Origin, Several, Unknown

__all__ = ["located", "origin_of", "origins_of"]

_CHECKPOINT = re.compile(r"checkpoint-\d+/")
_STATES = {"log_history.json": "trainer_state.json"}
"""What people call the part of a record that they dump to a file of its own."""


def origin_of(path: Path, clues: Clues, spec: Overlays | Tables = None) -> Origin:
    """Return where names come from that stand in one log: one source, or several.

    Args:
        path: The log, for messages.
        clues: What is known of it.
        spec: Folders with further YAML.

    Raises:
        NamesError: If it is no log of a described trainer.
    """
    origin = _origin(find_source(clues, spec), clues.logged)
    if isinstance(origin, Unknown):
        raise located(path, NamesError(str(origin.reason)))
    return origin


def located(where: Path | str, error: NamesError) -> NamesError:
    """Return an error about the names of one file or run, which it names first."""
    return NamesError(printable(f"{where}: {error}"))


def origins_of(
    units: Sequence[Unit], *, spec: Overlays | Tables = None, among: frozenset[str] = frozenset()
) -> dict[Path, dict[str | None, Origin]]:
    """Return where the names of each unit come from, those of each of its runs if it is a database.

    A folder may hold runs of several trainers and releases, so each is judged by its own names. What these leave open,
    other records of the same run may decide.

    Args:
        units: What the folder holds.
        spec: Folders with further YAML.
        among: The only sources that it can be; any, if there are none.
    """
    origins: dict[Path, dict[str | None, Origin]] = {}
    judge = _Judge(spec, among)
    runs: list[_NamedRun] = []
    for unit in units:
        try:
            runs += judge.runs(unit)
        except InputError as error:
            origins[unit.path] = {None: Unknown(error)}
        except (PermissionError, FileNotFoundError) as error:
            origins[unit.path] = {None: Unknown(InputError(error.strerror or str(error), unit.path))}
    folders = _Folders(runs)
    for run in runs:
        if run.answer.is_known:
            answer = judge.answer(run.clues, folders.shared(run) or among)
            origins.setdefault(run.unit.path, {})[run.name] = judge.origin(answer, run.clues)
    for run in runs:
        if not run.answer.is_known:
            # Where none of its names is known, any source will do that those beside it have.
            beside = sorted(origins.get(run.unit.path, {}).values(), key=lambda origin: not origin.is_certain)
            together = _origin(run.answer, run.clues.logged) if run.answer.known else judge.of_all(run.unit, runs)
            origins.setdefault(run.unit.path, {})[run.name] = beside[0] if beside else together
    return origins


@dataclass(frozen=True, slots=True)
class _NamedRun:
    """What is judged by itself: a unit, or a run in a database.

    Attributes:
        unit: The unit.
        name: The name of the run in a database.
        clues: What is known of it.
        answer: Where it comes from by itself.
    """

    unit: Unit
    name: str | None
    clues: Clues
    answer: SourceAnswer

    @property
    def record(self) -> str:
        """What it is a record of; that of a later checkpoint, or of the whole run, continues that of an earlier one."""
        path = self.unit.path
        record = path.parent / _STATES.get(path.name, path.name)
        return f"{_CHECKPOINT.sub('', record.as_posix())}:{self.name or ''}"


class _Folders:
    """Folders that hold the records of one run: none of them two of one kind, and some source explains all.

    Dashboards and configuration name what they need, perhaps of several runs, and rule nothing out.

    Args:
        runs: What is judged.
    """

    def __init__(self, runs: Sequence[_NamedRun]) -> None:
        self._records: dict[Path, dict[str, set[str]]] = {}
        self._common: dict[Path, frozenset[str]] = {}
        for run in runs:
            own = run.answer.left
            for folder in _folders(run) if not run.unit.kind.is_layout else ():
                self._records.setdefault(folder, {}).setdefault(run.unit.kind.name, set()).add(run.record)
                if own:
                    self._common[folder] = self._common.get(folder, own) & own

    def shared(self, run: _NamedRun) -> frozenset[str]:
        """Return the sources that explain all that the folder of a run holds; none if these differ."""
        shared = frozenset[str]()
        for folder in _folders(run):
            if any(len(of_kind) > 1 for of_kind in self._records.get(folder, {}).values()):
                break
            shared = self._common.get(folder) or shared
        return shared & run.answer.left


def _folders(run: _NamedRun) -> list[Path]:
    """Return the unit and the folders in which it lies, the innermost first."""
    return [run.unit.path, *run.unit.path.parents]


class _Judge:
    """Finds sources; the same clues are judged once.

    Args:
        spec: As for ``Translator``.
        among: The only sources that it can be; any, if there are none.
    """

    def __init__(self, spec: Overlays | Tables, among: frozenset[str]) -> None:
        self._spec = spec
        self._among = among
        self._origins: dict[tuple[Any, ...], Origin] = {}
        self._of_all: Origin | None = None

    def runs(self, unit: Unit) -> Iterator[_NamedRun]:
        """Yield what is judged by itself of a unit.

        Raises:
            InputError: If it is damaged.
        """
        log = unit.open()
        for name, names in log.runs().items():
            clues = clues_of(log, name, sorted(names), whole=not unit.kind.is_layout)
            answer = self.answer(clues, self._among)
            if unit.path.is_file() and not unit.kind.is_layout and not unit.kind.is_database:
                self._require_one_trainer(unit, log, name)
            if len(answer.meanings) > 1 and not unit.kind.is_layout:
                # Reading rows takes longer than reading names, and what is certain by these needs none.
                clues = with_values(clues, log, name)
                answer = self.answer(clues, self._among)
            yield _NamedRun(unit, name, clues, answer)

    def _require_one_trainer(self, unit: Unit, log: Log, name: str | None) -> None:
        """Make sure that a run is not several one after another, of trainers that mean different things by a name.

        Raises:
            InputError: It is.
        """
        for run in log.reread():
            one = partial(self.answer, among=self._among)
            parts = successive_clues(log, run, one) if run.name == (name or "") else []
            if parts:
                sources = [answer.source for _, clues in parts if (answer := one(clues)).source is not None]
                listed = ", ".join(short_source(source.partition("==")[0]) for source in sources)
                msg = (
                    f"{len(parts)} trainings stand in it one after another ({listed}), and a name may mean something "
                    f"else in each; write each to a file of its own, or name the one that is meant with {FLAG}"
                )
                raise InputError(msg, unit.path)

    def answer(self, clues: Clues, among: frozenset[str]) -> SourceAnswer:
        """Return where clues lead; only to some sources, if there are any."""
        return find_source(clues, self._spec, among=among)

    def origin(self, answer: SourceAnswer, clues: Clues) -> Origin:
        """Return an answer as an origin; the same for the same sources and names."""
        asked = answer.meanings, frozenset(clues.logged)
        if asked not in self._origins:
            self._origins[asked] = _origin(answer, clues.logged)
        return self._origins[asked]

    def of_all(self, unit: Unit, runs: Sequence[_NamedRun]) -> Origin:
        """Return where the names of all runs together come from, for a unit without any."""
        if not any(run.clues.logged for run in runs):
            torn = "holds no whole row: it is of no log, or was cut off within the first"
            return Unknown(InputError(torn if unit.size else EMPTY, unit.path))
        if self._of_all is None:
            clues = Clues(tuple(sorted({key for run in runs for key in run.clues.keys})))
            self._of_all = _origin(find_source(clues, self._spec), clues.logged)
        return self._of_all


def _origin(answer: SourceAnswer, names: Sequence[str]) -> Origin:
    """Return an answer as an origin."""
    if answer.source is None:
        return Unknown(NamesError(unknown_line(answer, FLAG)))
    if len(answer.meanings) > 1:
        return Several(answer, frozenset(names))
    return Known(answer.source, answer.prefix, answer.spelling)
