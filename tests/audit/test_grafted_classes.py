"""A framework on top of another one is read with its base: inherited methods carry what its own ones write."""

from __future__ import annotations

from rlmetrics.codegen.audit.extract import extract
from rlmetrics.codegen.audit.release_audit import joined, own_part
from rlmetrics.codegen.model.audit_settings import AuditSettings

BASE = {
    "base/trainer.py": """
from collections import defaultdict

class Trainer:
    def __init__(self):
        self._metrics = defaultdict(list)

    def compute_loss(self, inputs):
        self._metrics["old"].append(1.0)

    def log(self, logs):
        metrics = {key: sum(values) / len(values) for key, values in self._metrics.items()}
        self.accelerator.log({**logs, **metrics})
"""
}
OWN = {
    "own/heir.py": """
from base.trainer import Trainer

class Heir(Trainer):
    def compute_loss(self, inputs):
        self._metrics["mine"].append(2.0)
""",
    "own/patches.py": """
def make(name, source):
    def compute_loss(self, inputs):
        self._metrics["patched"].append(3.0)
    return compute_loss
""",
}


def _keys(settings: AuditSettings) -> set[tuple[str, str]]:
    found = own_part(extract("own", "1.0", OWN, settings, BASE), OWN)
    return {(key.component, key.key) for key in found.keys}


def test_what_an_own_method_writes_is_logged_by_an_inherited_one() -> None:
    """Its own key is found, and neither the base's class nor what the replaced method wrote."""
    assert _keys(AuditSettings()) == {("Heir", "mine")}


def test_without_its_base_nothing_is_heard_of() -> None:
    """The tracker is called in the base alone."""
    assert extract("own", "1.0", OWN, AuditSettings()).keys == ()


def test_a_function_that_takes_the_place_of_a_method_is_read_as_one() -> None:
    """Also one that another function makes; where the module lacks it, nothing is read."""
    graft = {"component": "Patched", "of": "base.trainer.Trainer", "module": "own.patches"}
    settings = {
        place: AuditSettings.model_validate({"grafts": [{**graft, "methods": {"compute_loss": place}}]})
        for place in ("make.compute_loss", "own.patches:make.compute_loss", "make.other")
    }
    assert {place: ("Patched", "patched") in _keys(item) for place, item in settings.items()} == {
        "make.compute_loss": True,
        "own.patches:make.compute_loss": True,
        "make.other": False,
    }


def test_settings_of_both_hold() -> None:
    """What either lists is taken, and lists under one name are put together."""
    base = AuditSettings(entry_names=("log",), inherited={"T": ("loss",), "U": ("epoch",)})
    own = AuditSettings(entry_names=("step",), inherited={"T": ("lr",)}, by_name=True)
    both = joined(base, own)
    assert (both.entry_names, both.inherited, both.by_name) == (
        ("log", "step"),
        {"T": ("loss", "lr"), "U": ("epoch",)},
        True,
    )
