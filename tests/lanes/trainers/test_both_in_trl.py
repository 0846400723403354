"""A trainer that logs the numbers of its suite, with new names and health before its trackers: both at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from lanes.trainers.curves import Series, events, result, timeless, wandb
from lanes.trainers.environments import trained
from rlmetrics.suites import GRPOSuite

RELEASE = "1.16.0"
WAYS = ("canonical", "both")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return where GRPO has trained without anything, with each alone, and with both."""
    found = tmp_path_factory.mktemp("both")
    options: dict[str, Any] = {"to": "canonical", "health": True}
    both = {**options, "both": True}
    shared = {"kind": "GRPO", "trackers": ["tensorboard", "wandb"]}
    jobs: list[dict[str, Any]] = [
        {**shared, "name": "plain"},
        {**shared, "name": "named", "attach": both},
        {**shared, "name": "measured", "args": {"measured": True}},
        {**shared, "name": "canonical", "args": {"measured": True}, "attach": options},
        {**shared, "name": "both", "args": {"measured": True}, "attach": both},
    ]
    trained(RELEASE, found, jobs)
    return found


def shown(folder: Path, tracker: str) -> Series:
    """Return the curves in a tracker."""
    return events(folder / "tensorboard") if tracker == "tensorboard" else wandb(folder)


def of_suite(series: Series) -> Series:
    """Return the curves that a suite has measured."""
    return {name: curve for name, curve in series.items() if "exact/" in name}


@pytest.mark.parametrize("name", ["named", "measured", *WAYS])
def test_training_stays_the_same(folder: Path, name: str) -> None:
    """Weights and random numbers at the end are bit for bit those of the run without anything."""
    plain, found = result(folder / "plain"), result(folder / name)

    assert plain["weights"] == found["weights"]
    assert plain["random"] == found["random"]
    assert found["faults"] in (None, [0, ""])


@pytest.mark.parametrize("tracker", ["tensorboard", "wandb"])
@pytest.mark.parametrize("name", WAYS)
def test_numbers_of_the_suite_arrive_once(folder: Path, name: str, tracker: str) -> None:
    """All curves of the suite arrive as without `attach`: under their names, once each, with the same values."""
    alone, found = (of_suite(shown(folder / run, tracker)) for run in ("measured", name))

    assert timeless(alone) == timeless(found)
    kinds = {curve.partition("exact/")[2] for curve in found}
    expected = {metric for metric in GRPOSuite().metrics if not metric.startswith(("sampling/", "kl/rollout/"))}
    assert kinds == expected
    assert {curve.partition("exact/")[0] + "exact/" for curve in found} == {"train/exact/", "eval/exact/"}


@pytest.mark.parametrize("tracker", ["tensorboard", "wandb"])
def test_all_others_are_those_of_names_and_health_alone(folder: Path, tracker: str) -> None:
    """Beside the curves of the suite stand those that names and health give a trainer without one."""
    alone, found = (shown(folder / run, tracker) for run in ("named", "both"))

    assert timeless(alone) == timeless({name: found[name] for name in found.keys() - of_suite(found).keys()})
    assert {"kl/reference/k3", "train/kl", "health/level"} <= set(alone)


@pytest.mark.parametrize("name", WAYS)
def test_the_history_holds_them_too(folder: Path, name: str) -> None:
    """Each row of the trainer's history has the numbers of the suite that it has without `attach`."""
    for alone, found in zip(result(folder / "measured")["history"], result(folder / name)["history"], strict=True):
        assert {key: alone[key] for key in alone if "exact/" in key} == {
            key: found[key] for key in found if "exact/" in key
        }
