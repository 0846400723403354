"""What the spec says of Neptune, Azure, RL-Insight and OpenRLHF's loggers, against their real clients, offline."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from lanes.trainers.environments import interpreter, ran, rare_python
from lanes.trainers.test_tracker_tables import described
from rlmetrics.names.sources.surfaces import rules_of, show_name
from rlmetrics.names.tables.loading import load_tables

ODD = ["nan", "inf", "float32", "a b(1e-3)/mean@1"]


@pytest.fixture(scope="module")
def found(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return what a client raised and has stored."""
    client = str(request.param)
    folder, job = tmp_path_factory.mktemp(client), {"client": client}
    if client == "rl_insight":
        python = interpreter("verl-alone-0.9.1", ("verl==0.9.1",))
        (file,) = python.parents[1].glob("lib/python*/site-packages/verl/utils/tracking.py")
        job["file"] = str(file)
    ran(rare_python(), "log_odd_to_clients.py", folder, [job])
    return dict(json.loads((folder / f"{client}.json").read_text()))


def shown(key: str, tracker: str, route: str) -> str:
    """Return the name that a table gives a key."""
    return show_name(key, rules_of(load_tables(), tracker, route))


@pytest.mark.parametrize("found", ["neptune"], indirect=True)
def test_neptune_leaves_out_what_is_not_finite(found: dict[str, Any]) -> None:
    """NaN and infinities leave no point, as None and a dictionary do, and nothing is raised; all else is a float."""
    kept = {name.removeprefix("alone/"): values for name, values in found["stored"].items() if "alone/" in name}
    numbers = {"float32": 0.5, "float64": 0.5, "int64": 3.0, "bool": 1.0, "numpy's bool": 1.0, "list": 0.5}

    assert kept == {
        name: [value] for name, value in {**numbers, "words": "words", "number": "0.25", "large": 2.0**70}.items()
    }
    assert {"nan", "inf", "none", "dict"} & found["raised"].keys() == set()


@pytest.mark.parametrize("found", ["neptune"], indirect=True)
def test_neptune_raises_where_a_name_is_below_another(found: dict[str, Any]) -> None:
    """In either order, and what stands behind it in the row is lost; so it is behind an integer that no float holds."""
    assert described("neptune")["path_prefix_conflict"]
    raised = {
        "row 1": "MetadataInconsistency",
        "row 3": "TypeDoesNotSupportAttributeException",
        "row 5": "OverflowError",
    }
    values = {name: found["raised"].get(name) for name in ("huge", "array", "one", "a step of NumPy")}

    assert {name: error for name, error in found["raised"].items() if name.startswith("row")} == raised
    assert values == {"huge": "OverflowError", "array": "TypeError", "one": "TypeError", "a step of NumPy": "TypeError"}
    assert {name for name in found["stored"] if name.startswith("finetuning/")} == {
        f"finetuning/train/{name}" for name in ("a", "c/d", "e/f", "g")
    }


@pytest.mark.parametrize("found", ["azureml"], indirect=True)
def test_azure_takes_large_integers_of_numpy_for_text(found: dict[str, Any]) -> None:
    """As arrays, lists and dictionaries; NaN and infinities stay numbers."""
    assert {name: kept for name, kept in found.items() if kept[0] == "double"} == {
        "nan": ["double", "nan"],
        "inf": ["double", "inf"],
        "float32": ["double", "0.5"],
        "float64": ["double", "0.5"],
    }
    assert {name: kept[1] for name, kept in found.items() if kept[0] == "string"} == {
        "words": "words",
        "number": "0.25",
        "int64": "np.int64(3)",
        "array": "array([0., 0.])",
        "one": "array([0.])",
        "list": "[0.5]",
        "dict": "{'a': 0.5}",
    }
    assert {name: found[name][0] for name in ("none", "bool", "numpy's bool")} == {
        "none": "none",
        "bool": "bool",
        "numpy's bool": "bool",
    }


@pytest.mark.parametrize("found", ["rl_insight"], indirect=True)
def test_rl_insight_has_a_gauge_for_each_number(found: dict[str, Any]) -> None:
    """Under the name of the table, where the text format has no other sign; what is no number is left out."""
    numbers = {"number": 0.25, "nan": float("nan"), "inf": float("inf"), "float32": 0.5, "float64": 0.5, "int64": 3.0}
    numbers |= {"bool": 1.0, "numpy's bool": 1.0, "large": 2.0**70}
    given = {**{f"v/{name}": value for name, value in numbers.items()}, "a_b/c": 0.75, "val-core/gsm8k/acc/mean@4": 0.5}
    classic = {re.sub(r"[^a-zA-Z0-9_:]", "_", name): value for name, value in found["stored"].items()}

    assert classic == {shown(key, "rl_insight", "verl_tracking"): str(value) for key, value in given.items()}
    assert "rl_insight_monitor_val-core_gsm8k_acc_mean@4" in found["stored"]


@pytest.mark.parametrize("found", ["rl_insight"], indirect=True)
def test_rl_insight_behind_verl_raises_at_an_integer_that_no_float_holds(found: dict[str, Any]) -> None:
    """What stands behind it in the row is lost."""
    assert found["raised"] == {"v/huge": "OverflowError", "late": "OverflowError"}
    assert "rl_insight_monitor_behind" not in found["stored"]


@pytest.mark.parametrize("found", ["openrlhf"], indirect=True)
def test_openrlhf_puts_train_or_eval_before_each_name(found: dict[str, Any]) -> None:
    """As the tables of W&B and TensorBoard say, whatever is in a name; None is left out."""
    trained = {shown(key, "wandb", "openrlhf") for key in ("reward", *ODD)}
    evaluated = {shown(f"eval/{key}", "wandb", "openrlhf") for key in ("eval_gsm8k_pass1", *ODD)}
    curves = {name for name, points in found["tensorboard"].items() if points[0][0] == 3}
    _, first, second, *_ = found["wandb"]

    assert trained | evaluated == {shown(key, "tensorboard", "openrlhf") for key in ("reward", *ODD)} | evaluated
    assert curves == trained | evaluated
    assert first.keys() == trained | {"train/global_step"}
    assert second.keys() == evaluated | {"eval/global_step", "eval/epoch"}
    assert (first["train/nan"], first["train/inf"]) == ("NaN", "Infinity")


@pytest.mark.parametrize("found", ["openrlhf"], indirect=True)
def test_evaluations_of_openrlhf_stand_at_epoch_0_in_wandb(found: dict[str, Any]) -> None:
    """It makes ``eval/epoch`` their axis and never logs it, so that W&B adds a 0; the first samples stand at step 0."""
    samples, _, evaluated, *_ = found["wandb"]

    assert (evaluated["eval/epoch"], evaluated["eval/global_step"]) == ("0", "3")
    assert samples["train/global_step"] == "0"


@pytest.mark.parametrize("found", ["openrlhf"], indirect=True)
def test_a_text_ends_a_row_of_openrlhf_in_tensorboard_alone(found: dict[str, Any]) -> None:
    """As a dictionary does; W&B takes both, the latter as one metric for each value in it."""
    assert found["raised"] == {"TensorboardLogger words": "ValueError", "TensorboardLogger dict": "NotImplementedError"}
    assert "train/behind" not in found["tensorboard"]
    *_, text, nested = found["wandb"]
    assert text["train/words"] == '"words"'
    assert nested["train/dict/a"] == "0.5"
