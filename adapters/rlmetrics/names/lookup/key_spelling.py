"""What a key means in a source, however it is spelled: by its spelling, else by what it is another name of."""

from __future__ import annotations

from collections.abc import Sequence

from rlmetrics.lazy_dataclasses import replace
from rlmetrics.lazy_typing import TYPE_CHECKING, NamedTuple

from ..meanings.key_index import ALIAS, SEGMENT, catalogue_of
from ..meanings.protocol import Match, View
from ..meanings.view import FrameworkView
from ..settings.configuration import Config
from ..sources.surfaces import LOGGED
from ..tables.key_records import Entry
from ..tables.templates import OPEN
from .lookup_records import Resolution
from .resolving import is_users_own, resolution_of, resolve_in, unlogged

if TYPE_CHECKING:
    from .absent_keys import Absence

__all__ = ["Meant", "meant"]


class Meant(NamedTuple):
    """What a key means in a source.

    Attributes:
        found: One record for each component that logs it; one without a metric if none does.
        absent: Which other releases or classes log it, where the source does not, or only as a number of the user's
            own.
        others: What it may mean besides a number of the user's own: keys of which it is another name.
        own: Whether it is at most a number of the user's own.
    """

    found: list[Resolution]
    absent: Absence | None = None
    others: tuple[Resolution, ...] = ()
    own: bool = False


def meant(view: View, key: str, *, config: Config = None) -> Meant:
    """Return what a key means in a source.

    Args:
        view: The source.
        key: As any tracker shows it, a name of a metric, or the last part of one of the source's keys.
        config: Values of configuration keys that differ from the release's defaults.
    """
    resolutions = resolve_in(view, [key])
    if not isinstance(view, FrameworkView):
        return Meant(resolutions)
    known = [item for item in resolutions if item.component is not None]
    own = bool(known) and all(_is_own(view, key, item) for item in known)
    if known and not own:
        return Meant(resolutions)
    listed = any(unlogged(part, key) is not None for part in view.components.values())
    others = [] if listed or _is_of_other_releases(view, key) else _named(view, key)
    if others and not own:
        return Meant(others)
    from .absent_keys import absence

    absent = absence(view, key, config=config)
    if not others and not listed and absent is None:
        others = _ending(view, key)
    if others and not own:
        return Meant(others)
    if absent is None and not others:
        return Meant(resolutions)
    instead = others[0].template if others else absent.row.to if absent is not None and absent.row else None
    releases = absent.releases if absent is not None else ()
    became = None if absent is None else absent.became
    told = [
        replace(
            item,
            near_miss=None,
            instead=instead,
            releases=releases,
            became=became.kind if became else None,
            related=became.related if became and instead is None else (),
        )
        for item in resolutions
    ]
    return Meant(told, absent, tuple(others), own)


def _is_own(view: FrameworkView, key: str, item: Resolution) -> bool:
    """Tell whether a key is a number of the user's own.

    So is one that only a name of the user's choice makes of it, where other releases log it under its own name.
    """
    if item.template == key and "{" in key:
        return False  # the template itself was asked for, as answers spell it
    if is_users_own(item.metric, view.tables):
        return True
    if item.template in (None, key) or item.logged is True:
        return False
    part = view.components[str(item.component)]
    return part.template(str(item.template)).rank == OPEN and _is_of_other_releases(view, key)


def _is_of_other_releases(view: FrameworkView, key: str) -> bool:
    """Tell whether a component of the source logs a key in some other release."""
    table = view.tables.framework(view.source.framework)
    names = {component.name for component in view.source.components}
    return any(table.component(stem).called(key) for name, stem, _, _ in table.components if name in names)


def _named(view: FrameworkView, name: str) -> list[Resolution]:
    """Return what a source logs of the metric that has a name or alias."""
    metrics = view.tables.metrics
    meant_ = [name] if name in metrics else [key for key, row in metrics.items() if name in row.get("aliases", ())]
    entries = [
        item for metric in meant_ for item in view.candidates(metric, "train") or view.candidates(metric, "eval")
    ]
    return _as(view, name, ALIAS, entries)


def _ending(view: FrameworkView, key: str) -> list[Resolution]:
    """Return the one key of a source whose last parts these are, if it is no key elsewhere and no group of keys."""
    entries = view.entries()
    if any(entry.key.startswith(f"{key}/") for entry in entries) or catalogue_of(view.tables).called(key):
        return []
    ending = [entry for entry in entries if entry.key.endswith(f"/{key}")]
    ending = [entry for entry in ending if entry.mode == "train"] or ending
    return _as(view, key, SEGMENT, ending) if len({entry.key for entry in ending}) == 1 else []


def _as(view: FrameworkView, key: str, way: str, entries: Sequence[Entry]) -> list[Resolution]:
    literal = [entry for entry in entries if view.template(entry).rank != OPEN]
    return [replace(resolution_of(view, key, Match(entry, LOGGED, {})), matched=way) for entry in literal]
