"""What the spec says about verl's keys: the function of each, its reduction and its traits, under given settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from types import MappingProxyType

from rlmetrics.functional import REGISTRY

from .quantities import Quantity, Source, Value
from .verl_scenario import Number

Config = Mapping[str, Value]

ACTOR = "actor_rollout_ref.actor."
LOSS_MODE = f"{ACTOR}policy_loss.loss_mode"
AGGREGATION = f"{ACTOR}loss_agg_mode"
CRITIC_AGGREGATION = "critic.loss_agg_mode"
WIDTH = 48
"""``data.max_response_length`` of the calls: the padded width of their responses."""

EMPTY = frozenset({"empty_rows_in_mean", "empty_rows_not_a_number", "zero_when_empty"})
"""Traits that say what becomes of responses, or of batches, without a token."""

NONE: Config = MappingProxyType({})
_DEFAULTS: Config = {LOSS_MODE: "vanilla", AGGREGATION: "token-mean", CRITIC_AGGREGATION: "token-mean"}


@dataclass(frozen=True)
class Lack:
    """A trait that recorded values show and that the spec does not state yet.

    Attributes:
        release: The release whose values show it.
        keys: Patterns of the logged keys.
        trait: The trait.
        settings: Settings under which it holds, with the values that each may have.
    """

    release: str
    keys: tuple[str, ...]
    trait: str
    settings: tuple[tuple[str, tuple[Value, ...]], ...] = ()

    def holds(self, release: str, key: str, config: Config) -> bool:
        """Return whether a release's key has the trait under a configuration."""
        settings = {**_DEFAULTS, **config}
        chosen = all(settings[name] in values for name, values in self.settings)
        return release == self.release and any(fnmatchcase(key, pattern) for pattern in self.keys) and chosen


LACKING: tuple[Lack, ...] = ()
"""What the spec has yet to say; a line goes as soon as it does."""


def source(release: str, config: Config = NONE) -> Source:
    """Return a release under settings."""
    return Source(f"verl=={release}", tuple(sorted({"data.max_response_length": WIDTH, **config}.items())))


def told(release: str, key: str, config: Config = NONE) -> Quantity:
    """Return what the spec says about a key, and what it is known to lack.

    What is ``aggregated_as_configured`` has the reduction of the vanilla policy loss under the same ``loss_agg_mode``.
    """
    quantity = source(release, config).quantity(key)
    if "aggregated_as_configured" in quantity.traits:
        usual = told(release, "actor/pg_loss", {AGGREGATION: config.get(AGGREGATION, _DEFAULTS[AGGREGATION])})
        traits = quantity.traits | (usual.traits & (EMPTY | {"divided_by_longest_response"}))
        quantity = replace(quantity, reduction=usual.reduction, scale=usual.scale, traits=traits)
    lacked = {lack.trait for lack in LACKING if lack.holds(release, key, config)}
    return replace(quantity, traits=quantity.traits | lacked)


def accepted(function: str, settings: Mapping[str, Number]) -> dict[str, Number]:
    """Return those settings that a function takes."""
    return {name: value for name, value in settings.items() if name in REGISTRY[function].parameters}
