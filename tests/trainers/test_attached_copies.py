"""What is attached to trainers can be copied, pickled and used for several of them: launchers and sweeps do that."""

from __future__ import annotations

import copy
import json
import math
import pickle
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from rlmetrics.health import Monitor
from rlmetrics.trainers import verl
from rlmetrics.trainers.transformers import MetricsCallback, attach

AT = "trl[GRPOTrainer]==1.16.0"
COPIES = [copy.deepcopy, lambda held: pickle.loads(pickle.dumps(held))]


class State:
    """What a trainer says of its place."""

    global_step = 1
    is_world_process_zero = True
    log_history: tuple[dict[str, Any], ...] = ()


class Handler:
    """Hands events to callbacks, as a trainer's does, and keeps what is logged."""

    def __init__(self, callbacks: list[Any]) -> None:
        self.callbacks = callbacks
        self.rows: list[dict[str, Any]] = []

    def on_log(self, args: Any, state: Any, control: Any, logs: dict[str, Any]) -> None:
        """Keep a row."""
        self.rows.append(dict(logs))


class Trainer:
    """As much of a trainer as callbacks and `attach` ask for."""

    def __init__(self, *callbacks: Any) -> None:
        self.callback_handler = Handler([*callbacks])
        for callback in callbacks:
            self._tell(callback)

    def _tell(self, callback: Any) -> None:
        callback.on_init_end(None, State(), None)

    def log(self, row: dict[str, Any]) -> dict[str, Any]:
        """Log a row, and return what came of it."""
        self.callback_handler.on_log(None, State(), None, row)
        return self.callback_handler.rows[-1]


class Tracking:
    """As much of verl's as `attach` asks for."""

    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []

    def log(self, data: dict[str, Any], step: int) -> None:
        """Keep a row."""
        self.rows.append(dict(data))


@pytest.mark.parametrize("copied", COPIES)
def test_the_copy_of_a_trainer_logs_under_new_names_and_is_judged_by_itself(copied: Callable[[Any], Any]) -> None:
    """What is attached goes along; a finding of the copy is none of the original's."""
    trainer = Trainer()
    attached = attach(trainer, "canonical", health=True, at=AT)
    trainer.log({"kl": 0.1, "loss": 0.5})

    other = copied(trainer)
    row = other.log({"kl": 0.2, "loss": math.nan})

    assert row["kl/reference/k3"] == 0.2
    assert row["health/level"] == 3.0
    assert len(trainer.callback_handler.rows) == 1
    assert attached.monitor.findings() == []


@pytest.mark.parametrize("copied", COPIES)
def test_the_copy_of_a_trainer_that_was_let_go_logs_as_ever(copied: Callable[[Any], Any]) -> None:
    """After `detach` nothing of it is left in copies either."""
    trainer = Trainer()
    attach(trainer, "canonical", at=AT).detach()

    assert copied(trainer).log({"kl": 0.2}) == {"kl": 0.2}


@pytest.mark.parametrize("copied", COPIES)
def test_the_copy_of_a_tracking_logs_to_its_own_rows(copied: Callable[[Any], Any]) -> None:
    """Also where it goes through verl's own object, which is held weakly."""
    tracking = Tracking()
    verl.attach(tracking, "canonical", at="verl==0.9.1")

    other = copied(tracking)
    other.log({"actor/pg_loss": 0.5}, step=1)

    assert other.rows == [{"policy/loss": 0.5}]
    assert tracking.rows == []


@pytest.mark.parametrize("health", [True, Monitor(AT), [Monitor(AT)]])
def test_one_callback_serves_every_trainer_that_it_is_passed_to(health: Any) -> None:
    """In a sweep the second run is renamed as the first, and judged by itself."""
    callback = MetricsCallback(to="canonical", health=health, at=AT)

    first = Trainer(callback).log({"kl": 0.1, "loss": math.nan})
    second = Trainer(callback).log({"kl": 0.2, "loss": 0.5})

    assert (first["kl/reference/k3"], second["kl/reference/k3"]) == (0.1, 0.2)
    assert (first["health/level"], second["health/level"]) == (3.0, 0.0)
    assert callback.faults.count == 0


@pytest.mark.parametrize("copied", COPIES)
def test_a_copied_callback_attaches_itself_anew(copied: Callable[[Any], Any]) -> None:
    """The copy of a callback belongs to the trainer that it is passed to."""
    callback = MetricsCallback(to="canonical", health=True, at=AT)
    Trainer(callback).log({"kl": 0.1, "loss": math.nan})

    row = Trainer(copied(callback)).log({"kl": 0.2, "loss": 0.5})

    assert row["kl/reference/k3"] == 0.2
    assert row["health/level"] == 0.0


@pytest.mark.parametrize("health", [True, None])
def test_a_checkpoint_keeps_what_was_found(health: bool | None) -> None:
    """It goes on from a trainer's state, read from JSON, and tells nothing twice; and without health."""
    control = SimpleNamespace(should_save=True)
    saved = SimpleNamespace(global_step=2, stateful_callbacks={}, log_history=())
    first, told = MetricsCallback(at=AT, health=health), list[Any]()
    trainer = Trainer(first)
    for value in (0.5, math.nan, math.nan):
        trainer.log({"loss": value, "grad_norm": value})
    first.on_log(None, saved, control)
    resumed = json.loads(json.dumps(vars(saved)["stateful_callbacks"]))

    def tell(found: Any) -> None:
        told.append(found)

    second = MetricsCallback(at=AT, health=None if health is None else tell)
    again = Trainer(second)
    second.on_train_begin(None, SimpleNamespace(global_step=2, stateful_callbacks=resumed, log_history=()), control)
    row = again.log({"loss": 0.5, "grad_norm": 0.5})

    assert second.faults.count == 0
    assert told == []
    assert (row.get("health/level"), bool(resumed)) == ((3.0, True) if health else (None, False))
