"""What the spec says of trackers, against their real clients, offline, behind a real trainer of transformers."""

from __future__ import annotations

import itertools
import json
import re
from typing import Any

import pytest
import yaml
from lanes.trainers.environments import ROOT, clients_python, ran, rare_python
from rlmetrics.names.sources.surfaces import rules_of, show_name
from rlmetrics.names.tables.loading import load_tables

LOGGED = {
    *("loss", "grad_norm", "learning_rate", "epoch", "nan", "inf", "a b(1e-3)/mean@1"),
    *("eval_loss", "eval_runtime", "eval_samples_per_second", "eval_steps_per_second"),
    *("train_runtime", "train_samples_per_second", "train_steps_per_second", "train_loss", "total_flos"),
}
"""Each number that the trainer logs, and odd ones beside them."""
OWN = {
    "swanlab": {"train/global_step"},
    "comet": {"loss", "process duration"},  # its own hook on the model, and its own clock
    "clearml": set[str](),
    "dvclive": set[str](),
    "neptune": set[str](),
    "azureml": set[str](),
}
"""What the client or the callback adds."""
NOT_FINITE = {
    "swanlab": ["nan", "inf"],
    "comet": ["NaN", "Infinity"],
    "clearml": ["0.0", "0.0"],
    "dvclive": ["nan", "inf"],
    "neptune": [],
    "azureml": ["nan", "inf"],
}
"""How both are stored; not at all where there is none."""
RARE = {"neptune", "azureml"}

NAMES = [
    *("".join(name) for length in range(1, 5) for name in itertools.product("a./@", repeat=length) if name[0] != "/"),
    "a b(1e-3)",
]
"""What DVCLive's client is tried with; it would write what begins with a slash outside of the run."""


@pytest.fixture(scope="module", params=list(OWN))
def told(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, dict[str, Any]]:
    """Return a tracker, what it has stored, and under names that begin with ``sys.`` what is said of it."""
    folder = tmp_path_factory.mktemp(request.param)
    python = rare_python() if request.param in RARE else clients_python()
    ran(python, "log_by_callbacks.py", folder, [{"tracker": request.param}])
    return request.param, json.loads((folder / f"{request.param}.json").read_text())


@pytest.fixture(scope="module")
def stored(told: tuple[str, dict[str, Any]]) -> tuple[str, dict[str, Any]]:
    """Return a tracker and what it has stored."""
    tracker, values = told
    return tracker, {name: found for name, found in values.items() if not name.startswith("sys.")}


def shown(tracker: str, key: str) -> str:
    """Return the name that the table gives a key that transformers' Trainer logs."""
    return show_name(key, rules_of(load_tables(), tracker, "hf_trainer"))


def described(tracker: str) -> dict[str, Any]:
    """Return what the spec says of a tracker."""
    return dict(yaml.safe_load((ROOT / "spec" / "trackers" / f"{tracker}.yaml").read_text(encoding="utf-8")))


def test_names_are_those_that_the_routes_give(stored: tuple[str, dict[str, Any]]) -> None:
    """Each number arrives under the name that the table gives it, and nothing else does."""
    tracker, values = stored
    named = {shown(tracker, key) for key in LOGGED if NOT_FINITE[tracker] or key not in {"nan", "inf"}}

    names = {name.removeprefix("Summary/") for name in values} - OWN[tracker]  # ClearML's page of single values
    assert {name for name in names if not name.endswith("text")} == named


def test_text_is_kept_where_the_table_says_so(stored: tuple[str, dict[str, Any]]) -> None:
    """A text that is no number."""
    tracker, values = stored

    assert (shown(tracker, "text") in values) == ("text" in described(tracker)["kinds"])


def test_what_is_not_finite_is_stored_as_the_table_says(stored: tuple[str, dict[str, Any]]) -> None:
    """As a number in its place, as text, or as it is."""
    tracker, values = stored

    found = [values[name][0] for name in (shown(tracker, "nan"), shown(tracker, "inf")) if name in values]
    assert [str(value) for value in found] == NOT_FINITE[tracker]
    assert (found[:1] == [0]) == (described(tracker).get("stores_nan_as") == 0)


@pytest.mark.parametrize("told", ["dvclive"], indirect=True)
def test_steps_of_dvclive_count_rows_behind_transformers(told: tuple[str, dict[str, Any]]) -> None:
    """Two steps of training, then an evaluation, then the totals of the run."""
    _, values = told
    steps = {name: values[f"sys.steps of {name}"] for name in ("loss", "eval/loss", "train/loss")}

    assert steps == {"loss": [0, 1], "eval/loss": [2], "train/loss": [3]}


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return what DVCLive's client does by itself with names and values."""
    folder = tmp_path_factory.mktemp("alone")
    ran(clients_python(), "log_to_dvclive.py", folder, [{"names": NAMES}])
    return dict(json.loads((folder / "dvclive.json").read_text()))


def test_names_that_dvclive_keeps_are_those_that_the_table_allows(alone: dict[str, Any]) -> None:
    """Every name of up to four of its special characters, a letter and another character."""
    allowed = re.compile(described("dvclive")["allowed"])

    assert alone["kept"] == [name for name in NAMES if allowed.fullmatch(name)]
    assert allowed.fullmatch("/a") is None


def test_a_name_of_dvclive_is_none_above_another(alone: dict[str, Any]) -> None:
    """As the table says: the summary loses the lower one, or the lower one is an error."""
    assert described("dvclive")["path_prefix_conflict"]
    assert alone["below"] == {"left": {"a": 0.25}, "error": "AttributeError"}


def test_dvclive_writes_a_value_called_step_over_the_step(alone: dict[str, Any]) -> None:
    """Whatever stands before it in the name."""
    assert alone["step"] == [["step"], ["0.5"]]


def test_what_dvclive_stores_of_values(alone: dict[str, Any]) -> None:
    """What is refused, and how the rest stands in the history."""
    refused = ["none", "numpy's bool", "longdouble", "array", "tensor", "list"]
    kept = {"text": "words", "bool": "True", "nan": "nan", "minus infinity": "-inf", "large": str(2**70)}
    kept |= {"float32": "0.1", "int64": str(2**62), "too large": "OverflowError"}

    assert alone["values"] == {**dict.fromkeys(refused, "InvalidDataTypeError"), **kept}
