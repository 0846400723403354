"""All numbers of a suite that verl's driver can give, each counted once over the whole batch of a step.

``measure(trainer)``, before ``trainer.fit()``, lets verl's trainers log them beside their own data metrics, and
``+trainer.rlmetrics.measure=true`` does the same where ``trainer.logger`` names ``rlmetrics``. In a loop of one's own,
`measure_batch` stands beside ``compute_data_metrics``. They are logged as ``exact/…``.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from rlmetrics.trackers.faults import Faults

from ._driver import TOKENS, DriverSuite

if TYPE_CHECKING:
    from rlmetrics.state.suite import Suite

__all__ = ["DriverSuite", "measure", "measure_batch"]

_FAULTS = Faults()
"""Those of all calls, so that each is logged once."""

_KEPT = (
    "uid", "prompts", "responses", "response_mask", "rm_scores", "token_level_rewards", "entropy", *TOKENS.values()
)  # fmt: skip
"""What the trainers of verl 0.9 keep of a batch outside of the driver until its metrics are computed."""


def measure_batch(
    batch: Any, suite: Suite | Iterable[Suite] | None = None, *, eos: int | Iterable[int] | None = None
) -> dict[str, float]:
    """Return all numbers of a suite about one batch of verl's driver: ``metrics.update(measure_batch(batch))``.

    Args:
        batch: The ``DataProto`` that ``compute_data_metrics`` takes, with its advantages.
        suite: One suite or several, which count nothing else meanwhile; `GRPOSuite` and `PPOSuite` by default.
        eos: The tokens that end a response, by which responses are known to be cut off.

    Returns:
        Numbers under ``exact/…``, those left out that the batch cannot give. Nothing is raised.
    """
    driver = DriverSuite(suite, eos=eos)
    driver.faults = _FAULTS
    return driver.update(batch).row()


def measure(
    trainer: Any, suite: Suite | Iterable[Suite] | None = None, *, eos: int | Iterable[int] | None = None
) -> DriverSuite:
    """Let a trainer of verl log all numbers of a suite beside its own: ``measure(trainer)`` before ``trainer.fit()``.

    Args:
        trainer: A ``RayPPOTrainer``, a ``PPOTrainer`` of verl 0.9, or one that inherits from them.
        suite: One suite or several; `GRPOSuite` and `PPOSuite` by default.
        eos: The tokens that end a response; by default the end token of the trainer's tokenizer.

    Returns:
        What counts, with ``missing`` and ``faults``.
    """
    if eos is None:
        eos = getattr(getattr(trainer, "tokenizer", None), "eos_token_id", None)
    driver = DriverSuite(suite, eos=eos)
    with driver.faults("the trainer could not be measured"):
        if hasattr(trainer, "_compute_metrics"):
            vars(trainer)["_compute_metrics"] = _gathered(trainer, driver)
        elif not _listen(trainer, driver):
            driver.faults.note(f"{type(trainer).__name__} computes no metrics of batches: use measure_batch(batch)")
    return driver


def _listen(trainer: Any, driver: DriverSuite) -> bool:
    """Count what a trainer hands to functions of its modules; return whether there are such functions."""
    methods = [
        inspect.unwrap(value) for cls in type(trainer).__mro__ for value in vars(cls).values() if callable(value)
    ]
    modules = {id(names): names for names in (getattr(method, "__globals__", {}) for method in methods)}
    computing = [names for names in modules.values() if "compute_data_metrics" in names]
    for names in computing:
        names["compute_data_metrics"] = _heard(names["compute_data_metrics"], _batch(driver))
        if "agg_loss" in names:
            names["agg_loss"] = _heard(names["agg_loss"], _entropies(driver))
    return bool(computing)


def _heard(function: Any, after: Callable[[dict[str, Any], Any], Any]) -> Any:
    """Return a function whose arguments and result something else may look at, in place of who looked before."""
    original = getattr(function, "__rlmetrics__", function)

    @wraps(original)
    def hearing(*args: Any, **kwargs: Any) -> Any:
        return after(kwargs, original(*args, **kwargs))

    vars(hearing)["__rlmetrics__"] = original
    return hearing


def _batch(driver: DriverSuite) -> Callable[[dict[str, Any], Any], Any]:
    """Return what adds the numbers of a batch to those that verl has computed of it."""

    def add(given: Mapping[str, Any], metrics: Any) -> Any:
        if "batch" in given:
            driver.update(given["batch"])
        return {**metrics, **driver.row()}

    return add


def _entropies(driver: DriverSuite) -> Callable[[dict[str, Any], Any], Any]:
    """Return what counts entropies where verl averages them."""

    def count(given: Mapping[str, Any], loss: Any) -> Any:
        if {"loss_mat", "loss_mask"} <= given.keys():
            driver.entropies(given["loss_mat"], given["loss_mask"])
        return loss

    return count


def _gathered(trainer: Any, driver: DriverSuite) -> Any:
    """Return the method that computes metrics in verl 0.9, which counts the batch where it is kept."""
    method = getattr(type(trainer), "_compute_metrics").__get__(trainer)  # noqa: B009

    @wraps(method)
    def computing(batch: Any, metrics: dict[str, Any], *args: Any, **kwargs: Any) -> Any:
        found = method(batch, metrics, *args, **kwargs)
        with driver.faults("a batch could not be fetched"):
            whole, ended = _fetched(batch)
            grouped = trainer.config.algorithm.adv_estimator == "grpo"
            driver.update(whole, ended=ended if grouped else None)
        metrics.update(driver.row())
        return found

    return computing


def _fetched(kept: Any) -> tuple[Any, Tensor]:
    """Return a batch that is kept outside of the driver, without what fills it up, and which rows end their session."""
    get = sys.modules["transfer_queue"].kv_batch_get
    data = get(keys=kept.keys, partition_id=kept.partition_id, select_fields=list(_KEPT))
    uids = np.array(data.pop("uid").tolist(), dtype=object)
    lengths = data["responses"].offsets().diff()
    held = data.to_padded_tensor()
    held["response_length"] = lengths
    batch = sys.modules["verl"].DataProto(batch=held, non_tensor_batch={"uid": uids})
    last: dict[str, tuple[int, int]] = {}
    for row, key in enumerate(kept.keys):
        session, _, turn = key.rpartition("_")
        last[session] = max(last.get(session, (-1, -1)), (int(turn), row))
    ends = torch.zeros(len(kept.keys), dtype=torch.bool)
    ends[[row for _, row in last.values()]] = True
    real = torch.tensor([not tag.get("is_padding", False) for tag in kept.tags])
    return (batch.select_idxs(real), ends[real]) if real.any() else (batch, ends)
