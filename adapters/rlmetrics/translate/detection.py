"""Where the names of each run come from, if nobody says."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, overload

from rlmetrics.names import AmbiguousError, Candidate, infer_source
from rlmetrics.names.errors import NamesError
from rlmetrics.names.inference import decided, explaining
from rlmetrics.names.tables import Overlays, Tables

from .errors import InputError
from .kinds import DATABASES, KINDS, LAYOUTS, releases_of, settings_of
from .printable import printable
from .tree import Unit

__all__ = ["Source", "located", "source_of", "sources_of"]

Source = str | InputError | NamesError
"""A source, several that fit (an ``AmbiguousError``), or why there is none."""

_CHECKPOINT = re.compile(r"checkpoint-\d+/")
_STATES = {"log_history.json": "trainer_state.json"}
"""What people call the part of a record that they dump to a file of its own."""


def source_of(place: Path, names: Iterable[str], **options: Any) -> str | AmbiguousError:
    """Return the source of names that stand at one place, or what says that there are several.

    Args:
        place: The place, for messages.
        names: The names.
        options: As for ``infer_source``.

    Raises:
        NamesError: If no source explains any name.
    """
    try:
        return infer_source(names, **options)
    except AmbiguousError as error:
        return located(place, error)
    except NamesError as error:
        raise located(place, error) from None


@overload
def located(place: Path | str, error: AmbiguousError) -> AmbiguousError: ...
@overload
def located(place: Path | str, error: NamesError) -> NamesError: ...
def located(place: Path | str, error: NamesError) -> NamesError:
    """Return an error about the names of one place, which it names first."""
    msg = printable(f"{place}: {error}")
    return AmbiguousError(msg, error.candidates) if isinstance(error, AmbiguousError) else NamesError(msg)


def sources_of(
    units: Sequence[Unit], *, config: Mapping[str, Any] | None = None, spec: Overlays | Tables = None
) -> dict[Path, dict[str | None, Source]]:
    """Return the source of each unit, of each of its runs if it is a database, or why there is none.

    A folder may hold runs of several trainers and releases, so each is judged by its own names. What these leave open,
    other records of the same run may decide.
    """
    found: dict[Path, dict[str | None, Source]] = {}
    judge = _Judge(config, spec)
    runs: list[_Run] = []
    for unit in units:
        try:
            runs += judge.runs(unit)
        except InputError as error:
            found[unit.path] = {None: error}
        except (PermissionError, FileNotFoundError) as error:
            found[unit.path] = {None: InputError(error.strerror or str(error), unit.path)}
    folders = _Folders(runs)
    for run in runs:
        if run.candidates:
            found.setdefault(run.unit.path, {})[run.name] = judge.decided(folders.narrowed(run), run.keys)
    for run in runs:
        if not run.candidates:
            # Its names say nothing, so that any source will do that those beside it have.
            beside = sorted(found.get(run.unit.path, {}).values(), key=lambda source: not isinstance(source, str))
            found.setdefault(run.unit.path, {})[run.name] = beside[0] if beside else judge.of_all(runs)
    return found


@dataclass(frozen=True, slots=True)
class _Run:
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
        place = path.parent / _STATES.get(path.name, path.name)
        return f"{_CHECKPOINT.sub('', place.as_posix())}:{self.name or ''}"


class _Folders:
    """Folders that hold the records of one run: none of them two of one kind, and some source explains all.

    Dashboards and configuration name what they need, perhaps of several runs, and rule nothing out.

    Args:
        runs: What is judged.
    """

    def __init__(self, runs: Sequence[_Run]) -> None:
        self._records: dict[Path, dict[str, set[str]]] = {}
        self._common: dict[Path, frozenset[str]] = {}
        for run in runs:
            own = frozenset(map(str, run.candidates))
            for place in _places(run) if run.unit.kind not in LAYOUTS else ():
                self._records.setdefault(place, {}).setdefault(run.unit.kind, set()).add(run.record)
                if own:
                    self._common[place] = self._common.get(place, own) & own

    def narrowed(self, run: _Run) -> Sequence[Candidate]:
        """Return which candidates of a run explain all that its folder holds."""
        shared = frozenset[str]()
        for place in _places(run):
            records = self._records.get(place, {}).values()
            if any(len(found) > 1 for found in records):
                break
            shared = self._common.get(place) or shared
        return [item for item in run.candidates if str(item) in shared] or run.candidates


def _places(run: _Run) -> list[Path]:
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
        self._decided: dict[tuple[Any, ...], str | AmbiguousError] = {}
        self._of_all: Source | None = None

    def runs(self, unit: Unit) -> Iterator[_Run]:
        """Yield what is judged by itself of a unit.

        Raises:
            InputError: If it is damaged.
        """
        recorded, whole = settings_of(unit.kind, unit.path), unit.kind not in LAYOUTS
        own = releases_of(unit.kind, unit.path)
        # What was installed when a run began is certain; a model card may be that of a later run into the same folder.
        installed = own if unit.kind == "wandb" else {}
        for name, names in _names_of(unit):
            keys, settings = frozenset(names), recorded.get(name, frozenset())
            place = keys, tuple(sorted(own.items())), settings, whole
            if place not in self._explaining:
                try:
                    best = explaining(sorted(keys), releases=installed, settings=settings, whole=whole, spec=self._spec)
                except NamesError:
                    best = []
                self._explaining[place] = _of_releases(best, own)
            yield _Run(unit, name, keys, self._explaining[place])

    def decided(self, best: Sequence[Candidate], keys: frozenset[str]) -> str | AmbiguousError:
        """Return the one source among candidates, or what says that there are several."""
        place = keys, tuple(map(str, best))
        if place not in self._decided:
            try:
                self._decided[place] = decided(best, of=len(keys), config=self._config, spec=self._spec)
            except AmbiguousError as error:
                self._decided[place] = error
        return self._decided[place]

    def of_all(self, runs: Sequence[_Run]) -> Source:
        """Return the source of the names of all runs together."""
        if self._of_all is None:
            names = sorted(frozenset[str]().union(*(run.keys for run in runs)))
            try:
                self._of_all = infer_source(names, config=self._config, spec=self._spec)
            except NamesError as error:
                self._of_all = error
        return self._of_all


def _names_of(unit: Unit) -> list[tuple[str | None, Iterable[str]]]:
    if unit.kind in DATABASES and (runs := DATABASES[unit.kind].runs(unit.path)):
        return [*runs.items()]
    return [(None, KINDS[unit.kind].names(unit.path))]


def _of_releases(best: Sequence[Candidate], releases: Mapping[str, str]) -> Sequence[Candidate]:
    """Return the candidates of some releases; all, if none is."""
    return [item for item in best if releases.get(item.framework, item.release) == item.release] or best
