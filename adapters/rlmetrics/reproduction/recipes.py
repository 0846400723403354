"""What is to be done to get the number of a key: which function, with which parameters, and what is folded how.

Only names and tables are needed for a recipe; PyTorch is needed to follow it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from rlmetrics.names.differences.relations import unstated_words
from rlmetrics.names.meanings.constancy import stated
from rlmetrics.names.settings.configuration import number
from rlmetrics.names.tables.user_errors import NamesError
from rlmetrics.names.upgrades.changed_defaults import default_of

from .words import GIVEN, HELD, PARTED, UNSEEN, Action, actions_of

if TYPE_CHECKING:
    from rlmetrics.names.meanings.component import ComponentView
    from rlmetrics.names.tables.key_records import Entry, Signature
    from rlmetrics.names.tables.tables import Tables

__all__ = ["COUNTS", "EMPTY_BY", "LONGEST", "LeftOut", "Recipe", "recipe_of"]

WITHIN = ("token", "sequence", "group")
"""Levels inside the tensors of one call, innermost first."""

COUNTS = {
    "micro_batches_per_mini_batch": ("micro_batch",),
    "micro_batches": ("micro_batch",),
    "mini_batches": ("mini_batch",),
    "updates_per_batch": ("epoch", "mini_batch"),
    "ranks": ("rank",),
}
"""What expressions call numbers of parts, with the levels whose parts are multiplied."""

EMPTY_BY = "lengths"
"""The input by which responses without a token are known where a function does not take a mask."""

LONGEST = "longest_response"
"""What expressions call the width of a batch, the length of its longest response."""


_HEDGED = re.compile(r"\b(?:unless|as long as|up to)\b")
"""What is behind a constant that other things than settings can move."""


class LeftOut(NamedTuple):
    """What a recipe leaves out.

    Attributes:
        says: What it is, in words.
        changes: Whether the number that is logged is another one because of it; if not, it says what the tensors must
            hold.
        trait: The trait that says so, empty if it is something else.
    """

    says: str
    changes: bool
    trait: str = ""


class Recipe(NamedTuple):
    """How a logged number follows from tensors.

    Attributes:
        entry: The key, as it is logged in a mode and under a configuration.
        function: Id of the function in the registry; None where a constant is logged, or nothing computes it.
        parameters: Its keyword arguments, as far as settings say them.
        given: Those that the caller hands over, since no setting says them.
        folds: Level and operation, outer first: those outside of one call of the function.
        gathered: The level each of whose parts becomes one number before its parts are put together; means are one
            mean without it.
        rows: The operations over the tokens of a response and over responses, where the code takes them one after the
            other; None where the function does it.
        scale: logged = scale * folded + offset; an expression of settings or of numbers of parts.
        offset: See ``scale``.
        settings: The values of the settings in such expressions.
        constant: The value that is logged whatever the tensors.
        actions: What else is done, in the order of the traits.
        left_out: What the recipe leaves out.
    """

    entry: Entry
    function: str | None = None
    parameters: Mapping[str, float] = {}
    given: tuple[str, ...] = ()
    folds: tuple[tuple[str, str], ...] = ()
    gathered: str | None = None
    rows: tuple[str, str] | None = None
    scale: float | str = 1.0
    offset: float | str = 0.0
    settings: Mapping[str, Any] = {}
    constant: float | None = None
    actions: tuple[Action, ...] = ()
    left_out: tuple[LeftOut, ...] = ()

    @property
    def exact(self) -> bool:
        """Whether the recipe gives the number that is logged, and nothing that changes it is left out."""
        return (self.constant is not None or self.function is not None) and not any(
            item.changes for item in self.left_out
        )

    @property
    def skips_nan(self) -> bool:
        """Whether values that are NaN are left out wherever values are put together."""
        skipped = any(action.said["as"] == "skip" for action in self.named("nonfinite"))
        return skipped or any(
            action.said["as"] == "skip" and "level" not in action.said for action in self.named("empty")
        )

    @property
    def beside(self) -> tuple[str, ...]:
        """The inputs that are needed beside those of the function, and those of them that it takes itself."""
        weights = tuple(action.said["input"] for action in self.named("times"))
        skips = any(action.said["as"] == "skip" and "level" in action.said for action in self.named("empty"))
        return (*weights, EMPTY_BY) if skips else weights

    def named(self, word: str) -> Iterator[Action]:
        """Yield the actions of a word."""
        return (action for action in self.actions if action.word == word)


def recipe_of(entry: Entry, component: ComponentView, tables: Tables) -> Recipe:
    """Return the recipe of a key.

    Args:
        entry: The key under a configuration.
        component: The component that logs it, with that configuration.
        tables: The spec.
    """
    said = component.said(entry)
    constant = _constant(entry, component)
    if constant is not None:
        return Recipe(entry, constant=constant)
    function = _function(entry, tables)
    if function is None:
        metric = tables.metrics.get(entry.metric or "", {})
        says = "nothing computes it from tensors" if metric else "what it measures depends on settings that are unknown"
        return Recipe(entry, left_out=(LeftOut(says, changes=True),))
    signature = entry.signature
    held = tables.reproduction["FUNCTIONS"][function].get("holds", ())
    actions, left = _traits(entry, component, tables, held)
    reduction = dict(signature.reduction)
    for action in actions:
        if action.word == "fold":
            reduction[action.said["level"]] = action.said["as"]
            if action.said["level"] == "sequence":
                reduction.setdefault("token", "mean")
    rows = None if {"token", "sequence"} & {*held} else _rows(reduction)
    if rows is None and not any(
        name.endswith("_lengths") for name in tables.reproduction["FUNCTIONS"][function]["inputs"]
    ):
        left += _without_rows(actions, tables)
    parameters, given, unbound = _parameters(entry, function, said, component, tables)
    scale, offset = signature.scale, signature.offset
    texts = [text for text in (scale, offset) if isinstance(text, str)]
    texts += [action.said["by"] for action in actions if action.word == "scale"]
    settings = _settings(texts, component)
    unknown = [_unknown(text) for text in texts if any(name not in settings for name in _names(text))]
    fixed = next((float(action.said["as"]) for action in actions if action.word == "constant"), None)
    return Recipe(
        entry,
        function=function if fixed is None else None,
        parameters=parameters,
        given=tuple(given),
        folds=_folds(reduction, said.get("gathered"), tables),
        gathered=said.get("gathered"),
        rows=rows,
        scale=scale,
        offset=offset,
        settings=settings,
        constant=fixed,
        actions=tuple(actions),
        left_out=() if fixed is not None else (*left, *unbound, *unknown, *_unreviewed(signature)),
    )


def _unreviewed(signature: Signature) -> Iterator[LeftOut]:
    """Yield what nobody has stated of how the number is computed."""
    if signature.unstated:
        yield LeftOut(f"unreviewed: {unstated_words(signature.unstated)}", changes=True)


def _function(entry: Entry, tables: Tables) -> str | None:
    metric = tables.metrics.get(entry.metric or "", {})
    variant = entry.signature.reproduced_by
    if variant is not None and variant in metric.get("variants", {}):
        return f"{entry.metric}@{variant}"
    return entry.metric if "function" in metric else None


def _constant(entry: Entry, component: ComponentView) -> float | None:
    """Return the value that is logged under the settings, whatever the tensors; None if it varies, or may."""
    for constant in filter(None, map(stated, entry.constant_when)):
        if _HEDGED.search(constant.remark) or constant.mode not in (None, entry.mode):
            continue
        asked = constant.guard is not None and not _holds(component)(constant.guard)
        if asked or not (constant.always or constant.guard or constant.mode):
            continue
        value = constant.number
        if value is None:
            found = number(constant.value, _values(component))
            value = None if isinstance(found, str) else found
        if value is not None:
            return value
    return None


def _traits(
    entry: Entry, component: ComponentView, tables: Tables, held: Sequence[str]
) -> tuple[list[Action], list[LeftOut]]:
    """Return what the traits of a key have done, and what of them is left out."""
    does: Mapping[str, Any] = tables.reproduction["DOES"]
    actions: list[Action] = []
    left: list[LeftOut] = []
    for trait in entry.signature.traits:
        if trait in held:
            continue
        row = tables.traits[trait]
        gone = component.circumstances.trait(row, entry.mode)
        if gone is not None and _holds(component)(gone):
            continue
        stated = does.get(trait, UNSEEN)
        found = actions_of(trait, stated, _holds(component)) if isinstance(stated, Mapping) else ()
        if found is None or stated == UNSEEN:
            left.append(LeftOut(row["what"], changes=True, trait=trait))
        elif stated == GIVEN:
            left.append(LeftOut(row["what"], changes=False, trait=trait))
        elif stated == PARTED:
            if "micro_batch" not in dict(entry.signature.reduction):
                left.append(LeftOut(row["what"], changes=True, trait=trait))
        elif stated != HELD:
            actions += found
    return actions, left


def _without_rows(actions: Sequence[Action], tables: Tables) -> Iterator[LeftOut]:
    """Yield what is said of responses without a token where no response is taken on its own."""
    for action in actions:
        if action.word == "empty" and action.said.get("level") == "sequence" and action.said["as"] != "skip":
            yield LeftOut(tables.traits[action.trait]["what"], changes=True, trait=action.trait)


def _holds(component: ComponentView) -> Callable[[str], bool | None]:
    return component.config.holds


def _folds(reduction: Mapping[str, str], gathered: str | None, tables: Tables) -> tuple[tuple[str, str], ...]:
    """Return levels with their operations, outer first; what is pooled is put together before anything else."""
    outer = [level for level in reversed([*tables.levels]) if level not in WITHIN and level in reduction]
    outer = [level for level in outer if reduction[level] != "none"]
    if gathered in outer and "rank" in outer:
        outer.remove("rank")
        outer.insert(outer.index(gathered) + 1, "rank")
    pooled = [level for level in outer if reduction[level] == "pool"]
    return tuple((level, reduction[level]) for level in (*(one for one in outer if one not in pooled), *pooled))


def _rows(reduction: Mapping[str, str]) -> tuple[str, str] | None:
    """Return how tokens and responses become one number where the code takes response by response."""
    token, sequence = reduction.get("token", "pool"), reduction.get("sequence", "pool")
    plain = sequence == "pool" and token in ("pool", "mean")
    return None if plain or "token" not in reduction else (token, sequence)


def _parameters(
    entry: Entry, function: str, said: Mapping[str, Any], component: ComponentView, tables: Tables
) -> tuple[dict[str, float], list[str], list[LeftOut]]:
    """Return the parameters that settings say, the names of those that the caller says, and words on all others."""
    values = _Values(component)
    found: dict[str, float] = {}
    given: list[str] = []
    left: list[LeftOut] = []
    for name in tables.reproduction["FUNCTIONS"][function].get("parameters", {}):
        if f"{{{name}}}" in entry.key:
            given.append(name)
            continue
        asked: list[str] = []
        for bound in component.bound(name, said):
            if bound.when is not None and not component.config.holds(bound.when):
                continue
            if bound.value == GIVEN:
                given.append(name)
                break
            value = _value(bound.value, values) if bound.part is None else _part(bound.value, bound.part, component)
            if not isinstance(value, str) or bound.default is not None:
                found[name] = value if not isinstance(value, str) else float(bound.default or 0)
                break
            asked.append(str(bound.value))
        else:
            left.append(_unknown(" or ".join(asked), name) if asked else _unbound(name))
    return found, given, left


def _part(setting: float | str, part: int, component: ComponentView) -> float | str:
    """Return one of the two numbers that a setting joins by an underscore; its name if it does not."""
    numbers = str(component.config.values.get(str(setting))).split("_")
    try:
        return float(numbers[part]) if len(numbers) > 1 else setting
    except ValueError:
        return setting


def _value(text: float | str, values: Mapping[str, Any]) -> float | str:
    """Return the value of an expression; the text itself where a setting is unknown or no number."""
    try:
        return number(text, values)
    except NamesError:
        return str(text)


def _unbound(name: str) -> LeftOut:
    return LeftOut(f"no setting is known that {name} is taken from", changes=True)


def _unknown(text: str, name: str = "") -> LeftOut:
    of = f"{name} is {text}, and" if name else f"the number is multiplied by {text}, and"
    return LeftOut(f"{of} not all of that is known: give it in config", changes=True)


def _names(text: str) -> list[str]:
    """Return the settings in an expression: all names but those of numbers of parts."""
    from rlmetrics.names.settings.guards import names_in

    return [name for name in names_in(text) if name.rpartition(".")[2] not in (*COUNTS, LONGEST)]


def _settings(texts: Sequence[str], component: ComponentView) -> dict[str, Any]:
    """Return the values of the settings in expressions, as far as they are known."""
    values = _Values(component)
    known = {name: values.get(name) for text in texts for name in _names(text)}
    return {name: value for name, value in known.items() if value is not None}


class _Values(Mapping[str, Any]):
    """The settings of a component: those that the spec knows, then the defaults of the framework's own classes."""

    def __init__(self, component: ComponentView) -> None:
        self._component = component

    def __getitem__(self, name: str) -> Any:
        values = self._component.config.values
        if name in values:
            return _literal(values[name])
        for given, value in (self._component.given or {}).items():
            if given == name or name.endswith(f".{given}"):
                return _literal(value)
        found = default_of(self._component, name)
        if found is None:
            raise KeyError(name)
        return _literal(found)

    def __contains__(self, name: object) -> bool:
        try:
            self[str(name)]
        except KeyError:
            return False
        return True

    def __iter__(self) -> Iterator[str]:
        return iter(self._component.config.values)

    def __len__(self) -> int:
        return len(self._component.config.values)


def _literal(value: Any) -> Any:
    """Return what a setting that comes as text stands for."""
    if not isinstance(value, str):
        return value
    try:
        return float(value) if "." in value or "e" in value.lower() else int(value)
    except ValueError:
        return value


def _values(component: ComponentView) -> Mapping[str, Any]:
    return _Values(component)
