"""An overlay of the small spec: a framework whose trainers are those of Alpha, on one release of it or on several."""

from __future__ import annotations

from pathlib import Path

FRAMEWORK = """\
framework: delta
title: Delta
package: delta-rl
imports: delta
brief: Alpha's trainers, changed.
derives: {from: alpha, base: {1.0.0: 0.3.0, 1.1.0: 0.4.1..1.0.0}}
releases:
  - {release: 1.0.0, date: '2024-02-01'}
  - {release: 1.1.0, date: '2024-03-01'}
"""
TRAINER = """\
title: OwnTrainer
brief: Alpha's second trainer, with a ratio of its own.
as_defined: true
components: [{name: OwnTrainer, releases: 1.0.0.., module: delta.own}]
extends: [alpha/new_trainer]
modes: [train, eval]
keys:
  delta/ratio: {metric: policy/ratio/mean, at: [own.ratio]}
  reward: {metric: reward/user, releases: 1.1.0, modes: [train]}
anchors: {own.ratio: OwnTrainer.step}
"""
ALPHA = """\
as_defined: true
keys:
  kl: {metric: kl/reference/k3, profile: update, logged_when: beta != 0, at: [kl.line]}
  clip_ratio: {metric: policy/clip_fraction, profile: update, at: [clip.line]}
anchors: {kl.line: NewTrainer.step, clip.line: NewTrainer.clip}
"""
SOURCE = """\
from alpha.new import NewTrainer


class Steps:
    def step(self, logs):
        self.log({"delta/ratio": self.ratio(logs)})


class OwnTrainer(Steps, NewTrainer):
    def ratio(self, logs):
        return sum(logs) / len(logs)
"""


def write_derived(folder: Path, *, framework: str = FRAMEWORK, trainer: str = TRAINER) -> Path:
    """Write the overlay and return its folder."""
    files = {
        "delta/framework.yaml": framework,
        "delta/own_trainer.yaml": trainer,
        "alpha/new_trainer.yaml": ALPHA,
    }
    for name, text in files.items():
        path = folder / "frameworks" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder
