"""Metrics in dicts have the name that W&B shows, their keys joined by dots, whoever wrote the run; they stay there."""

import json
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rlmetrics.logs.kinds import KINDS
from rlmetrics.logs.kinds.wandb import OfflineRun
from rlmetrics.logs.kinds.wandb.nested_names import NestedNames
from rlmetrics.translate import Translator, translate_file
from rlmetrics.translate.rewriting.wandb import nested_rows
from rlmetrics.translate.rewriting.wandb.run_translation import translate_run
from rlmetrics.translate.translation_options import Options
from wandb_frames import by_name, history, parsed, write

GRPO, RLOO = "trl[GRPOTrainer]==1.16.0", "trl[RLOOTrainer]==1.16.0"
TIMES = "profiling/Time taken: GRPOTrainer"
TRANSLATORS = {target: Translator(GRPO, target) for target in (RLOO, "canonical")}
NAMES = [
    *(f"{TIMES}.{function}" for function in ("compute_loss", "vLLM.generate", "sync_weights")),
    *("val.acc", "val.of.max", "max.min", "train/kl", "train/reward"),
]


def _nested(names):
    """Put values under names that are taken apart at their dots."""
    row = {}
    for name, value in names.items():
        *outer, last = name.split(".")
        inner = row
        for part in outer:
            inner = inner.setdefault(part, {})
        inner[last] = value
    return row


def _paths(row, path=()):
    if not isinstance(row, dict):
        return {path: row}
    return {found: value for key, inner in row.items() for found, value in _paths(inner, (*path, key)).items()}


def _items(row, *, python):
    if python:
        return [{"key": key, "value_json": json.dumps(value)} for key, value in row.items()]
    return [{"nested_key": path, "value_json": json.dumps(value)} for path, value in _paths(row).items()]


def _read(items):
    """Return the values in items of either writer by their whole paths."""
    found = {}
    for name, values in by_name(items).items():
        for path, text in values.items():
            found |= {(name, *path, *inner): value for inner, value in _paths(json.loads(text)).items()}
    return found


def _said(value):
    return value if isinstance(value, str) else repr(value + 0.0)  # 0, 0.0 and -0.0 are one number


def _as_deep(old, new):
    _, *inner = old.split(".")
    end = "".join(f".{part}" for part in inner)
    return (new.removesuffix(end), *inner) if new.endswith(end) else (new,)


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(list(TRANSLATORS)),
    st.booleans(),
    st.lists(
        st.dictionaries(st.sampled_from(NAMES), st.floats() | st.just("text"), min_size=1), min_size=1, max_size=4
    ),
)
def test_every_metric_in_a_dict_is_translated_by_its_whole_name(tmp_path_factory, target, python, logged):
    """Rows, summary, report and readers agree on it; a new name that ends as the old one did lies in dicts as well."""
    folder, translator = tmp_path_factory.mktemp("nested"), TRANSLATORS[target]
    rows = [_items(_nested(names), python=python) for names in logged]
    records = [{"history": {"item": row}} for row in rows]
    path = write(folder / "run.wandb", *records, *({"summary": {"update": row}} for row in rows))

    report = translator.new_report("wandb")
    translate_run(path, folder / "out.wandb", translator, report, Options())

    *found, _ = parsed(folder / "out.wandb")
    for names, record in zip([*logged, *logged], found, strict=True):
        made = _read([*record.history.item, *record.summary.update])
        outputs = {name: translator.key(name).output for name in names}
        assert {".".join(path): _said(value) for path, value in made.items()} == {
            outputs[name]: _said(value) for name, value in names.items()
        }
        assert set(made) == {_as_deep(name, new) for name, new in outputs.items()}
    known = {name for names in logged for name in names}
    assert known == {*report.translated, *report.unknown, *report.unchanged, *report.set_aside}
    for place, names in ((path, known), (folder / "out.wandb", {translator.key(name).output for name in known})):
        log = KINDS["wandb"].open(place)
        assert isinstance(log, OfflineRun)
        (run,) = log.read()
        assert names == set(log.names()) == {name for _, row in log.rows() for name in row}
        assert names == {name for row in run.rows for name in row.values}


@pytest.mark.parametrize("python", [False, True])
def test_histograms_and_statistics_belong_to_the_metric(tmp_path, python):
    """A dict with a type is one value; in a summary, a highest value is one of a metric, unless rows log that name."""
    drawn = {"_type": "histogram", "bins": [0, 1], "values": [3]}
    loss = f"{TIMES}.compute_loss"
    items = _items(_nested({loss: 0.5, "val.max": 1.0}), python=python)
    drawn_parts = [(("kept", "drawn", part), json.dumps(value)) for part, value in drawn.items()]
    items += (
        [{"key": "kept", "value_json": json.dumps({"drawn": drawn})}]
        if python
        else [{"nested_key": path, "value_json": text} for path, text in drawn_parts]
    )
    summary = _items(_nested({f"{loss}.max": 0.75, "val.max": 1.0}), python=python)
    removed = {"summary": {"remove": [{"nested_key": [TIMES, "compute_loss"]}]}}
    path = write(tmp_path / "run.wandb", {"history": {"item": items}}, {"summary": {"update": summary}}, removed)

    report = translate_file(path, source=GRPO, target=RLOO, output=tmp_path / "out.wandb")

    assert {*report.translated, *report.unknown} == {loss, "kept.drawn", "val.max"}
    first, second, third, _ = parsed(tmp_path / "out.wandb")
    new = TIMES.replace("GRPO", "RLOO")
    assert _read(first.history.item) == {
        (new, "compute_loss"): 0.5,
        ("val", "max"): 1.0,
        **{("kept", "drawn", part): value for part, value in drawn.items()},
    }
    assert _read(second.summary.update) == {(new, "compute_loss", "max"): 0.75, ("val", "max"): 1.0}
    assert list(third.summary.remove[0].nested_key) == [new, "compute_loss"]


def test_a_dict_and_a_text_with_dots_lose_nothing(tmp_path):
    """W&B shows both under one name: where values differ, both are set aside, each as it was, and that is reported."""
    loss, new = f"{TIMES}.compute_loss", TRANSLATORS["canonical"].key(f"{TIMES}.compute_loss").output

    def run(*values):
        paths = ([loss], [TIMES, "compute_loss"])
        return {"history": {"item": [{"nested_key": p, "value_json": v} for p, v in zip(paths, values, strict=True)]}}

    path = write(tmp_path / "run.wandb", run("0.5", "0.5"), run("0.5", "0.75"), history(**{loss: "1"}))
    report = translate_file(path, source=GRPO, target="canonical", output=tmp_path / "out.wandb")

    aside = f"untranslated/trl-1.16.0/{TIMES}"
    first, second, third, _ = parsed(tmp_path / "out.wandb")
    assert _read(first.history.item) == {(new,): 0.5}
    assert _read(second.history.item) == {(f"{aside}.compute_loss",): 0.5, (aside, "compute_loss"): 0.75}
    assert _read(third.history.item) == {(new,): 1.0}
    assert report.collisions == {new: [loss]}
    assert report.set_aside == {loss: f"{aside}.compute_loss"}


REAL = """
import wandb
run = wandb.init(mode="offline", project="tiny", settings=wandb.Settings(silent=True, console="off"))
run.define_metric("val.acc", summary="max")
for step in range(3):
    run.log({"profiling/Time taken: GRPOTrainer": {"compute_loss": step / 4}, "val": {"acc": 1 - step / 4}})
run.finish()
"""


def test_a_run_of_the_installed_wandb(tmp_path):
    """Its own writer makes of a nested dict what the name is taken from."""
    subprocess.run([sys.executable, "-c", REAL], cwd=tmp_path, check=True, capture_output=True)
    (folder,) = (tmp_path / "wandb").glob("offline-run-*")

    report = translate_file(folder, source=GRPO, target=RLOO, output=tmp_path / "out")

    (run,) = KINDS["wandb"].open(tmp_path / "out").read()
    loss = f"{TIMES}.compute_loss".replace("GRPO", "RLOO")
    assert [row.values for row in run.rows] == [{loss: step / 4, "val.acc": 1 - step / 4} for step in range(3)]
    assert {*report.translated, *report.unknown} == {f"{TIMES}.compute_loss", "val.acc"}
    (file,) = (tmp_path / "out").glob("*.wandb")
    last = {}
    for record in parsed(file):
        last |= _read(record.summary.update)
    assert last[loss.rpartition(".")[0], "compute_loss"] == 0.5
    assert [value for path, value in last.items() if path[:2] == ("val", "acc")] == [1.0]


def test_rows_of_a_server_are_nested_as_they_were():
    """As dicts, with what a summary keeps under the name that it is of."""
    names, translator = NestedNames(), Translator(GRPO, RLOO)
    row = {TIMES: {"compute_loss": 0.5, "drawn": {"_type": "histogram"}}, "val": {"max": 1.0}}

    new = TIMES.replace("GRPO", "RLOO")
    assert nested_rows.nested_row(row, names, translator) == {
        new: {"compute_loss": 0.5, "drawn": {"_type": "histogram"}},
        "val": {"max": 1.0},
    }
    summary = {TIMES: {"compute_loss": {"min": 0.25}}, "val": {"max": 1.0}}
    assert nested_rows.nested_row(summary, names, translator, summary=True) == {
        new: {"compute_loss": {"min": 0.25}},
        "val": {"max": 1.0},
    }
    told = translator.report
    assert {*told.translated, *told.unknown} == {f"{TIMES}.compute_loss", f"{TIMES}.drawn", "val.max"}
