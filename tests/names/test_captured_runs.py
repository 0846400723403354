"""Which source the keys of runs of released packages are taken to come from.

Every row of the fixture is what one run's log, tracker or dashboard names, with those fields of the recorded arguments
that the spec knows. Its framework, trainer and release are known
from what ran, except for the release of verl's sample logs. The releases of a trainer that log such keys must include
it, no other trainer may be taken, and which other trainers log the same keys is stated.
"""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import pytest
from rlmetrics.names import AmbiguousError, FallbackWarning, infer_source, load_tables, parse_source

_RUNS = json.loads((Path(__file__).parents[1] / "fixtures" / "captured_runs.json").read_text(encoding="utf-8"))


def _answers(run) -> tuple[dict[str, list[str]], str | None]:
    """Return the releases of each component that explain the keys, oldest and newest, and the answer."""
    found: dict[str, list[str]] = {}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            answer = infer_source(run["keys"], settings=run["settings"], whole=run["whole"])
        except AmbiguousError as error:
            for item in error.candidates:
                assert run["framework"] == item.framework
                found.setdefault(item.component or "", []).append(item.release)
            return found, None
    source = parse_source(answer, load_tables())
    assert run["framework"] == source.framework
    oldest = source.release
    for item in caught:
        assert issubclass(item.category, FallbackWarning)
        oldest = str(item.message).split(" to ")[0]
    return {source.component or "": [source.release, oldest]}, answer


@pytest.mark.parametrize("run", _RUNS, ids=[run["runs"][0] for run in _RUNS])
def test_the_true_source_of_a_captured_run_is_found(run):
    """The trainer, and releases that include the one that ran; exactly those that are stated."""
    found, answer = _answers(run)
    assert run.get("answer") == answer
    component = run["component"] or ""
    assert component in found
    releases = load_tables().framework(run["framework"]).releases
    if run["release"] is not None:
        oldest, newest = (releases.index(found[component][place]) for place in (-1, 0))
        assert oldest <= releases.index(run["release"]) <= newest
    if answer is None:
        assert run["candidates"] == {name: [items[-1], items[0]] for name, items in found.items()}


def test_logs_of_every_kind_of_trainer_are_among_them():
    """Eight trainers and two programs of verl; dashboards, and the logs of every release that was run."""
    assert {
        ("trl", name)
        for name in (
            "DPOTrainer",
            "GRPOTrainer",
            "KTOTrainer",
            "ORPOTrainer",
            "PPOTrainer",
            "RLOOTrainer",
            "RewardTrainer",
            "SFTTrainer",
        )
    } | {("verl", "sft"), ("verl", None)} == {(run["framework"], run["component"]) for run in _RUNS}
    assert {run["release"] for run in _RUNS} == {"0.7.10", "0.12.2", "0.18.2", "1.16.0", "0.5.0", "0.9.1", None}
    assert {(run["whole"], bool(run["settings"])) for run in _RUNS} == {(True, True), (True, False), (False, False)}
