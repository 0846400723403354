"""What the spec says about verl's keys: the function of each, its reduction and its traits, under given settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
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

EMPTY = frozenset({"empty_rows_in_mean", "empty_rows_not_a_number", "zero_when_empty", "zero_without_token"})
"""Traits that say what becomes of responses, or of batches, without a token."""

NONE: Config = MappingProxyType({})


def source(release: str, config: Config = NONE) -> Source:
    """Return a release under settings."""
    return Source(f"verl=={release}", tuple(sorted({"data.max_response_length": WIDTH, **config}.items())))


def told(release: str, key: str, config: Config = NONE) -> Quantity:
    """Return what the spec says about a key.

    What is ``aggregated_as_configured`` has the reduction of the vanilla policy loss under the same ``loss_agg_mode``.
    """
    quantity = source(release, config).quantity(key)
    if "aggregated_as_configured" in quantity.traits:
        usual = told(release, "actor/pg_loss", {AGGREGATION: config.get(AGGREGATION, "token-mean")})
        traits = quantity.traits | (usual.traits & (EMPTY | {"divided_by_longest_response"}))
        quantity = replace(quantity, reduction=usual.reduction, scale=usual.scale, traits=traits)
    return quantity


def accepted(function: str, settings: Mapping[str, Number]) -> dict[str, Number]:
    """Return those settings that a function takes."""
    return {name: value for name, value in settings.items() if name in REGISTRY[function].parameters}
