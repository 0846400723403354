"""Finds what a spelling means: exact ones first, then beginnings, whole words, parts, texts, and typos.

`docs/assets/search-rank.js` ranks alike for the site, where pages and releases are found as well; a test asks both.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from rlmetrics.lazy_dataclasses import dataclass
from rlmetrics.lazy_typing import NamedTuple

from ..tables.tables import Tables
from .search_question import Question, read_question, short_trainer
from .searchable import IndexedKey, index_prefixes, indexed_keys, metric_weight
from .spelling_distance import allowed, edits, loose, stem, words_of

__all__ = ["RankedName", "search_of"]

_EXACT, _SAME, _SHOWN, _FILLED, _BEGINS, _WORDS, _PART, _NEAR, _LED, _STARTS, _TEXT, _TYPO, _SOME = range(13)
_ALIKE, _BEGUN, _SAME_WORD = 1, 2, 3
_ELSEWHERE = 4
"""How far off another framework is: farther than another trainer and another release together."""
_FIRST = 5
"""As many results are seen at a glance: a near spelling is among them."""
_TOLD = 800
"""What a word tells, the more the fewer metrics hold it, is measured against about so many."""
_PLACEHOLDER = re.compile(r"\{[^{}]*\}")


class RankedName(NamedTuple):
    """A result.

    Attributes:
        kind: ``metric`` or ``key``.
        name: Its name.
        metrics: The metrics that are meant.
        framework: Whose key it is.
        tier: How it was found; the lower, the surer.
    """

    kind: str
    name: str
    metrics: tuple[str, ...]
    framework: str | None
    tier: int

    @property
    def is_sure(self) -> bool:
        """Whether a name or its text holds what was asked, with no letter wrong."""
        return self.tier <= _PART or self.tier in (_LED, _STARTS, _TEXT)


class _Form(NamedTuple):
    raw: str
    small: str
    plain: str
    solid: str
    words: str


@dataclass(frozen=True, slots=True)
class _Entry:
    place: int
    kind: str
    name: str
    metrics: tuple[str, ...]
    frameworks: tuple[str, ...]
    components: tuple[str, ...]
    first: int
    last: int
    weight: int
    pattern: re.Pattern[str] | None
    forms: tuple[_Form, ...]
    names: frozenset[str]
    told: frozenset[str]


class _Word(NamedTuple):
    """A word that is asked for: how it goes with the names of entries, and with names and texts; how much it tells."""

    word: str
    named: Mapping[int, int]
    held: Mapping[int, int]
    tells: float
    is_known: bool


def search_of(tables: Tables) -> Search:
    """Return the search over a spec."""
    return tables.shared(Search)


class Search:
    """The search over all metrics and keys.

    Args:
        tables: The spec.
    """

    def __init__(self, tables: Tables) -> None:
        keys = indexed_keys(tables)
        self._frameworks = {name: tables.framework(name).releases.names for name in tables.frameworks}
        self._prefixes = index_prefixes(tables)
        briefs = {metric: str(row["brief"]) for metric, row in tables.metrics.items()}
        of_metric: dict[str, list[IndexedKey]] = {}
        for item in keys:
            for metric in item.metrics:
                of_metric.setdefault(metric, []).append(item)
        self._entries: list[_Entry] = []
        for place, (metric, row) in enumerate(tables.metrics.items()):
            logged = of_metric.get(metric, ())
            logging = tuple(dict.fromkeys(item.framework for item in logged))
            names, weight = (metric, *row.get("aliases", ())), metric_weight(metric, logged)
            entry = _entry(place, "metric", metric, names, (metric,), briefs[metric], logging, weight=weight)
            self._entries.append(entry)
        for item in keys:
            meant = tuple(metric for metric in item.metrics if metric in briefs)
            text = f"{meant[0]} {briefs[meant[0]]}" if len(meant) == 1 else ""
            entry = _entry(
                len(self._entries),
                "key",
                item.key,
                (item.key,),
                meant,
                text,
                (item.framework,),
                tuple(item.components),
                item.first,
                item.last,
                item.weight,
            )
            self._entries.append(entry)
        self._naming: dict[str, list[int]] = {}
        self._telling: dict[str, list[int]] = {}
        for entry in self._entries:
            for word in entry.names:
                self._naming.setdefault(word, []).append(entry.place)
            for word in entry.names | entry.told:
                self._telling.setdefault(word, []).append(entry.place)
        self._vocabulary = self._telling.keys()
        held = (entry.names | entry.told for entry in self._entries if entry.kind == "metric")
        self._counts = Counter(word for words in held for word in words)
        self._trainers: dict[str, str] = {}
        families = {metric.partition("/")[0] for metric in tables.metrics}
        for name in dict.fromkeys(name for item in keys for name in item.components):
            if name.endswith("Trainer"):
                self._trainers[name.lower()] = name
                if short_trainer(name) not in families:
                    self._trainers[short_trainer(name)] = name

    def find(self, text: str, most: int = 20) -> list[RankedName]:
        """Return what a text may mean, the likeliest first."""
        query = read_question(text, self._frameworks, self._trainers, self._prefixes)
        if not query.plain:
            return []
        words = [self._weighed(word) for word in query.rest]
        solid = query.plain.replace(" ", "")
        ranked: list[tuple[tuple[object, ...], int, _Entry]] = []
        far = {word: self._far(word) for word in query.rest}
        for entry in self._entries:
            near = _nearness(entry, query, words, solid)
            if near is None or near[0] > _NEAR:
                near = _closer(near, entry, query, far)
            if near is not None:
                ranked.append((_order(entry, near, query), entry.place, entry))
        ranked.sort(key=lambda one: one[:2])
        seen: set[tuple[str, str, tuple[str, ...]]] = set()
        results: list[tuple[tuple[object, ...], RankedName]] = []
        for order, _, entry in ranked:
            identity = (entry.kind, entry.name, entry.frameworks if entry.kind == "key" else ())
            if identity not in seen:
                seen.add(identity)
                framework = entry.frameworks[0] if entry.kind == "key" else None
                tier = int(str(order[0]))
                results.append((order, RankedName(entry.kind, entry.name, entry.metrics, framework, tier)))
        return [found for _, found in _with_near(results)][:most]

    def _weighed(self, word: str) -> _Word:
        root, how, count = stem(word), dict[str, int](), 4
        for known in self._vocabulary:
            if known == word:
                how[known] = _SAME_WORD
            elif len(word) > 1 and known.startswith(word):
                how[known] = _BEGUN
            elif len(word) > 3 and known.startswith(root):
                how[known] = _ALIKE
        # As in the site's search, the last that is the word or its root counts.
        for known in (root, word):
            if known in self._vocabulary:
                count = max(1, self._counts[known])
        is_known = _SAME_WORD in how.values() or (len(word) > 3 and bool(how))
        named, held = dict[int, int](), dict[int, int]()
        # The surest comes last.
        for known, sure in sorted(how.items(), key=lambda one: one[1]):
            named.update(dict.fromkeys(self._naming.get(known, ()), sure))
            held.update(dict.fromkeys(self._telling[known], sure))
        return _Word(word, named, held, math.log(_TOLD / (1 + count)), is_known)

    def _far(self, word: str) -> dict[int, int]:
        """Return by how many letters a word differs from the nearest one of each entry's names, if it is few."""
        most = 0 if word[:1].isdigit() else allowed(len(word))
        far = {word: 0} if word in self._vocabulary else {}
        for known in self._vocabulary if most else ():
            if known != word and len(known) > 3:
                found = edits(word, known, most)
                if found <= most:
                    far[known] = found
        nearest = dict[int, int]()
        for known, found in sorted(far.items(), key=lambda one: -one[1]):
            nearest.update(dict.fromkeys(self._naming.get(known, ()), found))
        return nearest


def _entry(
    place: int,
    kind: str,
    name: str,
    names: Sequence[str],
    metrics: tuple[str, ...],
    text: str,
    frameworks: tuple[str, ...],
    components: tuple[str, ...] = (),
    first: int = 0,
    last: int = 0,
    weight: int = 0,
) -> _Entry:
    forms = []
    for one in names:
        plain = loose(one)
        forms.append(_Form(one, one.lower(), plain, plain.replace(" ", ""), f" {plain} "))
    words = frozenset(word for one in names for word in words_of(one))
    pattern = _pattern(name) if kind == "key" else None
    told = frozenset(words_of(text))
    return _Entry(
        place,
        kind,
        name,
        metrics,
        frameworks,
        components,
        first,
        last,
        weight,
        pattern,
        tuple(forms),
        words,
        told,
    )


def _pattern(key: str) -> re.Pattern[str] | None:
    parts = _PLACEHOLDER.split(key)
    return re.compile(".+?".join(map(re.escape, parts))) if len(parts) > 1 and len("".join(parts)) >= 4 else None


def _nearness(entry: _Entry, query: Question, words: Sequence[_Word], solid: str) -> tuple[int, float] | None:
    offers = [offer for place, form in enumerate(entry.forms) for offer in _of_form(form, place, query, solid)]
    best = min(offers, default=None)
    if entry.pattern and (best is None or best[0] > _FILLED) and not re.search(r"[\s{}]", query.asked):
        shown = re.sub(r"^(?:train|eval|test)/", "", query.asked)
        more = 100 if entry.pattern.fullmatch(query.asked) else 200 if entry.pattern.fullmatch(shown) else None
        if more is not None:
            best = min(filter(None, [best, (_FILLED, float(more - len(entry.name)))]))
    if (best is not None and best[0] < _WORDS) or not words:
        return best
    held = [word.named.get(entry.place, 0) for word in words]
    missing, starts = sum(how < _BEGUN for how in held), held.count(_BEGUN)
    offer: tuple[int, float] | None = None
    if not missing:
        offer = (_STARTS if starts else _WORDS, float(starts))
    elif best is None or best[0] > _TEXT:
        share = _share(entry, words)
        follows = (0 if entry.kind == "metric" else 1) + 0.5 * missing / len(words)
        if share > 0.999 and all(word.is_known for word in words):
            offer = (_TEXT, follows)
        elif share >= 0.4 and len(words) > 1:
            offer = (_SOME, 1 - share + 0.001 * follows)
    return min(filter(None, [best, offer]), default=None)


def _of_form(form: _Form, place: int, query: Question, solid: str) -> Iterable[tuple[int, float]]:
    alias = 0.5 if place else 0.0
    core = query.core
    if form.raw == query.asked:
        yield _EXACT, alias
    elif form.small == query.asked.lower():
        yield _EXACT, 0.2 + alias
    elif form.plain == query.plain or form.solid == solid:
        yield _SAME, alias
    elif form.plain in (query.bare, core):
        yield _SHOWN, alias
    elif form.plain == query.led:
        yield _LED, alias
    elif form.plain in query.named:
        yield _SHOWN, alias + 1 + query.named.index(form.plain)
    elif form.plain.startswith(query.plain):
        yield _BEGINS, len(form.plain) - len(query.plain)
    elif core and len(core) > 2 and form.plain.startswith(core):
        yield _BEGINS, len(form.plain) - len(core)
    elif f" {query.plain} " in form.words:
        yield _WORDS, len(form.plain) - len(query.plain)
    elif core and f" {core} " in form.words:
        yield _WORDS, len(form.plain) - len(core)
    elif len(solid) > 1 and solid in form.solid:
        yield _PART, len(form.plain) - len(query.plain)


def _share(entry: _Entry, words: Sequence[_Word]) -> float:
    """Return which share of the words a name and its text hold; in a text a word may go on."""
    held = total = 0.0
    for word in words:
        if word.is_known:
            total += word.tells
            how = word.held.get(entry.place, 0)
            if how == _SAME_WORD:
                held += word.tells
            elif how and len(word.word) > 3:
                held += 0.9999 * word.tells
    return held / total if total else 0.0


def _closer(
    near: tuple[int, float] | None, entry: _Entry, query: Question, far: Mapping[str, Mapping[int, int]]
) -> tuple[int, float] | None:
    """Return how near an entry is if a few letters are wrong; as before where that is no nearer."""
    found: list[float] = []
    for at, asked in enumerate((query.plain, query.core, query.bare or query.led)):
        most = allowed(len(asked)) if asked else 0
        for form in entry.forms if asked and most else ():
            distance = edits(asked or "", form.plain, most) + (1.5 if at == 2 else 0)
            if distance <= most:
                found.append(distance)
    if found:
        return _NEAR, min(found)
    if near is not None and near[0] <= _TYPO:
        return near
    total = 0
    for word in query.rest:
        least = far[word].get(entry.place)
        if least is None:
            return near
        total += least
    return _TYPO, float(total)


def _order(entry: _Entry, near: tuple[int, float], query: Question) -> tuple[object, ...]:
    tier, close = near
    rough = min(close, 3) if tier in (_BEGINS, _WORDS, _PART) and close > 2 else close
    off = _elsewhere(entry, query)
    if entry.kind == "key" and off >= _ELSEWHERE and _SAME < tier < _WORDS:
        tier = _WORDS
    first = (0, rough, off) if tier <= _FILLED else (off, rough, 0)
    return tier, *first, -entry.weight, len(entry.name), entry.name


def _elsewhere(entry: _Entry, query: Question) -> int:
    """Return how far an entry is from the framework, trainer and release that was asked for; 0 where all fits."""
    off = 0
    if query.framework and entry.frameworks and query.framework not in entry.frameworks:
        off += _ELSEWHERE
    if query.trainers and entry.kind == "key" and not set(query.trainers) & set(entry.components):
        off += 2
    if query.release and entry.kind == "key":
        at = query.releases.get(entry.frameworks[0])
        off += at is None or not entry.first <= at <= entry.last
    return off


def _with_near(found: list[tuple[tuple[object, ...], RankedName]]) -> list[tuple[tuple[object, ...], RankedName]]:
    """Return results so that the nearest spellings are not lost behind many that begin with what was typed."""
    if not found or found[0][1].tier <= _SAME:
        return found
    near = [one for at, one in enumerate(found) if one[1].tier == _NEAR and at >= _FIRST - 2]
    near = [one for one in near if float(str(one[0][2])) <= 1][:2]
    others = [one for one in found if one not in near]
    return [*others[: _FIRST - 2], *near, *others[_FIRST - 2 :]]
