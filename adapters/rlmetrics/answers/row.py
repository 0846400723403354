"""What a pasted row tells as a whole: the worst first, what follows from it, what it shows, and what it lacks."""

from __future__ import annotations

from collections.abc import Sequence

from rlmetrics.lazy_typing import TYPE_CHECKING
from rlmetrics.names.lookup.resolving import is_users_own
from rlmetrics.wording.signature_words import listed, source_words
from rlmetrics.wording.terminal import columns, labelled, symbol, wrapped
from rlmetrics.wording.voice import phrase

from .judgement import BAD, LEVELS
from .missing import missing_lines
from .trust import is_unreviewed
from .value_answer import JudgedValue, brief_text, some, usual

if TYPE_CHECKING:
    from rlmetrics.names.meanings.protocol import View

__all__ = ["row_lines"]

_MOST_ALSO = 2
_MOST_ROWS = 9
_MOST_PLAIN = 12


def row_lines(view: View, values: Sequence[JudgedValue], *, full: bool = False, said: str | None = None) -> list[str]:
    """Return the answer for a row: what is remarkable, causes first and the most serious first, and the rest folded.

    Args:
        view: The source.
        values: What `judge_row` gave.
        full: Whether nothing is folded.
        said: How the source became known, such as "inferred from 24 keys".
    """
    ranked = [item for item in _first_of_each(values) if item.judged]
    ranked.sort(key=lambda item: -LEVELS.index(item.level))
    signs = {str(item.found.metric): item for item in ranked if item.level in BAD}
    causes = {item.found.key: [signs[name] for name in item.judged[0].follows if name in signs] for item in ranked}
    bad = [item for item in ranked if item.level in BAD and not causes[item.found.key]]
    following = [item for item in ranked if causes[item.found.key]]
    free = [item for item in ranked if item not in bad and item not in following]
    ask, expected, plain = ([item for item in free if item.level == level] for level in ("info", "expected", "plain"))
    yours = [item for item in plain if is_users_own(item.found.metric, view.tables)]
    plain = [item for item in plain if item not in yours]
    lines = wrapped(_verdict(bad, ask, expected, len(ranked)))
    lines += [*wrapped(f"{source_words(view.source, view.tables)}{f', {said}' if said else ''}"), ""]
    table = _together([(_label(item), item, brief_text(item, full=full)) for item in (*bad, *ask, *expected)])
    shown = table if full else table[: max(_MOST_ROWS, len(bad))]
    lines += columns(shown, indent=0)
    lines += [f"and {len(table) - len(shown)} more: --full"] if len(shown) < len(table) else []
    if following:
        named = [each for item in following for each in causes[item.found.key]]
        roots = [item.found.key for item in bad if item in named]
        given = ", ".join(f"{item.found.key} = {item.given.text}" for item in following)
        lines += ["", *labelled("follows", f"from {listed(roots)}: {given}")]
    shows = [text for item in values[:1] for text in item.shows]
    lines += ["", *labelled("shows", shows if full else shows[:_MOST_ALSO])] if shows else []
    missing = missing_lines(values[0].view if values else view, [item.found for item in values], full=full)
    lines += ["", *missing] if missing else []
    advice = list(dict.fromkeys(item.judged[0].watch for item in bad if item.judged[0].watch))
    lines += ["", *labelled("look at", advice[:_MOST_ALSO])] if advice else []
    if plain:
        lines += ["", *wrapped(f"Unremarkable ({len(plain)}): {_keys(plain, full=full)}")]
    if yours:
        told = phrase("not logged by the trainer itself; of a number of your own nothing can be said")
        lines += wrapped(f"{phrase('Yours')} ({len(yours)}): {_keys(yours, full=full)}: {told}")
    open_ = [item for item in ranked if is_unreviewed(item.found)]
    if open_:
        told = phrase("how these are computed is not stated in full")
        lines += wrapped(
            f"{symbol('unreviewed')} {phrase('unreviewed')} ({len(open_)}): {_keys(open_, full=full)}: {told}"
        )
    unknown = [item for item in _first_of_each(values) if not item.judged]
    if unknown:
        lines += wrapped(f"Not logged by this source ({len(unknown)}): {_keys(unknown, full=full)}")
    return [line for index, line in enumerate(lines) if line or lines[index - 1]]


def _together(rows: Sequence[tuple[str, JudgedValue, str]]) -> list[list[str]]:
    """Return rows of a table, those as one of which the same is said."""
    groups: dict[tuple[str, str], list[str]] = {}
    for label, item, text in rows:
        groups.setdefault((label, text), []).append(item.found.key)
    return [[label, some(keys), text] for (label, text), keys in groups.items()]


def _verdict(
    bad: Sequence[JudgedValue], ask: Sequence[JudgedValue], expected: Sequence[JudgedValue], count: int
) -> str:
    """Return the first line: the worst value, or that there is none."""
    if bad:
        more = f" {len(bad)} of {count} values are bad signs." if len(bad) > 1 else ""
        return f"{bad[0].found.key}: {bad[0].says}{more}"
    if ask:
        return f"None of {count} values is a bad sign. {ask[0].found.key}: {ask[0].says}"
    if expected:
        return f"None of {count} values is a bad sign. {expected[0].found.key}: {expected[0].says}"
    return f"None of {count} values is remarkable by itself; one row shows no trend (rlmetrics check RUN does)."


def _label(item: JudgedValue) -> str:
    return {"info": "look"}.get(item.level, item.level)


def _keys(items: Sequence[JudgedValue], *, full: bool) -> str:
    names = [item.found.key for item in items]
    if full or len(names) <= _MOST_PLAIN:
        return ", ".join(names)
    return f"{', '.join(names[:_MOST_PLAIN])} and {len(names) - _MOST_PLAIN} more"


def _first_of_each(values: Sequence[JudgedValue]) -> list[JudgedValue]:
    """Return one value for each key: where it is logged by default, if that is so anywhere."""
    by_key: dict[str, list[JudgedValue]] = {}
    for item in values:
        by_key.setdefault(item.found.key, []).append(item)
    return [usual(items)[0] for items in by_key.values()]
