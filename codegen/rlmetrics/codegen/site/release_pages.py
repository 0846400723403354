"""Pages of releases: what each of them changed about the keys of all trainers, every cause told once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from markupsafe import Markup

from rlmetrics.names import DiffResult
from rlmetrics.names.upgrades.causes import shown
from rlmetrics.names.upgrades.changed_defaults import ChangedDefault
from rlmetrics.names.upgrades.diff_records import ListedKey

from .cause_boxes import PageCauses
from .html import render
from .lists import KeyGroup, Lists, grouped
from .moves import Move, moves_of, title_of
from .page import Page
from .page_links import release_page
from .release_steps import WORST_FIRST, MigrationStep, changes_something, components_of, steps_of
from .release_summary import release_lead, touched_components
from .releases_index import releases_index
from .site import Site
from .texts import code

__all__ = ["release_pages"]

HEADINGS = {
    "look-alike": "The name stayed, the metric did not: never in one plot",
    "biased": "Comparable only with care: start a new panel",
    "none": "No longer logged by default",
    "unreviewed": "Unreviewed: compare the code before use",
    "close": "Nearly the same",
    "same": "The same number: by a known factor, or logged by default now",
}
_LONG = 8
"""What is nearly the same is folded if it takes more lines than these."""
_MANY_KEYS = 150
"""A table of more keys than these does not lead to their pages."""


class _Row(NamedTuple):
    """A line of a table: keys, the components that have them, and what is said of them."""

    keys: Markup
    components: Markup
    notes: tuple[int, ...]


class _Severity(NamedTuple):
    name: str
    heading: str
    total: int
    rows: list[_Row]
    folded: bool


class _Default(NamedTuple):
    name: str
    before: str
    after: str
    components: Markup
    says: Markup


def release_pages(site: Site) -> Iterator[Page]:
    """Yield a page for each release that changed something, and one for each framework that lists them."""
    moves: dict[tuple[str, str, str], list[Move]] = {}
    for move in moves_of(site.tables):
        if move.kind == "minor":
            moves.setdefault((move.framework, move.before, move.after), []).append(move)
    for framework in site.tables.frameworks:
        steps = steps_of(site.tables, framework)
        told = [step for step in steps if changes_something(step.found)]
        for index, step in enumerate(told):
            yield _Release(site, framework, step, moves.get((framework, step.before, step.after), ())).page(
                told[index - 1].after if index else None, told[index + 1].after if index + 1 < len(told) else None
            )
        yield releases_index(site, framework, steps)


class _Release:
    """One release.

    Args:
        site: What pages are made from.
        framework: The framework.
        step: The release, with the one before it.
        moves: The migrations from that one to this.
    """

    def __init__(self, site: Site, framework: str, step: MigrationStep, moves: Sequence[Move]) -> None:
        self._site = site
        self._framework = framework
        self._step = step
        self._found: DiffResult = step.found
        self._moves = {move.program: move.path for move in moves}
        self._path = release_page(framework, step.after)
        came_and_went = len(self._found.added) + len(self._found.removed)
        self._lists = Lists(self._path, framework, site, linked=len(self._found.changed) <= _MANY_KEYS)
        self._names = Lists(self._path, framework, site, linked=came_and_went <= _MANY_KEYS)
        self._causes = PageCauses(
            site.tables, site.texts, self._lists, framework, self._found, {step.after: step.before}
        )

    def page(self, earlier: str | None, later: str | None) -> Page:
        """Return the page.

        Args:
            earlier: The release before it that has a page.
            later: The one after it.
        """
        texts, tables = self._site.texts, self._site.tables
        title = f"{title_of(tables, self._framework)} {self._step.after}"
        touched = list(
            touched_components(self._found, self._lists, [*components_of(tables, self._framework)], self._moves)
        )
        body = render(
            "release.html.j2",
            self._path,
            texts,
            title=title,
            framework=self._framework,
            framework_title=title_of(tables, self._framework),
            date=tables.framework(self._framework).releases.dates[self._step.after],
            before=self._step.before,
            earlier=None if earlier is None else release_page(self._framework, earlier),
            earlier_name=earlier,
            later=None if later is None else release_page(self._framework, later),
            later_name=later,
            lead=release_lead(self._found, self._lists, texts),
            programs=self._programs(),
            of_trainers=not tables.framework(self._framework).programs,
            begun=[self._lists.trainer(name) for name in self._found.begun],
            ended=[self._lists.trainer(name) for name in self._found.ended],
            classes=self._found.classes,
            causes={name: self._causes.told(name) for name in ("heavy", "small", "hidden", "timers")},
            severities=list(self._severities("train")),
            evaluation=list(self._severities("eval")),
            touched=touched,
            touched_words=self._lists.touched(len(touched)),
            renamed=self._renamed(),
            removed=self._listed(self._found.removed),
            added=self._listed(self._found.added),
            instead=self._instead(),
            defaults=list(self._defaults(moving=True)),
            other_defaults=list(self._defaults(moving=False)),
        )
        description = texts.plain(
            "What {release} changed about the keys that trainers log: meanings, names and defaults.", release=title
        )
        return Page(self._path, title, description, body)

    def _programs(self) -> list[tuple[str, str]]:
        """Return the migrations of programs that have several parts: what each is called, and its page."""
        components = components_of(self._site.tables, self._framework)
        declared = self._site.tables.framework(self._framework).programs
        title = title_of(self._site.tables, self._framework)
        return [
            (title if declared[program].get("default") else f"{title} {program}", path)
            for program, path in self._moves.items()
            if program not in components
        ]

    def _severities(self, mode: str) -> Iterator[_Severity]:
        """Yield the keys that changed their meaning, the worst first; those with the same causes together."""
        for severity in WORST_FIRST:
            items = [item for item in self._found.changed if item.severity == severity and item.mode == mode]
            items.sort(key=lambda item: item.bookkeeping)
            if items:
                marked = [(item.component, item.key, self._causes.of(item.component, item.key)) for item in items]
                rows = [self._row(group, mode, self._lists) for group in grouped(marked)]
                folded = severity in ("close", "same") and len(rows) > _LONG
                yield _Severity(severity, HEADINGS[severity], len(items), rows, folded)

    def _row(self, group: KeyGroup, mode: str, lists: Lists) -> _Row:
        notes = group.mark if isinstance(group.mark, tuple) else ()
        return _Row(lists.keys(group.keys, mode), lists.components(group.components), notes)

    def _renamed(self) -> list[tuple[str, Markup, Markup, Markup]]:
        """Return severity, old name, new name and components of what has another name."""
        items: dict[tuple[str, str, str, str], list[str]] = {}
        for item in self._found.renamed:
            place = item.severity, item.from_, item.to, item.mode
            items.setdefault(place, []).append(item.to_component)
        worst = {severity: index for index, severity in enumerate(WORST_FIRST)}
        return [
            (severity, self._lists.key(old, mode), self._lists.key(new, mode), self._lists.components(components))
            for (severity, old, new, mode), components in sorted(items.items(), key=lambda row: worst[row[0][0]])
        ]

    def _listed(self, items: Sequence[ListedKey]) -> list[_Row]:
        """Return keys that came or went; those of evaluation after those of training."""
        rows: list[_Row] = []
        for mode in ("train", "eval"):
            marked = [(item.component, item.key, ()) for item in items if item.mode == mode]
            rows += [self._row(group, mode, self._names) for group in grouped(marked)]
        return rows

    def _instead(self) -> list[tuple[Markup, Markup]]:
        """Return for keys that went what is nearest to them."""
        found = {item.key: item.instead for item in self._found.removed if item.instead and item.instead != item.key}
        return [(code(key), code(instead)) for key, instead in found.items()]

    def _defaults(self, *, moving: bool) -> Iterator[_Default]:
        for item in self._found.defaults:
            if bool(item.decides or item.moves) == moving:
                says = self._site.texts.say(item.says) if item.says else self._shows(item)
                components = self._lists.components(item.components)
                name = f"{item.formerly} → {item.name}" if item.formerly else item.name
                yield _Default(name, shown(item.before), shown(item.after), components, says)

    def _shows(self, item: ChangedDefault) -> Markup:
        keys = [*item.decides, *item.moves]
        return Markup("") if not keys else self._lists.keys(keys[:4])
