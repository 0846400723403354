"""The logs that a plan names, each with the runs of it that stand there and what logged them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rlmetrics.lazy_dataclasses import dataclass
from rlmetrics.logs.folder_tree import Unit
from rlmetrics.logs.input_errors import InputError
from rlmetrics.logs.kinds import KINDS, kind_of
from rlmetrics.names.tables.tables import Overlays, Tables
from rlmetrics.names.tables.user_errors import NamesError
from rlmetrics.translate.detection import origins_of
from rlmetrics.translate.origins import Known, Origin, Several, Unknown
from rlmetrics.wording.voice import later

from .run_plan import PlannedRun

__all__ = ["PlannedLog", "origin_said", "planned_logs"]


@dataclass(frozen=True, slots=True)
class PlannedLog:
    """A log of a plan.

    Attributes:
        path: Where it is.
        runs: Its runs, by what they are called in it; None where it is one run.
    """

    path: Path
    runs: tuple[tuple[str | None, PlannedRun], ...]

    def unit(self) -> Unit:
        """Return what is to be read.

        Raises:
            InputError: There is no such log any more.
        """
        path, kind = self.path, self.runs[0][1].kind or None
        if path.is_dir():
            own = None if kind is None else KINDS.get(kind)
            members = own.members(path) if own is not None else []
            if own is not None and members:
                return Unit(path, own, tuple(file for file in members if not file.is_symlink()))
            msg = later("is a folder of which no files belong together; name its kind in the plan, or its files")
            raise InputError(msg, path)
        if not path.is_file():
            msg = later("does not exist; scan again, or mend its path in the plan")
            raise InputError(msg, path)
        known = kind_of(path, kind)
        if known is None:
            msg = later("is no log of a known kind; name it in the column kind")
            raise InputError(msg, path)
        return Unit(path, known, (path,))

    def source_of(self, name: str) -> PlannedRun | None:
        """Return what the plan says of a run; None if it leaves it out."""
        by_name = dict(self.runs)
        return by_name.get(name or None, by_name.get(None))

    def origins(self, unit: Unit, spec: Overlays | Tables) -> dict[str | None, Origin]:
        """Return where the names of each run come from: what the plan says, and what was likely is looked at again.

        A likely source that nobody changed may be one of several: what these agree on is carried.

        Raises:
            InputError: Runs of one table have several sources.
        """
        likely = any(run.certainty == "likely" for _, run in self.runs)
        inferred = origins_of([unit], spec=spec).get(unit.path, {}) if likely else {}
        found = {name: origin_said(run, inferred.get(name, inferred.get(None))) for name, run in self.runs}
        sources = dict.fromkeys(run.source for _, run in self.runs)
        if len(sources) == 1:
            return {None: next(iter(found.values()))}
        if None in unit.open().runs():
            msg = (
                f"has one name for a metric in all of its runs, but the plan names {', '.join(sources) or 'no source'}"
            )
            raise InputError(msg, self.path)
        return found


def origin_said(run: PlannedRun, inferred: Origin | None) -> Origin:
    """Return what a plan says of where a run comes from; what was likely, and nobody changed, may be one of several.

    Args:
        run: The row of the plan.
        inferred: What the run itself says, where the plan has but a likely source.
    """
    if not run.source:
        why = f": {run.evidence}" if run.evidence else ""
        how = later("what logged it belongs into the column source of the plan")
        msg = f"{later('no source')}{why}; {how}"
        return Unknown(NamesError(msg))
    is_own = isinstance(inferred, Several) and inferred.answer.source == run.source
    if run.certainty == "likely" and is_own and isinstance(inferred, Several):
        return _same(inferred.answer.meanings, inferred.names, inferred)
    return Known(run.source)


_MOST = 64
"""How many origins are remembered."""
_ORIGINS: dict[tuple[tuple[str, ...], frozenset[str]], Several] = {}


def _same(meanings: tuple[str, ...], names: frozenset[str], inferred: Several) -> Several:
    """Return the origin that runs with the same keys had: what carries its names is made once."""
    if len(_ORIGINS) >= _MOST:
        _ORIGINS.clear()
    return _ORIGINS.setdefault((meanings, names), inferred)


def planned_logs(plan: Sequence[PlannedRun]) -> list[PlannedLog]:
    """Return the logs of a plan, in the order in which they are named first."""
    found: dict[Path, dict[str | None, PlannedRun]] = {}
    for run in plan:
        path, name = _parted(run.run)
        found.setdefault(path, {}).setdefault(name, run)
    return [PlannedLog(path, tuple(runs.items())) for path, runs in found.items()]


def _parted(address: str) -> tuple[Path, str | None]:
    """Return the path in an address, and what follows it: a run of a database, or a part of a file."""
    if Path(address).exists():
        return Path(address), None
    for mark in (":", "#"):
        at = len(address)
        while (at := address.rfind(mark, 0, at)) > 0:
            if Path(address[:at]).exists():
                return Path(address[:at]), address[at + 1 :] if mark == ":" else None
    return Path(address), None
