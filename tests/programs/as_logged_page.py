"""Renders ``docs/results/as_logged.md``: what share of everything that releases log is computed exactly.

Run ``PYTHONPATH=tests python -m programs.as_logged_page`` after a change to the spec.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator

from folders import ROOT
from rlmetrics.names.tables.loading import load_tables
from rlmetrics.reproduction.recipes import Recipe
from rlmetrics.reproduction.shares import ExactShare, is_computable, recipes_of, share_of

PAGE = ROOT / "docs" / "results" / "as_logged.md"
FRAMEWORKS = ("verl", "trl", "openrlhf")
MOST = 20
"""Reasons that are listed for each framework."""

HEAD = """<!-- Written by `python -m programs.as_logged_page` from the spec. Edit that, not this. -->
# What is computed as it is logged

`rlmetrics.as_logged` gives the number that a release logs under a key, from tensors cut as the framework cuts them.
It says itself whether that number is exact: it is not where something that changes the number is left out, such as a
clock or the version of another package. Counted here is every row, a key of a component in a release and a mode,
under the release's default settings. *Computable* rows have a function or are constant; what is left is read off a
clock, a counter or a text. Rows of one meaning, whatever their names and releases, are one *meaning*, which is exact
where all its rows are.

Exact is what follows from tensors that hold what the framework held: `left_out` of each function says what that is.
"""


def page() -> str:
    """Return the page."""
    return "\n".join([HEAD, *(line for name in FRAMEWORKS for line in _framework(name))])


def _framework(name: str) -> Iterator[str]:
    tables = load_tables(None)
    by_release = {
        release: list(recipes_of(f"{name}=={release}")) for release in reversed(tables.framework(name).releases.names)
    }
    every = [recipe for recipes in by_release.values() for recipe in recipes]
    yield f"## {tables.frameworks[name]['title']}"
    yield ""
    yield "| Release | Rows | Computable | Exact rows | Meanings | Exact meanings |"
    yield "|---|---:|---:|---:|---:|---:|"
    yield _line("all", share_of(every))
    for release, recipes in by_release.items():
        yield _line(release, share_of(recipes))
    yield ""
    yield "What is in the way, with the rows that would be exact without it:"
    yield ""
    yield "| Rows | What is left out |"
    yield "|---:|---|"
    for says, count in _in_the_way(every).most_common(MOST):
        yield f"| {count:,} | {says[:1].upper()}{says[1:]} |"
    yield ""


def _line(name: str, share: ExactShare) -> str:
    rows = f"{share.all:,} | {share.computable:,} | {_percent(share.exact, share.computable)}"
    return f"| {name} | {rows} | {share.meanings:,} | {_percent(share.exact_meanings, share.meanings)} |"


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "–"


def _in_the_way(recipes: list[Recipe]) -> Counter[str]:
    """Count what alone keeps a computable row from being exact."""
    reasons: Counter[str] = Counter()
    for recipe in recipes:
        changing = {item.says for item in recipe.left_out if item.changes}
        if is_computable(recipe) and len(changing) == 1:
            reasons.update(changing)
    return reasons


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__).parse_args()
    PAGE.write_text(page(), encoding="utf-8")
