"""What arrives in trackers when verl's own metrics go through its real ``Tracking`` with rlmetrics in front of it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from lanes.trainers.curves import Series, console, events, lines, result, wandb
from lanes.trainers.environments import ROOT, VERL, ran, tried_once, verl_python
from post_server import serving
from rlmetrics.translate import Translator

PAGE = ROOT / "docs" / "trainers.md"
BLOCK = re.compile(r"<!-- command: verl -->\n```python\n(.*?)^```$", re.S | re.M)
POINTS = re.compile(r'\[project\.entry-points\."(.*?)"\]\n(\w+) = "(.*?)"')
NAMED = re.compile(r"trainer\.logger='(\[.*?\])'")
HEALTH = {"health/level"}


SUPERVISED: dict[str, tuple[str, str, dict[str, float], dict[str, float]]] = {
    "0.5.0": (
        "verl.trainer.fsdp_sft_trainer",
        "verl[fsdp_sft]==0.5.0",
        {"train/loss": 2.5, "train/lr(1e-3)": 0.5},
        {"sft/loss": 2.5, "optimizer/learning_rate": 5e-4},
    ),
    **{
        release: (
            "verl.trainer.sft_trainer",
            f"verl[sft]=={release}",
            {"train/loss": 2.5, "train/lr": 5e-4, "train/grad_norm": 0.25, "train/global_tokens": 100.0},
            {
                "sft/loss": 2.5,
                "optimizer/learning_rate": 5e-4,
                "optimizer/gradient_norm": 0.25,
                "throughput/tokens_per_step": 100.0,
            },
        )
        for release in ("0.7.1", "0.9.1")
    },
}
"""The supervised trainer of each release, its source, what it logs, and what that is called in canonical names."""


def jobs_of(release: str, url: str) -> list[dict[str, Any]]:
    """Return the runs of a release, which post what they find to an address."""
    trackers = ["console", "tensorboard", "wandb", *([] if release == "0.5.0" else ["file"])]
    canonical = {"to": "canonical"}
    text = PAGE.read_text(encoding="utf-8")
    (named,) = {tuple(json.loads(found)) for found in NAMED.findall(text)}
    options = {"rlmetrics": {"both": True, "findings": "findings.jsonl", "unheard": 1}}
    posting = {"webhook": url, "to": None}
    program, _, row, _ = SUPERVISED[release]
    supervised = [row, row, {"val/loss": 2.0}]
    blocks = [{"name": f"page-{n}", "how": "code", "code": code} for n, code in enumerate(BLOCK.findall(text))]
    return [
        {"name": "plain", "how": "plain", "backends": trackers},
        {"name": "adapter", "how": "adapter", "backends": trackers, "options": {**canonical, "health": True}},
        {"name": "attach", "how": "attach", "backends": trackers, "options": {**canonical, "both": True}},
        {"name": "backend", "how": "backend", "backends": trackers, "options": canonical},
        {"name": "name", "how": "name", "backends": list(named), "broken_at": 3, "evaluations": ["val-core/x/mean@1"]},
        {"name": "settings", "how": "name", "backends": list(named), "broken_at": 3, "config": {"trainer": options}},
        {"name": "wrong", "how": "name", "backends": list(named), "config": {"trainer": {"rlmetrics": {"to": "x"}}}},
        {
            "name": "table",
            "how": "adapter",
            "backends": ["console"],
            "options": {**canonical, "health": True},
            "unreadable": ["actor/kl_loss", "val/generations"],
        },
        {
            "name": "webhook",
            "how": "name",
            "backends": list(named),
            "broken_at": 2,
            "config": {"trainer": {"rlmetrics": posting, "experiment_name": "tiny"}},
        },
        {"name": "measured", "how": "adapter", "backends": ["tensorboard"], "options": canonical, "measured": True},
        {
            "name": "forks",
            "how": "adapter",
            "backends": ["console"],
            "options": {**canonical, "health": True},
            "forks": 5,
        },
        {
            "name": "supervised",
            "how": "adapter",
            "backends": ["tensorboard"],
            "options": canonical,
            "program": program,
            "rows": supervised,
        },
        *blocks,
    ]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Return what gives the folder with all runs of a release; a release that fails is tried once."""

    @tried_once
    def made(release: str) -> Path:
        folder = tmp_path_factory.mktemp(f"verl-{release}")
        # The entry points of this working tree, as an installer writes them.
        points = POINTS.findall((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
        metadata = folder / "site" / "rlmetrics-0.1.0.dist-info"
        metadata.mkdir(parents=True)
        (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: rlmetrics\nVersion: 0.1.0\n")
        (metadata / "entry_points.txt").write_text(
            "".join(f"[{group}]\n{name} = {value}\n" for group, name, value in points)
        )
        with serving() as server:
            ran(verl_python(release), "log_to_verl.py", folder, jobs_of(release, server.url))
            (folder / "posted.json").write_text(json.dumps(server.posted))
        return folder

    return made


def shown(folder: Path, tracker: str) -> Series:
    """Return the curves in a tracker."""
    if tracker == "tensorboard":
        return events(folder / "tensorboard")
    readers: dict[str, Callable[[Path], Series]] = {"console": console, "file": lines, "wandb": wandb}
    return readers[tracker](folder)


def moved(release: str, series: Series) -> Series:
    """Return curves of verl under canonical names."""
    translator = Translator(f"verl=={release}", "canonical")
    return {translator.key(name).output: curve for name, curve in series.items()}


TRACKERS = [
    (release, tracker)
    for release in VERL
    for tracker in ("console", "tensorboard", "wandb", "file")
    if (release, tracker) != ("0.5.0", "file")
]


@pytest.mark.parametrize(("release", "tracker"), TRACKERS)
def test_trackers_get_canonical_names_and_health(runs: Callable[[str], Path], release: str, tracker: str) -> None:
    """Behind the adapter each tracker holds the curves of the plain run under canonical names, and health."""
    folder = runs(release)
    expected = moved(release, shown(folder / "plain", tracker))
    found = shown(folder / "adapter", tracker)

    assert {"reward/score/mean", "entropy/old_policy", "progress/global_step"} <= set(expected)
    assert {name for name in found if name in expected or not name.startswith("health/")} | HEALTH == {
        *expected,
        *HEALTH,
    }
    assert repr({name: found[name] for name in expected}) == repr(expected)
    assert result(folder / "adapter")["faults"] == [0, ""]


@pytest.mark.parametrize(("release", "tracker"), TRACKERS)
def test_both_names_stand_side_by_side(runs: Callable[[str], Path], release: str, tracker: str) -> None:
    """What is attached with ``both`` keeps each old curve beside the new one, and replaces what was attached before."""
    folder = runs(release)
    old = shown(folder / "plain", tracker)
    found = shown(folder / "attach", tracker)

    assert set(found) == {*old, *moved(release, old)}
    assert all(repr(found[name]) == repr(curve) for name, curve in {**moved(release, old), **old}.items())


@pytest.mark.parametrize("release", list(VERL))
def test_one_tracker_alone_may_have_new_names(runs: Callable[[str], Path], release: str) -> None:
    """With an adapter for TensorBoard in ``Tracking.logger``, the others keep verl's names."""
    folder = runs(release)

    assert set(moved(release, events(folder / "plain" / "tensorboard"))) == set(
        events(folder / "backend" / "tensorboard")
    )
    for tracker in ("console", "wandb"):
        assert set(shown(folder / "plain", tracker)) == set(shown(folder / "backend", tracker))


@pytest.mark.parametrize("release", list(VERL))
def test_the_name_in_the_list_is_enough(runs: Callable[[str], Path], release: str) -> None:
    """``rlmetrics`` in ``trainer.logger`` gives canonical names and health, and tells of a loss that breaks once."""
    folder = runs(release)
    found = events(folder / "name" / "tensorboard")

    assert {*moved(release, events(folder / "plain" / "tensorboard"))} < set(found)
    assert len(found["health/level"]) == 4
    assert max(found["health/level"]) == 3
    said = [text for text in result(folder / "name")["said"] if "actor/pg_loss" in text]
    assert len(said) == 1


@pytest.mark.parametrize("release", list(VERL))
def test_settings_stand_in_the_configuration(runs: Callable[[str], Path], release: str) -> None:
    """``trainer.rlmetrics`` asks for both names and a file of findings; what is no option is said."""
    folder = runs(release)
    findings = [json.loads(line) for line in (folder / "settings" / "findings.jsonl").read_text().splitlines()]

    assert {"critic/score/mean", "reward/score/mean"} <= set(events(folder / "settings" / "tensorboard"))
    assert 3 in {finding["step"] for finding in findings}
    assert sum("trainer.rlmetrics.unheard is no option" in text for text in result(folder / "settings")["said"]) == 1


@pytest.mark.parametrize("release", list(VERL))
def test_findings_are_posted(runs: Callable[[str], Path], release: str) -> None:
    """``trainer.rlmetrics.webhook`` posts each finding once, with the name of the run, before the program ends."""
    posted = json.loads((runs(release) / "posted.json").read_text())
    said = [text for text in result(runs(release) / "webhook")["said"] if "actor/pg_loss" in text]

    assert len(said) == 1
    assert {post["run"] for post in posted} == {"tiny"}
    assert sum("actor/pg_loss" in post["text"] and post["level"] == "error" for post in posted) == 1


@pytest.mark.parametrize("release", list(VERL))
def test_numbers_of_a_suite_join_the_rows(runs: Callable[[str], Path], release: str) -> None:
    """What takes the driver's batches as ``metrics`` of the adapter joins the row of its own step, once."""
    found = events(runs(release) / "measured" / "tensorboard")

    assert result(runs(release) / "measured")["faults"] == [0, ""]
    for name in ("advantage/mean", "return/max", "length/response/mean", "value/mean"):
        assert found[f"exact/{name}"] == pytest.approx(found[name], rel=1e-5)
    assert 4 == len(found["exact/reward/group_std"]) == len(found["exact/kl/old_reference/k1"])


@pytest.mark.parametrize("release", list(VERL))
def test_forked_processes_log_on(runs: Callable[[str], Path], release: str) -> None:
    """Processes that are forked while a thread logs through the adapter log through it too, and end."""
    printed = (runs(release) / "forks" / "children.txt").read_text().splitlines()
    found = result(runs(release) / "forks")

    assert found["ended"] == [0] * 5
    assert 5 == len(printed) == sum("reward/score/mean" in line and "health/level" in line for line in printed)
    assert found["faults"] == [0, ""]
    assert sum(line.startswith("step:") for line in found["console"]) > 4


@pytest.mark.parametrize("release", list(VERL))
def test_supervised_trainers_have_names_of_their_own(runs: Callable[[str], Path], release: str) -> None:
    """Where verl's supervised trainer runs, its keys mean what they mean there; values are converted."""
    program, _, row, expected = SUPERVISED[release]
    (source,) = verl_python(release).parent.parent.glob(f"lib/python3*/site-packages/{program.replace('.', '/')}.py")
    found = events(runs(release) / "supervised" / "tensorboard")

    # The trainer of the release writes these keys, or puts `train/` before what its workers return.
    text = source.read_text(encoding="utf-8")
    assert all(f'"{name}"' in text or 'f"train/' in text for name in row)
    assert {name: pytest.approx([value, value]) for name, value in expected.items()} == {
        name: curve for name, curve in found.items() if name in expected
    }
    assert found["eval/sft/loss"] == [2.0]
    assert not set(row) & set(found)


@pytest.mark.parametrize("release", list(VERL))
def test_a_wrong_setting_stops_nothing(runs: Callable[[str], Path], release: str) -> None:
    """A target that does not exist is said once; verl's names are logged as without rlmetrics."""
    folder = runs(release)

    assert set(events(folder / "plain" / "tensorboard")) == set(events(folder / "wrong" / "tensorboard"))
    assert len(result(folder / "wrong")["said"]) == 1


@pytest.mark.parametrize("release", list(VERL))
def test_values_that_are_no_numbers_stop_nothing(runs: Callable[[str], Path], release: str) -> None:
    """Rows with tables under known and unknown keys are logged to the end."""
    found = result(runs(release) / "table")

    assert sum(line.startswith("step:") for line in found["console"]) == 4
    assert len(shown(runs(release) / "table", "console")["reward/score/mean"]) == 4


@pytest.mark.parametrize("release", list(VERL))
def test_without_the_name_nothing_changes(runs: Callable[[str], Path], release: str) -> None:
    """A ``Tracking`` that nobody asked about logs what it is given; importing verl brings in only the plugin."""
    plain = result(runs(release) / "plain")

    assert not plain["own"]
    assert set(plain["keys"]) == set(events(runs(release) / "plain" / "tensorboard"))
    allowed = {
        "rlmetrics.lazy_imports",
        "rlmetrics.lazy_typing",
        "rlmetrics.trainers",
        "rlmetrics.trainers.verl_plugin",
        "rlmetrics.trackers",
        "rlmetrics.trackers.faults",
    }
    if release == "0.5.0":
        assert plain["loaded"] == []
    else:
        assert "rlmetrics.trainers.verl_plugin" in plain["loaded"]
        assert set(plain["loaded"]) <= allowed


@pytest.mark.parametrize("release", list(VERL))
@pytest.mark.parametrize("job", ["plain", "adapter", "attach", "backend", "name"])
def test_files_are_closed_when_tracking_ends(runs: Callable[[str], Path], release: str, job: str) -> None:
    """The trackers of verl are closed when the ``Tracking`` is let go; nothing here holds on to it."""
    assert result(runs(release) / job)["closed"]


@pytest.mark.parametrize("release", list(VERL))
def test_the_blocks_of_the_page(runs: Callable[[str], Path], release: str) -> None:
    """The blocks about verl in the documentation give canonical names; the second does so in TensorBoard only."""
    first, second = runs(release) / "page-0", runs(release) / "page-1"

    assert {"reward/score/mean", "health/level"} <= set(events(first / "tensorboard")) & set(console(first))
    assert "reward/score/mean" in events(second / "tensorboard")
    assert "critic/score/mean" in console(second)
