"""What is known of a logged key, for its page: who logs it, and which meanings it has."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from rlmetrics.names.tables.key_records import Transform
from rlmetrics.wording.metric_facts import OF_METRIC, sentence, shown_form

from .lives import Life, LifePiece
from .meaning_letters import Letter, MeaningWords, PageMeanings
from .page_links import key_page
from .site import Site
from .strip_rows import TrainerRow, rows_of_key, spans

__all__ = ["KeyFacts"]


class KeyFacts:
    """What is known of a key.

    Args:
        site: What pages are made from.
        framework: The framework that logs it.
        key: The key.
        lives: The key in each trainer, the foremost first.

    Attributes:
        title: The framework as it is written.
        path: The address of the page.
        rows: The rows of the strip.
        pieces: The key in each stretch of releases that means the same.
        metrics: The metrics that are logged under it.
        principal: The one that the page is about, as far as it is about one.
        grouped: For each letter an example, and the rows that have it.
    """

    def __init__(self, site: Site, framework: str, key: str, lives: Sequence[Life]) -> None:
        self.site = site
        self.tables = site.tables
        self.texts = site.texts
        self.framework = framework
        self.title = str(site.tables.frameworks[framework]["title"])
        self.table = site.tables.framework(framework)
        self.key = key
        self.lives = lives
        self.foremost = lives[0]
        self.path = key_page(framework, key)
        self.rows = rows_of_key(lives)
        self.meanings = PageMeanings(item for row in self.rows for item in row.items)
        self.pieces = [piece for life in lives for piece in life.pieces]
        self.metrics = list(
            dict.fromkeys(piece.entry.metric for piece in self.pieces if piece.entry.metric is not None)
        )
        only = self.metrics[0] if len(self.metrics) == 1 else self.meanings.metric
        self.words = MeaningWords(site.texts, site.tables, self.path, only)
        self.principal = only or next(iter(self.metrics), None)
        self.grouped = self._by_letter()

    def _by_letter(self) -> list[tuple[Letter, LifePiece, list[TrainerRow]]]:
        """Return for each letter an example, and the rows that have it."""
        found: dict[str, tuple[Letter, LifePiece, list[TrainerRow]]] = {}
        for letter, piece, _ in self.meanings.listed():
            rows = [
                row for row in self.rows if any(self.meanings.letter(item).name == letter.name for _, item in row.items)
            ]
            found[letter.name] = (letter, piece, rows)
        return list(found.values())

    def axis_of(self, metric: str) -> Transform | None:
        """Return what the key makes of a metric, if that is the same wherever it logs the metric, else None."""
        axes = {piece.entry.signature.axis for piece in self.pieces if piece.entry.metric == metric}
        return axes.pop() if len(axes) == 1 else None

    def brief(self, metric: str) -> Markup:
        """Return what a metric is, and what the key makes of it."""
        brief, axis = str(self.tables.metrics[metric]["brief"]), self.axis_of(metric)
        if axis is None or axis.is_plain:
            return self.texts.say(sentence(brief))
        form, value = shown_form(axis)
        return self.texts.t(f"{form}.", what=self.texts.say(brief.rstrip(".")), value=value)

    def of_metric(self, metric: str, told: Markup) -> Markup:
        """Return what is told of a metric, with a word that it is not of the key where that shows something else."""
        axis = self.axis_of(metric)
        return told if axis is not None and axis.is_plain else self.texts.t(OF_METRIC, what=told)

    def spans_of(self, row: TrainerRow, letter: Letter) -> str:
        """Return the releases in which a row has a letter."""
        found = [item[:2] for _, item in row.items if self.meanings.letter(item).name == letter.name]
        return spans(found, self.table)

    def last(self, row: TrainerRow, letter: Letter) -> int:
        """Return the last of them, by its number."""
        return max(piece.last for _, piece in row.items if self.meanings.letter(piece).name == letter.name)

    def steps(self, row: TrainerRow) -> list[str]:
        """Return the releases in which a row changes its letter."""
        names = [self.meanings.letter(piece).name for _, piece in row.items]
        releases = self.table.releases.names
        return [
            releases[piece.first]
            for (_, piece), one, two in zip(row.items[1:], names, names[1:], strict=False)
            if one != two
        ]
