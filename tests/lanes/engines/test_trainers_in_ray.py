"""What is attached to trainers goes with them into workers of Ray, as sweeps send them there, and judges there."""

# pyright: reportMissingImports=false

from __future__ import annotations

import math
import os
from collections.abc import Callable
from typing import Any

import pytest
from folders import TESTS
from rlmetrics.health import Monitor
from rlmetrics.trainers import verl
from rlmetrics.trainers.transformers import MetricsCallback, attach
from trainers.test_attached_copies import AT, Tracking, Trainer

BROKEN = {"kl": 0.2, "loss": math.nan}


def _in_worker(ray: Any, function: Callable[[Any], Any], given: Any) -> Any:
    """Return what a function gives in a process of Ray, which finds the modules of these tests."""
    there = {"env_vars": {"PYTHONPATH": str(TESTS)}}
    return ray.get(ray.remote(function).options(runtime_env=there).remote(given))


def _of_trainer(trainer: Trainer) -> tuple[int, list[dict[str, Any]], dict[str, Any]]:
    """Log in a worker; return its process, the rows that came along, and the new one."""
    before = list(trainer.callback_handler.rows)
    return os.getpid(), before, trainer.log(BROKEN)


def _of_callback(callback: MetricsCallback) -> tuple[int, dict[str, Any]]:
    """Make a trainer with a callback in a worker; return how many faults there were, and what is logged."""
    row = Trainer(callback).log(BROKEN)
    return callback.faults.count, row


def _of_tracking(tracking: Tracking) -> list[dict[str, Any]]:
    """Log through verl's tracking in a worker; return what arrives."""
    tracking.log({"actor/pg_loss": 0.5}, step=1)
    return tracking.rows


def test_an_attached_trainer_is_sent_to_a_worker(ray: Any) -> None:
    """It has what it had logged, goes on under new names, and finds what breaks there; the original hears nothing."""
    trainer = Trainer()
    attached = attach(trainer, "canonical", health=True, at=AT)
    trainer.log({"kl": 0.1, "loss": 0.5})

    process, before, row = _in_worker(ray, _of_trainer, trainer)

    assert process != os.getpid()
    assert before == trainer.callback_handler.rows
    assert (row["kl/reference/k3"], row["health/level"]) == (0.2, 3.0)
    assert (attached.monitor.findings(), attached.faults.count) == ([], 0)


@pytest.mark.parametrize("health", [True, [Monitor(AT)]])
def test_a_callback_attaches_itself_in_a_worker(ray: Any, health: Any) -> None:
    """To the trainer that is made there, though it was attached to one here before."""
    callback = MetricsCallback(to="canonical", health=health, at=AT)
    Trainer(callback).log({"kl": 0.1, "loss": 0.5})

    faults, row = _in_worker(ray, _of_callback, callback)

    assert faults == 0
    assert (row["kl/reference/k3"], row["health/level"]) == (0.2, 3.0)


def test_a_tracking_of_verl_is_sent_to_a_worker(ray: Any) -> None:
    """Which is where verl's own trainer runs."""
    tracking = Tracking()
    verl.attach(tracking, "canonical", at="verl==0.9.1")

    assert _in_worker(ray, _of_tracking, tracking) == [{"policy/loss": 0.5}]
    assert tracking.rows == []
