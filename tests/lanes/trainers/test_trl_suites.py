"""Real trainers of TRL log every number of their suite, and each is what their own batches say it is."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
import torch
from lanes.trainers.environments import ROOT, trained, tried_once
from metric_checks import names_of
from rlmetrics.functional import REGISTRY
from rlmetrics.suites import DPOSuite, GRPOSuite, SFTSuite

SUITES = {"GRPO": GRPOSuite, "RLOO": GRPOSuite, "DPO": DPOSuite, "SFT": SFTSuite}
CLIPS = {"epsilon": 0.1, "epsilon_high": 0.3}
BETA = {"GRPO": 0.05, "RLOO": 0.05, "DPO": 0.3, "SFT": 0.0}
ACROSS = {"num_generations": 8}
"""With two ranks, a group of this size lies on both."""

CLIPPED = {"policy/loss", "policy/clip_fraction", "policy/clip_fraction_low", "policy/clip_fraction_high"}
ROLLOUT = {name for name in GRPOSuite().metrics if name.startswith(("sampling/", "kl/rollout/"))}
_FROM_TOKENS: dict[str, str] = {"entropy/policy": "entropy/policy@from_token_entropy"}

ONCE = ("reward/", "length/response/", "length/terminated/", "length/truncated", "sampling/", "kl/rollout/")
"""What is counted where a batch is generated."""

CASES: dict[tuple[str, str], dict[str, Any]] = {}
for _release, _kinds in {"1.16.0": ("GRPO", "RLOO", "DPO", "SFT"), "0.18.2": ("GRPO", "DPO", "SFT")}.items():
    for _kind in _kinds:
        for _ranks in (1, 2):
            _args = {"beta": BETA[_kind], **CLIPS, **(ACROSS if _ranks == 2 else {})}
            CASES[_release, f"{_kind}{_ranks}"] = {"kind": _kind, "ranks": _ranks, "args": _args}
CASES["1.16.0", "rollout"] = {"kind": "GRPO", "rollout": True, "args": {"beta": 0.05, **CLIPS}}
CASES["1.16.0", "aligned"] = {"kind": "GRPO", "rollout": True, "args": {"beta": 0.0, **CLIPS, "num_iterations": 1}}
CASES["1.16.0", "sequence"] = {"kind": "GRPO", "args": {"beta": 0.0, **CLIPS, "importance_sampling_level": "sequence"}}

PAGE = (ROOT / "docs" / "trainers.md").read_text(encoding="utf-8")
for _release in ("1.16.0", "0.18.2"):
    _code = PAGE.partition("## In a TRL trainer\n")[2].partition("```python\n")[2].partition("```")[0]
    CASES[_release, "page"] = {"kind": "GRPO", "code": _code, "args": {"beta": 0.05, **CLIPS}}

MISSING = {
    ("1.16.0", "rollout"): set(),
    ("1.16.0", "aligned"): {"kl/reference/k1", "kl/reference/k3"},
    ("1.16.0", "sequence"): CLIPPED | ROLLOUT | {"kl/reference/k1", "kl/reference/k3"},
}
"""What a run does not log; by default the comparison with a rollout engine, and clipping in RLOO."""

Run = list[dict[str, Any]]
"""What each rank has recorded."""


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], Run]:
    """Return what gives a run; those of a release are made together, and one that fails is tried once."""

    @tried_once
    def made(release: str) -> Path:
        folder = tmp_path_factory.mktemp(release)
        jobs = []
        for (of, name), case in CASES.items():
            if of == release:
                plain = {word: value for word, value in case.items() if word != "code"}
                jobs += [
                    {**case, "name": name, "measured": True},
                    {**plain, "name": f"{name}-plain", "measured": False},
                ]
        trained(release, folder, jobs, "measure.py")
        return folder

    def run_of(release: str, name: str) -> Run:
        return [json.loads(path.read_text()) for path in sorted((made(release) / name).glob("rank*.json"))]

    return run_of


def padded(rows: list[list[Any]]) -> torch.Tensor:
    """Return rows of different lengths as one tensor, zero where they have ended."""
    width = max(map(len, rows))
    return torch.tensor([row + [type(row[0])(0)] * (width - len(row)) for row in rows])


def tokens_of(windows: list[dict[str, Any]], kind: str) -> dict[str, torch.Tensor]:
    """Return what was recorded about tokens in a window of all ranks, under the names of inputs."""
    batches = list(chain.from_iterable(window["batches"] for window in windows))
    found: dict[str, torch.Tensor] = {}
    for name in batches[0]:
        if kind == "DPO":
            halves = [(batch[name][: len(batch[name]) // 2], batch[name][len(batch[name]) // 2 :]) for batch in batches]
            for side, parts in zip(("chosen", "rejected"), zip(*halves, strict=True), strict=True):
                found[f"{side}_{name}"] = padded(list(chain.from_iterable(parts)))
        found[name] = padded(list(chain.from_iterable(batch[name] for batch in batches)))
    if kind == "DPO":
        for side in ("chosen", "rejected"):
            mask = found[f"{side}_mask"]
            found[f"{side}_lengths"] = mask.sum(1)
            found[f"ref_{side}_logprobs"] = (found[f"{side}_ref_logprobs"] * mask).sum(1)
            found[f"{side}_logprobs"] = (found[f"{side}_logprobs"] * mask).sum(1)
    if kind == "SFT":
        found["lengths"] = found["mask"].sum(1)
    return found


def responses_of(windows: list[dict[str, Any]], release: str, beta: float) -> dict[str, torch.Tensor]:
    """Return what the reward functions of all ranks have seen in a window, under the names of inputs."""
    ends = {0, 1} if release != "0.18.2" else {1}
    groups: dict[tuple[int, str], int] = {}
    rows: list[tuple[float, float, int, int, bool]] = []
    for window in windows:
        for batch, answers in enumerate(window["answers"]):
            penalties = answers.get("kl", [0.0] * len(answers["ids"]))
            seen = zip(answers["prompts"], answers["scores"], answers["ids"], penalties, strict=True)
            for prompt, score, ids, penalty in seen:
                group = groups.setdefault((batch, prompt), len(groups))
                rows.append((score, score - beta * penalty, group, len(ids), ids[-1] in ends))
    names = ("scores", "rewards", "group_ids", "lengths", "terminated")
    columns = dict(zip(names, (torch.tensor(column) for column in zip(*rows, strict=True)), strict=True))
    return {name: column.double() if column.is_floating_point() else column for name, column in columns.items()}


@pytest.mark.parametrize(("release", "name"), CASES)
def test_numbers_are_those_of_the_batches(runs: Callable[[str, str], Run], release: str, name: str) -> None:
    """Each number of each row is the slow reference's, over what all ranks recorded between two rows."""
    case = CASES[release, name]
    kind, parameters = case["kind"], {"clip_low": 0.1, "clip_high": 0.3, "beta": case["args"]["beta"]}
    ranks = runs(release, name)
    checked: set[str] = set()
    for windows in zip(*(rank["windows"] for rank in ranks), strict=True):
        row = windows[0]["row"]
        prefix = "eval_exact/" if "eval_loss" in row else "exact/"
        found = {key.removeprefix(prefix): value for key, value in row.items() if "exact/" in key}
        if not windows[0]["batches"]:
            assert not found
            continue
        inputs = tokens_of(list(windows), kind)
        if windows[0]["answers"]:
            inputs |= responses_of(list(windows), release, case["args"]["beta"])
        elif kind in ("GRPO", "RLOO"):
            assert not [key for key in found if key.startswith(ONCE)]
        for key, value in found.items():
            metric = REGISTRY[_FROM_TOKENS.get(str(key), str(key))]
            given = {word: inputs[word] for word in names_of(metric)}
            chosen = {word: parameters[word] for word in metric.parameters if word in parameters}
            expected = metric.reference(**given, **chosen).item()
            assert pytest.approx(value, rel=1e-5, abs=1e-6) == expected, f"{key} in {row}"
        checked |= set(found)

    usual = ROLLOUT | (CLIPPED if kind == "RLOO" else set()) if kind in ("GRPO", "RLOO") else set()
    missing = MISSING.get((release, name), usual)
    assert missing == set(ranks[0]["missing"])
    assert set(SUITES[kind]().metrics) - missing == checked


@pytest.mark.parametrize(("release", "name"), CASES)
def test_training_stays_the_same(runs: Callable[[str, str], Run], release: str, name: str) -> None:
    """Weights and random numbers at the end are bit for bit those without; TRL's own numbers are the same."""
    for measured, plain in zip(runs(release, name), runs(release, f"{name}-plain"), strict=True):
        assert measured["faults"] == [0, ""]
        assert plain["weights"] == measured["weights"]
        assert plain["random"] == measured["random"]
        for row, without in zip(measured["history"], plain["history"], strict=True):
            own = {key for key in row if "exact/" not in key}
            assert set(without) == own
            assert all(repr(row[key]) == repr(without[key]) for key in own if not key.endswith(("time", "second")))


@pytest.mark.parametrize(("release", "name"), [key for key, case in CASES.items() if case.get("ranks") == 2])
def test_ranks_agree(runs: Callable[[str, str], Run], release: str, name: str) -> None:
    """All ranks log the same numbers, which are in the trainer's history."""
    ranks = runs(release, name)
    rows = [[{key: row[key] for key in row if "exact/" in key} for row in rank["history"]] for rank in ranks]

    assert len(rows) == 2
    assert rows[0] == rows[1]
    assert any(rows[0])
