"""Pages of releases tell all that ``diff`` tells between neighbouring releases, and nothing else."""

from __future__ import annotations

from functools import cache

import pytest
from moved_pages import Node, codes, names, pages, site, tree
from rlmetrics.codegen.site.release_steps import MigrationStep, changes_something, steps_of
from rlmetrics.names import load_tables
from rlmetrics.wording.cause_words import plain_words

pytestmark = pytest.mark.xdist_group("moves")


@cache
def steps() -> list[tuple[str, MigrationStep]]:
    """Every release with what it changed."""
    return [(framework, step) for framework in ("trl", "verl") for step in steps_of(load_tables(), framework)]


def told() -> list[tuple[str, MigrationStep]]:
    """Those that changed something."""
    return [(framework, step) for framework, step in steps() if changes_something(step.found)]


def page_of(framework: str, step: MigrationStep) -> Node:
    """Return the page of a release."""
    return tree("release", f"{framework}/{step.after}")


def rows(page: Node, name: str) -> list[tuple[list[str], list[str], Node]]:
    """Return keys and components of the lines of tables of a class, with their table."""
    found = []
    for table in page.all("table", name):
        for row in table.all("tr"):
            cells = row.all("td")
            found.append((codes(cells[0]), names(cells[1]), table))
    return found


def test_changed_keys_are_those_of_diff() -> None:
    """Every key that changed its meaning stands there with its severity and its trainers, and no other."""
    for framework, step in told():
        shown = [
            (component, key, table.attributes["data-severity"], table.attributes["data-mode"])
            for keys, components, table in rows(page_of(framework, step), "rlm-changed")
            for key in keys
            for component in components
        ]
        expected = [(item.component, item.key, item.severity, item.mode) for item in step.found.changed]
        assert sorted(shown) == sorted(expected), step.after


def test_keys_that_came_and_went_are_those_of_diff() -> None:
    """Every key that is new, gone or has another name stands there with its trainers, and no other."""
    for framework, step in told():
        page = page_of(framework, step)
        for name, items in (("rlm-added", step.found.added), ("rlm-removed", step.found.removed)):
            shown = [(part, key) for keys, parts, _ in rows(page, name) for key in keys for part in parts]
            assert sorted(shown) == sorted((item.component, item.key) for item in items), step.after
        renamed = []
        for table in page.all("table", "rlm-renamed"):
            for row in table.all("tr")[1:]:
                severity, old, new, parts = row.all("td")
                mark = severity.all("span")[0].attributes["title"]
                renamed += [(mark, codes(old)[0], codes(new)[0], part) for part in names(parts)]
        expected = {(item.severity, item.from_, item.to, item.to_component) for item in step.found.renamed}
        assert set(renamed) == expected, step.after


def test_every_cause_is_told_once_and_cited_by_its_keys() -> None:
    """Causes are numbered once; a key cites exactly those that changed it."""
    for framework, step in told():
        page = page_of(framework, step)
        causes = page.all("div", "rlm-cause")
        numbers = [int(cause.attributes["id"].removeprefix("c")) for cause in causes]
        assert sorted(numbers) == list(range(1, len(step.found.causes) + 1)), step.after
        by_text = {cause.all("p", "rlm-what")[0].text.strip() for cause in causes}
        words = (plain_words(cause, cause.what, load_tables()) for cause in step.found.causes)
        assert by_text == {" ".join(text.replace("`", "").split()) for text in words}, step.after
        cited: dict[tuple[str, str], int] = {}
        for table in page.all("table", "rlm-changed"):
            for row in table.all("tr"):
                keys, parts, notes = row.all("td")
                for key in codes(keys):
                    cited.update(
                        dict.fromkeys(((part, key) for part in names(parts)), len(notes.all("a", "rlm-cited")))
                    )
        expected: dict[tuple[str, str], int] = {}
        for cause in step.found.causes:
            for part, keys_ in cause.where:
                for key in keys_:
                    expected[part, key] = expected.get((part, key), 0) + 1
        assert cited == {place: expected.get(place, 0) for place in cited}, step.after


def test_a_release_that_changed_nothing_is_named_in_the_list() -> None:
    """A release has a page, or the list of its framework says that it changed nothing."""
    for framework in ("trl", "verl"):
        listed = tree("release", framework)
        links = {link.attributes["href"] for link in listed.all("a")}
        quiet = listed.all("p")[-1].text
        for step in steps_of(load_tables(), framework):
            if changes_something(step.found):
                assert f"{step.after}/" in links
                assert f"{framework}/{step.after}" in pages("release")
            else:
                assert f" {step.after}," in quiet or f" {step.after}." in quiet
                assert f"{framework}/{step.after}" not in pages("release")


def test_changed_defaults_are_those_of_diff() -> None:
    """Every setting with another default stands on its release's page, with both values."""
    for framework, step in told():
        shown = set()
        for table in page_of(framework, step).all("table", "rlm-defaults"):
            for row in table.all("tr")[1:]:
                before, after = (cell.text for cell in row.all("td")[:2])
                shown.add((row.all("th")[0].text, before, after))
        assert {name for name, _, _ in shown} == {item.name for item in step.found.defaults}
        assert all(before != after for _, before, after in shown)


def test_the_site_knows_every_framework() -> None:
    """All frameworks have pages of releases, the oldest one with its date."""
    assert set(site().tables.frameworks) == {"trl", "verl", "openrlhf", "areal", "skyrl"}
    assert "Released 2024-11-01" in tree("release", "trl/0.12.0").text
