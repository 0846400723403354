"""What implementations that the spec does not describe call the numbers of a PPO step, read from their source.

They are no frameworks of the spec: nothing is translated from or to them. Each name stands with the line that logs it,
and with what makes its number another one than the metric's.
"""

from __future__ import annotations

from dataclasses import dataclass

from .texts import later

__all__ = ["ELSEWHERE", "Implementation", "NameElsewhere"]


@dataclass(frozen=True)
class NameElsewhere:
    """A name that an implementation logs.

    Attributes:
        name: As logged.
        metric: What it measures, as the spec calls it.
        line: The line that logs it.
        path: The file with that line; empty for the implementation's main one.
        but: What makes its number another one; empty if nothing does.
    """

    name: str
    metric: str
    line: int
    path: str = ""
    but: str = ""


@dataclass(frozen=True)
class Implementation:
    """An implementation of PPO.

    Attributes:
        title: What it is called.
        version: The release, or the commit, that was read.
        address: Where its files are read, up to their paths.
        path: Its main file.
        names: What it logs.
    """

    title: str
    version: str
    address: str
    path: str
    names: tuple[NameElsewhere, ...]


_ROLLOUT = "stable_baselines3/common/on_policy_algorithm.py"
_RETURNS = later("an episode's, of an environment")
_LAST = later("of the last mini-batch alone")

ELSEWHERE = (
    Implementation(
        "Stable-Baselines3",
        "2.9.2",
        "https://github.com/DLR-RM/stable-baselines3/blob/v2.9.2/",
        "stable_baselines3/ppo/ppo.py",
        (
            NameElsewhere("rollout/ep_rew_mean", "reward/score/mean", 291, _ROLLOUT, _RETURNS),
            NameElsewhere("train/approx_kl", "kl/old/k3", 290, but=later("of the last epoch alone")),
            NameElsewhere("train/clip_fraction", "policy/outside_region_fraction", 291),
            NameElsewhere("train/entropy_loss", "entropy/policy", 287, but=later("with the opposite sign")),
            NameElsewhere("train/policy_gradient_loss", "policy/loss", 288),
            NameElsewhere("rollout/ep_len_mean", "length/response/mean", 292, _ROLLOUT, _RETURNS),
            NameElsewhere("train/value_loss", "value/error", 289),
            NameElsewhere("train/explained_variance", "value/explained_variance", 293),
        ),
    ),
    Implementation(
        "CleanRL",
        "fe8d8a0",
        "https://github.com/vwxyzjn/cleanrl/blob/fe8d8a0/",
        "cleanrl/ppo.py",
        (
            NameElsewhere("charts/episodic_return", "reward/score/mean", 214, but=_RETURNS),
            NameElsewhere("losses/old_approx_kl", "kl/old/k1", 304, but=_LAST),
            NameElsewhere("losses/approx_kl", "kl/old/k3", 305, but=_LAST),
            NameElsewhere("losses/clipfrac", "policy/outside_region_fraction", 306),
            NameElsewhere("losses/entropy", "entropy/policy", 303, but=_LAST),
            NameElsewhere("losses/policy_loss", "policy/loss", 302, but=_LAST),
            NameElsewhere("charts/episodic_length", "length/response/mean", 215, but=_RETURNS),
            NameElsewhere("losses/value_loss", "value/loss", 301, but=_LAST),
            NameElsewhere("losses/explained_variance", "value/explained_variance", 307),
        ),
    ),
)
