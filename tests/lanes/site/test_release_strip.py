"""The release strip: every key of every release stands where the command line lists it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from rlmetrics.codegen.site.addresses import key_page, metric_page
from rlmetrics.codegen.site.lives import lives_of
from rlmetrics.names import keys
from site_pages import pages, strips, the_site

Place = tuple[int, str, str, str]
"""The place of a release, a trainer, a key and its mode."""


def described(framework: str) -> Iterator[tuple[int, str]]:
    """Yield the releases of a framework that the spec describes, with their places."""
    table = the_site().tables.framework(framework)
    yield from ((at, name) for at, name in enumerate(table.releases.names) if table.described(name))


@pytest.mark.parametrize("framework", ["trl", "verl"])
def test_strips_hold_what_the_command_line_lists(framework: str) -> None:
    """For each release, trainer and key: what ``keys --at`` lists is what the pages are made from, and nothing else."""
    listed: dict[Place, tuple[object, ...]] = {}
    for at, release in described(framework):
        for one in keys(f"{framework}=={release}"):
            listed[at, one.component, one.key, one.mode] = one.metric, one.logged, one.condition
    found = {
        (at, life.component, life.key, life.mode): (piece.entry.metric, piece.entry.logged, piece.entry.condition)
        for life in lives_of(the_site().tables).all
        if life.framework == framework
        for piece in life.pieces
        for at in range(piece.first, piece.last + 1)
    }

    assert listed == found


@pytest.mark.parametrize("framework", ["trl", "verl"])
def test_pages_show_what_they_are_made_from(framework: str) -> None:
    """The strip in each key's page has a piece exactly where the trainer logs the key."""
    for (name, key), lives in lives_of(the_site().tables).by_key.items():
        if name != framework:
            continue
        data = strips(pages()[key_page(framework, key)])[framework]
        shown = {
            (component, at)
            for row in data["rows"]
            for component in row["n"].split(", ")
            for piece in row["p"]
            for at in range(piece[0], piece[1] + 1)
        }
        logged = {
            (life.component, at) for life in lives for piece in life.pieces for at in range(piece.first, piece.last + 1)
        }
        assert logged == shown, key


def test_pages_of_metrics_show_every_name_in_training() -> None:
    """A metric's page has a piece for every release, trainer and key that logs it in training."""
    for metric, lives in lives_of(the_site().tables).by_metric.items():
        data = strips(pages()[metric_page(metric)])
        shown = {
            (framework, component, strip["keys"][piece[4]], at)
            for framework, strip in data.items()
            for row in strip["rows"]
            for component in row["n"].split(", ")
            for piece in row["p"]
            for at in range(piece[0], piece[1] + 1)
        }
        logged = {
            (life.framework, life.component, life.key, at)
            for life in lives
            for piece in life.pieces
            if life.mode == "train" and piece.entry.metric == metric
            for at in range(piece.first, piece.last + 1)
        }
        assert logged <= shown, metric
