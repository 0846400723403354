"""Where the names of each run come from, if nobody says."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rlmetrics.names import AmbiguousError, Candidate, infer_source
from rlmetrics.names.errors import NamesError
from rlmetrics.names.inference import decided, explaining
from rlmetrics.names.tables import Overlays, Tables

from .errors import InputError
from .origins import Known, Origin, Several, Unknown
from .printable import printable
from .tree import Unit

__all__ = ["located", "origin_of", "origins_of"]

_CHECKPOINT = re.compile(r"checkpoint-\d+/")
_STATES = {"log_history.json": "trainer_state.json"}
"""What people call the part of a record that they dump to a file of its own."""


def origin_of(path: Path, names: Iterable[str], **options: Any) -> Origin:
    """Return where names come from that stand in one log: one source, or several.

    Args:
        path: The log, for messages.
        names: The names.
        options: As for ``infer_source``.

    Raises:
        NamesError: If no source explains any name.
    """
    try:
        return Known(infer_source(names, **options))
    except AmbiguousError as error:
        return Several(printable(f"{path}: {error}"), error.candidates)
    except NamesError as error:
        raise located(path, error) from None


def located(where: Path | str, error: NamesError) -> NamesError:
    """Return an error about the names of one file or run, which it names first."""
    msg = printable(f"{where}: {error}")
    return AmbiguousError(msg, error.candidates) if isinstance(error, AmbiguousError) else NamesError(msg)


def origins_of(
    units: Sequence[Unit], *, config: Mapping[str, Any] | None = None, spec: Overlays | Tables = None
) -> dict[Path, dict[str | None, Origin]]:
    """Return where the names of each unit come from, those of each of its runs if it is a database.

    A folder may hold runs of several trainers and releases, so each is judged by its own names. What these leave open,
    other records of the same run may decide.
    """
    origins: dict[Path, dict[str | None, Origin]] = {}
    judge = _Judge(config, spec)
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
        if run.candidates:
            origins.setdefault(run.unit.path, {})[run.name] = judge.decided(folders.narrowed(run), run.keys)
    for run in runs:
        if not run.candidates:
            # Its names say nothing, so that any source will do that those beside it have.
            beside = sorted(origins.get(run.unit.path, {}).values(), key=lambda origin: not origin.is_certain)
            origins.setdefault(run.unit.path, {})[run.name] = beside[0] if beside else judge.of_all(runs)
    return origins


@dataclass(frozen=True, slots=True)
class _NamedRun:
    """What is judged by itself: a unit, or a run in a database.

    Attributes:
        unit: The unit.
        name: The name of the run in a database.
        keys: What it logged, as far as that was read.
        candidates: What explains them; nothing does if it is empty.
    """

    unit: Unit
    name: str | None
    keys: frozenset[str]
    candidates: Sequence[Candidate]

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
            own = frozenset(map(str, run.candidates))
            for folder in _folders(run) if not run.unit.kind.is_layout else ():
                self._records.setdefault(folder, {}).setdefault(run.unit.kind.name, set()).add(run.record)
                if own:
                    self._common[folder] = self._common.get(folder, own) & own

    def narrowed(self, run: _NamedRun) -> Sequence[Candidate]:
        """Return which candidates of a run explain all that its folder holds."""
        shared = frozenset[str]()
        for folder in _folders(run):
            if any(len(of_kind) > 1 for of_kind in self._records.get(folder, {}).values()):
                break
            shared = self._common.get(folder) or shared
        return [candidate for candidate in run.candidates if str(candidate) in shared] or run.candidates


def _folders(run: _NamedRun) -> list[Path]:
    """Return the unit and the folders in which it lies, the innermost first."""
    return [run.unit.path, *run.unit.path.parents]


class _Judge:
    """Infers sources; the same names are judged once.

    Args:
        config: As for ``Translator``.
        spec: As for ``Translator``.
    """

    def __init__(self, config: Mapping[str, Any] | None, spec: Overlays | Tables) -> None:
        self._config = config
        self._spec = spec
        self._explaining: dict[tuple[Any, ...], Sequence[Candidate]] = {}
        self._decided: dict[tuple[Any, ...], Origin] = {}
        self._of_all: Origin | None = None

    def runs(self, unit: Unit) -> Iterator[_NamedRun]:
        """Yield what is judged by itself of a unit.

        Raises:
            InputError: If it is damaged.
        """
        log, whole = unit.open(), not unit.kind.is_layout
        recorded, own = log.argument_names(), log.releases()
        # What was installed when a run began is certain; a model card may be that of a later run into the same folder.
        installed = own if unit.kind.knows_releases else {}
        for name, names in log.runs().items():
            keys, settings = frozenset(names), recorded.get(name, frozenset())
            asked = keys, tuple(sorted(own.items())), settings, whole
            if asked not in self._explaining:
                try:
                    best = explaining(sorted(keys), releases=installed, settings=settings, whole=whole, spec=self._spec)
                except NamesError:
                    best = []
                self._explaining[asked] = _of_releases(best, own)
            yield _NamedRun(unit, name, keys, self._explaining[asked])

    def decided(self, best: Sequence[Candidate], keys: frozenset[str]) -> Origin:
        """Return the one source among candidates, or all that are left."""
        asked = keys, tuple(map(str, best))
        if asked not in self._decided:
            try:
                self._decided[asked] = Known(decided(best, of=len(keys), config=self._config, spec=self._spec))
            except AmbiguousError as error:
                self._decided[asked] = Several.of(error)
        return self._decided[asked]

    def of_all(self, runs: Sequence[_NamedRun]) -> Origin:
        """Return where the names of all runs together come from."""
        if self._of_all is None:
            names = sorted(frozenset[str]().union(*(run.keys for run in runs)))
            try:
                self._of_all = Known(infer_source(names, config=self._config, spec=self._spec))
            except AmbiguousError as error:
                self._of_all = Several.of(error)
            except NamesError as error:
                self._of_all = Unknown(error)
        return self._of_all


def _of_releases(best: Sequence[Candidate], releases: Mapping[str, str]) -> Sequence[Candidate]:
    """Return the candidates of some releases; all, if none is."""
    return [one for one in best if releases.get(one.framework, one.release) == one.release] or best
