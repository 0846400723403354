"""Pages of trainers and other components: every key by release."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from markupsafe import Markup

from .html import render
from .lists import Lists
from .matrix import Cell, Matrix, MatrixLine, matrix_of
from .moves import Move, moves_of, title_of
from .page import Page
from .page_links import link, metric_page, release_page, trainer_page
from .release_steps import changes_something, components_of, steps_of
from .site import Site

__all__ = ["trainer_pages"]

_LETTERS = "ABCDEFGH"
_MANY_LINES = 170
"""With more lines than these a page names no metrics."""


class _Row(NamedTuple):
    key: Markup
    twin: bool
    metric: Markup
    changed: bool
    cells: Markup


class _Column(NamedTuple):
    first: str
    last: str | None
    path: str | None


def trainer_pages(site: Site) -> Iterator[Page]:
    """Yield a page for each component of each framework, and one that lists them."""
    moves: dict[tuple[str, str], list[Move]] = {}
    for move in moves_of(site.tables):
        moves.setdefault((move.framework, move.program), []).append(move)
    for framework in site.tables.frameworks:
        pages = {step.after for step in steps_of(site.tables, framework) if changes_something(step.found)}
        for component in components_of(site.tables, framework):
            yield _page(site, framework, component, pages, moves.get((framework, component), ()))
    yield _index(site)


def _page(site: Site, framework: str, component: str, pages: set[str], moves: Sequence[Move]) -> Page:
    texts, tables = site.texts, site.tables
    path = trainer_page(framework, component)
    matrix = matrix_of(tables, framework, component)
    lists = Lists(path, framework, site)
    title = f"{title_of(tables, framework)} {component}"
    with_metrics = len(matrix.lines) <= _MANY_LINES
    rows = {
        name: [_row(site, lists, path, line, twin=twin, with_metric=with_metrics) for line, twin in lines]
        for name, lines in _sections(matrix).items()
    }
    releases = components_of(tables, framework)[component]
    training = [line for line in matrix.lines if line.mode == "train"]
    body = render(
        "trainer.html.j2",
        path,
        texts,
        title=title,
        framework=title_of(tables, framework),
        first=releases[0],
        last=releases[-1],
        current=releases[-1] == tables.framework(framework).releases.names[-1],
        newest=tables.framework(framework).releases.names[-1],
        count=len(training),
        moved=sum(len({cell.letter for cell in line.cells} - {None}) > 1 for line in training),
        columns=[_column(framework, releases, pages) for releases in matrix.columns],
        rows=rows,
        moves=moves,
        source=f"{framework}[{component}]=={releases[-1]}",
    )
    description = texts.plain(
        "Every key of {name} by release: since when it is logged, and where it means something else.", name=title
    )
    return Page(path, title, description, body)


def _sections(matrix: Matrix) -> dict[str, list[tuple[MatrixLine, bool]]]:
    """Return the lines of training, of timers, and of evaluation where that goes another way than training."""
    training = {line.key: line for line in matrix.lines if line.mode == "train"}
    twins: set[str] = set()
    alone: list[MatrixLine] = []
    for line in matrix.lines:
        if line.mode == "train":
            continue
        twin = training.get(line.key.removeprefix("eval_"))
        if twin is not None and line.key == f"eval_{twin.key}" and twin.cells == line.cells:
            twins.add(twin.key)
        else:
            alone.append(line)
    found = {
        "train": [(line, line.key in twins) for line in training.values() if not line.bookkeeping],
        "timers": [(line, line.key in twins) for line in training.values() if line.bookkeeping],
        "eval": [(line, False) for line in alone],
    }
    return {name: lines for name, lines in found.items() if lines}


def _row(site: Site, lists: Lists, path: str, line: MatrixLine, *, twin: bool, with_metric: bool) -> _Row:
    metric = Markup("")
    if with_metric and line.metric is not None:
        metric = Markup('<a href="{}">{}</a>').format(link(path, metric_page(line.metric)), line.metric)
    return _Row(lists.plain(line.key, line.mode), twin, metric, line.changed, _cells(line.cells))


def _cells(cells: Sequence[Cell]) -> Markup:
    """Return the cells of a line, each as wide as what it tells holds."""
    return Markup("").join(_cell(cell) for cell in cells)


def _cell(cell: Cell) -> Markup:
    width = Markup("") if cell.width == 1 else Markup(" colspan={}").format(cell.width)
    if cell.letter is None:
        return Markup("<td{}>").format(width)
    letter = _LETTERS[min(cell.letter, len(_LETTERS) - 1)]
    style = ("x" if cell.other else letter.lower()) + ("" if cell.usual else " o")
    return Markup('<td{} class="{}">{}').format(
        width, style, Markup("<i>{}</i>≈").format(letter) if cell.near else letter
    )


def _column(framework: str, releases: Sequence[str], pages: set[str]) -> _Column:
    first = releases[0]
    return _Column(
        first, releases[-1] if len(releases) > 1 else None, release_page(framework, first) if first in pages else None
    )


def _index(site: Site) -> Page:
    """Return the page that lists all components."""
    title = site.texts.plain("Trainers")
    frameworks = {}
    for framework in site.tables.frameworks:
        newest = site.tables.framework(framework).releases.names[-1]
        frameworks[title_of(site.tables, framework)] = [
            (name, trainer_page(framework, name), releases[0], releases[-1], releases[-1] == newest)
            for name, releases in components_of(site.tables, framework).items()
        ]
    derived = {title_of(site.tables, name): (name, [*components_of(site.tables, name)]) for name in site.tables.derived}
    body = render("trainers.html.j2", "trainer", site.texts, title=title, frameworks=frameworks, derived=derived)
    return Page("trainer", title, site.texts.plain("Every trainer, with all its keys by release."), body)
