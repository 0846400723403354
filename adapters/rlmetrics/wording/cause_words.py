"""A cause of changes in few words, from the spec's vocabulary."""

from __future__ import annotations

from rlmetrics.lazy_typing import TYPE_CHECKING, Any
from rlmetrics.names.upgrades.causes import shown, taken_over

from .metric_facts import quantity
from .signature_words import listed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rlmetrics.names.differences.entry_contrast import Cause
    from rlmetrics.names.tables.tables import Tables
    from rlmetrics.names.upgrades.causes import Effect, SharedCause, TakenBack

__all__ = ["cause_words", "is_complex", "metric_words", "plain_words", "taken_back_words", "ticked"]

_BRIEF = 90
_GUARD = 64
_EFFECTS = {"unit": "in another unit"}


def cause_words(cause: SharedCause, tables: Tables, *, full: bool = False) -> list[str]:
    """Return what a cause is, a text for each line that should begin anew.

    Args:
        cause: What changed.
        tables: The spec.
        full: Whether to tell the whole sentence where there is a short one.
    """
    if cause.kind == "setting":
        effects = [text for effect in cause.effects if (text := _effect(effect, tables, full=full)) is not None]
        return [cause.what, *dict.fromkeys(effects)]
    return [*_about(cause, tables, full=full)]


def taken_back_words(item: TakenBack, tables: Tables, *, full: bool = False) -> str:
    """Return what held for a while."""
    return plain_words(item, item.what, tables, full=full)


def _about(cause: SharedCause, tables: Tables, *, full: bool) -> Iterator[str]:
    text = plain_words(cause, cause.what, tables, full=full)
    if cause.effect is not None and cause.kind not in ("scale", "offset"):
        text = f"{text}: {_EFFECTS.get(cause.effect, cause.effect)}"
    if cause.vanishes_when and (full or cause.kind == "reduction" or is_complex(cause)) and cause.applies is not True:
        text = f"{text}; same if {cause.vanishes_when}"
    yield text
    if cause.earlier:
        yield f"also so in {cause.earlier}"


def is_complex(cause: SharedCause) -> bool:
    """Tell whether the settings with which a cause shows are better told in words than as a guard."""
    return cause.applies is False and (cause.only_if is None or len(cause.only_if) > _GUARD)


def _effect(effect: Effect, tables: Tables, *, full: bool) -> str | None:
    if effect.kind == "logged":
        return None if not effect.after else "logged now"
    return plain_words(effect, effect.what, tables, full=full)


def plain_words(
    item: Cause | Effect | SharedCause | TakenBack,
    what: str,
    tables: Tables,
    *,
    full: bool = False,
    compared: bool = True,
    code: Callable[[str], str] = str,
) -> str:
    """Return what changed, without when that shows.

    Args:
        item: What changed.
        what: The same in words that stand alone.
        tables: The spec.
        full: Whether to tell the whole sentence where there is a short one.
        compared: Whether what was before is told, too.
        code: How names and values of settings are marked.
    """
    if item.kind == "setting":
        return f"default of {code(item.name)} {code(shown(item.before))} -> {code(shown(item.after))}"
    if item.kind == "reduction":
        return _reduction_words(item.name, item.before, item.after, tables, compared=compared)
    if item.kind == "metric":
        return metric_words(item.before if compared else None, item.after, tables, full=full)
    if item.kind == "trait" and not full:
        trait = tables.traits[item.name]
        return str(trait.get("brief", what) if item.after else trait.get("otherwise", what))
    return what


def ticked(text: str) -> str:
    """Return a text between backticks, which pages turn into code."""
    return f"`{text}`"


def _reduction_words(levels: str, before: Any, after: Any, tables: Tables, *, compared: bool) -> str:
    """Return how parts are put together, and how they were."""
    names = levels.split(", ")
    befores, afters = ([value] if isinstance(value, str) else [*value] for value in (before, after))
    groups: dict[tuple[str, str], list[str]] = {}
    for name, then, now in zip(names, befores, afters, strict=True):
        groups.setdefault((then, now), []).append(tables.levels[name].parts)
    return "; ".join(
        f"{_over(now, parts, tables)}{f', was {_how(then, tables)}' if compared else ''}"
        for (then, now), parts in groups.items()
    )


def _over(operation: str, parts: list[str], tables: Tables) -> str:
    named = listed(parts)
    if operation == "pool":
        return f"{named} pooled"
    if operation == "none":
        return f"one value, not several {named}"
    phrase = tables.signatures["WORDS"]["operations"][operation]
    return f"{phrase} of the {named}" if operation in ("first", "last") else f"{phrase} over {named}"


def _how(operation: str, tables: Tables) -> str:
    known = {"pool": "pooled", "none": "not there"}
    return known.get(operation) or f"the {tables.signatures['WORDS']['operations'][operation]}".replace(
        "the only", "only"
    )


def metric_words(before: str | None, after: str | None, tables: Tables, *, full: bool = False) -> str:
    """Return what is measured now, and before if there is room for it."""
    if after is None:
        return "what it measures depends on the configuration"
    over = taken_over(before, after, tables)
    if over is not None:
        return f"over {over[1]}, was over {over[0]}"
    now = quantity(after, tables)
    then = "" if before is None else f"; was {quantity(before, tables)}"
    return f"measures {now}{then if full or len(now) + len(then) <= _BRIEF else ''}"
