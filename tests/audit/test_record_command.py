"""The command that records all releases: which wheels it reads, what it writes, what it says about missing ones."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from audit.every_release import load_recorded
from rlmetrics.codegen.audit import record
from rlmetrics.names.tables.loading import load_tables
from rlmetrics.names.tables.tables import Tables

TRAINER = """
class PPOTrainer:
    def step(self, loss):
        self.accelerator.log({"ppo/loss/total": loss}, step=1)
"""
TRACKING = """
class Tracking:
    def log(self, data, step):
        for backend in self.backends:
            backend.log(data, step)


class RayPPOTrainer:
    def fit(self, loss):
        Tracking().log(data={"actor/pg_loss": loss}, step=1)
"""


BOTH = ("--framework", "trl", "--framework", "verl")


@pytest.fixture
def wheels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Wheels of two releases of TRL and of one of verl; tables that know these only."""
    known = {"trl": 2, "verl": 1}

    def load(name: str) -> Mapping[str, Any]:
        table = load_tables()._load(name)
        count = known.get(name.removeprefix("frameworks/").removesuffix("/framework"))
        return table if count is None else {**table, "RELEASES": table["RELEASES"][:count]}

    monkeypatch.setattr(record, "load_tables", lambda: Tables(load))
    folder = tmp_path / "wheels"
    unpacked = folder / "trl-0.0.1" / "trl"
    unpacked.mkdir(parents=True)
    (unpacked / "ppo.py").write_text(TRAINER)
    for name, path, text in (("trl-0.0.2", "trl/ppo.py", TRAINER), ("verl-0.1", "verl/trainer/main.py", TRACKING)):
        with zipfile.ZipFile(folder / f"{name}-py3-none-any.whl", "w") as archive:
            archive.writestr(path, text)
    return folder


def test_wheels_and_unpacked_wheels_are_recorded_alike(wheels: Path, tmp_path: Path) -> None:
    """What each logs comes back from the files."""
    out = tmp_path / "out"
    out.mkdir()
    record.main([str(wheels), str(out), "--jobs", "1", *BOTH])
    trl, verl = load_recorded(out / "trl.json"), load_recorded(out / "verl.json")
    assert trl.releases == ("0.0.1", "0.0.2")
    for extraction in trl.extractions.values():
        places = {(key.component, key.key, key.path) for key in extraction.keys}
        assert places == {("PPOTrainer", "ppo/loss/total", "trl/ppo.py")}
    assert {(k.component, k.key) for k in verl.extractions["0.1"].keys} == {("actor", "actor/pg_loss")}


def test_a_missing_wheel_is_named_before_the_work_begins(
    wheels: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """All that are missing, on one line; nothing is written."""
    (wheels / "trl-0.0.2-py3-none-any.whl").unlink()
    with pytest.raises(SystemExit) as stop:
        record.main([str(wheels), str(tmp_path / "out"), *BOTH])
    assert stop.value.code == 2
    assert "lacks the wheels of trl-0.0.2;" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
