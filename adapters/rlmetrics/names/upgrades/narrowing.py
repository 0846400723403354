"""A part of what changed between two sources: some keys, or what changed since a release."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from rlmetrics.lazy_dataclasses import replace
from rlmetrics.lazy_typing import TYPE_CHECKING, TypeVar

from ..sources.source import nearest
from ..tables.templates import OPEN
from ..tables.user_errors import NamesError

if TYPE_CHECKING:
    from ..meanings.protocol import View
    from ..tables.versions import Releases
    from .causes import Effect, SharedCause, TakenBack
    from .diff_records import DiffResult

__all__ = ["asked_for", "of_keys", "since"]

_CLOSE = 0.75
"""How alike two names are of which one is likely a misspelling of the other."""
_Told = TypeVar("_Told", "SharedCause", "TakenBack")


def asked_for(keys: Sequence[str], old: View, new: View) -> frozenset[str]:
    """Return the keys and templates that are meant, in whatever way a tracker shows them.

    Raises:
        NamesError: Neither source logs one of them.
    """
    from difflib import get_close_matches

    wanted: set[str] = set()
    known = dict.fromkeys(entry.key for view in (new, old) for entry in view.entries())
    for key in keys:
        matches = [(view, match.entry) for view in (new, old) for match in view.find(key)]
        # A name that ends as users choose takes in every misspelling; `eval_{eval_dataset}_loss` does not.
        free = {entry.key for view, entry in matches if view.template(entry).rank == OPEN}
        chosen = {name for name in free if name.endswith("}")}
        meant = {key} if key in known else {entry.key for _, entry in matches} - chosen
        meant = meant or (set() if get_close_matches(key, known, cutoff=_CLOSE) else chosen)
        if not meant:
            msg = f"neither {old.source} nor {new.source} logs {key!r}; {nearest(key, known, 'keys')}"
            raise NamesError(msg)
        wanted |= meant
    return frozenset(wanted)


def of_keys(result: DiffResult, keys: Collection[str]) -> DiffResult:
    """Return what concerns some keys."""
    renamed = tuple(item for item in result.renamed if item.from_ in keys or item.to in keys)
    names = {*keys, *(item.to for item in renamed)}
    return replace(
        result,
        added=tuple(item for item in result.added if item.key in keys),
        removed=tuple(item for item in result.removed if item.key in keys),
        renamed=renamed,
        changed=tuple(item for item in result.changed if item.key in keys),
        causes=_places(_only(result.causes, names), names),
        taken_back=_only(result.taken_back, names),
        others=_places(_only(result.others, names), names),
        unreviewed=tuple(item for item in result.unreviewed if item.key in names),
        defaults=tuple(
            replace(
                item,
                decides=tuple(key for key in item.decides if key in names),
                moves=tuple(key for key in item.moves if key in names),
                paces=tuple(key for key in item.paces if key in names),
                says=item.says if names.intersection(item.moves) else None,
            )
            for item in result.defaults
            if names.intersection((*item.decides, *item.moves, *item.paces))
        ),
    )


def _only(items: Sequence[_Told], names: Collection[str]) -> tuple[_Told, ...]:
    """Return what concerns some keys, told of these alone; a training key stands for its evaluation."""
    narrowed = []
    for item in items:
        keys = tuple(key for key in item.keys if key in names)
        folded = tuple(key for key in item.folded if key in names)
        if keys or folded:
            # Asked for a key of evaluation, that is the key that is told.
            narrowed.append(replace(item, keys=keys or folded, folded=folded if keys else ()))
    return tuple(narrowed)


def _places(causes: Sequence[SharedCause], names: Collection[str]) -> tuple[SharedCause, ...]:
    """Return causes that name only some keys of each component."""
    kept = [[(part, tuple(key for key in keys if key in names)) for part, keys in cause.where] for cause in causes]
    return tuple(
        replace(cause, where=tuple(item for item in items if item[1]), effects=tuple(_effects(cause, names)))
        for cause, items in zip(causes, kept, strict=True)
    )


def _effects(cause: SharedCause, names: Collection[str]) -> Iterator[Effect]:
    """Yield what a changed default changes about some keys."""
    for effect in cause.effects:
        keys = tuple(key for key in effect.keys if key in names)
        if keys or not effect.keys:
            yield replace(effect, keys=keys)


def since(result: DiffResult, release: str, releases: Releases | None) -> DiffResult:
    """Return what changed in a release or later.

    Raises:
        NamesError: It is no release of the framework.
    """
    if releases is None or release not in releases:
        known = releases.names if releases is not None else ()
        msg = f"--since {release!r} is no release of the framework; {nearest(release, known, 'releases')}"
        raise NamesError(msg)
    first = releases.index(release)

    def late(name: str | None) -> bool:
        return name is None or name not in releases or releases.index(name) >= first

    causes = tuple(item for item in result.causes if late(item.release))
    keys = {key for item in causes for key in (*item.keys, *item.folded)}
    return replace(
        result,
        added=tuple(item for item in result.added if late(item.since)),
        removed=tuple(item for item in result.removed if late(item.since)),
        renamed=tuple(item for item in result.renamed if late(item.since)),
        changed=tuple(item for item in result.changed if item.key in keys),
        causes=causes,
        taken_back=tuple(item for item in result.taken_back if late(item.again)),
        defaults=tuple(item for item in result.defaults if late(item.since)),
        others=tuple(item for item in result.others if late(item.release)),
    )
