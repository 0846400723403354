"""A folder of which one source is named: files that another program logged are told and left alone."""

import json

from health_simulator import simulate, spelled
from rlmetrics.cli import main
from rlmetrics.health import check
from torch.utils.tensorboard import SummaryWriter

GRPO, DPO = "trl[GRPOTrainer]==1.16.0", "trl[DPOTrainer]==1.16.0"


def logged(path, family, source):
    """Write a run as JSON lines and return what was written."""
    rows = spelled(simulate(family, steps=20).rows, source)
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return path.read_text()


def test_a_log_of_another_program_is_told_and_left_alone(tmp_path, capsys):
    """A DPO log in a folder of GRPO logs stays as it is, and all else is translated."""
    folder = tmp_path / "runs"
    folder.mkdir()
    logged(folder / "a.jsonl", "grpo", GRPO)
    logged(folder / "b.jsonl", "grpo", "trl[GRPOTrainer]==0.18.2")
    before = logged(folder / "dpo.jsonl", "dpo", DPO)

    code = main(["translate", str(folder), "--from", GRPO, "--to", "canonical", "--html", str(tmp_path / "page.html")])

    told = capsys.readouterr()
    assert code == 1
    assert (tmp_path / "runs.translated" / "dpo.jsonl").read_text() == before
    assert "kl/reference/k3" in (tmp_path / "runs.translated" / "a.jsonl").read_text()
    assert "kl/reference/k3" in (tmp_path / "runs.translated" / "b.jsonl").read_text()
    assert [line for line in told.err.splitlines() if "dpo.jsonl" in line and "copied as it is" in line]
    assert "Of another source, left alone: 1 file, first " in " ".join(told.out.split())
    page = (tmp_path / "page.html").read_text()
    assert page.index("<h2>Files (2)</h2>") < page.index("Of another source, left alone (1)") < page.index("<h2>Keys (")


def test_one_file_is_translated_as_its_reader_says(tmp_path):
    """Who names a file and its source is believed."""
    logged(tmp_path / "dpo.jsonl", "dpo", DPO)

    assert main(["translate", str(tmp_path / "dpo.jsonl"), "--from", GRPO, "--to", "canonical"]) == 0


def test_what_a_later_event_file_takes_over_is_not_judged_twice(tmp_path):
    """A run that is resumed says from which step on earlier values no longer count, as TensorBoard's page shows it."""
    for number, (first, last, purge) in enumerate([(1, 30, None), (20, 40, 20)]):
        with SummaryWriter(str(tmp_path), purge_step=purge, filename_suffix=f".{number}") as writer:
            for step in range(first, last + 1):
                writer.add_scalar("train/loss", 1.0 + number, step)
    first, second = sorted(tmp_path.iterdir(), key=lambda path: path.name[-1])
    first.rename(tmp_path / "events.out.tfevents.1.host.0")
    second.rename(tmp_path / "events.out.tfevents.2.host.1")

    (report,) = check(tmp_path, at=GRPO)

    assert (report.rows, report.steps) == (40, (1, 40))
    assert report.notes == ("11 values were left out, as in TensorBoard: a later file begins at their step",)
