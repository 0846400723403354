"""The meaning of a key as a function: the number that a release logs, from tensors cut as the framework cuts them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple

from rlmetrics.names.meanings.view import FrameworkView, open_view
from rlmetrics.names.settings.configuration import number
from rlmetrics.names.tables.tables import Overlays
from rlmetrics.names.tables.user_errors import NamesError

from .recipes import COUNTS, LONGEST, Recipe, recipe_of

if TYPE_CHECKING:
    from torch import Tensor

    from rlmetrics.names.meanings.protocol import Match
    from rlmetrics.names.tables.tables import Tables
    from rlmetrics.state.registry import MetricFunction

    from .nested_parts import Nested

__all__ = ["AsLogged", "KeyRequest", "as_logged"]


class KeyRequest(NamedTuple):
    """What was asked for, with the one component and mode that answer: see `as_logged`."""

    key: str
    at: str = ""
    config: Mapping[str, Any] | None = None
    mode: str | None = None
    spec: Overlays = None


class AsLogged:
    """The number that a release logs under a key, as a function of tensors; `as_logged` makes it.

    Attributes:
        key: The key as it was asked for.
        source: The component and release, such as ``verl[actor]==0.9.1``.
        recipe: What is done.
    """

    def __init__(self, asked: KeyRequest, recipe: Recipe, placeholders: Mapping[str, str], tables: Tables) -> None:
        self.key = asked.key
        self.source = asked.at
        self.recipe = recipe
        self._asked = asked
        self._placeholders = placeholders
        self._tables = tables

    def __reduce__(self) -> tuple[Any, ...]:
        """Have another process ask the same of its own tables."""
        key, at, config, mode, spec = self._asked
        return partial(as_logged, mode=mode, spec=spec), (key, at, config)

    @property
    def inputs(self) -> tuple[str, ...]:
        """The names of the tensors that every mapping must hold, as in ``spec/inputs.yaml``; none for a constant."""
        if self.recipe.constant is not None or self.recipe.function is None:
            return ()
        of_function = self._tables.reproduction["FUNCTIONS"][self.recipe.function]["inputs"]
        return (
            *of_function,
            *(name for name in self.recipe.beside if name not in of_function),
            *(name for name in self.recipe.given if name not in self._placeholders),
        )

    @property
    def levels(self) -> tuple[str, ...]:
        """The levels whose parts become one number, outer first: a list for each stands around the mappings.

        Levels that are not named are taken at once: a mapping holds all of them.
        """
        return tuple(level for level, _ in self.recipe.folds)

    @property
    def left_out(self) -> tuple[str, ...]:
        """In words what the function does not do: what the tensors must hold, and what no tensor shows."""
        return tuple(dict.fromkeys(item.says for item in self.recipe.left_out))

    @property
    def exact(self) -> bool:
        """Whether it gives the logged number for tensors that hold what the framework held.

        False as soon as something that changes the number is left out.
        """
        return self.recipe.exact

    @property
    def function(self) -> str | None:
        """The id of the function in ``rlmetrics.functional.REGISTRY``; None for a constant."""
        return self.recipe.function

    @property
    def parameters(self) -> Mapping[str, float]:
        """The function's parameters, as settings give them."""
        return dict(self.recipe.parameters)

    @property
    def logged(self) -> bool | None:
        """Whether the release logs the key under these settings; None if nothing tells."""
        return self.recipe.entry.logged

    def __call__(self, data: Nested | None = None, cut: Mapping[str, int] | None = None, **parameters: float) -> Tensor:
        """Return the number.

        Args:
            data: Mappings of tensors by name, in a list for each of `levels`, outer first; or one mapping: the only
                part at every level. Each tensor has the axes of its word, such as ``[B, T]`` for ``logprobs``. Not
                needed for a constant.
            cut: Cuts one mapping into equal parts, by level: ``{"ranks": 2, "micro_batches": 4}``.
            parameters: Parameters of the function in place of those that settings give.

        Returns:
            Float64 ``[]``, or the counts of a distribution.

        Raises:
            TypeError: The data are neither mappings nor lists.
            ValueError: Nothing computes the number, a tensor or a setting is missing, or the lists are not as deep as
                `levels` are many.
        """
        import torch

        from .folds import Together, fold, fold_with_replaced
        from .function_calls import FunctionCall
        from .nested_parts import cut_batch, lengths, nested

        recipe = self.recipe
        if recipe.constant is not None:
            return torch.tensor(recipe.constant, dtype=torch.float64)
        if recipe.function is None:
            msg = f"{self.source} {self.key}: {'; '.join(self.left_out)}"
            raise ValueError(msg)
        if data is None:
            msg = f"{self.source} {self.key} needs {', '.join(self.inputs)}, in a list for each level: {self.levels}"
            raise ValueError(msg)
        data = nested(data, self.levels) if cut is None else cut_batch(data, cut, self.levels)  # type: ignore[arg-type]
        compute = FunctionCall(recipe, self._metric, self._given(parameters))
        if any(action.said["as"] == "mean_so_far" for action in recipe.named("nonfinite")):
            value = fold_with_replaced(data, recipe.folds, compute)
        else:
            weighs = any(recipe.named("weigh"))
            weight = compute.weight if weighs else None
            together = Together(recipe.skips_nan, recipe.gathered, weight)
            value = fold(data, recipe.folds, compute, together)
        counts = lengths(data, self.levels)
        scale, offset = self._number(recipe.scale, counts), self._number(recipe.offset, counts)
        for action in recipe.named("scale"):
            if LONGEST in action.said["by"]:
                continue  # each call has a longest response of its own
            scale *= self._number(action.said["by"], counts)
        value = value if (scale, offset) == (1.0, 0.0) else scale * value + offset
        return self._shown(value)

    @cached_property
    def _metric(self) -> MetricFunction:
        from rlmetrics.functional import REGISTRY

        metric: MetricFunction = REGISTRY[self.recipe.function or ""]
        return metric

    def _given(self, parameters: Mapping[str, float]) -> dict[str, Any]:
        """Return the function's parameters: those of settings, of the key, and of the call."""
        known = self._metric.parameters
        unknown = [name for name in parameters if name not in known]
        if unknown:
            msg = f"{self.recipe.function} has no parameter {unknown[0]!r}; it has {', '.join(known) or 'none'}"
            raise ValueError(msg)
        of_key = {name: int(text) for name, text in self._placeholders.items() if name in known and text.isdigit()}
        return {**self.recipe.parameters, **of_key, **parameters}

    def _number(self, text: float | str, counts: Mapping[str, int]) -> float:
        """Return the value of an expression over settings and numbers of parts."""
        if not isinstance(text, str):
            return text
        from rlmetrics.names.settings.guards import names_in

        values: dict[str, Any] = dict(self.recipe.settings)
        for name in names_in(text):
            levels = COUNTS.get(name.rpartition(".")[2], ())
            if levels and all(level in counts for level in levels):
                values[name] = math.prod(counts[level] for level in levels)
        found = number(text, values)
        if isinstance(found, str):
            msg = f"{self.source} {self.key} is multiplied by {text}: give what that asks for in config"
            raise ValueError(msg)
        return found

    def _shown(self, value: Tensor) -> Tensor:
        """Return a number as it is written: rounded, or cut to a whole number."""
        for action in self.recipe.named("round"):
            power = 10.0 ** int(action.said["digits"])
            value = (value * power).trunc() / power if action.said.get("towards") == "zero" else value
            value = value if action.said.get("towards") == "zero" else (value * power).round() / power
        return value

    def __repr__(self) -> str:
        done = f"always {self.recipe.constant:g}" if self.recipe.constant is not None else self.recipe.function
        exact = "exact" if self.exact else "not exact"
        return f"AsLogged({self.key!r}, at={self.source!r}: {done}, levels {self.levels}, {exact})"


def as_logged(
    key: str, at: str, config: Mapping[str, Any] | None = None, *, mode: str | None = None, spec: Overlays = None
) -> AsLogged:
    """Return the function that gives the number that a release logs under a key.

    What the spec says of the key is followed: the function and its parameters, what is put together at which level, by
    what the result is multiplied, and what is logged where there is nothing to count.

    >>> import torch
    >>> loss = as_logged("actor/pg_clipfrac", at="verl[actor]==0.5.0")
    >>> loss.levels, loss.inputs
    (('rank', 'epoch', 'mini_batch', 'micro_batch'), ('logprobs', 'old_logprobs', 'advantages', 'mask'))

    Args:
        key: As it is logged, or a template such as ``rewards/{reward_func}/mean``.
        at: Such as ``verl==0.9.1`` or ``trl[GRPOTrainer]==1.16.0``.
        config: Settings that differ from the release's defaults.
        mode: ``train`` or ``eval``, where both log the key.
        spec: Folders with further YAML.

    Raises:
        NamesError: The source does not log the key, several of its components log different numbers under it, or a
            setting is unknown.
    """
    view = open_view(at, config=config, spec=spec)
    if not isinstance(view, FrameworkView):
        msg = f"{at} logs nothing: name a release, such as verl==0.9.1"
        raise NamesError(msg)
    matches = [match for match in view.find(key) if mode is None or match.entry.mode == mode]
    if not matches:
        msg = f"{view.source} does not log {key!r}"
        raise NamesError(msg)
    made = [_made(KeyRequest(key, at, config and dict(config), mode, spec), view, match) for match in matches]
    if len({_identity(one.recipe) for one in made}) > 1:
        logged = [one for one in made if one.logged] or made
        if len({_identity(one.recipe) for one in logged}) > 1:
            msg = f"{key!r} is another number in each of {', '.join(map(_named, made))}: name one of them"
            raise NamesError(msg)
        made = logged
    return made[0]


def _made(asked: KeyRequest, view: FrameworkView, match: Match) -> AsLogged:
    component = view.components[match.entry.component]
    recipe = recipe_of(match.entry, component, view.tables)
    source = f"{view.source.framework}[{match.entry.component}]=={view.source.release}"
    return AsLogged(asked._replace(at=source, mode=match.entry.mode), recipe, match.values, view.tables)


def _named(one: AsLogged) -> str:
    """Return the component of a number, with a word where its settings do not log it."""
    return one.source if one.logged else f"{one.source} (not logged with these settings)"


def _identity(recipe: Recipe) -> str:
    """Return what two recipes have in common that give the same number."""
    return repr(recipe._replace(entry=None))  # type: ignore[arg-type]
