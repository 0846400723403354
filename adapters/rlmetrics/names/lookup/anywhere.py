"""What keys mean where no source is named: every meaning, with who logs it and in which releases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from rlmetrics.lazy_dataclasses import replace

from ..meanings.key_index import Catalogue, Logged, Lookup, catalogue_of, misspelt
from ..meanings.protocol import Match
from ..meanings.view import FrameworkView, open_view
from ..settings.configuration import Config, check_config
from ..sources.source import parse_source
from ..tables.tables import Tables
from ..tables.undescribed import Recognised, told_by
from .lookup_records import Resolution
from .resolving import measured, resolution_of, resolve_in

__all__ = ["looked_up", "of_undescribed", "resolve_anywhere", "resolved_at", "undescribed_source"]


def resolve_anywhere(keys: Sequence[str], *, config: Config = None, tables: Tables) -> list[Resolution]:
    """Return every meaning of keys: for each key one record for each component and meaning, its newest release's.

    Of several keys one source is inferred, if there is just one; otherwise each has the meanings in the sources that
    explain the most of them.
    """
    source, lookups = looked_up(keys, config=config, tables=tables)
    if source is not None:
        return resolve_in(open_view(source, config=config, spec=tables), keys)
    if len(keys) > 1 and (found := undescribed_source(keys, tables)) is not None:
        return of_undescribed(found, keys)
    catalogue = catalogue_of(tables, config)
    resolutions: list[Resolution] = []
    for key, lookup in zip(keys, lookups, strict=True):
        for item in lookup.found:
            resolutions += _resolutions(key, lookup.way, item, _view(item, tables, catalogue.configured(item)))
        if not lookup.found:
            resolutions += measured(key, tables) or [*_undescribed(key, tables)][:1] or [_unknown(key, catalogue)]
    return resolutions


def undescribed_source(keys: Sequence[str], tables: Tables) -> Recognised | None:
    """Return the framework whose keys these are, where the spec does not describe it."""
    from ..inference import Clues, find_source

    answer = find_source(Clues(tuple(keys)), tables)
    return None if answer.is_known else answer.recognised


def of_undescribed(found: Recognised, keys: Sequence[str]) -> list[Resolution]:
    """Return what keys of an undescribed framework are: for each the metric that is nearest, and no meaning."""
    near = {item.key: item for item in found.nearest}
    reason = f"this looks like {found.name}, which is not described"
    return [
        Resolution(
            key,
            None,
            reason=reason,
            note=near[key].note if key in near else None,
            nearest=(near[key].metric,) if key in near else (),
            undescribed=found.name,
        )
        for key in keys
    ]


def _undescribed(key: str, tables: Tables) -> Iterator[Resolution]:
    for found in told_by(key, tables):
        yield from of_undescribed(found, [key])


def looked_up(keys: Sequence[str], *, config: Config = None, tables: Tables) -> tuple[str | None, list[Lookup]]:
    """Return the one source of several keys, or else what each key means, by itself or together with the others.

    Raises:
        NamesError: No component that logs a key has one of the configuration keys.
    """
    catalogue = catalogue_of(tables, config)
    lookups = [catalogue.find(key) for key in keys]
    if len(keys) > 1:
        from ..inference import Clues, find_source

        best = _explaining(lookups)
        answer = find_source(Clues(tuple(keys), settings=frozenset(config or {})), tables)
        if answer.source is not None and len(answer.candidates) == 1 and not answer.rivals:
            return answer.source, []
        lookups = [_within(lookup, best) for lookup in lookups]
    logged = [item for lookup in lookups for item in lookup.found]
    if logged:
        check_config(config, catalogue.settings(logged), catalogue.releases(logged))
    return None, lookups


def resolved_at(
    key: str, way: str, item: Logged, *, config: Config = None, tables: Tables
) -> tuple[Resolution, FrameworkView]:
    """Return what a key means in the newest release of one who logs it, and that release."""
    view = _view(item, tables, catalogue_of(tables, config).configured(item))
    return next(_resolutions(key, way, item, view)), view


def _explaining(lookups: Sequence[Lookup]) -> set[tuple[str, str]]:
    """Return the classes, or the frameworks whose parts log together, that explain the most keys."""
    counts = Counter(place for lookup in lookups for place in {_place(item) for item in lookup.found})
    most = max(counts.values(), default=0)
    return {place for place, count in counts.items() if count == most}


def _place(item: Logged) -> tuple[str, str]:
    return item.framework, item.component if item.is_class else ""


def _within(lookup: Lookup, best: Collection[tuple[str, str]]) -> Lookup:
    """Return what was found in some places; all of it if that is nothing."""
    within = tuple(item for item in lookup.found if _place(item) in best)
    return lookup._replace(found=within) if within else lookup


def _view(item: Logged, tables: Tables, config: Config) -> FrameworkView:
    return FrameworkView(tables, parse_source(item.source, tables), config)


def _resolutions(key: str, way: str, item: Logged, view: FrameworkView) -> Iterator[Resolution]:
    for part in view.components.values():
        entry = part.entry_alone(item.key, item.mode)
        if entry is not None:
            resolution = resolution_of(view, key, Match(entry, item.surface, item.values))
            yield replace(resolution, matched=way, releases=item.releases)
            return


def _unknown(key: str, catalogue: Catalogue) -> Resolution:
    reason = "no described release logs it"
    near = catalogue.near(key)
    typo = misspelt(key, [*near, *(name.rpartition("/")[2] for name in near)])
    return Resolution(key, None, reason=reason, nearest=tuple(near), near_miss=near[0] if typo else None)
