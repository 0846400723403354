"""The release strip: every key of every release stands where the command line lists it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

import pytest
from rlmetrics.codegen.site.lives import lives_of
from rlmetrics.codegen.site.meaning_letters import PageMeanings
from rlmetrics.codegen.site.page_links import key_page, metric_page
from rlmetrics.codegen.site.strip_rows import rows_of_key
from rlmetrics.names import keys, map_names
from site_pages import pages, strips, the_site

pytestmark = pytest.mark.xdist_group("keys")

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
        (at, life.component, life.key, life.mode): (piece.entry.metric, piece.entry.logged, piece.entry.logged_when)
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


def named_below(body: str, framework: str) -> set[str]:
    """Return the keys that a page names below the strip of a framework, as what is logged, too, and not drawn."""
    section = body.partition(f'<h2 id="{framework}">')[2].partition("<h2 ")[0]
    sentence = re.search(r"It also logs this as (.*?): their pages tell more", section.partition("</details>")[2])
    return {unescape(key) for key in re.findall(r"<code>(.*?)</code>", sentence[1])} if sentence else set()


def test_pages_of_metrics_show_every_name_in_training() -> None:
    """A metric's page has a piece, or names the key, for every release, trainer and key that logs it in training."""
    for metric, lives in lives_of(the_site().tables).by_metric.items():
        page = pages()[metric_page(metric)]
        data = strips(page)
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
        # Of one trainer's many keys the first are drawn; the others are named below the strip of the framework.
        drawn = {place[:2] for place in shown}
        below = {framework: named_below(page.body, framework) for framework in data}
        named = {place for place in logged - shown if place[:2] in drawn and place[2] in below[place[0]]}
        assert logged - named <= shown, metric
        for framework, keys_below in below.items():
            assert keys_below <= {place[2] for place in logged if place[0] == framework}, metric


@pytest.mark.parametrize("release", ["0.7.4", "0.11.4", "0.12.0", "0.22.0", "1.0.0", "1.16.0"])
def test_severities_are_those_of_the_map(release: str) -> None:
    """What sets a key apart from the definition weighs as much as in a translation to the canonical names."""
    at = the_site().tables.framework("trl").releases.index(release)
    told = {
        (row.from_component, row.from_, row.mode): row.severity
        for row in map_names(f"trl=={release}", "canonical").rows
    }
    found = {
        (life.component, life.key, life.mode): piece.severity
        for life in lives_of(the_site().tables).all
        if life.framework == "trl"
        for piece in life.pieces
        if piece.first <= at <= piece.last
    }

    assert told == found


def test_what_weighs_is_told() -> None:
    """A key that is biased or not comparable has a reason that weighs, and no other key has one."""
    wrong = [
        (life.component, life.key)
        for life in lives_of(the_site().tables).all
        for piece in life.pieces
        if piece.entry.metric is not None and bool(piece.weighing) != (piece.severity in ("biased", "look-alike"))
    ]

    assert wrong == []


def test_letters_are_few() -> None:
    """A page has at most eight letters, unless more metrics than that are logged under its key."""
    crowded = {}
    for place, lives in lives_of(the_site().tables).by_key.items():
        items = [item for row in rows_of_key(lives) for item in row.items]
        letters = {letter.name for letter, _, _ in PageMeanings(items).listed() if letter.colour >= 0}
        metrics = {piece.entry.metric for _, piece in items}
        if len(letters) > max(8, len(metrics)):
            crowded[place] = len(letters)

    assert crowded == {}


def test_lines_stand_at_their_tags() -> None:
    """The line of a release leads to that release's tag, and to the line that the evidence names."""
    (life,) = [
        life
        for life in lives_of(the_site().tables).by_key["trl", "policy/approxkl_avg"]
        if life.component == "PPOTrainer"
    ]
    at = the_site().tables.framework("trl").releases.index("0.12.0")

    assert life.address(at) == "https://github.com/huggingface/trl/blob/v0.12.0/trl/trainer/ppo_trainer.py#L516"


def test_every_key_of_a_release_has_its_line() -> None:
    """A key that the evidence of a release shows has a line in the strip, whichever of its anchors stands there."""
    tables = the_site().tables
    for framework, release in (("trl", "0.18.0"), ("trl", "1.16.0"), ("verl", "0.9.1")):
        at = tables.framework(framework).releases.index(release)
        shown = {(one.component, one.key): one.evidence for one in keys(f"{framework}=={release}")}
        for life in lives_of(tables).all:
            if life.framework == framework and life.at(at) is not None:
                line, evidence = life.line(at), shown[life.component, life.key]
                assert (line is None) == (not evidence), (life.component, life.key)
                assert line is None or (line.path, line.line) in {(one.path, one.line) for one in evidence}
