"""verl's own loops log every number of a suite that their driver can give, and each is what the batch says it is.

The expected numbers are written out here with NumPy, from what the workers were given to train on.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from lanes.trainers.curves import Series, events
from lanes.trainers.environments import ROOT, ran, tried_once, verl_python
from rlmetrics.suites import GRPOSuite, PPOSuite

PAGE = (ROOT / "docs" / "trainers.md").read_text(encoding="utf-8")
LOOPS = {"0.5.0": "fit_verl.py", "0.7.1": "fit_verl.py", "0.9.1": "fit_verl.py", "0.9.1 v1": "fit_verl_v1.py"}
"""The loops of each release; that of 0.9 which keeps its batches in the TransferQueue is another one."""

OURS = {
    "critic/score/mean": "reward/score/mean",
    "critic/score/max": "reward/score/max",
    "critic/score/min": "reward/score/min",
    "critic/rewards/mean": "reward/total/mean",
    "critic/advantages/mean": "advantage/mean",
    "critic/advantages/max": "advantage/max",
    "critic/advantages/min": "advantage/min",
    "critic/returns/mean": "return/mean",
    "critic/returns/max": "return/max",
    "critic/returns/min": "return/min",
    "critic/values/mean": "value/mean",
    "response_length/mean": "length/response/mean",
    "response_length/max": "length/response/max",
    "response_length/min": "length/response/min",
    "actor/entropy": "entropy/old_policy",
}
"""What verl computes itself with the same meaning."""

UPDATED = ("policy/", "kl/old/", "kl/reference/")
"""What only workers know, where the policy is updated."""

CRITIC = ("value/mean", "value/explained_variance")
EOS = 1


def block(mark: str) -> str:
    """Return the block of the documentation with a mark."""
    (found,) = re.findall(rf"<!-- command: {mark} -->\n```python\n(.*?)^```$", PAGE, re.S | re.M)
    return str(found)


def jobs_of(loop: str) -> list[dict[str, Any]]:
    """Return the runs of a loop."""
    (named,) = re.findall(r"main_ppo … trainer\.logger='(.*?)' \+trainer\.rlmetrics\.(\w+)=(\w+)$", PAGE, re.M)
    assert "rlmetrics" in json.loads(named[0])
    settings = {"trainer": {"rlmetrics": {named[1]: json.loads(named[2]), "to": None}}}
    shared = {"critic": False, "aborted": loop != "0.5.0"}
    bypassed = {"algorithm": {"rollout_correction": {"bypass_mode": True}}}
    jobs = [
        {**shared, "name": "plain", "how": "plain"},
        {**shared, "name": "grpo", "how": "call"},
        {**shared, "name": "gae", "how": "call", "critic": True},
        {**shared, "name": "named", "how": "name", "config": settings},
    ]
    if loop in ("0.7.1", "0.9.1"):
        jobs.append({**shared, "name": "bypassed", "how": "call", "config": bypassed})
    if loop.partition(" ")[2] != "v1":
        jobs.append({**shared, "name": "page", "how": "code", "code": block("verl-fit"), "batch": block("verl-batch")})
    return jobs


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Return what gives the folder with all runs of a loop; one that fails is tried once."""

    @tried_once
    def made(loop: str) -> Path:
        folder = tmp_path_factory.mktemp("loop")
        ran(verl_python(loop.partition(" ")[0]), LOOPS[loop], folder, jobs_of(loop))
        return folder

    return made


def steps(folder: Path) -> list[dict[str, Any]]:
    """Return what the workers of a run were given to train on, step by step."""
    return [dict(np.load(path)) for path in sorted(folder.glob("step*.npz"))]


def expected(given: dict[str, Any], critic: bool) -> dict[str, float]:
    """Return each number of a batch."""
    mask = given["response_mask"].astype(bool)
    wide = {name: given[name].astype(float) for name in given if given[name].dtype.kind == "f"}
    old, ref, sampled = wide["old_log_probs"], wide["ref_log_prob"], wide["rollout_log_probs"]
    gap, advantages, returns = (old - sampled)[mask], wide["advantages"][mask], wide["returns"][mask]
    lengths, responses = given["lengths"], given["responses"]
    scores = wide["rm_scores"].sum(1)
    rewards = wide.get("token_level_rewards", wide["rm_scores"]).sum(1)
    ended = np.array([n > 0 and ids[n - 1] == EOS for n, ids in zip(lengths, responses, strict=True)])
    last = np.ones(len(rewards), dtype=bool)
    if "turns" in given and not critic:
        # The advantages of a group are made of the last outputs of its sessions.
        most = {name: max(given["turns"][given["sessions"] == name]) for name in given["sessions"]}
        last = np.array([turn == most[name] for turn, name in zip(given["turns"], given["sessions"], strict=True)])
    groups = [rewards[last & (given["uid"] == uid)] for uid in sorted({*given["uid"]})]
    found = {
        "sampling/logprob_difference/mean": abs(gap).mean(),
        "sampling/logprob_difference/max": abs(gap).max(),
        "sampling/token_weight/min": np.exp(gap).min(),
        "sampling/token_weight/mean": np.exp(gap).mean(),
        "sampling/token_weight/max": np.exp(gap).max(),
        "kl/rollout/k1": -gap.mean(),
        "kl/rollout/k3": (np.exp(gap) - 1 - gap).mean(),
        "kl/old_reference/k1": (old - ref)[mask].mean(),
        "kl/old_reference_sum/k1": ((old - ref) * mask).sum(1).mean(),
        "entropy/old_policy": wide["entropy"][mask].mean(),
        "entropy/surprisal_sum": (-old * mask).sum(1).mean(),
        "advantage/mean": advantages.mean(),
        "advantage/max": advantages.max(),
        "advantage/min": advantages.min(),
        "return/mean": returns.mean(),
        "return/max": returns.max(),
        "return/min": returns.min(),
        "reward/score/mean": scores[lengths > 0].mean(),
        "reward/score/std": scores[lengths > 0].std(ddof=1),
        "reward/score/max": scores[lengths > 0].max(),
        "reward/score/min": scores[lengths > 0].min(),
        "reward/total/mean": rewards[lengths > 0].mean(),
        "reward/std": rewards[last].std(ddof=1),
        "reward/group_std": np.mean([group.std(ddof=1) for group in groups]),
        "reward/zero_std_fraction": np.mean([group.std() < 1e-8 for group in groups]),
        "length/response/mean": lengths.mean(),
        "length/response/max": lengths.max(),
        "length/response/min": lengths.min(),
        "length/terminated/mean": lengths[ended].mean(),
        "length/terminated/max": lengths[ended].max(),
        "length/terminated/min": lengths[ended].min(),
        "length/truncated_fraction": 1 - ended.mean(),
    }
    if critic:
        values = wide["values"][mask]
        found["value/mean"] = values.mean()
        found["value/explained_variance"] = 1 - (returns - values).var() / returns.var()
    return {name: float(value) for name, value in found.items()}


def measured(curves: Series, step: int) -> dict[str, float]:
    """Return the numbers of a step that were measured."""
    return {name.removeprefix("exact/"): curve[step] for name, curve in curves.items() if name.startswith("exact/")}


@pytest.mark.parametrize("loop", list(LOOPS))
@pytest.mark.parametrize("name", ["grpo", "gae", "named"])
def test_numbers_are_those_of_the_batch(runs: Callable[[str], Path], loop: str, name: str) -> None:
    """Each number of each step, by a call or by a setting alone, is NumPy's over the whole batch, and none is lacking.

    Rows that verl only fills up with, and outputs within a session that no advantage is made of, are not counted.
    """
    folder = runs(loop) / name
    curves = events(folder / "tensorboard")
    batches = steps(folder)

    assert len(batches) == 2
    for step, given in enumerate(batches):
        assert measured(curves, step) == pytest.approx(expected(given, name == "gae"), rel=1e-5, abs=1e-6)


@pytest.mark.parametrize("loop", list(LOOPS))
@pytest.mark.parametrize("name", ["grpo", "gae"])
def test_what_is_missing_is_said(runs: Callable[[str], Path], loop: str, name: str) -> None:
    """All other results of both suites are listed with a reason: what only workers know, and a critic's without one."""
    found = json.loads((runs(loop) / f"{name}.json").read_text())
    wanted = {*GRPOSuite().metrics, *PPOSuite().metrics} - {"entropy/policy"} | {"entropy/old_policy"}
    logged = {*measured(events(runs(loop) / name / "tensorboard"), 0)}

    assert found["faults"] == [0, ""]
    assert wanted - logged == set(found["missing"])
    critic = {metric for metric in wanted if metric.startswith("value/")} - (set(CRITIC) if name == "gae" else set())
    assert {metric for metric in wanted if metric.startswith(UPDATED)} | critic | {"reward/non_score/sum"} == set(
        found["missing"]
    )
    assert all(found["missing"].values())


@pytest.mark.parametrize("loop", list(LOOPS))
@pytest.mark.parametrize("name", ["grpo", "gae", "named"])
def test_verl_computes_the_same_where_it_means_the_same(runs: Callable[[str], Path], loop: str, name: str) -> None:
    """Scores, rewards, advantages, returns, values, lengths and the entropy equal verl's own numbers of the step."""
    curves = events(runs(loop) / name / "tensorboard")
    shared = {own: metric for own, metric in OURS.items() if name == "gae" or metric != "value/mean"}

    for own, metric in shared.items():
        assert curves[f"exact/{metric}"] == pytest.approx(curves[own], rel=1e-5, abs=1e-6), own


@pytest.mark.parametrize("loop", list(LOOPS))
@pytest.mark.parametrize("name", ["grpo", "named"])
def test_nothing_else_changes(runs: Callable[[str], Path], loop: str, name: str) -> None:
    """Workers are given the same bits to train on, and verl logs the same numbers, as without measuring."""
    folder = runs(loop)
    for plain, given in zip(steps(folder / "plain"), steps(folder / name), strict=True):
        assert set(plain) == set(given)
        assert all(np.array_equal(plain[key], given[key]) for key in plain if key != "uid")
    without, curves = events(folder / "plain" / "tensorboard"), events(folder / name / "tensorboard")
    added = {key for key in curves if key.startswith(("exact/", "health/"))}
    assert set(without) == set(curves) - added
    clocks = ("timing", "perf/")
    assert all(without[key] == curves[key] for key in without if not key.startswith(clocks))


@pytest.mark.parametrize("loop", ["0.7.1", "0.9.1"])
def test_an_agreement_that_was_not_measured_is_left_out(runs: Callable[[str], Path], loop: str) -> None:
    """Where verl takes the engine's log-probabilities for the trainer's own, nothing is said of their difference."""
    logged = {*measured(events(runs(loop) / "bypassed" / "tensorboard"), 0)}
    missing = json.loads((runs(loop) / "bypassed.json").read_text())["missing"]

    assert not {name for name in logged if name.startswith(("sampling/", "kl/rollout/", "entropy/old_policy"))}
    assert {"sampling/token_weight/mean", "kl/rollout/k1", "entropy/old_policy"} <= set(missing)
    assert {"reward/group_std", "kl/old_reference/k1"} <= logged


@pytest.mark.parametrize("loop", ["0.5.0", "0.7.1", "0.9.1"])
def test_the_blocks_of_the_page(runs: Callable[[str], Path], loop: str) -> None:
    """The line before ``fit`` logs what a call logs; the line in a loop of one's own gives the same of one batch."""
    folder = runs(loop)
    page, call = (events(folder / name / "tensorboard") for name in ("page", "grpo"))
    metrics = json.loads((folder / "page.json").read_text())["metrics"]

    assert measured(call, 0) == measured(page, 0)
    last = {name: value for name, value in measured(page, 1).items() if not name.startswith("entropy/old_policy")}
    unknown = {name for name in last if name.startswith(("length/terminated", "length/truncated"))}
    assert {name: value for name, value in metrics.items() if name.startswith("exact/")} == pytest.approx(
        {f"exact/{name}": last[name] for name in last.keys() - unknown}, rel=1e-6
    )
    assert "critic/score/mean" in metrics
