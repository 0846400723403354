"""DVCLive's folder of tables: one for each key, whose path is the key and whose header has its last part alone."""

import json
from pathlib import Path

import pytest
from rlmetrics.cli import main
from rlmetrics.logs.input_errors import InputError
from rlmetrics.logs.kinds import KINDS, kind_of

KTO = "trl[KTOTrainer]==0.16.1"
VALUES = {
    "loss": ["0.5", "0.4999"],
    "kl": ["0.0", "0.0147"],
    "rewards/chosen": ["0.25", "nan"],
    "rewards/rejected": ["-0.25", "1e-3"],
    "logps/chosen": ["-39.8", "-39.5"],
    "system/cpu/usage (%)": ["12", "13"],
}


def run(folder: Path, values: dict[str, list[str]] | None = None, before: str = "") -> Path:
    """Write a run as DVCLive does, and return the folder of its tables."""
    root = folder / "dvclive" / "plots" / "metrics"
    for key, numbers in (values or VALUES).items():
        path = root / f"{key}.tsv"
        path.parent.mkdir(parents=True, exist_ok=True)
        rows = [f"{before and '17'}{before}{step}\t{number}\n" for step, number in enumerate(numbers)]
        path.write_text("".join([f"{before and 'timestamp'}{before}step\t{key.rpartition('/')[2]}\n", *rows]))
    (folder / "dvclive" / "metrics.json").write_text(json.dumps({"loss": 0.4999, "step": 1}, indent=4))
    return root


@pytest.mark.parametrize("before", ["", "\t"])
def test_the_tables_of_a_folder_are_one_run_with_whole_keys(tmp_path, before):
    """Values of one step stand in one row, each under the path of its file; a column with the time changes nothing."""
    root = run(tmp_path, before=before)

    (recorded,) = KINDS["dvclive"].open(root).read()
    rows = [*recorded.rows]

    assert [row.step for row in rows] == [0, 1]
    assert {key: str(float(value)) for key, value in rows[0].values.items()} == {
        key: str(float(numbers[0])) for key, numbers in VALUES.items()
    }


def test_check_judges_one_run_for_all_tables(tmp_path, capsys):
    """A folder with a dozen tables holds one run; each table by itself told nothing of its trainer."""
    run(tmp_path)

    main(["check", str(tmp_path), "--at", KTO, "--json", "--fail-on", "never"])

    report = json.loads(capsys.readouterr().out)
    assert (report["rows"], report["run"].endswith("plots/metrics")) == (2, True)
    assert "DVCLive numbers calls of log: its steps are no optimizer steps" in report["notes"]


def test_a_copy_has_its_tables_at_the_places_of_the_new_keys(tmp_path, capsys):
    """Path and header change together; values, unknown keys and other files stay."""
    run(tmp_path)

    code = main(["translate", str(tmp_path / "dvclive"), "--from", KTO, "--to", "canonical", "-o", str(tmp_path / "o")])

    root = tmp_path / "o" / "plots" / "metrics"
    told = capsys.readouterr().out
    assert code == 0, told
    assert (root / "unpaired/reward/chosen.tsv").read_text() == "step\tchosen\n0\t0.25\n1\tnan\n"
    assert (root / "unpaired/kl.tsv").read_text() == "step\tkl\n0\t0.0\n1\t0.0147\n"
    assert (root / "system/cpu/usage (%).tsv").read_text() == "step\tusage (%)\n0\t12\n1\t13\n"
    assert not [*(root / "rewards").glob("*")]
    assert (tmp_path / "o" / "metrics.json").read_text() == (tmp_path / "dvclive" / "metrics.json").read_text()
    assert {"unpaired/kl", "system/cpu/usage (%)"} < {*KINDS["dvclive"].open(root).names()}


def test_values_are_converted(tmp_path):
    """Numbers of a key with another unit change, and nothing else of their rows."""
    root = run(tmp_path, {"actor/lr(1e-4)": ["2.5", "nan"], "actor/pg_loss": ["0.10", "0.2"]})

    code = main(["translate", str(root), "--from", "verl==0.1", "--to", "verl==0.9.1", "-o", str(tmp_path / "o")])

    assert code == 0
    assert (tmp_path / "o/actor/lr.tsv").read_text() == "step\tlr\n0\t0.00025\n1\tnan\n"
    assert (tmp_path / "o/actor/pg_loss.tsv").read_text() == "step\tpg_loss\n0\t0.10\n1\t0.2\n"


def test_one_table_is_known_by_its_place(tmp_path, capsys):
    """A table alone has the key that its path tells, and its copy is told where it belongs."""
    path = run(tmp_path) / "rewards" / "chosen.tsv"

    code = main(["translate", str(path), "--from", KTO, "--to", "canonical", "-o", str(tmp_path / "copy.tsv")])

    assert code == 0
    assert "put it at unpaired/reward/chosen.tsv" in " ".join(capsys.readouterr().out.split())


def test_other_tables_stay_tables(tmp_path):
    """A table elsewhere, or with other columns, is none of DVCLive's."""
    elsewhere = tmp_path / "loss.tsv"
    elsewhere.write_text("step\tloss\n0\t0.5\n")
    wide = tmp_path / "plots" / "metrics" / "all.tsv"
    wide.parent.mkdir(parents=True)
    wide.write_text("step\tloss\tkl\n0\t0.5\t0.1\n")

    assert [kind.name for path in (elsewhere, wide) if (kind := kind_of(path))] == ["csv", "csv"]


def test_a_row_with_other_cells_is_left_out_and_told(tmp_path):
    """A row that was cut off is no value."""
    root = run(tmp_path)
    with (root / "kl.tsv").open("a") as file:
        file.write("2")

    (recorded,) = KINDS["dvclive"].open(root).read()

    assert [row.step for row in recorded.rows] == [0, 1]
    assert recorded.account.skipped


def test_an_empty_table_holds_no_run_and_is_copied(tmp_path):
    """A table without a line is refused where values are asked for."""
    path = tmp_path / "plots" / "metrics" / "loss.tsv"
    path.parent.mkdir(parents=True)
    path.write_text("")
    copy = tmp_path / "copy.tsv"

    code = main(["translate", str(path), "--kind", "dvclive", "--from", KTO, "--to", "canonical", "-o", str(copy)])

    assert (code, copy.is_file()) == (0, True)
    with pytest.raises(InputError, match="its tables hold no row"):
        list(KINDS["dvclive"].open(path).read())
