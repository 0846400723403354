"""Dry runs, several processes, and shares of a folder: the same report and the same bytes as one process gives."""

import os
from pathlib import Path

import pytest
from logs import LOGS
from rlmetrics.cli import main
from rlmetrics.translate import InputError, translate_file
from translate.mixed_runs import OPTIONS, ROWS, contents, make_runs, run


@pytest.fixture
def runs(tmp_path):
    """A folder with a log of every kind, dashboards, code, links, a torn file and a damaged one."""
    return make_runs(tmp_path)


def _without(report, *left_out):
    return {key: value for key, value in report.items() if key not in left_out}


def test_a_dry_run_reports_the_same_and_writes_nothing(runs, capsys):
    """Folders with all kinds: the report is that of the real run, and nothing is made or changed anywhere."""
    out = runs.with_name("out")
    before = contents(runs.parent)

    dry = run(capsys, runs, out, "--dry-run")

    assert contents(runs.parent) == before
    real = run(capsys, runs, out)
    assert (dry[0], real[0]) == (1, 1)
    assert (dry[1]["dry_run"], real[1]["dry_run"]) == (True, False)
    assert _without(dry[1], "dry_run") == _without(real[1], "dry_run")
    assert main(["translate", str(runs / "0" / "run.jsonl"), *OPTIONS, "--dry-run"]) == 0
    assert f"Would write {runs / '0' / 'run.jsonl.translated'}:" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("name", LOGS)
def test_every_kind_has_a_dry_run(name, tmp_path, capsys, monkeypatch):
    """A single file of each kind, also one that is large: the same report, nothing written, and errors are found."""
    log = LOGS[name]
    log.write(tmp_path / name, ROWS)
    monkeypatch.setattr("rlmetrics.translate.translation._LARGE", 0)
    given = [tmp_path / name, tmp_path / "out", "--kind", log.kind]

    dry = run(capsys, *given, "--dry-run")

    assert os.listdir(tmp_path) == [name]
    assert _without(dry[1], "dry_run") == _without(run(capsys, *given)[1], "dry_run")
    assert Path(os.devnull).is_char_device()
    assert run(capsys, *given, "--dry-run")[0] == 2
    with pytest.raises(InputError, match="0 keys translated"):
        translate_file(
            tmp_path / name,
            source="trl[DPOTrainer]==1.16.0",
            target="canonical",
            output=tmp_path / "new",
            kind=log.kind,
            dry_run=True,
        )


def test_a_share_of_changed_files_is_written_again(runs, capsys):
    """What was written before is taken only if its files are as they were."""
    out = runs.with_name("out")
    for number in (1, 2):
        run(capsys, runs, out, "--shard", f"{number}/3")
    for path in runs.rglob("run.jsonl"):
        path.write_text('{"actor/ppo_kl": 7}\n')
    for number in (1, 2, 3):
        run(capsys, runs, out, "--shard", f"{number}/3")

    assert {path.read_bytes() for path in out.rglob("run.jsonl")} == {b'{"kl/old/k1": 7}\n'}


@pytest.mark.parametrize("given", ["0/2", "3/2", "x", "1/0", "-1/2", "1/2/3", "1/٣", ""])
def test_what_is_no_share_is_refused(runs, capsys, given):
    """One line, exit code 2, nothing written."""
    before = contents(runs.parent)

    assert main(["translate", str(runs), *OPTIONS, f"--shard={given}"]) == 2
    assert "is no share; write K/N" in capsys.readouterr().err
    assert contents(runs.parent) == before
    assert main(["translate", str(runs / "torn.jsonl"), *OPTIONS, "--shard", "1/2"]) == 2
    assert "only folders can be split" in capsys.readouterr().err


@pytest.mark.parametrize("given", ["0", "-1", "x", "", "1025", "٣"])
def test_what_is_no_number_of_processes_is_refused(tmp_path, capsys, given):
    """One line, exit code 2."""
    assert main(["translate", str(tmp_path), *OPTIONS, f"-j{given}"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
