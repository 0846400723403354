"""Which source a question about values is about, where it names none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from .row import row_lines
from .values import JudgedValue, judge_row, value_json, value_lines

if TYPE_CHECKING:
    from rlmetrics.names.protocol import View
    from rlmetrics.names.tables import Tables

    from .pasted import Given

__all__ = ["AUTO", "Asked", "ask", "ask_two"]

AUTO = "auto"
_MOST = 10
"""In how many components a value without a source is judged: those that the spec lists first."""


class Asked(NamedTuple):
    """Values and what they tell, in the source that they are taken to be of.

    Attributes:
        view: The source.
        values: What the values tell.
        said: How the source became known; None where it was given.
        single: Whether the question was about one value.
    """

    view: View
    values: tuple[JudgedValue, ...]
    said: str | None
    single: bool

    def lines(self, *, full: bool = False) -> list[str]:
        """Return the answer for people."""
        if self.single:
            return value_lines(self.values, full=full, assumed=self.said is not None)
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
        return Asked(view, tuple(judge_row(view, row, config)), None, single)
    if single:
        lookup = _anywhere(next(iter(row)), config, tables)
        if lookup:
            values = [item for view in lookup for item in judge_row(view, row, config) if item.judged]
            return Asked(lookup[0], tuple(values), "assumed", single)
    source, said = _inferred(row, tables)
    view = open_view(source, config=config, spec=tables)
    return Asked(view, tuple(judge_row(view, row, config)), said, single)


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
    from rlmetrics.names.resolving import resolve_in

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


def _anywhere(key: str, config: Mapping[str, Any] | None, tables: Tables) -> Sequence[View]:
    """Return the newest source of each component that logs a key, those first that people use most."""
    from rlmetrics.names.lookup import KEY, SHOWN, TEMPLATE, catalogue_of
    from rlmetrics.names.view import open_views

    lookup = catalogue_of(tables).find(key)
    if lookup.way not in (KEY, SHOWN, TEMPLATE):
        return ()
    sources: dict[tuple[str, str], str] = {}
    for item in lookup.found:
        if item.metric is not None:
            sources.setdefault((item.framework, item.component), item.source)
    return open_views(list(sources.values())[:_MOST], config=config, spec=tables) if sources else ()


def _inferred(row: Mapping[str, Given], tables: Tables) -> tuple[str, str]:
    """Return the source that a row is taken to be of, and why.

    Raises:
        NamesError: It is of no described trainer.
    """
    from rlmetrics.names.errors import NamesError
    from rlmetrics.names.inference import Clues, find_source, nonzero_in
    from rlmetrics.names.inference.wording import source_line

    values = {key: given.number for key, given in row.items()}
    answer = find_source(Clues(tuple(row), nonzero=nonzero_in([values])), tables)
    if answer.source is None:
        raise NamesError(source_line(answer))
    return answer.source, source_line(answer)
