"""Runs that each era of wandb wrote, translated and read by wandb's own reader; see ``make_wandb_run.py``."""

import shutil
from pathlib import Path

import pytest
from rlmetrics.translate import translate_file
from wandb_frames import Record, payloads
from wandb_tools import flat, inspected

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures" / "runs" / "wandb"
ERAS = ["0.13.11", "0.16.6", "0.19.11", "0.22.3", "0.24.0", "0.28.0", "0.31.0"]
PYTHON_WRITER = {"0.13.11", "0.16.6"}
HISTOGRAM = {"_type": "histogram", "values": [1, 2, 3], "bins": [0, 0.5, 1, 1.5]}
RATES = {"_type": "histogram", "values": [7, 8], "bins": pytest.approx([0, 5e-5, 1e-4])}


@pytest.fixture(params=ERAS)
def era(request, tmp_path):
    """A release, its run, and the translation, in folders as wandb names them."""
    folder = shutil.copytree(FIXTURES / f"made-by-{request.param}", tmp_path / "offline-run-1-made0001")
    translate_file(folder, source="verl==0.1", target="canonical")
    return request.param, folder, folder.with_name(f"{folder.name}.translated")


def _read(folder, kind):
    return [record[kind] for record in inspected(folder / "run-made0001.wandb") if record["type"] == kind]


def _records(folder):
    found = payloads((folder / "run-made0001.wandb").read_bytes())
    return [(payload, Record.FromString(payload)) for payload in found]


def test_rows_have_new_names_and_converted_values(era):
    """Numbers, NaN, infinity, dicts, histograms and tables are all there; the rate and its histogram are converted."""
    _, _, output = era

    rows = [flat(row["item"]) for row in _read(output, "history")]

    own = ("_step", "_runtime", "_timestamp")
    table = [{name: row.pop(name) for name in list(row) if name.startswith("policy/clip_fraction")} for row in rows]
    assert list(range(6)) == [row["_step"] for row in rows]
    assert [{name: value for name, value in row.items() if name not in own} for row in rows] == [
        {
            "global_step": 1,
            "policy/loss": 0.1,
            "kl/old/k1": -0.1,
            "optimizer/learning_rate": pytest.approx(1e-6),
            "reward/score/mean": 2 / 3,
            "mine.naïve.key": 1e30,
            "mine.text": "é",
            "dotted.key": 1,
        },
        {
            "global_step": 2,
            "policy/loss": 0.2,
            "kl/old/k1": "NaN",
            "optimizer/learning_rate": pytest.approx(2e-6),
            "reward/score/mean": 4 / 3,
            "mine.naïve.key": 1e30,
            "mine.text": "éé",
            "dotted.key": 2,
        },
        {
            "global_step": 3,
            "policy/loss": 0.1 * 3,
            "kl/old/k1": -0.1 * 3,
            "optimizer/learning_rate": pytest.approx(3e-6),
            "reward/score/mean": "Infinity",
            "mine.naïve.key": 1e30,
            "mine.text": "ééé",
            "dotted.key": 3,
        },
        {
            "global_step": 4,
            "policy/loss": 0.4,
            "kl/old/k1": -0.4,
            "optimizer/learning_rate": pytest.approx(4e-6),
            "reward/score/mean": 8 / 3,
            "mine.naïve.key": 1e30,
            "mine.text": "éééé",
            "dotted.key": 4,
            **flat({"optimizer/gradient_norm": HISTOGRAM}),
        },
        flat({"optimizer/learning_rate": RATES}),
        {"global_step": 4, "optimizer/learning_rate": pytest.approx(5e-6)},
    ]
    assert ["table-file" if place == 3 else None for place in range(6)] == [
        found.get("policy/clip_fraction._type") for found in table
    ]
    assert (output / "files" / table[3]["policy/clip_fraction.path"]).is_file()


def test_the_summary_has_new_names_and_converted_statistics(era):
    """The last values, and minimum and maximum where they were asked for, are those of the renamed metric."""
    release, _, output = era

    summary = {}
    for update in _read(output, "summary"):
        summary |= flat(update["update"])

    old = {name for name in summary if name.startswith(("actor/", "critic/"))}
    assert set() == old
    assert tuple(summary[name] for name in ("policy/loss", "kl/old/k1", "reward/score/mean")) == (0.4, -0.4, 8 / 3)
    assert summary["optimizer/gradient_norm.values"] == [1, 2, 3]
    assert summary["optimizer/learning_rate.min"] == pytest.approx(1e-6)
    # wandb's Go writer forgets the maximum when a histogram comes under the same name.
    assert summary["optimizer/learning_rate.max"] == pytest.approx(5e-6 if release in PYTHON_WRITER else 4e-6)


def test_definitions_follow(era):
    """A definition by name is renamed, one by prefix stays, and what left the prefix has one of its own."""
    _, _, output = era

    defined = {(metric.get("name"), metric.get("glob_name")): metric for metric in _read(output, "metric")}

    assert set(defined) == {
        ("global_step", None),
        (None, "critic/*"),
        ("optimizer/learning_rate", None),
        ("reward/score/mean", None),
    }
    assert {defined[key]["step_metric"] for key in defined if key[0] != "global_step"} == {"global_step"}
    assert defined["optimizer/learning_rate", None]["summary"] == {"max": True, "min": True}
    assert not any("expanded_from_glob" in definition for definition in defined.values())


def test_names_stay_in_the_field_that_the_era_uses(era):
    """The Python writer's names are under ``key``, the Go writer's in ``nested_key``; order of records stays, too."""
    release, folder, output = era

    added = ("metric", "config", "alert")
    old, new = _records(folder), _records(output)
    items = [item for _, record in new for item in (*record.history.item, *record.summary.update)]
    renamed = [item for item in items if "policy/loss" in (item.key, *item.nested_key)]
    assert {bool(item.key) for item in renamed} == {release in PYTHON_WRITER}
    assert [kind for _, record in old if (kind := record.WhichOneof("record_type")) not in added] == [
        kind for _, record in new if (kind := record.WhichOneof("record_type")) not in added
    ]


def test_other_records_and_files_are_the_same_bytes(era):
    """Whatever names no renamed metric is copied: header, telemetry, files, artifacts, exit, and all media."""
    _, folder, output = era

    kinds = ("header", "run", "telemetry", "files", "artifact", "exit", "final", "footer")
    kept = [
        [payload for payload, record in _records(place) if record.WhichOneof("record_type") in kinds]
        for place in (folder, output)
    ]
    assert len(kept[0]) >= 6
    assert kept[0] == kept[1]
    media = [
        {path.relative_to(place): path.read_bytes() for path in place.rglob("*.table.json")}
        for place in (folder, output)
    ]
    assert len(media[0]) == 1
    assert media[0] == media[1]
