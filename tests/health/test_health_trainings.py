"""Real trainings with faults put in on purpose: how they were measured, and what is said of some of them."""

import gzip
import json
from pathlib import Path

import pytest
from programs.health.trainings import plan, trainings_page
from rlmetrics.health import Monitor

ROOT = Path(__file__).resolve().parents[2]
RUNS = sorted((ROOT / "tests/fixtures/trainings").glob("*.jsonl.gz"))
FAULTY = [path for path in RUNS if path.name.split("-")[2] in plan.CAUSES]
HEALTHY = [path for path in RUNS if path not in FAULTY]
RESULTS = json.loads(trainings_page.RESULTS.read_text(encoding="utf-8"))


def observed(path, change=lambda row: row):
    """Return the monitor after all rows of a run, and which findings each row brought."""
    trainer, release = path.name.split("-")[:2]
    monitor = Monitor(f"trl[{trainer}]=={release}")
    rows = [json.loads(line) for line in gzip.decompress(path.read_bytes()).decode().splitlines()]
    said = [(row["step"], item) for row in rows for item in monitor.observe(None, change(row))]
    assert monitor.faults == 0, monitor.fault
    return monitor, [(step, item) for step, item in said if item.level != "info"]


@pytest.mark.parametrize("path", FAULTY, ids=lambda path: path.name)
def test_the_first_answer_names_the_fault(path):
    """What went wrong in a real training is the first diagnosis."""
    monitor, _ = observed(path)

    first = next(item for item in monitor.report().diagnoses if item.level != "info")
    assert first.cause in plan.CAUSES[path.name.split("-")[2]]


@pytest.mark.parametrize("path", HEALTHY, ids=lambda path: path.name)
def test_nothing_is_said_of_a_healthy_training(path):
    """Neither of a plain one nor of one that goes on from a checkpoint, where divergences do not begin at 0."""
    assert HEALTHY
    assert observed(path)[1] == []


@pytest.mark.parametrize("change", [dict, lambda row: dict(sorted(row.items()))], ids=["as logged", "sorted"])
@pytest.mark.parametrize("path", [path for path in FAULTY if "nan" in path.name], ids=lambda path: path.name)
def test_nan_is_said_at_its_row(path, change):
    """A NaN loss, and a reward function that returns NaN, are found in the first row that shows them."""
    _, said = observed(path, change)

    assert min(step for step, item in said if item.cause == "non_finite") == plan.BREAKS + 1


def test_the_halves_have_nothing_in_common():
    """No seed, and no trainer at a release, is both in the half on which rules were changed and in a blind one."""
    halves = {}
    for part in plan.PARTS:
        assert len(set(part.seeds)) == len(part.seeds)
        halves.setdefault(part.half, []).append(part)
    developed = halves.pop("development")

    for parts in halves.values():
        for part in parts:
            assert not {seed for other in developed for seed in other.seeds} & set(part.seeds)
    blind = {(part.trainer, part.release) for part in halves["blind"]}
    assert not blind & {(part.trainer, part.release) for part in developed}


def test_the_page_shows_what_was_measured():
    """The tables of the page are made of the figures; other figures make other tables."""
    text = trainings_page.PAGE.read_text(encoding="utf-8")
    assert text == trainings_page.page(text, RESULTS)

    other = json.loads(json.dumps(RESULTS))
    other[next(iter(other))]["found"] += 1
    assert text != trainings_page.page(text, other)


@pytest.mark.parametrize("name", RESULTS)
def test_counts_are_those_of_the_runs(name):
    """What is summed up is what the runs say, each of which is listed."""
    entry = RESULTS[name]
    sick = [run for run in entry["runs"] if run["sick"]]
    healthy = [run for run in entry["runs"] if not run["sick"]]

    assert (entry["faulty"], entry["healthy"]) == (len(sick), len(healthy))
    assert entry["found"] == sum(run["found"] for run in sick)
    assert entry["first"] == sum(run["first_right"] for run in sick)
    assert entry["healthy_warned"] == sum(run["warnings"] > 0 for run in healthy)
    assert entry["healthy_errors"] == sum(run["errors"] > 0 for run in healthy)
