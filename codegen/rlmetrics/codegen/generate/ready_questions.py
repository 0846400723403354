"""What is asked to have answers ready: about a name, and about each key of a source, by book."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple
from zlib import crc32

from rlmetrics.answers.asked import Answer, answer_anywhere, answer_at
from rlmetrics.answers.diff_answer import diff_lines
from rlmetrics.answers.map_answer import key_lines, map_lines
from rlmetrics.answers.show_answer import choice_lines, shown_lines
from rlmetrics.names.lookup.anywhere import looked_up
from rlmetrics.names.lookup.metric_summary import show
from rlmetrics.names.mapping.mapping import map_names
from rlmetrics.names.meanings.view import FrameworkView, View, open_view
from rlmetrics.names.tables.key_records import MapRow
from rlmetrics.names.tables.tables import Tables
from rlmetrics.names.tables.user_errors import NamesError
from rlmetrics.names.upgrades.release_differences import diff
from rlmetrics.wording.answer_book import AT, DIFF, MAP, at_name, entry, pair_name
from rlmetrics.wording.packed_answer import PLACES, packed_line
from rlmetrics.wording.signature_words import source_words
from rlmetrics.wording.source_places import addresses_of, place_texts
from rlmetrics.wording.terminal import UnlaidBlock, labelled, unlaid

__all__ = ["ALL", "NAMED", "RELEASED", "KeyShare"]


class KeyShare(NamedTuple):
    """Some of a component's keys, the same ones in each of its releases.

    Attributes:
        place: Which of all shares this is.
        shares: How many there are.
    """

    place: int
    shares: int

    def has(self, key: str) -> bool:
        """Tell whether a key is among them."""
        return crc32(key.encode()) % self.shares == self.place


ALL = KeyShare(0, 1)
"""All keys."""


def _resolved(name: str, tables: Tables) -> Iterator[tuple[str, str]]:
    """Yield what `resolve` says of a name; nothing where it takes more than a look."""

    def answer() -> Answer:
        _, lookups = looked_up([name], tables=tables)
        return answer_anywhere(name, lookups[0], tables)

    found = unlaid(answer)
    yield name, entry(found.lines, (), found.links)


def _shown(name: str, tables: Tables) -> Iterator[tuple[str, str]]:
    """Yield what `show` says of a name."""
    found = show(name, spec=tables)

    def lines() -> list[str]:
        return choice_lines(name, found, tables) if len(found) > 1 else shown_lines(found[0], tables)

    yield name, entry(unlaid(lines), [item.metric for item in found], {})


def _at(source: str, _: str, tables: Tables, newest: bool, share: KeyShare) -> Iterator[tuple[str, str]]:
    """Yield what `resolve` says of each key of training; nothing where the source is more than one."""
    try:
        view = open_view(source, spec=tables)
    except NamesError:
        return  # several classes of one name
    assert isinstance(view, FrameworkView)
    component = source.partition("==")[0]
    table = tables.framework(view.source.framework)
    for key in dict.fromkeys(place.key for place in view.places() if place.mode == "train" and share.has(place.key)):

        def answer(key: str = key) -> Answer:
            return answer_at(view, key)

        found = unlaid(answer)
        text = None if newest else _places_left_open(source, view, key, found)
        if text is not None or newest or table.programs:
            yield at_name(key, component), text or entry(found.lines, (), found.links)


def _places_left_open(source: str, view: View, key: str, answer: Answer) -> str | None:
    """Return an answer that leaves open where the source shows the key, which differs when nothing else does.

    None if the answer does not tell that once, or tells more of it.
    """
    matches = view.find(key)
    if len(matches) != 1 or not isinstance(view, FrameworkView):
        return None
    of_key = matches[0].entry
    table, stem = view.tables.framework(view.source.framework), view.components[of_key.component].stem
    evidence = table.evidence(stem, of_key.at, view.source.release)
    places = addresses_of(table, evidence)
    others = {text: address for text, address in answer.links.items() if text not in places}
    if answer.links != {**others, **places} or (table.programs and evidence != view.evidence(of_key)):
        return None
    lines = entry(answer.lines, (), others, _spelled(source, view.tables)).split("\n")
    told = packed_line(unlaid(lambda: labelled("source", place_texts(key, evidence))))
    if told is None or lines.count(told) != 1:
        return None
    lines[lines.index(told)] = str(packed_line([UnlaidBlock(PLACES, (stem, key, *of_key.at))]))
    return "\n".join(lines)


def _spelled(source: str, tables: Tables) -> Sequence[str]:
    """Return how an answer may spell its source: by name, in prose, and in a line on its release."""
    release = packed_line(unlaid(lambda: labelled("release", source.partition("==")[2])))
    return source, source_words(source, tables), f"\n{release}"


def _mapped(source: str, target: str, tables: Tables, newest: bool, _: KeyShare) -> Iterator[tuple[str, str]]:
    """Yield what `map` says of a pair of sources as a whole, and of each key of training."""
    try:
        names = map_names(source, target, spec=tables)
    except NamesError:
        return  # several classes of one name, or several trainers of which none is clearly meant
    component = source.partition("==")[0]
    yield (
        pair_name(None, component, target),
        entry(unlaid(lambda: map_lines(names, full=False)), (), {}, _spelled(source, tables)),
    )
    for key in dict.fromkeys(item.key for item in names.from_view.entries() if item.mode == "train"):
        row = names.translate(key).row
        if row is not None and row.from_ == key:

            def lines(row: MapRow = row) -> list[str]:
                return [*key_lines(names, row)]

            yield pair_name(key, component, target), entry(unlaid(lines), (), {}, _spelled(source, tables))


def _changed(source: str, target: str, tables: Tables, newest: bool, _: KeyShare) -> Iterator[tuple[str, str]]:
    """Yield what `diff` says of a release and the newest one."""
    if newest:
        return
    try:
        found = diff(source, target, spec=tables, evidence=False, program=None)
    except NamesError:
        return  # several classes of one name
    component = source.partition("==")[0]
    yield (
        pair_name(None, component, target),
        entry(unlaid(lambda: diff_lines(found, tables)), (), {}, _spelled(source, tables)),
    )


NAMED: Mapping[str, Callable[[str, Tables], Iterator[tuple[str, str]]]] = {"resolve": _resolved, "show": _shown}
"""What answers about a name, by book."""

RELEASED: Mapping[str, Callable[[str, str, Tables, bool, KeyShare], Iterator[tuple[str, str]]]] = {
    AT: _at,
    MAP: _mapped,
    DIFF: _changed,
}
"""What answers about a source, in view of another one, as the newest or an older one, and of which keys, by book."""
