"""Pages about moving from one release or framework to another: what may go on in one plot, and what to do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from markupsafe import Markup

from rlmetrics.names.upgrades.causes import shown
from rlmetrics.wording.keylists import braced

from .html import render
from .migration_causes import MoveCauses
from .migration_lead import end_of, framework_of, lead, lost, move_title, plot, program_title, start_of
from .moved_rows import FOLDED, ORDER, MovedRows
from .moves import Move, moves_of, title_of
from .page import Page
from .page_links import release_page, trainer_page
from .release_steps import changes_something, steps_of
from .site import Site
from .texts import code

__all__ = ["migration_pages"]

_NAMED = 4
_SETTINGS = 3


def migration_pages(site: Site) -> Iterator[Page]:
    """Yield a page for each move, and one that lists them."""
    moves = moves_of(site.tables)
    neighbours = _neighbours(moves)
    for move in moves:
        yield _Migration(site, move).page(*neighbours.get(move.path, (None, None)))
    yield _index(site, moves)


def _neighbours(moves: Sequence[Move]) -> dict[str, tuple[Move | None, Move | None]]:
    """Return the steps of the same program before and after each step."""
    by_program: dict[tuple[str, str], list[Move]] = {}
    for move in moves:
        if move.kind == "minor":
            by_program.setdefault((move.framework, move.program), []).append(move)
    found: dict[str, tuple[Move | None, Move | None]] = {}
    for steps in by_program.values():
        for index, move in enumerate(steps):
            later = steps[index + 1] if index + 1 < len(steps) else None
            found[move.path] = (steps[index - 1] if index else None, later)
    return found


class _Migration:
    """One move.

    Args:
        site: What pages are made from.
        move: The move.
    """

    def __init__(self, site: Site, move: Move) -> None:
        self._site = site
        self._move = move
        self._texts = site.texts
        self._rows = MovedRows(site, move, framework_of(move.to))
        self._causes = MoveCauses(site, move, self._rows)

    def page(self, earlier: Move | None, later: Move | None) -> Page:
        """Return the page.

        Args:
            earlier: The step before it.
            later: The step after it.
        """
        move, texts = self._move, self._texts
        title = move_title(self._site.tables, move)
        settings = list(self._causes.settings())[:_SETTINGS]
        added = self._added()
        body = render(
            "migration.html.j2",
            move.path,
            texts,
            title=title,
            move=move,
            here=start_of(self._site.tables, move),
            there=end_of(self._site.tables, move),
            crossing=move.found is None,
            lead=list(lead(self._site, move, self._rows)),
            counts=[(name, self._rows.counts[name]) for name in ORDER if self._rows.counts[name]],
            plot=plot(self._rows, texts),
            settings=settings,
            lost=lost(self._rows, texts),
            causes={name: self._causes.told(name) for name in ("heavy", "small", "hidden", "timers")},
            apart=self._rows.counts["biased"] + self._rows.counts["look-alike"],
            renames=self._renames(),
            alarms=self._alarms(("biased", "look-alike")),
            silent=self._alarms(("none",)),
            command=self._command("translate RUN"),
            strict_code=code("--strict"),
            diff=self._command("map" if move.found is None else "diff"),
            groups=list(self._rows.groups(self._causes.page)),
            evaluation=self._evaluation(),
            added=braced(added) if len(added) > FOLDED else added,
            new=len(added),
            defaults=self._defaults(),
            earlier=earlier,
            later=later,
            releases=self._releases(),
            trainer=self._trainer(),
            back=self._back(),
        )
        description = texts.plain(
            "What to rename, what must not share a plot, and what to do when moving from {before} to {after}.",
            before=start_of(self._site.tables, move),
            after=end_of(self._site.tables, move),
        )
        return Page(move.path, title, description, body)

    def _renames(self) -> list[tuple[str, str]]:
        found = {row.from_: str(row.to) for row in self._rows.of("same", "close") if row.to not in (None, row.from_)}
        return sorted(found.items())

    def _alarms(self, severities: Sequence[str]) -> list[str]:
        """Return the keys for which the spec knows bounds, and whose numbers moved or went."""
        rules = self._site.tables.health["RULES"]
        told = [
            row.from_
            for row in self._rows.of(*severities)
            if any("finite" not in _said(rule) for rule in rules.get(row.metric or "", ()))
        ]
        return told[: 2 * _NAMED]

    def _command(self, what: str) -> str:
        option = f" \\\n  --program {self._move.option}" if self._move.option else ""
        return f"rlmetrics {what} \\\n  --from '{self._move.from_}' \\\n  --to '{self._move.to}'{option}"

    def _evaluation(self) -> list[tuple[str, int, list[str]]]:
        rows = [row for row in self._move.rows if row.mode != "train"]
        found = [(name, [row.from_ for row in rows if row.severity == name]) for name in ORDER]
        return [(name, len(keys), braced(keys) if name != "same" else []) for name, keys in found if keys]

    def _added(self) -> list[str]:
        found = () if self._move.found is None else self._move.found.added
        return [item.key for item in found if item.mode == "train"]

    def _defaults(self) -> list[tuple[str, str, str, Markup]]:
        found = () if self._move.found is None else self._move.found.defaults
        rows = []
        for item in found:
            if item.decides or item.moves:
                says = self._texts.say(item.says) if item.says else self._rows.few([*item.decides, *item.moves])
                rows.append((item.name, shown(item.before), shown(item.after), says))
        return rows

    def _releases(self) -> list[tuple[str, str]]:
        """Return the releases on the way that changed something, and the patches after it in the same minor release."""
        if self._move.found is None:
            return []
        order = self._site.tables.framework(self._move.framework).releases.index
        first, last = order(self._move.before), order(self._move.after)
        return [
            (step.after, release_page(self._move.framework, step.after))
            for step in steps_of(self._site.tables, self._move.framework)
            if first < order(step.after) <= last and changes_something(step.found)
        ]

    def _trainer(self) -> str | None:
        if self._move.framework in self._site.tables.derived:
            return self._move.framework
        declared = self._site.tables.framework(self._move.framework).programs
        return None if self._move.program in declared else trainer_page(self._move.framework, self._move.program)

    def _back(self) -> str | None:
        """Return the page of the way back, between two frameworks."""
        if self._move.found is not None or framework_of(self._move.to) == self._move.framework:
            return None
        first, second = self._move.path.split("/")[1:]
        return f"migrate/{second}/{first}"


def _said(rule: object) -> str:
    return str(rule["words"]) if isinstance(rule, dict) else ""


def _index(site: Site, moves: Sequence[Move]) -> Page:
    """Return the page that lists all moves: between frameworks first, then by framework and program."""
    crossings = [
        (move_title(site.tables, move), move.path)
        for move in moves
        if move.kind == "crossing" and not {move.framework, framework_of(move.to)} & site.tables.derived.keys()
    ]
    derived = [(title_of(site.tables, name), title_of(site.tables, str(row["base"])), name)
               for name, row in site.tables.derived.items()]  # fmt: skip
    frameworks: dict[str, dict[str, dict[str, list[Move]]]] = {}
    for move in moves:
        if move.kind != "crossing":
            title, program = title_of(site.tables, move.framework), program_title(site.tables, move)
            frameworks.setdefault(title, {}).setdefault(program, {}).setdefault(move.kind, []).append(move)
    title = site.texts.plain("Moving to another release or framework")
    body = render(
        "migrations.html.j2",
        "migrate",
        site.texts,
        title=title,
        crossings=crossings,
        derived=derived,
        frameworks=frameworks,
    )
    return Page(
        "migrate", title, site.texts.plain("What to rename and what must not share a plot, for every upgrade."), body
    )
