"""Keys named by members of an enumeration, and keys of dicts that objects of other packages return."""

from __future__ import annotations

from audit.wheels import read
from rlmetrics.codegen.audit.extract import Extraction

TIMED = """
from contextlib import contextmanager
from enum import Enum
from verl.utils.tracking import Tracking


class Role(Enum):
    Actor = 0
    RefPolicy = 1
    Env = 2

    def __str__(self):
        return self._called()

    def _called(self):
        names = {Role.Actor: "actor", Role.RefPolicy: "ref"}
        return names.get(self, self.name.lower())


def timing_metrics(timing_raw, tokens):
    sections = {"gen": tokens, "ref": tokens}
    names = set(sections) & set(timing_raw)
    return {
        **{f"timing_s/{name}": value for name, value in timing_raw.items()},
        **{f"timing_per_token_ms/{name}": timing_raw[name] / sections[name] for name in names},
    }


class Trainer:
    def fit(self, seconds, tokens):
        logger = Tracking()
        timing_raw = {}
        timing_raw[str(Role.RefPolicy)] = seconds
        timing_raw[str(Role.Env)] = seconds
        logger.log(data=timing_metrics(timing_raw, tokens), step=1)
"""

MONITORED = """
from monitoring import MoERouterMonitor
import wandb


class Engine:
    def initialize(self):
        self.monitor = MoERouterMonitor(8)

    def step(self):
        metrics = self.monitor.compute_metrics(current_step=1)
        wandb.log({key: value for key, value in metrics.items()})
"""

TRACKING = """
class Tracking:
    def log(self, data, step):
        for backend in self.backends:
            backend.log(data, step)
"""


def _extracted(source: str) -> Extraction:
    sources = {
        "verl/__init__.py": "",
        "verl/utils/tracking.py": TRACKING,
        "verl/trainer/ppo/ray_trainer.py": source,
    }
    return read("verl", "0.7.1", sources)


def test_a_member_of_an_enumeration_is_named_by_its_own_text() -> None:
    """What ``__str__`` looks up for the member is the key; the fallback is one only for members that lack an entry."""
    found = {key.key: key for key in _extracted(TIMED).keys}
    assert set(found) == {"timing_s/ref", "timing_s/env", "timing_per_token_ms/ref"}
    line = next(number for number, text in enumerate(TIMED.splitlines(), 1) if "str(Role.RefPolicy)" in text)
    assert (found["timing_s/ref"].line, found["timing_s/ref"].symbol) == (line, "Trainer.fit")


def test_what_another_package_returns_is_known_by_its_class() -> None:
    """The object may be made in a method that was not run before; nothing is left that is not understood."""
    found = _extracted(MONITORED)
    assert found.unclear == ()
    assert {"moe/expert_load_heatmap", "moe/max_vio/layer_{layer}"} <= {key.key for key in found.keys}
    assert {key.component for key in found.keys} == {"veomni_engine"}


def test_an_unknown_object_of_another_package_is_reported() -> None:
    """Nothing is guessed: without its class the keys are not known."""
    found = _extracted(MONITORED.replace("MoERouterMonitor", "OtherMonitor"))
    assert [item.symbol for item in found.unclear] == ["Engine.step"]
