"""Rows of the statistics of a batch: scores, rewards, advantages, returns, values, lengths and turns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import torch

from .verl_answers import accepted, told
from .verl_records import records
from .verl_rows import Reproduced, Row
from .verl_scenario import Number, Scenario

LIMITS: Mapping[str, Mapping[str, Number]] = {
    "response_length/clip_ratio": {"limit": 48},
    "response_length_non_aborted/clip_ratio": {"limit": 48},
    "prompt_length/clip_ratio": {"limit": 24},
}
"""The padded widths of the calls."""


def responses(batch: Scenario) -> Scenario:
    """Return the batch with one score per response and with rewards that count at every position."""
    scores = batch.tensors["token_level_scores"].sum(-1)
    rewards = batch.tensors["token_level_rewards"]
    return batch.with_tensors(scores=scores, token_rewards=rewards, mask=torch.ones_like(batch.mask))


def rows(release: str) -> Iterator[tuple[tuple[str, str], Row]]:
    """Yield the rows of ``compute_data_metrics``, also behind each advantage estimator."""
    for function, output in records(release):
        call, _, key = output.partition("|")
        if output.endswith("__exception__"):
            continue
        if function == "compute_data_metrics":
            yield (function, output), _row(release, key)
        elif function == "pipeline_klpen_adv_datametrics":
            yield (function, output), _row(release, key, call)


def _row(release: str, key: str, estimator: str = "") -> Row:
    quantity = told(release, key)
    parameters = accepted(quantity.function, LIMITS.get(key, {}))

    def value(batch: Scenario) -> float:
        if estimator:
            names = ("advantages", "returns")
            function = f"adv_{estimator}"
            batch = batch.with_tensors(**{name: batch.recorded(function, f"rewards|{name}") for name in names})
        if quantity.function.startswith("reward/"):
            batch = responses(batch)
        return float(quantity.by_function(batch.tensors, None, **parameters))

    return Reproduced(quantity.function, value, leaks=bool(estimator))
