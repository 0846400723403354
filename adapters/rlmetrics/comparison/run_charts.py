"""The curves of several runs as charts: what measures the same shares one, look-alikes are grey, with the reason."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from html import escape

from rlmetrics.charts.chart import Chart, ChartLine, ChartMark
from rlmetrics.charts.thinning import smoothed_curve, thinned_curve
from rlmetrics.health.curves import RunCurves
from rlmetrics.health.judged_keys import Counterparts
from rlmetrics.health.key_meanings import HELD_OUT, KeyMeaning
from rlmetrics.lazy_typing import NamedTuple
from rlmetrics.logs.reading import RUN_NAMES, STEP_NAMES
from rlmetrics.names.tables.tables import Tables
from rlmetrics.wording.voice import phrase

from .comparison_words import joined, reason_of, run_name
from .metric_order import MetricOrder
from .run_comparison import identity_of, judged_alike
from .same_names import same_names

__all__ = ["MetricChart", "RunCharts"]

_MOST_NAMES = 3
_MOST_ENDS = 5
"""Of so many runs each line has its letter at its end."""
_POINTS, _FEWEST, _MOST = 300_000, 60, 800
"""Points of all curves of a page together, and of one of them at least and at most."""

_STRETCHES = 80
"""Medians of a curve that is drawn without its noise."""

Entry = tuple[int, str]
"""A run by its number, and a key."""


class MetricChart(NamedTuple):
    """A chart and where it belongs.

    Attributes:
        rank: How closely its metric is looked at; see `MetricOrder`.
        described: Whether the spec describes it.
        entries: Which key of which run is a curve of it.
        chart: The chart.
    """

    rank: int
    described: bool
    entries: tuple[Entry, ...]
    chart: Chart


class RunCharts:
    """The charts of some runs.

    Args:
        runs: The runs.
        tables: The spec.
        marks: What is to be marked on the chart of a key of the first run.
    """

    def __init__(
        self, runs: Sequence[RunCurves], tables: Tables, marks: Callable[[str], Sequence[ChartMark]] = lambda _: ()
    ) -> None:
        self.runs = runs
        self._tables = tables
        self._marks = marks
        self._order = MetricOrder(tables)
        self._counterparts: dict[tuple[object, ...], Counterparts] = {}
        self._reasons: dict[tuple[str, str, str], str] = {}
        self._settings = [repr(sorted(run.settings.items(), key=lambda item: item[0])) for run in runs]
        self.span = (min(run.steps[0] for run in runs), max(run.steps[1] for run in runs))
        self._groups = self._grouped()
        series = sum(map(len, self._groups.values()))
        self.most = max(_FEWEST, min(_MOST, _POINTS // max(1, series)))

    @property
    def thinned(self) -> int:
        """The number of points of the longest curve, if it is drawn with fewer; 0 if all are drawn whole."""
        longest = max(curve.count for run in self.runs for curve in run.curves.values())
        return longest if longest > self.most else 0

    def panels(self, wanted: Callable[[KeyMeaning], bool] = lambda _: True) -> Iterator[MetricChart]:
        """Yield the charts, or those with a key that somebody wants, what is looked at first first."""
        grey: set[Entry] = set()
        for entries in self._in_order():
            alone = len(entries) == 1 and entries[0] in grey
            if not alone and any(wanted(self._meaning(entry)) for entry in entries):
                panel, used = self._panel(entries)
                grey.update(used)
                yield panel

    def _in_order(self) -> list[list[Entry]]:
        """Return the groups, what is looked at first first; further keys of one metric after the one of most runs."""

        def place(item: tuple[tuple[object, ...], list[Entry]]) -> tuple[object, ...]:
            *rank, key = self._order.place(self._meaning(item[1][0]))
            return *rank, item[0][-1], key

        return [entries for _, entries in sorted(self._groups.items(), key=place)]

    def _meaning(self, entry: Entry) -> KeyMeaning:
        return self.runs[entry[0]].meanings[entry[1]]

    def _grouped(self) -> dict[tuple[object, ...], list[Entry]]:
        """Return which keys of which runs measure the same; of a run that has several, each stands in another group."""
        groups: dict[tuple[object, ...], list[Entry]] = {}
        for number, run in enumerate(self.runs):
            for key, meaning in run.meanings.items():
                if meaning.metric is None and key in {*STEP_NAMES, *RUN_NAMES}:
                    continue
                identity = identity_of(meaning) if meaning.metric is not None else ("", key)
                again = 0
                while any(entry[0] == number for entry in groups.get((*identity, again), ())):
                    again += 1
                groups.setdefault((*identity, again), []).append((number, key))
        return groups

    def _panel(self, entries: Sequence[Entry]) -> tuple[MetricChart, set[Entry]]:
        first = self._meaning(entries[0])
        lines: list[ChartLine] = []
        reasons: dict[tuple[str, str], list[str]] = {}
        for entry in entries:
            mark, reason, convert = self._against(entry, entries[0])
            lines.append(self._line(entry, convert, grey=mark == "≠"))
            if reason:
                reasons.setdefault((mark, reason), []).append(run_name(entry[0]))
        grey: set[Entry] = set()
        for number, run in enumerate(self.runs):
            key = next((key for at, key in entries if at != number and key in run.curves), None)
            named = key is not None and first.metric is not None and run.meanings[key].metric is not None
            if key is None or not named or any(at == number for at, _ in entries):
                continue
            grey.add((number, key))
            lines.append(self._line((number, key), None, grey=True))
            reasons.setdefault(("≠", self._same_name(entries[0][0], number, key)), []).append(run_name(number))
        keys = list(dict.fromkeys(key for _, key in entries))
        drawn = {line.run for line in lines}
        chart = Chart(
            title=self._title(first),
            about="" if first.metric is None else self._about(first, keys),
            lines=lines,
            span=self.span,
            marks=self._marks(entries[0][1]) if entries[0][0] == 0 else (),
            notes=[
                *(_note(mark, reason, names) for (mark, reason), names in reasons.items()),
                *self._absent(drawn, keys),
            ],
            words=" ".join([*keys, *self._tables.metrics.get(first.metric or "", {}).get("aliases", ())]),
            value=_still(lines),
            names=[run_name(line.run) for line in lines] if 1 < len(self.runs) <= _MOST_ENDS else (),
        )
        rank = self._order.rank(first)
        return MetricChart(rank, first.metric is not None, tuple(entries), chart), grey

    def _absent(self, drawn: set[int], keys: Sequence[str]) -> Iterator[str]:
        """Yield which runs have no curve on a chart that most of them are on, and why."""
        missing = [number for number in range(len(self.runs)) if number not in drawn]
        if len(missing) > len(drawn):
            return
        named = [run_name(number) for number in missing if any(key in self.runs[number].curves for key in keys)]
        silent = [run_name(number) for number in missing if run_name(number) not in named]
        if silent:
            yield _note("–", phrase("not logged"), silent)
        if named:
            yield _note("–", phrase("a key of this name is logged, and what it is there is not certain"), named)

    def _against(self, entry: Entry, first: Entry) -> tuple[str, str, Callable[[float], float] | None]:
        """Return how a curve stands to the first of its chart: a sign, the reason, and what converts its values."""
        if entry == first or self._meaning(first).metric is None:
            return "", "", None
        a, b = self.runs[entry[0]], self.runs[first[0]]
        place = (a.at, b.at, self._settings[entry[0]], self._settings[first[0]])
        if place not in self._counterparts:
            self._counterparts[place] = Counterparts(a.at, b.at, self._tables, (a.settings, b.settings))
        told = judged_alike(self._counterparts[place], entry[1], first[1])
        if not told.comparable:
            return "≠", reason_of(told.differs_by, (phrase("these"), run_name(first[0]))), None
        if told.severity == "biased":
            return "!", reason_of(told.differs_by, (phrase("these"), run_name(first[0]))), told.convert
        return "", "", told.convert

    def _same_name(self, first: int, other: int, key: str) -> str:
        a, b = self.runs[first], self.runs[other]
        place = (a.at, b.at, key)
        if place not in self._reasons:
            told = same_names(a, b, [(key, "look-alike", [])], self._tables) if key in a.meanings else ()
            texts = told[0].texts if told else ()
            self._reasons[place] = phrase("; ").join(texts) or phrase("another number of the same name")
        return self._reasons[place]

    def _line(self, entry: Entry, convert: Callable[[float], float] | None, *, grey: bool) -> ChartLine:
        curve = self.runs[entry[0]].curves[entry[1]]
        steps, values = thinned_curve(*curve.course(), self.most)
        thinned = curve.count > len(steps)
        smooth = None
        if thinned or (len(self.runs) > 1 and curve.count > 2 * _STRETCHES and not grey):
            smooth = smoothed_curve(curve.steps, curve.values, _STRETCHES)
        if convert is not None:
            values = [convert(value) for value in values]
            smooth = (smooth[0], [convert(value) for value in smooth[1]]) if smooth else None
        return ChartLine(entry[0], steps, values, grey, smooth, thinned)

    def _title(self, meaning: KeyMeaning) -> str:
        if meaning.metric is None or meaning.metric == HELD_OUT:
            return meaning.key
        values = " ".join(str(value) for value in dict(meaning.placeholders).values())
        return " ".join(
            part for part in (meaning.metric, values, "" if meaning.mode == "train" else meaning.mode) if part
        )

    def _about(self, meaning: KeyMeaning, keys: Sequence[str]) -> str:
        unit = meaning.unit if meaning.unit not in (None, "1") else ""
        return phrase(", ").join(part for part in (joined(keys, _MOST_NAMES), unit) if part)


def _note(mark: str, reason: str, names: Sequence[str]) -> str:
    tone = "t-warning" if mark == "!" else "mute"
    return f'<b class="{tone}">{mark} {escape(joined(names, 8))}</b> {escape(reason)}'


def _still(lines: Sequence[ChartLine]) -> str:
    """Return the last value of a single curve."""
    return f"{lines[0].values[-1]:.3g}" if len(lines) == 1 and len(lines[0].values) else ""
