"""Pages about moving from one release or framework to another: what may go on in one plot, and what to do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from markupsafe import Markup

from rlmetrics.names import MapRow, diff
from rlmetrics.names.upgrades.causes import shown
from rlmetrics.wording.keylists import braced

from .cause_boxes import CauseOnPage, PageCauses
from .html import render
from .moved_rows import FOLDED, ORDER, MovedRows
from .moves import Move, Note, moves_of, same_move, title_of
from .page import Page
from .page_links import release_page, trainer_page
from .release_steps import changes_something, steps_of
from .site import Site
from .texts import code, later

__all__ = ["migration_pages"]

_NAMED = 4
_SETTINGS = 3


class _Setting(NamedTuple):
    what: Markup
    keys: int


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
        self._rows = MovedRows(site, move, _framework(move.to))
        self._causes: PageCauses | None = None
        if move.found is not None:
            names = site.tables.framework(move.framework).releases.names
            self._causes = PageCauses(
                site.tables,
                site.texts,
                self._rows.lists,
                move.framework,
                move.found,
                dict(zip(names[1:], names, strict=False)),
            )

    def page(self, earlier: Move | None, later: Move | None) -> Page:
        """Return the page.

        Args:
            earlier: The step before it.
            later: The step after it.
        """
        move, texts = self._move, self._texts
        title = _title(self._site, move)
        settings = list(self._settings())[:_SETTINGS]
        added = self._added()
        body = render(
            "migration.html.j2",
            move.path,
            texts,
            title=title,
            move=move,
            here=_name(self._site, move, move.from_, move.framework, move.before),
            there=_name(self._site, move, move.to, _framework(move.to), move.after),
            crossing=move.found is None,
            lead=list(self._lead()),
            counts=[(name, self._rows.counts[name]) for name in ORDER if self._rows.counts[name]],
            plot=self._plot(),
            settings=settings,
            lost=self._lost(),
            causes={name: self._told(name) for name in ("heavy", "small", "hidden", "timers")},
            apart=self._rows.counts["biased"] + self._rows.counts["look-alike"],
            renames=self._renames(),
            alarms=self._alarms(("biased", "look-alike")),
            silent=self._alarms(("none",)),
            command=self._command("translate RUN"),
            strict_code=code("--strict"),
            diff=self._command("map" if move.found is None else "diff"),
            groups=list(self._rows.groups(self._causes)),
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
            before=_name(self._site, move, move.from_, move.framework, move.before),
            after=_name(self._site, move, move.to, _framework(move.to), move.after),
        )
        return Page(move.path, title, description, body)

    def _lead(self) -> Iterator[Markup]:
        t, move, total = self._texts.t, self._move, len(self._rows.all)
        if move.found is not None:
            for item in move.found.classes:
                yield t(
                    "{name} of {release} is what {former} was before.",
                    name=code(item.component),
                    release=move.after,
                    former=code(item.former),
                )
                if _nothing_to_do(self._site, move, item.former):
                    yield t("Who used {former} has nothing to do.", former=code(item.former))
        words = {
            "same": later("{count} mean the same"),
            "close": later("{count} mean nearly the same"),
            "biased": later("{count} are comparable only with care"),
            "look-alike": later("{count} have only look-alikes"),
            "none": later("{count} have no counterpart"),
        }
        parts = [t(words[name], count=self._rows.counts[name]) for name in words if self._rows.counts[name]]
        there = _name(self._site, move, move.to, _framework(move.to), move.after)
        yield t(
            "Of {total} training keys of {here}, {parts} in {there}.",
            total=total,
            here=_name(self._site, move, move.from_, move.framework, move.before),
            parts=self._site.texts.listed(parts),
            there=there if move.found is None else move.after,
        )
        watch = [row.from_ for row in self._rows.of(*ORDER) if self._rows.is_trap(row)]
        if watch:
            named = self._site.texts.listed([code(key) for key in watch[:3]])
            if len(watch) > 3:
                named = t("{keys} and {count} more", keys=named, count=len(watch) - 3)
            yield t(
                "Watch {keys}: the name stays, the number does not, and a dashboard joins the halves without a word.",
                keys=named,
            )

    def _plot(self) -> tuple[Markup, Markup]:
        """Return what may go on in one plot, in a few words and in a sentence."""
        t = self._texts.t
        alike, total = self._rows.of("same", "close"), len(self._rows.all)
        if not alike:
            return t("Nothing"), t("No key goes on.")
        if len(alike) == total:
            return t("Everything"), t("Every key goes on.")
        if len(alike) <= _NAMED:
            return t("Only {count}" if len(alike) > 1 else "Only one", count=len(alike)), self._pairs(alike)
        if total - len(alike) <= total // 2:
            rest = [row.from_ for row in self._rows.of("look-alike", "biased", "none")]
            return t("All but {count}", count=len(rest)), t("Not {keys}.", keys=self._rows.few(rest))
        return t("{count} of {total}", count=len(alike), total=total), t(
            "{keys} go on.", keys=self._rows.few([row.from_ for row in alike])
        )

    def _pairs(self, rows: Sequence[MapRow]) -> Markup:
        told = [
            code(row.from_) if row.from_ == row.to else Markup("{} → {}").format(code(row.from_), code(str(row.to)))
            for row in rows
        ]
        return Markup(", ").join(told)

    def _lost(self) -> tuple[Markup, Markup]:
        t = self._texts.t
        gone = [row for row in self._rows.of("look-alike", "none") if not self._rows.is_trap(row)]
        if not gone:
            return t("Nothing"), t("Every key has a counterpart.")
        return t("{count} key" if len(gone) == 1 else "{count} keys", count=len(gone)), self._rows.few(
            [row.from_ for row in gone]
        )

    def _settings(self) -> Iterator[_Setting]:
        """Yield with what most of the difference is gone, what helps most keys first."""
        found: dict[Markup, int] = {}
        if self._causes is None:
            for number, note in enumerate(self._move.notes):
                if note.gone is not None and note.group != "timers":
                    said = self._texts.say(note.gone)
                    cited = sum(number in numbers for numbers in self._move.cites.values())
                    found[said] = found.get(said, 0) + cited
        for cause in () if self._causes is None else self._causes.heavy():
            if cause.kind == "setting":
                said = code(f"{cause.name}={shown(cause.before)}")
            elif cause.vanishes_when:
                said = self._texts.say(cause.vanishes_when)
            else:
                continue
            found[said] = found.get(said, 0) + len(cause.keys or cause.folded)
        yield from sorted((_Setting(*item) for item in found.items()), key=lambda item: -item.keys)

    def _told(self, group: str) -> list[CauseOnPage]:
        if self._causes is not None:
            return self._causes.told(group)
        return [self._noted(number, note) for number, note in enumerate(self._move.notes, 1) if note.group == group]

    def _noted(self, number: int, note: Note) -> CauseOnPage:
        named = note.text.startswith(tuple(title_of(self._site.tables, name) for name in self._site.tables.frameworks))
        text = self._texts.say(note.text)
        return CauseOnPage(
            number, note.severity, None, text, (), self._cited(number - 1), None, None, capital=not named
        )

    def _cited(self, number: int) -> Markup:
        keys = [key for (_, key, _), numbers in self._move.cites.items() if number in numbers]
        return self._rows.few(keys)

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
        declared = self._site.tables.framework(self._move.framework).programs
        return None if self._move.program in declared else trainer_page(self._move.framework, self._move.program)

    def _back(self) -> str | None:
        """Return the page of the way back, between two frameworks."""
        if self._move.found is not None or _framework(self._move.to) == self._move.framework:
            return None
        first, second = self._move.path.split("/")[1:]
        return f"migrate/{second}/{first}"


def _nothing_to_do(site: Site, move: Move, former: str) -> bool:
    """Tell whether a class that goes on under another name logs what it did."""
    source = f"{move.framework}[{former}]=={move.before}"
    return same_move(diff(source, move.to, spec=site.tables, evidence=False))


def _title(site: Site, move: Move) -> str:
    if move.found is None:
        sources = (move.from_, move.framework), (move.to, _framework(move.to))
        return " → ".join(_name(site, move, source, framework, "") for source, framework in sources)
    return f"{_program_title(site, move)}: {move.before} → {move.after}"


def _name(site: Site, move: Move, source: str, framework: str, release: str) -> str:
    """Return a source as it stands in a sentence, without its release if that is empty."""
    component = source.partition("[")[2].partition("]")[0] or move.option
    return " ".join(part for part in (title_of(site.tables, framework), component, release) if part)


def _said(rule: object) -> str:
    return str(rule["words"]) if isinstance(rule, dict) else ""


def _framework(source: str) -> str:
    return source.partition("[")[0].partition("=")[0]


def _program_title(site: Site, move: Move) -> str:
    title = title_of(site.tables, move.framework)
    declared = site.tables.framework(move.framework).programs
    return title if declared.get(move.program, {}).get("default") else f"{title} {move.program}"


def _index(site: Site, moves: Sequence[Move]) -> Page:
    """Return the page that lists all moves: between frameworks first, then by framework and program."""
    crossings = [(_title(site, move), move.path) for move in moves if move.kind == "crossing"]
    frameworks: dict[str, dict[str, dict[str, list[Move]]]] = {}
    for move in moves:
        if move.kind != "crossing":
            title, program = title_of(site.tables, move.framework), _program_title(site, move)
            frameworks.setdefault(title, {}).setdefault(program, {}).setdefault(move.kind, []).append(move)
    title = site.texts.plain("Moving to another release or framework")
    body = render("migrations.html.j2", "migrate", site.texts, title=title, crossings=crossings, frameworks=frameworks)
    return Page(
        "migrate", title, site.texts.plain("What to rename and what must not share a plot, for every upgrade."), body
    )
