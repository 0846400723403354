"""What the spec says of trackers, against their real clients, offline, behind a real trainer of transformers."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml
from lanes.trainers.environments import ROOT, clients_python, ran
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
}
"""What the client or the callback adds."""
NOT_FINITE = {"swanlab": ["nan", "inf"], "comet": ["NaN", "Infinity"], "clearml": ["0.0", "0.0"]}


@pytest.fixture(scope="module", params=list(OWN))
def stored(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, dict[str, Any]]:
    """Return a tracker and what it has stored."""
    folder = tmp_path_factory.mktemp(request.param)
    ran(clients_python(), "log_by_callbacks.py", folder, [{"tracker": request.param}])
    values = json.loads((folder / f"{request.param}.json").read_text())
    return request.param, {name: found for name, found in values.items() if not name.startswith("sys.")}


def described(tracker: str) -> dict[str, Any]:
    """Return what the spec says of a tracker."""
    return dict(yaml.safe_load((ROOT / "spec" / "trackers" / f"{tracker}.yaml").read_text(encoding="utf-8")))


def test_names_are_those_that_the_routes_give(stored: tuple[str, dict[str, Any]]) -> None:
    """Each number arrives under the name that the table gives it, and nothing else does."""
    tracker, values = stored
    rules = rules_of(load_tables(), tracker, "hf_trainer")
    named = {show_name(key, rules) for key in LOGGED}

    names = {name.removeprefix("Summary/") for name in values} - OWN[tracker]  # ClearML's page of single values
    assert {name for name in names if not name.endswith("text")} == named


def test_text_is_kept_where_the_table_says_so(stored: tuple[str, dict[str, Any]]) -> None:
    """A text that is no number."""
    tracker, values = stored

    assert ("train/text" in values) == ("text" in described(tracker)["kinds"])


def test_what_is_not_finite_is_stored_as_the_table_says(stored: tuple[str, dict[str, Any]]) -> None:
    """As a number in its place, as text, or as it is."""
    tracker, values = stored

    assert [str(values[f"train/{name}"][0]) for name in ("nan", "inf")] == NOT_FINITE[tracker]
    assert (values["train/nan"][0] == 0) == (described(tracker).get("stores_nan_as") == 0)
