"""Ways of logging that a framework declares in YAML, and what the auditor says of those that nobody declared."""

from __future__ import annotations

from typing import Any

import pytest
from rlmetrics.codegen.audit.extract import Extraction, extract
from rlmetrics.codegen.model.audit_settings import AuditSettings

SINK = """
class BoardLogger:
    def __init__(self, handle):
        self.handle = handle

    def send_train(self, step, numbers):
        for key, value in numbers.items():
            if value is not None:
                self.handle.push(f"train/{key}", value, step)


class Loop:
    def __init__(self, args):
        self.board_logger = BoardLogger(args.handle)

    def finish_step(self, step, loss):
        numbers = {"loss": loss, "kl": 0.0, "kl__count": 1, "parts": {"a": 1, "b": 2}, "all": [1, 2]}
        self.board_logger.send_train(step, numbers=numbers)
"""
STORE = """
from .statistics import stats_tracker


class Actor:
    def update(self, batch):
        with stats_tracker.scope("update"):
            self.measure(batch)
            stats_tracker.scalar(lr=0.1)

    @stats_tracker.scoped("values")
    def look(self, value):
        stats_tracker.stat(denominator="n", value=value)

    def measure(self, metric):
        stats_tracker.stat(denominator="n", kl=metric, entropy=metric)
        stats_tracker.stat(denominator="n", reward=metric, reduce_type="mean")

    def timed(self, metrics):
        stats_tracker.record("generation")
        stats_tracker.stat(**metrics)
"""
REMOTE = """
class Worker:
    def fit(self, metric):
        return {"policy_loss": metric}


class Other:
    def fit(self, metric):
        return {"other_loss": metric}


class Loop:
    def __init__(self, group):
        self.group = group

    def train_metrics(self, wandb_logger):
        status = {}
        for result in self.group.run_all("fit", metric=1):
            status.update(result)
        wandb_logger.log(status)
"""


def _extract(text: str, **settings: Any) -> Extraction:
    return extract("tiny", "1.0", {"tiny/loop.py": text}, AuditSettings.model_validate(settings))


def _keys(found: Extraction, component: str) -> set[str]:
    return {key.key for key in found.keys if key.component == component}


def test_a_tracker_that_nobody_declared_is_reported() -> None:
    """No key is found, and the very call is named."""
    found = _extract(SINK.replace("send_train", "log_train"))
    assert _keys(found, "Loop") == set()
    (place,) = [item for item in found.unclear if item.symbol == "Loop.finish_step"]
    assert place.line == 18
    assert "declare how it is called" in place.reason


@pytest.mark.parametrize("method", ["BoardLogger.send_train", "send_train"])
@pytest.mark.parametrize("argument", ["numbers", None])
def test_a_sink_needs_no_name_that_says_so(method: str, argument: str | None) -> None:
    """By class and method or by the method alone; the argument is named, or is the first dict."""
    found = _extract(SINK, sinks=[{"method": method, "argument": argument}])
    assert _keys(found, "Loop") == {"loss", "kl", "kl__count", "parts", "all"}
    assert [item for item in found.unclear if item.symbol == "Loop.finish_step"] == []
    (kl,) = [key for key in found.keys if key.component == "Loop" and key.key == "kl"]
    assert (kl.path, kl.line) == ("tiny/loop.py", 17)


def test_a_log_that_is_declared_of_a_class_leaves_other_logs_alone() -> None:
    """Called on the class the object comes first; what is called on objects is followed as without the declaration."""
    source = """
from transformers import Trainer


class Plain(Trainer):
    def compute_loss(self, model, inputs):
        self.log({"margin": 1.0})

    def log(self, logs, start_time=None):
        logs["added"] = 2.0
        super().log(logs, start_time)


class Past(Plain):
    def evaluate(self):
        Trainer.log(self, {"accuracy": 0.5}, 3)
"""
    found = _extract(source, sinks=[{"method": "Trainer.log", "argument": 1}])
    assert {"margin", "added"} <= _keys(found, "Plain")
    assert "accuracy" in _keys(found, "Past")
    assert not [item for item in found.unclear if "declared sink" in item.reason]


def test_a_sink_says_what_becomes_of_keys() -> None:
    """Prefixed, dropped, written out from inner dicts, and one for each statistic of a list."""
    sink = {
        "method": "BoardLogger.send_train",
        "key": "train/{key}",
        "drop": ".*__count",
        "nested": ".",
        "lists": ["{key}/mean", "{key}/max"],
    }
    assert _keys(_extract(SINK, sinks=[sink]), "Loop") == {
        "train/loss",
        "train/kl",
        "train/parts.a",
        "train/parts.b",
        "train/all/mean",
        "train/all/max",
    }


def test_a_store_gives_a_key_for_each_name_and_statistic() -> None:
    """Keyword arguments are keys, what is no key stands besides, scopes go before them through calls."""
    stores = [
        {
            "method": "stat",
            "of": ["stats_tracker"],
            "besides": ["denominator"],
            "unless": "reduce_type",
            "makes": ["{key}/avg", "{key}/max"],
        },
        {"method": "scalar", "of": ["stats_tracker"]},
        {"method": "record", "of": ["stats_tracker"], "keys": 0, "makes": ["timeperf/{key}"]},
        {"method": "scope", "of": ["stats_tracker"], "prefix": True},
        {"method": "scoped", "of": ["stats_tracker"], "prefix": True},
    ]
    found = _extract(STORE, stores=stores)
    assert _keys(found, "Actor") == {
        "update/kl/avg",
        "update/kl/max",
        "update/entropy/avg",
        "update/entropy/max",
        "update/reward",
        "update/lr",
        "values/value/avg",
        "values/value/max",
        "timeperf/generation",
    }
    (unknown,) = found.unclear
    assert (unknown.symbol, unknown.reason) == (
        "Actor.timed",
        "a statistics tracker that is given keys that are not known",
    )


def test_a_method_is_called_by_the_name_in_a_string() -> None:
    """Of the workers that the group is declared to have; without a declaration its keys are reported as unknown."""
    workers = {"group": ["Worker"]}
    assert _keys(_extract(REMOTE, calls={"run_all": 0}, workers=workers), "Loop") == {"policy_loss"}
    assert _keys(_extract(REMOTE, calls={"run_all": 0}), "Loop") == {"policy_loss", "other_loss"}
    silent = _extract(REMOTE)
    assert _keys(silent, "Loop") == set()
    assert [item.symbol for item in silent.unclear] == ["Loop.train_metrics"]


def test_a_key_of_which_nothing_is_known_is_reported() -> None:
    """A template that any key fits is no finding of one."""
    text = "class Loop:\n    def train(self, wandb, names):\n        wandb.log({name: 1 for name in names})\n"
    assert [item.reason for item in _extract(text).unclear] == ["a key that is not known"]
