"""The page that lists all releases of a framework, with what each of them changed in numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .html import render
from .moves import title_of
from .page import Page
from .page_links import release_page
from .release_steps import WORST_FIRST, MigrationStep, changes_something
from .site import Site

__all__ = ["releases_index"]


class _Listed(NamedTuple):
    """A release on the page that lists them all."""

    name: str
    date: str
    path: str
    counts: list[tuple[str, int]]
    added: int
    removed: int
    renamed: int
    quiet: bool
    begun: tuple[str, ...]
    ended: tuple[str, ...]


def releases_index(site: Site, framework: str, steps: Sequence[MigrationStep]) -> Page:
    """Return the page of all releases of a framework."""
    title = site.texts.plain("Releases of {framework}", framework=title_of(site.tables, framework))
    releases = site.tables.framework(framework).releases
    rows: list[_Listed] = []
    quiet: list[str] = []
    for step in reversed(steps):
        found = step.found
        if not changes_something(found):
            quiet.append(step.after)
            continue
        told = [item for item in found.changed if item.mode == "train"]
        counts = [(severity, sum(item.severity == severity for item in told)) for severity in WORST_FIRST]
        new, gone, renamed = (
            sum(item.mode == "train" for item in items) for items in (found.added, found.removed, found.renamed)
        )
        rows.append(
            _Listed(
                step.after,
                releases.dates[step.after],
                release_page(framework, step.after),
                [(severity, count) for severity, count in counts if count],
                new,
                gone,
                renamed,
                not told and not (new or gone or renamed),
                found.begun,
                found.ended,
            )
        )
    body = render(
        "releases.html.j2",
        framework,
        site.texts,
        title=title,
        rows=rows,
        quiet=quiet[::-1],
        first=releases.names[0],
        first_date=releases.dates[releases.names[0]],
    )
    description = site.texts.plain(
        "Every release that changed what a key means, what it is called or whether it is logged."
    )
    return Page(framework, title, description, body)
