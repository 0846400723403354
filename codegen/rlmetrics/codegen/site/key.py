"""The page of a logged key: which number it is in which trainer and release, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from markupsafe import Markup

from rlmetrics.answers.unlike import friends_of, spelled
from rlmetrics.wording.metric_facts import quantity, sentence

from .answer_boxes import Box, between_box, key_link
from .between import between_of
from .details import Details, Folded
from .healthy import headline, picture_figures
from .html import fitting, render
from .lives import Life, LifePiece, lives_of
from .meaning_letters import Letter, MeaningWords, PageMeanings
from .page import Page
from .page_links import key_page, link
from .severity_marks import severity_mark
from .site import Site
from .strip import RELEASES, SCRIPT, Strip
from .strip_rows import TrainerRow, rows_of_key, spans

__all__ = ["index_page", "make"]

_MOST_TOLD = 4
"""So many meanings are told in the first box."""
_MOST_WHO = 3
_MOST_BOUNDARIES = 3
_MOST_METRICS = 4
_MOST_ALIKE = 6
_MOST_ROWS = 9
_CROWDED = 30
"""Of a key that more trainers log, what is folded is told of the foremost one."""


def index_page(framework: str) -> str:
    """Return the page of all keys of a framework."""
    return f"k/{framework}"


def make(site: Site) -> Iterator[Page]:
    """Yield the page of every key, and an index for each framework."""
    lives = lives_of(site.tables)
    for (framework, key), own in lives.by_key.items():
        yield _Key(site, framework, key, own).page()
    for framework in site.tables.frameworks:
        yield _index(site, framework, [(key, own) for (name, key), own in lives.by_key.items() if name == framework])


def _index(site: Site, framework: str, keys: Sequence[tuple[str, Sequence[Life]]]) -> Page:
    path, texts, tables = index_page(framework), site.texts, site.tables
    title = str(tables.frameworks[framework]["title"])
    groups: dict[str, list[tuple[str, str]]] = {}
    for key, own in sorted(keys, key=lambda item: (item[1][0].mode != "train", item[0].lower())):
        group = key.partition("/")[0] if "/" in key else texts.plain("without a prefix")
        group = texts.plain("in evaluation") if own[0].mode == "eval" else group
        groups.setdefault(group, []).append((key, link(path, key_page(framework, key))))
    heading = texts.plain("Keys of {framework}", framework=title)
    description = texts.plain("Every key that a release of {framework} logs.", framework=title)
    listed = [(f"g{at}", group, rows) for at, (group, rows) in enumerate(groups.items())]
    body = render("keys.html.j2", path, texts, heading=heading, groups=listed, count=len(keys))
    return Page(path, heading, description, body)


class _Key:
    """Makes one page."""

    def __init__(self, site: Site, framework: str, key: str, lives: Sequence[Life]) -> None:
        self._site = site
        self._tables = site.tables
        self._texts = site.texts
        self._framework = framework
        self._title = str(site.tables.frameworks[framework]["title"])
        self._table = site.tables.framework(framework)
        self._key = key
        self._lives = lives
        self._path = key_page(framework, key)
        self._rows = rows_of_key(lives)
        self._meanings = PageMeanings(item for row in self._rows for item in row.items)
        pieces = [piece for life in lives for piece in life.pieces]
        self._metrics = list(dict.fromkeys(piece.entry.metric for piece in pieces if piece.entry.metric is not None))
        only = self._metrics[0] if len(self._metrics) == 1 else self._meanings.metric
        self._words = MeaningWords(site.texts, site.tables, self._path, only)
        self._principal = only or next(iter(self._metrics), None)
        self._foremost = lives[0]
        self._grouped = self._by_letter()

    def _by_letter(self) -> list[tuple[Letter, LifePiece, list[TrainerRow]]]:
        """Return for each letter an example, and the rows that have it."""
        found: dict[str, tuple[Letter, LifePiece, list[TrainerRow]]] = {}
        for letter, piece, _ in self._meanings.listed():
            rows = [
                row
                for row in self._rows
                if any(self._meanings.letter(item).name == letter.name for _, item in row.items)
            ]
            found[letter.name] = (letter, piece, rows)
        return list(found.values())

    def page(self) -> Page:
        texts = self._texts
        title = texts.plain("{key} in {framework}", key=self._key, framework=self._title)
        details = Details(self._site, self._path, self._principal or "")
        strip = Strip(self._table, self._tables, self._rows, self._meanings, self._words, texts)
        others = [name for name in self._tables.frameworks if name != self._framework]
        between = [box for name in others for box in self._between(name)]
        most = _MOST_TOLD if len(self._rows) > _CROWDED else _MOST_ROWS
        values: dict[str, object] = {
            "key": self._key,
            "framework": self._framework,
            "title": self._title,
            "index": index_page(self._framework),
            "lead": self._lead(),
            "shown": self._shown(),
            "pictures": [] if self._principal is None else picture_figures(self._site, self._principal)[:1],
            "boxes": [self._which(), self._plot(), *(self._other(box) for box in between)],
            "strip": strip.html(self._path),
            "table": list(self._table_rows())[:most],
            "more_rows": len(self._grouped) - most,
            "metrics": [self._metric(metric) for metric in self._metrics[:_MOST_METRICS]],
            "more_metrics": len(self._metrics) - _MOST_METRICS,
            "between": between,
            "alike": self._alike(),
            "details": self._details(details),
            "scripts": (RELEASES, SCRIPT),
        }
        return Page(self._path, title, self._described(), fitting("key.html.j2", self._path, texts, values))

    def _described(self) -> str:
        metric = self._principal
        what = quantity(metric, self._tables) if metric is not None else self._key
        return self._texts.plain(
            "What {key} means in each trainer and release of {framework}: {what}.",
            key=self._key,
            framework=self._title,
            what=what,
        )

    def _lead(self) -> list[Markup]:
        t, say = self._texts.t, self._texts.say
        lines = []
        if self._principal is not None and (len(self._metrics) == 1 or self._meanings.metric is not None):
            lines.append(say(sentence(str(self._tables.metrics[self._principal]["brief"]))))
        elif self._metrics:
            lines.append(
                t(
                    "The name alone does not say what it is: {count} metrics are logged under it.",
                    count=len(self._metrics),
                )
            )
        else:
            lines.append(t("What it measures depends on the configuration."))
        if self._lives[0].mode == "eval":
            lines.append(t("Logged in evaluation."))
        lines += self._renamed()
        count = len(self._grouped)
        if count > 1 and (self._meanings.metric is not None or len(self._metrics) < count):
            lines.append(t("One name, {count} meanings.", count=count))
        return lines

    def _renamed(self) -> list[Markup]:
        """Return how it is called today, and in which trainers alone where others go on with this name."""
        index, t = self._table.releases.index, self._texts.t
        renamed = {life.component: found for life in self._lives if (found := life.renamed()) is not None}
        if len({name for _, name in renamed.values()}) != 1:
            return []
        release, name = min(renamed.values(), key=lambda one: index(one[0]))
        told = {"framework": self._title, "release": release, "key": key_link(self._path, self._framework, name)}
        if not any(life.pieces[-1].last >= index(release) for life in self._lives if life.component not in renamed):
            return [t("Since {framework} {release} it is called {key}.", **told)]
        who = ", ".join(list(renamed)[:_MOST_TOLD])
        if len(renamed) > _MOST_TOLD:
            who = self._texts.plain("{name} and {count} more", name=who, count=len(renamed) - _MOST_TOLD)
        return [t("In {trainers} it is called {key} since {framework} {release}.", trainers=who, **told)]

    def _shown(self) -> list[str]:
        """Return what trackers make of the key."""
        return self._foremost.shown()

    # First screen

    def _spans_of(self, row: TrainerRow, letter: Letter) -> str:
        found = [item[:2] for _, item in row.items if self._meanings.letter(item).name == letter.name]
        return spans(found, self._table)

    def _which(self) -> Box:
        t = self._texts.t
        lines = []
        # Most logs are of recent releases.
        recent = sorted(self._grouped, key=lambda item: -max(self._last(row, item[0]) for row in item[2]))
        for letter, piece, rows in recent[:_MOST_TOLD]:
            who = [f"{', '.join(row.names[:2])} {self._spans_of(row, letter)}" for row in rows[:2]]
            if len(rows) > 2:
                who.append(self._texts.plain("{count} more", count=len(rows) - 2))
            chip = _chip(letter) if len(self._grouped) > 1 else Markup("")
            what = self._words.of(piece, linked=False, most=1)
            lines.append(t("{chip} {who}: {what}", chip=chip, who="; ".join(who), what=what))
        if len(self._grouped) > _MOST_TOLD:
            lines.append(t("And {count} more: see the strip.", count=len(self._grouped) - _MOST_TOLD))
        return {"title": t("Which one do I have?"), "big": None, "lines": lines}

    def _plot(self) -> Box:
        t = self._texts.t
        title = t("In one plot?")
        if len(self._grouped) == 1:
            piece = self._grouped[0][1]
            lines = [t("It means the same in all trainers and releases that log it.")]
            lines.append(Markup("{} {}").format(severity_mark(piece.severity, self._texts), self._how(piece)))
            return {"title": title, "big": t("yes"), "lines": lines}
        lines = []
        steps = [(", ".join(row.names), self._steps(row)) for row in self._rows]
        changed = [(who, at) for who, at in steps if at]
        big = t("only what has the same letter")
        for who, at in changed[:_MOST_BOUNDARIES]:
            lines.append(t("{who}: not across {releases}.", who=who, releases=self._or(at[-_MOST_BOUNDARIES:])))
        if len(changed) > _MOST_BOUNDARIES:
            lines.append(t("{count} more trainers changed it.", count=len(changed) - _MOST_BOUNDARIES))
        if not changed:
            lines.append(t("Each trainer means one thing in all its releases; the trainers differ."))
        elif len(self._rows) > 1:
            lines.append(t("Trainers differ, too: compare their letters below."))
        return {"title": title, "big": big, "lines": lines}

    def _steps(self, row: TrainerRow) -> list[str]:
        """Return the releases in which a row changes its letter."""
        names = [self._meanings.letter(piece).name for _, piece in row.items]
        releases = self._table.releases.names
        return [
            releases[piece.first]
            for (_, piece), one, two in zip(row.items[1:], names, names[1:], strict=False)
            if one != two
        ]

    def _last(self, row: TrainerRow, letter: Letter) -> int:
        return max(piece.last for _, piece in row.items if self._meanings.letter(piece).name == letter.name)

    def _or(self, items: Sequence[str]) -> str:
        t = self._texts.plain
        return items[0] if len(items) == 1 else t("{first} or {last}", first=", ".join(items[:-1]), last=items[-1])

    def _how(self, piece: LifePiece) -> Markup:
        t = self._texts.t
        parts = self._words.parts(piece)
        if parts:
            return Markup("; ").join(parts[:2])
        if piece.severity == "same":
            return t("It is what the definition says.")
        return t("It is what the definition says, but for small differences.")

    def _between(self, other: str) -> Iterator[Box]:
        row = between_of(self._tables).row(self._foremost, other)
        if row is not None:
            yield between_box(row, self._framework, other, self._path, self._site)

    def _other(self, box: Box) -> Box:
        t = self._texts.t
        mark = box["severity"]
        title = t("In {framework}", framework=box["title"])
        lines, related = box["lines"], box["related"]
        assert isinstance(lines, list)
        assert isinstance(related, list)
        if box["to"] is not None:
            first = lines[0] if lines else t("The same number.")
            return {"title": title, "big": box["to"], "lines": [Markup("{} {}").format(mark, first)]}
        told = [Markup("{} {}").format(mark, line) for line in related[:1]]
        return {
            "title": title,
            "big": t("not logged"),
            "lines": told or [box["note"] or t("Nothing of this kind is logged there.")],
        }

    # Below

    def _table_rows(self) -> Iterator[dict[str, object]]:
        for letter, piece, rows in self._grouped:
            who = [(", ".join(row.names), self._spans_of(row, letter)) for row in rows[:_MOST_WHO]]
            yield {
                "letter": letter,
                "who": who,
                "more": len(rows) - len(who),
                "severity": severity_mark(piece.severity, self._texts),
                "words": self._words.of(piece),
                "todo": self._todo(piece),
            }

    def _todo(self, piece: LifePiece) -> Markup:
        t, say = self._texts.t, self._texts.say
        if self._meanings.metric is not None and piece.entry.metric not in (self._meanings.metric, None):
            return t("Treat it as another metric.")
        repairs = list(dict.fromkeys(reason.correction for reason in piece.weighing if reason.correction))
        if repairs:
            return t("To repair it: {how}.", how=Markup("; ").join(say(text) for text in repairs[:2]))
        vanish = [reason.vanishes for reason in piece.weighing]
        if vanish and all(vanish):
            return t("Nothing, if {what}.", what=Markup("; ").join(say(str(text)) for text in dict.fromkeys(vanish)))
        if piece.weighing:
            return t("Compare it only with runs of the same letter.")
        return t("Nothing.")

    def _metric(self, metric: str) -> Box:
        return {
            "name": self._words.metric(metric),
            "brief": self._texts.say(sentence(str(self._tables.metrics[metric]["brief"]))),
            "healthy": headline(self._site, metric),
        }

    def _alike(self) -> list[Box]:
        found: list[Box] = []
        for metric in self._metrics[:2]:
            for friend, why in friends_of(metric, self._tables).items():
                called = []
                for name in self._tables.frameworks:
                    newest = self._tables.framework(name).releases.names[-1]
                    for key in spelled(self._tables, name, newest, friend, "train")[:1]:
                        title = self._tables.frameworks[name]["title"]
                        called.append(
                            self._texts.t("{key} in {framework}", key=key_link(self._path, name, key), framework=title)
                        )
                found.append(
                    {
                        "metric": self._words.metric(friend),
                        "why": self._texts.say(why),
                        "called": Markup(", ").join(called),
                    }
                )
        return found[:_MOST_ALIKE]

    def _details(self, details: Details) -> list[Folded]:
        t = self._texts.t
        found = []
        if self._principal is not None:
            found.append((t("How to read it"), details.reading(self._site.spec.metrics[self._principal])))
        found += [
            (
                t("Settings that change it"),
                details.settings(self._lives[:1] if len(self._rows) > _CROWDED else self._lives),
            ),
            (t("What the guides say"), details.guides(self._lives)),
            (t("What changed"), details.changed([self._foremost])),
            (t("Notes on releases"), details.notes(self._lives)),
        ]
        return [Folded(title, body) for title, body in found if body]


def _chip(letter: Letter) -> Markup:
    return Markup('<span class="rlm-chip rlm-{}">{}</span>').format(letter.style, letter.name)
