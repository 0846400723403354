"""What the spec says about verl's keys: the function of each, its reduction and its traits, under given settings."""

from __future__ import annotations

from collections.abc import Mapping
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

NONE: Config = MappingProxyType({})


def source(release: str, config: Config = NONE) -> Source:
    """Return a release under settings."""
    return Source(f"verl=={release}", tuple(sorted({"data.max_response_length": WIDTH, **config}.items())))


def told(release: str, key: str, config: Config = NONE) -> Quantity:
    """Return what the spec says about a key."""
    return source(release, config).quantity(key)


def accepted(function: str, settings: Mapping[str, Number]) -> dict[str, Number]:
    """Return those settings that a function takes."""
    return {name: value for name, value in settings.items() if function and name in REGISTRY[function].parameters}
