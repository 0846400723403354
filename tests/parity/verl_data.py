"""Rows of the statistics of a batch: scores, rewards, advantages, returns, values, lengths and turns."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch

from .verl_records import records
from .verl_rows import Reproduced, Row
from .verl_scenario import Number, Scenario

PIPELINES = (
    "gae",
    "grpo",
    "rloo",
    "reinforce_plus_plus",
    "reinforce_plus_plus_baseline",
    "remax",
    "opo",
    "grpo_passk",
    "gpg",
)
WIDTH: dict[str, Number] = {"limit": 48}
PROMPT_WIDTH: dict[str, Number] = {"limit": 24}
STATISTICS = ("mean", "max", "min")

Choice = Callable[[Scenario], Scenario]


def responses(batch: Scenario) -> Scenario:
    """Return the batch with one score per response and with rewards that count at every position."""
    scores = batch.tensors["token_level_scores"].sum(-1)
    rewards = batch.tensors["token_level_rewards"]
    return batch.with_tensors(scores=scores, token_rewards=rewards, mask=torch.ones_like(batch.mask))


def answered(batch: Scenario) -> Scenario:
    """Return the batch without the responses that have no token."""
    filled = batch.tensors["lengths"] > 0
    return batch.with_tensors(**{name: tensor[filled] for name, tensor in batch.tensors.items()})


def _scored(batch: Scenario) -> Scenario:
    """Return what scores and rewards are taken over: from 0.6.0 on without aborted responses."""
    return responses(batch if batch.release == "0.5.0" else answered(batch))


def _whole(batch: Scenario) -> Scenario:
    return batch


_METRICS: dict[str, tuple[str, Choice, dict[str, Number]]] = {
    **{f"critic/score/{name}": (f"reward/score/{name}", _scored, {}) for name in STATISTICS},
    **{f"critic/rewards/{name}": (f"reward/total/{name}", _scored, {}) for name in STATISTICS},
    **{f"critic/advantages/{name}": (f"advantage/{name}", _whole, {}) for name in STATISTICS},
    **{f"critic/returns/{name}": (f"return/{name}", _whole, {}) for name in STATISTICS},
    **{f"critic/values/{name}": (f"value/{name}", _whole, {}) for name in STATISTICS},
    "critic/vf_explained_var": ("value/explained_variance@epsilon", _whole, {}),
    **{f"response_length/{name}": (f"length/response/{name}", _whole, {}) for name in STATISTICS},
    "response_length/clip_ratio": ("length/at_limit_fraction", _whole, WIDTH),
    **{f"response_length_non_aborted/{name}": (f"length/nonempty/{name}", answered, {}) for name in STATISTICS},
    "response_length_non_aborted/clip_ratio": ("length/nonempty/at_limit_fraction", answered, WIDTH),
    "response/aborted_ratio": ("rollout/aborted_fraction", _whole, {}),
    **{f"prompt_length/{name}": (f"length/prompt/{name}", _whole, {}) for name in STATISTICS},
    "prompt_length/clip_ratio": ("length/prompt_at_limit_fraction", _whole, PROMPT_WIDTH),
    **{f"num_turns/{name}": (f"interaction/turns/{name}", _whole, {}) for name in STATISTICS},
    "tool_call_counts/mean": ("completion/tool_calls/mean", _whole, {}),
    **{f"tool_call_counts/{name}": (f"interaction/tool_calls/{name}", _whole, {}) for name in ("max", "min")},
}

_HOW: dict[Choice, str] = {answered: "without aborted responses", _scored: "without aborted responses from 0.6.0 on"}


def rows(release: str) -> Iterator[tuple[tuple[str, str], Row]]:
    """Yield the rows of ``compute_data_metrics``, also behind each advantage estimator."""
    recorded = records(release)
    for name, (key, choose, parameters) in _METRICS.items():
        for call in ("critic", "nocritic"):
            output = ("compute_data_metrics", f"{call}|{name}")
            if output in recorded:
                yield output, _row(key, choose, parameters)
        for estimator in PIPELINES:
            output = ("pipeline_klpen_adv_datametrics", f"{estimator}|{name}")
            if output in recorded:
                yield output, _row(key, choose, parameters, estimator)


def _row(key: str, choose: Choice, parameters: dict[str, Number], estimator: str = "") -> Row:
    def value(batch: Scenario) -> float:
        if estimator:
            names = ("advantages", "returns")
            function = f"adv_{estimator}"
            batch = batch.with_tensors(**{name: batch.recorded(function, f"rewards|{name}") for name in names})
        return choose(batch).compute(key, **parameters)

    return Reproduced(key, value, _HOW.get(choose, ""), leaks=bool(estimator))
