"""Which source a question about values is about, where it names none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rlmetrics.lazy_typing import TYPE_CHECKING, Any, NamedTuple
from rlmetrics.names.meanings.key_index import KEY, SHOWN, TEMPLATE, Lookup, catalogue_of
from rlmetrics.names.meanings.view import FrameworkView
from rlmetrics.wording.terminal import wrapped

from .row import row_lines
from .value_answer import JudgedValue, judge_row, value_json, value_lines

if TYPE_CHECKING:
    from rlmetrics.names.meanings.protocol import View
    from rlmetrics.names.tables.key_records import MapRow
    from rlmetrics.names.tables.tables import Tables

    from .pasted import Given

__all__ = ["AUTO", "Asked", "ask", "ask_two"]

AUTO = "auto"
_SAME = ("exact", "affine", "approximate", "unreviewed")
"""Relations of a stand-in that the value of an absent key may be read by."""
_MOST = 10
"""In how many components a value without a source is judged: those that the spec lists first."""

_WHOLE = 8
"""So many keys are a row as it was logged, and what is missing from it tells something, too."""
_EPOCH = "epoch"
"""What transformers writes at the end of each row."""


class Asked(NamedTuple):
    """Values and what they tell, in the source that they are taken to be of.

    Attributes:
        view: The source.
        values: What the values tell.
        said: How the source became known; None where it was given.
        single: Whether the question was about one value.
        lead: What is said before: under which name the source logs the key.
        instead: What is known of a key that the source does not log.
    """

    view: View
    values: tuple[JudgedValue, ...]
    said: str | None
    single: bool
    lead: tuple[str, ...] = ()
    instead: tuple[str, ...] = ()

    def lines(self, *, full: bool = False) -> list[str]:
        """Return the answer for people."""
        if self.single and any(item.judged for item in self.values):
            return [*self.lead, *value_lines(self.values, full=full, assumed=self.said is not None)]
        if self.instead:
            return [*self.instead]
        if self.single:
            return value_lines(self.values, full=full)
        return row_lines(self.view, self.values, full=full, said=self.said)

    def json(self) -> list[dict[str, Any]]:
        """Return the answer for programs."""
        return value_json(self.values)


def ask(row: Mapping[str, Given], at: str | None, config: Mapping[str, Any] | None, tables: Tables) -> Asked:
    """Return what values tell.

    Args:
        row: Values by key.
        at: Their source; ``auto`` or None if it is not known.
        config: Settings that were given.
        tables: The spec.

    Raises:
        NamesError: The source or a setting is unknown, or nothing explains the keys.
    """
    from rlmetrics.names import open_view

    single = len(row) == 1
    if at not in (None, AUTO):
        view = open_view(str(at), config=config, spec=tables)
        return _one(view, row, config) if single else Asked(view, tuple(judge_row(view, row, config)), None, single)
    if single:
        key = next(iter(row))
        lookup = catalogue_of(tables).find(key)
        views = _views_of(lookup, config, tables)
        asked = [_one(view, row, config) for view in views]
        values = [item for one in asked for item in one.values if item.judged]
        if values:
            from .asked import is_common
            from .meaning_list import brought_lines

            # A name that people bring is told first, where it is not common here.
            elsewhere = [] if is_common(lookup) else brought_lines(key, tables, catalogue_of(tables))
            lead = (*elsewhere, "") if elsewhere else asked[0].lead
            return Asked(views[0], tuple(values), "assumed", single, lead=lead)
        if not lookup.found:
            from rlmetrics.names.lookup.anywhere import resolve_anywhere

            from .asked import answer_anywhere

            answer, view = answer_anywhere(key, lookup, tables, config=config), open_view("canonical", spec=tables)
            unknown = [JudgedValue(view, row[key], item, ()) for item in resolve_anywhere([key], tables=tables)]
            return Asked(view, tuple(unknown), None, single, (), tuple(answer.lines))
    if not single and (of_undescribed := _of_undescribed(row, tables)) is not None:
        return of_undescribed
    source, said = _inferred(row, tables)
    view = open_view(source, config=config, spec=tables)
    return Asked(view, tuple(judge_row(view, row, config)), said, single)


def _of_undescribed(row: Mapping[str, Given], tables: Tables) -> Asked | None:
    """Return what is nearest to the keys of a row, where they are those of a framework that is not described."""
    from rlmetrics.names import open_view
    from rlmetrics.names.lookup.anywhere import of_undescribed, undescribed_source

    from .meaning_list import undescribed_lines

    found = undescribed_source([*row], tables)
    if found is None:
        return None
    view = open_view("canonical", spec=tables)
    values = [JudgedValue(view, row[item.key], item, ()) for item in of_undescribed(found, [*row])]
    lines = undescribed_lines(found, [*row], tables, catalogue_of(tables))
    return Asked(view, tuple(values), None, False, (), tuple(lines))


def _one(view: View, row: Mapping[str, Given], config: Mapping[str, Any] | None) -> Asked:
    """Return what one value tells, under whatever name the source logs its key."""
    from rlmetrics.names.lookup.key_spelling import meant
    from rlmetrics.names.lookup.resolving import is_users_own

    from .asked import answer_at, other_name

    values = judge_row(view, row, config)
    key, given = next(iter(row.items()))
    own = [item for item in values if item.judged and not is_users_own(item.found.metric, view.tables)]
    if own or not isinstance(view, FrameworkView):
        return Asked(view, tuple(values), None, single=True)
    asked = meant(view, key, config=config)
    known = [item for item in (*asked.found, *asked.others) if item.component is not None and item.template != key]
    known = [item for item in known if not is_users_own(item.metric, view.tables)]
    names = dict.fromkeys(str(item.template) for item in known)
    lead: Sequence[str] = other_name(view, key, known) if names else ()
    if asked.absent is not None and asked.absent.row is not None and asked.absent.row.relation in _SAME:
        from .absent_answer import absent_head

        names, lead = {str(asked.absent.row.to): None}, wrapped(absent_head(view, asked.absent))
        given = _as_now(given, asked.absent.row)
    found = [item for name in names for item in judge_row(view, {name: given}, config) if item.judged]
    if found:
        return Asked(view, tuple(found), None, single=True, lead=(*lead, ""))
    if values and values[0].judged:
        return Asked(view, tuple(values), None, single=True)
    answer = answer_at(view, key, config=config)
    return Asked(view, tuple(values), None, True, (), tuple(answer.lines))


def _as_now(given: Given, row: MapRow) -> Given:
    """Return a value as the key that stands in for an absent one shows it."""
    if row.transform is None or given.number is None:
        return given
    number = row.transform(given.number)
    return given._replace(text=f"{number:g}", number=number, half=given.half * abs(row.transform.scale))


def ask_two(
    keys: Sequence[str], at: str | None, config: Mapping[str, Any] | None, tables: Tables, *, full: bool = False
) -> list[str]:
    """Return how two keys differ; nothing where one of them is unknown.

    Args:
        keys: Two keys.
        at: Their source; ``auto`` or None if it is not known.
        config: Settings that were given.
        tables: The spec.
        full: Whether nothing is folded.

    Raises:
        NamesError: The source or a setting is unknown.
    """
    from rlmetrics.names import open_view
    from rlmetrics.names.lookup.resolving import resolve_in

    from .contrast import contrast_lines, usual_pair

    if at not in (None, AUTO):
        view = open_view(str(at), config=config, spec=tables)
        views: Sequence[Sequence[View]] = ([view], [view])
    else:
        views = [_anywhere(key, config, tables) for key in keys]
    one, other = (
        [(view, resolution) for view in of_key for resolution in resolve_in(view, [key])]
        for key, of_key in zip(keys, views, strict=True)
    )
    pair = usual_pair(one, other)
    return [] if pair is None else contrast_lines(*pair, full=full)


def _views_of(lookup: Lookup, config: Mapping[str, Any] | None, tables: Tables) -> Sequence[View]:
    """Return the newest source of each component that logs what was found, those first that people use most."""
    from rlmetrics.names.meanings.view import open_views

    sources: dict[tuple[str, str], str] = {}
    for item in lookup.found:
        if item.metric is not None:
            sources.setdefault((item.framework, item.component), item.source)
    return open_views(list(sources.values())[:_MOST], config=config, spec=tables) if sources else ()


def _anywhere(key: str, config: Mapping[str, Any] | None, tables: Tables) -> Sequence[View]:
    """Return the newest source of each component that logs a key, those first that people use most."""
    lookup = catalogue_of(tables).find(key)
    return _views_of(lookup, config, tables) if lookup.way in (KEY, SHOWN, TEMPLATE) else ()


def _inferred(row: Mapping[str, Given], tables: Tables) -> tuple[str, str]:
    """Return the source that a row is taken to be of, and why.

    Raises:
        NamesError: It is of no described trainer.
    """
    from rlmetrics.names.inference import Clues, find_source
    from rlmetrics.names.inference.wording import source_line
    from rlmetrics.names.tables.printed_numbers import usual_decimals
    from rlmetrics.names.tables.user_errors import NamesError

    values = {key: given.number for key, given in row.items()}
    whole = len(row) >= _WHOLE or _EPOCH in row
    # Few numbers may have been rounded by whoever tells them; those of a row were by what printed them.
    decimals = usual_decimals(given.text for given in row.values())
    answer = find_source(Clues(tuple(row), whole=whole, decimals=decimals).with_values([values]), tables)
    if answer.source is None:
        raise NamesError(source_line(answer))
    return answer.source, source_line(answer)
