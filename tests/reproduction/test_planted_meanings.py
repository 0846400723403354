"""Faults that the spec once had are planted again in a copy of it: numbers that the frameworks computed refuse them."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from planted_spec import planted_spec
from rlmetrics.codegen.loader import load
from rlmetrics.codegen.tables import build_meanings
from rlmetrics.names.meanings.view import FrameworkView
from rlmetrics.names.sources.source import parse_source
from rlmetrics.names.tables.tables import Tables
from rlmetrics.reproduction import AsLogged
from rlmetrics.reproduction.as_logged import KeyRequest
from rlmetrics.reproduction.recipes import recipe_of

from .test_recorded_numbers import Recorded, is_close, recorded

ACTOR, CORRECTION = "frameworks/verl/actor", "frameworks/verl/rollout_correction"


class Planted(NamedTuple):
    """What is planted, and whose numbers notice it."""

    file: str
    found: str
    planted: str
    at: str
    key: str


PLANTED = {
    "a micro-batch without a token is no 0 in GSPO": Planted(
        ACTOR,
        r"when: loss_mode == 'gspo' or (zero_without_tokens and|loss_agg_mode)",
        r"when: \1",
        "verl[actor]==0.6.1",
        "actor/pg_loss",
    ),
    "the largest weight is that before it is cut": Planted(
        CORRECTION,
        r"when: not zeroes, reproduced_by: truncated, traits: \[weight_truncated\]",
        "when: not zeroes, traits: [weight_truncated]",
        "verl[rollout_correction]==0.8.0",
        "rollout_corr/rollout_is_max",
    ),
    "responses without a token are left out of the mean of weights": Planted(
        CORRECTION,
        r"when: not zeroes, reproduced_by: truncated_with_empty,",
        "when: not zeroes, reproduced_by: truncated,",
        "verl[rollout_correction]==0.8.0",
        "rollout_corr/rollout_is_seq_mean",
    ),
}


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Tables:
    """The tables of a copy of the spec with all faults."""
    changes = [(fault.file, fault.found, fault.planted) for fault in PLANTED.values()]
    root = planted_spec(tmp_path_factory.mktemp("planted"), changes)
    data = build_meanings(load(root))
    return Tables(lambda name: data[name].data)


def _of(tables: Tables, number: Recorded) -> AsLogged:
    view = FrameworkView(tables, parse_source(number.at, tables), dict(number.config))
    (match,) = [match for match in view.find(number.key) if match.entry.mode == "train"]
    recipe = recipe_of(match.entry, view.components[match.entry.component], tables)
    return AsLogged(KeyRequest(number.key, number.at), recipe, match.values, tables)


@pytest.mark.parametrize("name", PLANTED)
def test_recorded_numbers_refuse_what_is_planted(name: str, planted: Tables) -> None:
    """One that the release's own code computed is another than what the copy says; without the fault none is."""
    fault = PLANTED[name]
    numbers = [one for one in recorded("verl") if (one.at, one.key) == (fault.at, fault.key)]

    missed = [one for one in numbers if not is_close(one.computed_by(lambda number: _of(planted, number)), one.value)]

    assert missed
    assert all(is_close(one.computed, one.value) for one in missed)
