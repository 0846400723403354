"""An overlay that adds a private trainer to the real spec."""

from __future__ import annotations

from pathlib import Path


def write_overlay(tmp_path: Path) -> Path:
    """Write it and return its folder."""
    folder = tmp_path / "private" / "frameworks" / "trl"
    folder.mkdir(parents=True)
    (folder / "private_trainer.yaml").write_text(
        """\
title: PrivateTrainer
brief: A trainer of our own.
components:
  - {name: PrivateTrainer, releases: 1.16.0, module: ours.trainer}
tracking:
  - {route: hf_trainer, enable: report_to, x_axis: step}
keys:
  our/approx_kl: {metric: kl/old/k2, at: [loss.approx_kl]}
anchors:
  loss.approx_kl: PrivateTrainer.loss
""",
        encoding="utf-8",
    )
    return tmp_path / "private"
