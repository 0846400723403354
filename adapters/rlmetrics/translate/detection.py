"""Where the names of each run come from, if nobody says."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, overload

from rlmetrics.names import AmbiguousError, infer_source
from rlmetrics.names.errors import NamesError
from rlmetrics.names.tables import Overlays, Tables

from .errors import InputError
from .kinds import KINDS, LAYOUTS, settings_of, wandb
from .tree import Unit

__all__ = ["located", "source_of", "sources_of"]


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
def located(place: Path, error: AmbiguousError) -> AmbiguousError: ...
@overload
def located(place: Path, error: NamesError) -> NamesError: ...
def located(place: Path, error: NamesError) -> NamesError:
    """Return an error about the names of one place, which it names first."""
    msg = f"{place}: {error}"
    return AmbiguousError(msg, error.candidates) if isinstance(error, AmbiguousError) else NamesError(msg)


def sources_of(
    units: Sequence[Unit], *, config: Mapping[str, Any] | None = None, spec: Overlays | Tables = None
) -> dict[Path, str | InputError | NamesError]:
    """Return the source of each unit, or why it has none: it is damaged, or its names decide nothing.

    A folder may hold runs of several trainers, so each is judged by its own names. What these leave open, the names of
    all together may decide.
    """
    names: dict[Path, frozenset[str]] = {}
    found: dict[Path, str | InputError | NamesError] = {}
    for unit in units:
        try:
            names[unit.path] = frozenset(KINDS[unit.kind].names(unit.path))
        except InputError as error:
            found[unit.path] = error
    agreed = _agreed([wandb.releases(unit.path) for unit in units if unit.kind == "wandb"])
    known: dict[tuple[frozenset[str], str, frozenset[str], bool], str | NamesError] = {}

    def infer(
        keys: frozenset[str],
        releases: dict[str, str],
        settings: frozenset[str] = frozenset(),
        *,
        whole: bool = False,
    ) -> str | NamesError:
        place = (keys, str(sorted(releases.items())), settings, whole)
        if place not in known:
            try:
                known[place] = infer_source(
                    sorted(keys), releases=releases, settings=settings, whole=whole, config=config, spec=spec
                )
            except NamesError as error:
                known[place] = error
        return known[place]

    for unit in units:
        if unit.path in names:
            own = wandb.releases(unit.path) if unit.kind == "wandb" else {}
            found[unit.path] = infer(
                names[unit.path], own or agreed, settings_of(unit.kind, unit.path), whole=unit.kind not in LAYOUTS
            )
    if any(isinstance(source, NamesError) for source in found.values()):
        together = infer(frozenset[str]().union(*names.values()), agreed)
        for path, source in found.items():
            says_nothing = isinstance(source, NamesError) and not isinstance(source, AmbiguousError)
            if says_nothing or (isinstance(source, NamesError) and isinstance(together, str)):
                found[path] = together
    return found


def _agreed(said: Sequence[Mapping[str, str]]) -> dict[str, str]:
    """Return the releases that the runs say were installed, as far as they agree."""
    pairs = {pair for releases in said for pair in releases.items()}
    return {framework: release for framework, release in pairs if len({r for f, r in pairs if f == framework}) == 1}
