"""An overlay with four more small frameworks, which log what the others log under names of their own and of theirs."""

from __future__ import annotations

from pathlib import Path

TITLES = {"quartz": "Quartz", "basalt": "Basalt RL", "granite-rl": "Granite", "agate": "agate"}
"""Frameworks by name, in the order of their ranks, which is none of the alphabet."""


def write(folder: Path) -> Path:
    """Write the overlay and return its folder."""
    for place, (name, title) in enumerate(TITLES.items()):
        own = folder / "six" / "frameworks" / name
        own.mkdir(parents=True)
        (own / "framework.yaml").write_text(_framework(name, title, 3 + place), encoding="utf-8")
        (own / "trainer.yaml").write_text(_trainer(title.split()[0].title(), name), encoding="utf-8")
    return folder / "six"


def _framework(name: str, title: str, rank: int) -> str:
    return (
        f"framework: {name}\ntitle: {title}\npackage: {name}\nrank: {rank}\nbrief: A framework named {title}.\n"
        "releases:\n  - {release: 0.9.0, date: '2026-01-01'}\n  - {release: 1.0.0, date: '2026-02-01'}\n"
    )


def _trainer(title: str, name: str) -> str:
    return f"""\
title: {title}Trainer
brief: The loop of {name}.
as_defined: true
components: [{{name: {title}Trainer, releases: 0.9.0.., module: {name.replace("-", "_")}.trainer}}]
tracking: [{{route: direct, enable: nothing, x_axis: step}}]
profiles:
  update: {{brief: Means of means., reduction: {{micro_batch: mean, rank: mean}}, snapshot: current}}
keys:
  kl: {{metric: kl/reference/k3, profile: update}}
  {name}/kl: {{metric: kl/old/k1, profile: update, scale: -1}}
  entropy: {{metric: entropy/policy, profile: update}}
  {name}/clip: {{metric: policy/clip_fraction, profile: update}}
  reward: {{metric: reward/score/mean, preferred: true}}
  {name}/reward_mean: {{metric: reward/score/mean}}
  length: {{metric: length/response/mean}}
  grad_norm: {{metric: optimizer/gradient_norm}}
  lr: {{metric: optimizer/learning_rate, reduction: {{window: last}}}}
  time/{name}: {{metric: timing/generation, span: everything, releases: 1.0.0}}
"""
