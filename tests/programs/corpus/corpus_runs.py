"""The corpus: every entry of ``runs.yaml``, with the answers that are right."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import yaml
from programs.corpus.run_courses import Course, Event, Score
from programs.corpus.trainers import Run

__all__ = ["CORPUS", "Entry", "Sick"]

COMPONENTS = {"grpo": "GRPOTrainer", "rloo": "RLOOTrainer", "rloo_v1": "RLOOTrainer", "dpo": "DPOTrainer"}
COMPONENTS |= {
    "orpo": "ORPOTrainer",
    "cpo": "CPOTrainer",
    "kto": "KTOTrainer",
    "sft": "SFTTrainer",
    "gkd": "GKDTrainer",
}
COMPONENTS |= {"reward": "RewardTrainer", "prm": "PRMTrainer", "ppo": "PPOTrainer", "online_dpo": "OnlineDPOTrainer"}
"""The class of each trainer that writes a model card."""
CARDS = ("state+", "checkpoints+", "json+", "jsonl+", "csv+", "console+", "wandb_files+")
"""Kinds beside which a card or a list of packages names the release."""


@dataclass(frozen=True)
class Sick:
    """The causes that are right, and the optimizer steps between which the onset is right."""

    causes: tuple[str, ...]
    first: int
    last: int


@dataclass(frozen=True)
class Entry:
    """A training, the kinds that its owner has, and the right answers."""

    name: str
    half: str
    run: Run
    kinds: str
    source: tuple[str, ...]
    sick: Sick | None = None

    def right(self, kind: str) -> tuple[str, ...]:
        """Return the sources that are right for ``kind``: exactly one where what lies beside it names it."""
        component = COMPONENTS.get(self.run.trainer)
        if kind in CARDS and component:
            return (f"trl[{component}]=={self.run.release}..{self.run.release}",)
        return self.source


def _entry(half: str, found: dict[str, Any], sources: dict[str, list[str]], scores: dict[str, list[Any]]) -> Entry:
    values: dict[str, tuple[float, float, float]] = {
        key: (float(start), float(end), float(noise[0]) if noise else 0.0)
        for key, (start, end, *noise) in found.pop("values", {}).items()
    }
    events = tuple(Event(what, *numbers) for what, *numbers in found.pop("events", []))
    course = Course(found.pop("steps"), values, events)
    name, kinds, source = found.pop("name"), found.pop("kinds"), found.pop("source")
    first, last, *causes = found.pop("sick", [0, 0])
    known = {field.name for field in fields(Run)} - {"set"}
    if found["trainer"] == "verl":
        found = {"groups": 16, "generations": 5, "limit": 1024, "scores": "code"} | found
    scored = found.pop("scores", "r1")
    found["scores"] = tuple(Score(*each) for each in (scores[scored] if isinstance(scored, str) else scored))
    further = {key: found.pop(key) for key in list(found) if key not in known}
    run = Run(course=course, set=further, **found)
    right = tuple(sources[source] if isinstance(source, str) else source)
    return Entry(name, half, run, kinds, right, Sick(tuple(causes), first, last) if causes else None)


def _corpus() -> tuple[Entry, ...]:
    table = yaml.safe_load((Path(__file__).parent / "runs.yaml").read_text(encoding="utf-8"))
    halves = [(half, found) for half in ("dev", "held") for found in table[half]]
    return tuple(_entry(half, found, table["sources"], table["scores"]) for half, found in halves)


CORPUS = _corpus()
"""All entries of both halves."""
