"""Dashboards made from the spec, through the command line, loaded by W&B's package and served by TensorBoard."""

import json
import re
import shutil
import time
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import yaml
from rlmetrics.cli import main
from rlmetrics.names import keys
from tensorboard_server import serving

ROOT = Path(__file__).parents[2]
RUNS = ROOT / "tests" / "fixtures" / "runs" / "tensorboard"
GRPO = "trl[GRPOTrainer]==1.16.0"
SOURCES = [GRPO, "verl==0.9.1", "trl[PPOTrainer]==0.7.10", "trl[DPOTrainer]==0.18.2", "canonical"]


@pytest.fixture
def made(tmp_path, capsys):
    """Make a dashboard and return its path and what the command printed."""

    def run(at, kind, *options, name="board.json"):
        path = tmp_path / name
        code = main(["dashboard", "--at", at, "--kind", kind, "-o", str(path), "--json", *options])
        captured = capsys.readouterr()
        assert code == 0, captured.err
        return path, json.loads(captured.out)

    return run


def sections_of(path):
    """Return the sections of a workspace."""
    return json.loads(path.read_text(encoding="utf-8"))["section"]["panelBankConfig"]["sections"]


def configs(path, kind="Run History Line Plot"):
    """Return the configurations of the panels of one type."""
    return [p["config"] for section in sections_of(path) for p in section["panels"] if p["viewType"] == kind]


@pytest.mark.parametrize("source", SOURCES)
def test_wandbs_package_loads_the_workspace(made, source):
    """What its models write is the file; its workspace object keeps every section and panel."""
    path, _ = made(source, "wandb-workspace")

    models: Any = import_module("wandb_workspaces.workspaces.internal")
    spec = models.WorkspaceViewspec.model_validate_json(path.read_text(encoding="utf-8"))
    view = models.View(entity="e", project="p", display_name="d", name="nw-x-v", id="", spec=spec)
    workspace = import_module("wandb_workspaces.workspaces").Workspace._from_model(view)

    assert json.loads(path.read_text()) == json.loads(spec.model_dump_json(by_alias=True, exclude_none=True))
    again = json.loads(workspace._to_model().spec.model_dump_json(by_alias=True, exclude_none=True))
    assert sections_of(path) == again["section"]["panelBankConfig"]["sections"]


@pytest.mark.parametrize("source", SOURCES)
def test_every_logged_key_stands_in_exactly_one_panel(made, source):
    """Curves, histograms and tables that the defaults log, as W&B shows them; names that users invent are left out."""
    path, report = made(source, "wandb-workspace")

    shown = [name for config in configs(path) for name in config["metrics"]]
    shown += [name for config in configs(path, "Media Browser") for name in config["mediaKeys"]]
    regexes = [config["metricRegex"] for config in configs(path) if config["metrics"] == []]
    wanted = {k.key for k in keys(source, surface="wandb") if k.logged is not False and k.metric and "{" not in k.key}
    assert len(shown) == len(set(shown))
    assert set(shown) == wanted
    assert len(regexes) == len(set(regexes))
    assert report["at"].partition("==")[0] == source.partition("==")[0]
    families = [section["name"] for section in sections_of(path)]
    assert families == [section["name"] for section in report["sections"]]
    assert len(families) == len(set(families))


def test_a_panel_tells_what_is_healthy(made):
    """The range of the rules stands in the title, the rules themselves in the section's description."""
    path, _ = made(GRPO, "wandb-workspace")

    updates = yaml.safe_load((ROOT / "spec" / "health" / "updates.yaml").read_text(encoding="utf-8"))
    (rule,) = [rule for rule in updates["rules"] if rule["id"] == "clip-fraction-high"]
    (panel,) = [config for config in configs(path) if "train/clip_ratio/region_mean" in config["metrics"]]
    bound = rule["info"].removeprefix("now(x) > ")
    assert panel["chartTitle"] == f"policy/clip_fraction (healthy: at most {bound})"
    notes = " ".join(config["value"] for config in configs(path, "Markdown Panel"))
    assert " ".join(rule["message"].split()) in notes
    assert " ".join(rule["advice"].split()) in notes
    assert "entropy/policy (healthy: at least 0.3 times its start)" in [
        config["chartTitle"] for config in configs(path)
    ]
    sections = sections_of(path)
    assert all(one["isOpen"] == (one["name"] == "crucial" or "healthy: " in json.dumps(one)) for one in sections)


@pytest.mark.parametrize(
    ("source", "first", "last"),
    [
        (GRPO, ["train/reward", "train/entropy", "train/clip_ratio/region_mean"], "train/step_time"),
        ("verl==0.9.1", ["critic/score/mean", "actor/ppo_kl", "actor/entropy", "actor/pg_clipfrac"], "timing_s/step"),
        (
            "trl[PPOTrainer]==0.18.2",
            ["train/objective/scores", "train/objective/kl", "train/objective/entropy"],
            "train/eps",
        ),
    ],
)
def test_what_is_crucial_comes_first_and_timers_last(made, source, first, last):
    """Reward, KL, entropy and clipping, as the frameworks' guides have it, in this order; the machine at the end."""
    path, _ = made(source, "wandb-workspace", name="order.json")

    shown = {s["name"]: [m for p in s["panels"] for m in p["config"].get("metrics", ())] for s in sections_of(path)}
    names = list(shown)
    assert names[0] == "crucial"
    assert first == sorted((set(first) & set(shown["crucial"])), key=shown["crucial"].index)
    assert last in [*shown.get("timing", ()), *shown.get("progress", ())]
    machine = [name for name in names if name in ("balance", "memory", "progress", "throughput", "timing")]
    assert machine == names[-len(machine) :]


def test_the_answer_fits_on_a_screen(tmp_path, capsys, monkeypatch):
    """What was written comes first; sections say how many panels they have, in lines of at most 80 columns."""
    monkeypatch.setenv("COLUMNS", "80")
    path = tmp_path / "board.json"

    assert main(["dashboard", "--at", "verl==0.9.1", "--kind", "wandb-workspace", "-o", str(path)]) == 0

    lines = capsys.readouterr().out.splitlines()
    assert "77 charts in 19 sections" in " ".join(lines[:3])
    assert len(lines) <= 30
    assert all(len(line) <= 80 for line in lines if str(path) not in line)
    assert any(line.startswith("  crucial      12  reward/score") for line in lines)


@pytest.mark.parametrize(
    ("source", "axis"),
    [
        (GRPO, "train/global_step"),
        ("verl==0.9.1", "training/global_step"),
        ("trl[PPOTrainer]==0.7.10", "_step"),
        ("trl[PPOv2Trainer]==0.9.4", "_step"),
    ],
)
def test_the_axis_is_a_step_that_moves(made, source, axis):
    """The trainer's step where it is logged and counts; else W&B's own, as for PPOv2 0.9, whose step stays at 0."""
    path, _ = made(source, "wandb-workspace")

    spec = json.loads(path.read_text(encoding="utf-8"))
    assert axis == spec["section"]["settings"]["xAxis"]
    assert axis in {config["xAxis"] for config in configs(path)}


def test_statistics_of_one_quantity_share_a_panel(made):
    """Mean, largest and smallest score of verl stand in one chart, with their unit at the axis."""
    path, _ = made("verl==0.9.1", "wandb-workspace")

    assert ["critic/score/mean", "critic/score/max", "critic/score/min"] in [c["metrics"] for c in configs(path)]
    (panel,) = [config for config in configs(path) if "response_length/mean" in config["metrics"]]
    assert (
        panel["yAxisTitle"],
        panel["chartTitle"],
    ) == ("token", "length/response (mean, max, min) (healthy: mean at least 0.4 times its start)")


def test_a_name_of_several_trainers_says_whose_it_is(made):
    """Without a component, ``train/loss`` stands in a panel for each of its meanings, titled with the trainers."""
    path, _ = made("trl==0.7.10", "wandb-workspace")

    titles = [config["chartTitle"] for config in configs(path) if "train/loss" in config["metrics"]]
    assert len(titles) == len(set(titles)) > 1
    assert sum(", DPOTrainer" in title for title in titles) == 1
    assert sum(", SFTTrainer, IterativeSFTTrainer" in title for title in titles) == 1
    path, _ = made("trl[DPOTrainer]==0.7.10", "wandb-workspace", name="one.json")
    assert not [config for config in configs(path) if "DPOTrainer" in config["chartTitle"]]


def test_keys_with_placeholders_are_chosen_by_regular_expressions(made):
    """One name for each reward function: the expression takes real names and no others."""
    path, _ = made(GRPO, "wandb-workspace")

    regexes = [config["metricRegex"] for config in configs(path) if config.get("useMetricRegex")]
    taking = [text for text in regexes if re.search(text, "train/rewards/accuracy_reward/mean")]
    assert taking == ["^train/rewards/[^/]+/mean$"]
    assert not re.search(taking[0], "train/rewards/accuracy_reward/std")


def test_configuration_decides_what_is_shown(made):
    """GRPO logs no KL divergence by default; with beta it does, and ``--all`` shows everything."""
    name = "train/kl"
    shown = {}
    for number, options in enumerate(([], ["--config", "beta=0.04"], ["--all"])):
        path, _ = made(GRPO, "wandb-workspace", *options, name=f"{number}.json")
        shown[number] = {key for config in configs(path) for key in config["metrics"]}
    assert [name in shown[number] for number in range(3)] == [False, True, True]
    assert shown[0] < shown[2]


def test_a_dashboard_is_the_same_each_time(made):
    """Byte for byte, so that it can be kept under version control."""
    for kind, name in (("wandb-workspace", "a.json"), ("tensorboard", "events.out.tfevents.1")):
        first, _ = made("verl==0.9.1", kind, name=name)
        before = first.read_bytes()
        again, _ = made("verl==0.9.1", kind, "--force", name=name)
        assert again.read_bytes() == before


def test_tensorboard_serves_the_layout_with_the_runs_numbers(made, tmp_path):
    """A real server reads the layout beside a real run and finds every scalar of the run through its charts."""
    logs = tmp_path / "logs"
    shutil.copytree(RUNS / "trl-1.16.0-grpo", logs / "run")
    path, report = made(GRPO, "tensorboard", "--all", name="events.out.tfevents.1.layout")
    (logs / "layout").mkdir()
    shutil.move(path, logs / "layout" / path.name)

    with serving(logs) as ask:
        deadline = time.monotonic() + 20
        while not (layout := ask("plugin/custom_scalars/layout")) and time.monotonic() < deadline:
            time.sleep(0.1)
        tags = set(ask("plugin/scalars/tags")["run"])
        drawn = {}
        for category in layout["category"]:
            for chart in category["chart"]:
                regex = "|".join(f"({tag})" for tag in chart["multiline"]["tag"])
                answer = ask("plugin/custom_scalars/scalars", run="run", tag=regex)
                assert answer["regex_valid"]
                drawn.update(answer["tag_to_events"])

    curves = [s["name"] for s in report["sections"] if any(p["kind"] == "scalar" for p in s["panels"])]
    titles = [chart["title"] for category in layout["category"] for chart in category["chart"]]
    assert curves == [category["title"] for category in layout["category"]]
    assert "policy/clip_fraction (healthy: at most 0.2)" in titles
    assert "length/response (mean, min, max) (healthy: mean at least 0.4 times its start) [token]" in titles
    assert tags <= set(drawn)
    assert all(drawn[tag] for tag in tags)


@pytest.mark.parametrize(
    ("source", "target"),
    [("trl[PPOTrainer]==0.7.10", "trl[PPOTrainer]==0.18.2"), ("verl==0.1", "verl==0.9.1"), ("verl==0.9.1", GRPO)],
)
@pytest.mark.parametrize("both", [False, True])
def test_a_made_dashboard_translates_without_a_false_name(made, capsys, source, target, both):
    """Each panel has the counterparts of its names; what the target logs with another meaning never stays."""
    path, _ = made(source, "wandb-workspace", "--all")
    out = path.with_name("out.json")
    options = ["--both"] if both else []
    assert main(["translate", str(path), "--from", source, "--to", target, "-o", str(out), "--json", *options]) == 0
    report = json.loads(capsys.readouterr().out)

    moves = {old: how["to"] for old, how in report["translated"].items()} | report["set_aside"] | report["duplicates"]
    elsewhere = {key.key for key in keys(target, surface="wandb")}
    panels = list(zip(configs(path), configs(out), strict=True))
    assert any(old != new for old, new in panels)
    for old, new in panels:
        assert {moves.get(name, name) for name in old["metrics"]} <= set(new["metrics"])
        kept = set(old["metrics"]) & set(new["metrics"])
        assert not {name for name in kept if moves.get(name) != name} & elsewhere


@pytest.mark.parametrize(
    ("options", "what"),
    [
        (["--at", "trl[GRPOTrainr]==1.16.0", "--kind", "wandb-workspace", "-o", "x.json"], "did you mean"),
        (["--at", GRPO, "--kind", "grafana", "-o", "x.json"], "invalid choice"),
        (["--at", GRPO, "--kind", "tensorboard", "-o", "layout.pb"], "have tfevents in their name"),
        (["--at", GRPO, "--kind", "wandb-workspace", "-o", "there.json"], "there.json: exists already"),
        (["--at", GRPO, "--kind", "wandb-workspace", "-o", "none/x.json"], "none/x.json: its folder does not exist"),
        (["--at", GRPO, "--kind", "wandb-workspace", "-o", "folder", "--force"], "folder: exists already"),
    ],
)
def test_what_can_not_be_made_is_one_line(tmp_path, monkeypatch, capsys, options, what):
    """A wrong source, kind or place: exit code 2, one line, and nothing is written."""
    monkeypatch.chdir(tmp_path)
    Path("there.json").write_text("mine")
    Path("folder").mkdir()

    assert main(["dashboard", *options]) == 2
    error = capsys.readouterr().err
    assert len(error.splitlines()) == 1
    assert what in error
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder", "there.json"]
    assert Path("there.json").read_text() == "mine"
