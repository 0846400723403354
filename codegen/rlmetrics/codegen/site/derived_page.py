"""Pages of frameworks that derive from another one: what of theirs differs, with links to the base for all else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from markupsafe import Markup

from rlmetrics.wording.keylists import braced

from .html import render
from .lists import Lists
from .migration_lead import framework_of
from .moved_rows import HEADINGS, ORDER, MovedRows
from .moves import Move, moves_of, title_of
from .page import Page
from .release_steps import components_of
from .site import Site

__all__ = ["derived_pages"]

_APART = ("none", "look-alike", "biased", "unreviewed")
"""What a trainer logs otherwise than the one under it, what is its own first."""


class _OnBase(NamedTuple):
    """A release, and the releases of the base that it runs on."""

    name: str
    date: str
    bases: str


class _TrainerBeside(NamedTuple):
    """A trainer beside the one of the base that does the same.

    Attributes:
        name: The trainer.
        base: That of the base, which leads to its page; empty where none does the same.
        path: The page that tells all keys of the two.
        total: How many training keys it logs.
        counts: How many of them are the same, close and so on.
        apart: What differs: severity, heading, number of keys, and the keys.
    """

    name: str
    base: Markup
    path: str
    total: int
    counts: list[tuple[str, int]]
    apart: list[tuple[str, str, int, list[str]]]


def derived_pages(site: Site) -> Iterator[Page]:
    """Yield a page for each framework that derives from another one."""
    for framework in site.tables.derived:
        yield _page(site, framework)


def _page(site: Site, framework: str) -> Page:
    table, texts = site.tables.framework(framework), site.texts
    assert table.base is not None
    base = table.base[0].name
    title, base_title = title_of(site.tables, framework), title_of(site.tables, base)
    moves = [move for move in moves_of(site.tables) if move.framework == framework and framework_of(move.to) == base]
    beside = [_beside(site, move, base) for move in moves]
    told = {item.name for item in beside}
    alone = [
        _TrainerBeside(name, Markup(""), "", 0, [], [])
        for name in components_of(site.tables, framework)
        if name not in told
    ]
    heading = texts.plain("{framework}: what differs from {base}", framework=title, base=base_title)
    body = render(
        "derived.html.j2",
        framework,
        texts,
        title=heading,
        framework=title,
        base=base,
        base_title=base_title,
        brief=texts.say(str(site.tables.head(framework)["brief"])),
        releases=list(_releases(site, framework)),
        trainers=[*beside, *alone],
        source=f"{framework}=={table.releases.names[-1]}",
    )
    description = texts.plain("The keys that it logs itself, or otherwise than {base}, by trainer.", base=base_title)
    return Page(framework, heading, description, body)


def _releases(site: Site, framework: str) -> Iterator[_OnBase]:
    """Yield the releases, the newest first."""
    releases = site.tables.framework(framework).releases
    base = site.tables.framework(framework).base
    assert base is not None
    for name in dict.fromkeys(release.partition("+")[0] for release in reversed(releases.names)):
        pairs = releases.paired(name) or [name]
        under = base[0].releases.sort({base[1][pair] for pair in pairs})
        yield _OnBase(name, releases.dates[pairs[-1]], under[0] if len(under) == 1 else f"{under[0]} – {under[-1]}")


def _beside(site: Site, move: Move, base: str) -> _TrainerBeside:
    rows = MovedRows(site, move, base)
    trainer = Lists(move.framework, base, site).trainer(move.to.partition("[")[2].partition("]")[0])
    apart = [
        (name, HEADINGS[name], rows.counts[name], braced([row.from_ for row in rows.of(name)]))
        for name in _APART
        if rows.counts[name]
    ]
    counts = [(name, rows.counts[name]) for name in ORDER if rows.counts[name]]
    return _TrainerBeside(move.program, trainer, move.path, len(rows.all), counts, apart)
