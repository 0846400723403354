"""What the spec says of odd rows in ClearML behind verl, and in SwanLab, against their real clients, offline."""

from __future__ import annotations

import json
from typing import Any

import pytest
from lanes.trainers.environments import clients_python, interpreter, ran
from lanes.trainers.log_odd_to_clients import CLEARML


@pytest.fixture(scope="module")
def clearml(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return what verl's logger for ClearML raised, and what was stored of each step."""
    folder = tmp_path_factory.mktemp("clearml")
    python = interpreter("verl-alone-0.9.1", ("verl==0.9.1",))
    (file,) = python.parents[1].glob("lib/python*/site-packages/verl/utils/tracking.py")
    ran(clients_python(), "log_odd_to_clients.py", folder, [{"client": "clearml", "file": str(file)}])
    return dict(json.loads((folder / "clearml.json").read_text()))


@pytest.fixture(scope="module")
def swanlab(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return what SwanLab's client raised and has stored."""
    folder = tmp_path_factory.mktemp("swanlab")
    ran(clients_python(), "log_odd_to_clients.py", folder, [{"client": "swanlab"}])
    return dict(json.loads((folder / "swanlab.json").read_text()))


def test_clearml_behind_verl_raises_and_loses_the_rest_of_the_row(clearml: dict[str, Any]) -> None:
    """At None, a text, NumPy's bool and a name without a slash; what stood before it is there."""
    raised = {"none": "AttributeError", "words": "AttributeError", "numpy's bool": "AttributeError"}
    raised |= {"no slash": "ValueError"}
    stored = {name: clearml["stored"][str(step)] for step, name in enumerate(CLEARML)}

    assert clearml["raised"] == raised
    assert {name: stored[name] for name in raised} == {name: {"a/first": 1.0} for name in raised}
    assert stored["bool"] == {"a/first": 1.0, "a/x": 1.0, "a/last": 2.0}
    assert stored["float32"] == {"a/first": 1.0, "a/x": 0.5, "a/last": 2.0}


def test_clearml_keeps_totals_at_the_lowest_iteration(clearml: dict[str, Any]) -> None:
    """Under ``Summary``, at -2147483648, where no curve has a point."""
    assert clearml["stored"][str(-(2**31))] == {"Summary/total": 3.0}


def test_swanlab_keeps_the_first_value_of_a_step_and_wants_an_int(swanlab: dict[str, Any]) -> None:
    """The second value, and rows whose step is NumPy's or a float, are left out, and nothing is raised."""
    assert swanlab["raised"] == {}
    assert swanlab["stored"]["a"] == [[1, "0.25"]]
    assert {"numpy", "float"} & set(swanlab["stored"]) == set()


def test_swanlab_takes_a_text_only_as_the_number_that_it_reads_as(swanlab: dict[str, Any]) -> None:
    """Words are left out, and an infinity is stored as NaN."""
    stored = swanlab["stored"]

    assert "words" not in stored
    assert (stored["number"], stored["infinity"]) == ([[3, "0.25"]], [[3, "nan"]])
