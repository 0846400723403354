"""Layouts of the custom scalars page, translated through the command line and served by a real TensorBoard."""

import json
import re
import shutil
import time
from pathlib import Path

import pytest
from rlmetrics.cli import main
from rlmetrics.logs.kinds.tensorboard.tfrecord import frame
from tensorboard.util.tensor_util import make_tensor_proto
from tensorboard_server import serving
from tracker_messages import Category, Chart, Event, Layout, Summary

PPO = Path(__file__).parents[1] / "fixtures" / "runs" / "tensorboard" / "trl-0.7.10-ppo"
OLD, NEW = "trl[PPOTrainer]==0.7.10", "trl[PPOTrainer]==0.18.2"


def write_layout(path, *charts):
    """Write an event file with nothing but a layout of one category."""
    layout = Layout(category=[Category(title="PPO", chart=list(charts))])
    value = Summary.Value(
        tag="custom_scalars__config__",
        tensor=make_tensor_proto(layout.SerializeToString()),
        metadata={"plugin_data": {"plugin_name": "custom_scalars"}},
    )
    version, event = Event(file_version="brain.Event:2"), Event(summary=Summary(value=[value]))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(frame([b"", b""], [0, 1], [version.SerializeToString(), event.SerializeToString()]))


def lines(*tags):
    """A chart of regular expressions."""
    return Chart(title="lines", multiline={"tag": tags})


def charts_of(path):
    """Return the charts of such a file."""
    content = path.read_bytes()
    first = 16 + int.from_bytes(content[:8], "little")
    (value,) = Event.FromString(content[first + 12 : -4]).summary.value
    return Layout.FromString(value.tensor.string_val[0]).category[0].chart


@pytest.fixture
def translated(tmp_path, capsys):
    """Translate a path through the command line: exit code, output, report or error."""

    def run(path, source, target, *options):
        out = tmp_path / "logs" / "new"
        out.parent.mkdir(exist_ok=True)
        code = main(["translate", str(path), "--from", source, "--to", target, "-o", str(out), "--json", *options])
        captured = capsys.readouterr()
        return code, out, json.loads(captured.out) if captured.out else captured.err

    return run


def test_one_chart_draws_runs_from_before_and_after(translated, tmp_path):
    """A real server finds the numbers of the old and of the translated run by the same chart; margins are exact."""
    run = tmp_path / "run"
    shutil.copytree(PPO, run)
    margin = {"value": "ppo/mean_scores", "lower": "ppo/loss/policy", "upper": "ppo/loss/value"}
    write_layout(
        run / "events.out.tfevents.9.layout",
        lines("^ppo/policy/(approxkl|clipfrac)$"),
        Chart(margin={"series": [margin]}),
    )
    code, _, _ = translated(run, OLD, NEW)
    shutil.copytree(run, tmp_path / "logs" / "old")
    (tmp_path / "logs" / "old" / "events.out.tfevents.9.layout").unlink()

    with serving(tmp_path / "logs") as ask:
        deadline = time.monotonic() + 20
        while not (layout := ask("plugin/custom_scalars/layout")) and time.monotonic() < deadline:
            time.sleep(0.1)
        tags = ask("plugin/scalars/tags")
        chart, band = layout["category"][0]["chart"]
        regex = "|".join(f"({tag})" for tag in chart["multiline"]["tag"])
        drawn = {name: ask("plugin/custom_scalars/scalars", run=name, tag=regex) for name in ("old", "new")}

    assert code == 0
    assert set(drawn["old"]["tag_to_events"]) == {"ppo/policy/approxkl", "ppo/policy/clipfrac"}
    assert set(drawn["new"]["tag_to_events"]) == {"policy/approxkl_avg", "policy/clipfrac_avg"}
    for old, new in (("approxkl", "approxkl_avg"), ("clipfrac", "clipfrac_avg")):
        events = [drawn["old"]["tag_to_events"][f"ppo/policy/{old}"], drawn["new"]["tag_to_events"][f"policy/{new}"]]
        assert events[0] == events[1] != []
    assert chart["multiline"]["tag"][0] == "^ppo/policy/(approxkl|clipfrac)$"
    series = band["margin"]["series"][0]
    assert series == {"value": "objective/scores", "lower": "loss/policy_avg", "upper": "loss/value_avg"}
    assert set(series.values()) <= set(tags["new"])


def test_a_layout_without_numbers_is_translated_by_what_the_source_logs(translated, tmp_path):
    """In a folder of its own: expressions are held against every tag of the release, margins are looked up."""
    folder = tmp_path / "layout"
    margin = Chart(margin={"series": [{"value": "ppo/mean_scores", "lower": "mine", "upper": ""}]})
    write_layout(folder / "events.out.tfevents.1", lines("ppo/loss/.*", "ppo/policy/clipfrac$", "mine/.*", "("), margin)

    code, out, report = translated(folder, OLD, NEW)

    chart, band = charts_of(out / "events.out.tfevents.1")
    assert code == 0
    assert list(chart.multiline.tag)[:4] == ["ppo/loss/.*", "ppo/policy/clipfrac$", "mine/.*", "("]
    assert set(chart.multiline.tag[4:]) == {"^loss/policy_avg$", "^loss/value_avg$", "^policy/clipfrac_avg$"}
    assert tuple(getattr(band.margin.series[0], n) for n in ("value", "lower", "upper")) == (
        "objective/scores",
        "mine",
        "",
    )
    assert {"ppo/mean_scores", "ppo/loss/policy", "ppo/policy/clipfrac"} <= set(report["translated"])
    assert report["unknown"] == ["mine"]
    assert any("( can't be followed" in note for note in report["notes"])


@pytest.mark.parametrize("with_numbers", [True, False])
def test_a_widened_layout_is_narrowed_again(translated, tmp_path, with_numbers):
    """There and back gives the expressions of every chart again, with the numbers of the run and without them."""
    run, name = tmp_path / "run", "events.out.tfevents.9.layout"
    if with_numbers:
        shutil.copytree(PPO, run)
    charts = [
        ("^ppo/policy/(approxkl|clipfrac)$", "mine/.*", "("),
        ("ppo/loss/.*", "^ppo/policy/approxkl$", "ppo/loss/.*", "^nothing$"),
    ]
    write_layout(run / name, *(lines(*tags) for tags in charts))

    translated(run, OLD, NEW)
    shutil.move(tmp_path / "logs" / "new", tmp_path / "there")
    code, back, report = translated(tmp_path / "there", NEW, OLD)

    there = [list(chart.multiline.tag) for chart in charts_of(tmp_path / "there" / name)]
    assert there[0][3:] == ["^policy/approxkl_avg$", "^policy/clipfrac_avg$"]
    assert set(there[1][4:]) == {"^loss/policy_avg$", "^loss/value_avg$", "^policy/approxkl_avg$"}
    assert (code, [list(chart.multiline.tag) for chart in charts_of(back / name)]) == (0, list(map(list, charts)))
    assert "policy/approxkl_avg" in report["translated"]


@pytest.mark.parametrize(
    ("source", "target", "tags", "added"),
    [
        # Components that log the same quantity under different names, of which the target knows one.
        ("verl==0.5.0", "verl==0.9.1", ["^actor/lr$", r"^train/lr\(1e-3\)$"], ["^train/lr$"]),
        ("verl==0.9.1", "verl==0.5.0", ["^num_turns/min$", "^training/num_turns/min$"], []),
    ],
)
def test_a_chart_of_two_old_names_keeps_both(translated, tmp_path, source, target, tags, added):
    """Names of one quantity that the source logs side by side are no additions of a translation."""
    name = "events.out.tfevents.9.layout"
    write_layout(tmp_path / "run" / name, lines(*tags))

    code, there, _ = translated(tmp_path / "run", source, target)

    assert (code, list(charts_of(there / name)[0].multiline.tag)) == (0, [*tags, *added])


def test_with_both_names_a_layout_stays_wide(translated, tmp_path):
    """Nothing is taken out of a chart that is to show both names."""
    run = tmp_path / "run"
    shutil.copytree(PPO, run)
    wide = ["^policy/approxkl_avg$", "^ppo/policy/approxkl$"]
    write_layout(run / "events.out.tfevents.9.layout", lines(*wide))

    code, out, _ = translated(run, OLD, NEW, "--both")

    assert (code, list(charts_of(out / "events.out.tfevents.9.layout")[0].multiline.tag)) == (0, wide)


def test_a_made_layout_is_translated_and_its_source_inferred(translated, tmp_path, capsys):
    """What ``rlmetrics dashboard`` makes for one release draws the runs of another one after a translation."""
    folder = tmp_path / "layout"
    folder.mkdir()
    file = folder / "events.out.tfevents.1"
    assert main(["dashboard", "--at", "verl==0.1", "--kind", "tensorboard", "-o", str(file)]) == 0
    capsys.readouterr()

    code, out, report = translated(folder, "auto", "verl==0.9.1")

    assert (code, report["from"]) == (0, "verl==0.1")
    assert "actor/lr(1e-4)" in report["translated"]
    content = out.joinpath(file.name).read_bytes()
    assert re.search(rb"\^actor/lr\$", content)
    assert re.search(rb"\^timing_s/values\$", content)
