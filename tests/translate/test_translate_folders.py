"""Folders with runs of several kinds, through the real command line: a whole mirror, one report."""

import json
import os
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
from rlmetrics.cli import main
from rlmetrics.translate import InputError, translate_file
from translate.verl_runs import make_verl_runs

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures" / "runs"
GRPO, VERL = "trl[GRPOTrainer]==0.18.2", "verl==0.9.1"


def _files(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.fixture
def runs(tmp_path):
    """Runs of verl as JSON lines, console log, TensorBoard and W&B, with weights, a link and marks beside them."""
    return make_verl_runs(tmp_path)


def test_the_copy_mirrors_the_tree(runs, capsys):
    """Every folder, file and link has its place; files without names are the same bytes, and the report lists them."""
    before = _files(runs)

    code = main(["translate", str(runs), "--from", VERL, "--to", "canonical", "--json"])

    report = json.loads(capsys.readouterr().out)
    mirror = runs.with_name("runs.translated")
    weights = "a/checkpoint/model.safetensors"
    old, new = ({path.relative_to(root) for path in root.rglob("*")} for root in (runs, mirror))
    assert code == 0
    assert _files(runs) == before
    assert {path.name for path in old - new} == {"run-verl01.wandb.synced"}
    assert set() == new - old
    assert before[weights] == (mirror / weights).read_bytes()
    assert os.readlink(mirror / "wandb" / "latest-run") == "offline-run-1"
    assert str(runs / weights) in report["copied"]
    assert report["skipped"] == [str(runs / "wandb" / "offline-run-1" / "run-verl01.wandb.synced")]
    assert report["kind"] == "jsonl+tensorboard+verl-console+wandb"
    assert {file["kind"] for file in report["files"]} == {"jsonl", "tensorboard", "verl-console", "wandb"}
    assert report["records"] == sum(file["records"] for file in report["files"])
    assert b'"kl/old/k1"' in (mirror / "a" / "metrics.jsonl").read_bytes()
    assert b" - kl/old/k1:" in (mirror / "a" / "console.log").read_bytes()


def test_files_without_names_can_stay_behind(runs, capsys):
    """With ``--no-copy`` the copy holds what was translated, and the report says what is missing."""
    code = main(["translate", str(runs), "--from", VERL, "--to", "canonical", "--no-copy", "--json"])

    report = json.loads(capsys.readouterr().out)
    mirror = _files(runs.with_name("runs.translated"))
    assert code == 0
    assert "a/checkpoint/model.safetensors" not in mirror
    assert "a/metrics.jsonl" in mirror
    assert report["copied"] == []
    assert str(runs / "a" / "checkpoint" / "model.safetensors") in report["skipped"]


def test_the_report_has_a_line_for_each_file(runs, capsys):
    """People see at a glance what each file is and how much of it was renamed."""
    assert main(["translate", str(runs), "--from", VERL, "--to", "canonical", "--full"]) == 0

    lines = capsys.readouterr().out.splitlines()
    (line,) = (line for line in lines if str(runs / "a" / "metrics.jsonl") in line and "records" in line)
    assert line.split()[1:5] == ["jsonl", "verl==0.9.1", "5", "records"]
    assert "files without names, copied (1):" in lines


def test_runs_of_different_trainers_have_their_own_sources(tmp_path, capsys):
    """Without ``--from`` each run is judged by its own names."""
    runs = tmp_path / "runs"
    runs.mkdir()
    shutil.copy(FIXTURES / "verl-0.9.1-sft.jsonl", runs / "a.jsonl")
    (runs / "b.jsonl").write_text('{"ppo/learning_rate": 0.1}\n')

    code = main(["translate", str(runs), "--to", "canonical", "--json"])

    captured = capsys.readouterr()
    assert code == 0, captured.err
    files = {Path(file["path"]).name: file["from"] for file in json.loads(captured.out)["files"]}
    assert files == {"a.jsonl": "verl[sft]==0.9.1", "b.jsonl": "trl[PPOTrainer]==0.11.4"}


def test_code_is_copied_and_what_names_metrics_in_it_is_reported(runs):
    """The mirror has the code as it is; the report says which lines want a look."""
    code = "watch(\n    monitor='actor/ppo_kl',\n)\n"
    (runs / "watch.py").write_text(code)

    report = translate_file(runs, source=VERL, target="canonical")

    assert code == (runs.with_name("runs.translated") / "watch.py").read_text()
    assert str(runs / "watch.py") in report.copied
    assert any(note.startswith(f"{runs / 'watch.py'}:2: actor/ppo_kl -> kl/old/k1") for note in report.notes)


def test_many_notes_do_not_drown_the_report(runs, capsys):
    """The full report shows twenty and says how many there are; the page has all of them."""
    (runs / "watch.py").write_text(
        "".join(f"monitor_{number} = {{'metric': 'actor/ppo_kl'}}\n" for number in range(50))
    )
    page = runs.with_name("report.html")

    assert main(["translate", str(runs), "--from", VERL, "--to", "canonical", "--full", "--html", str(page)]) == 0

    shown = capsys.readouterr().out
    assert (shown.count("watch.py:"), page.read_text().count("watch.py:")) == (20, 50)
    assert "… and 30 more notes" in shown


def test_a_damaged_file_does_not_keep_the_others(runs, capsys):
    """It is left out and named on one line; the rest is translated, and the exit code tells."""
    path = runs / "a" / "metrics.jsonl"
    path.write_bytes(b'{"step" 1}\n' + path.read_bytes())

    code = main(["translate", str(runs), "--from", VERL, "--to", "canonical", "--json"])

    captured = capsys.readouterr()
    report = json.loads(captured.out)
    mirror = runs.with_name("runs.translated")
    assert code == 1
    assert f"{path}:1:9: not a JSON object" in report["failed"][str(path)]
    assert captured.err.splitlines() == [f"rlmetrics translate: {report['failed'][str(path)]}; left out"]
    assert not (mirror / "a" / "metrics.jsonl").exists()
    assert (mirror / "a" / "console.log").exists()


def test_only_damaged_files_write_nothing(tmp_path, capsys):
    """If nothing can be translated, there is no output, and the exit code is 2."""
    runs = tmp_path / "runs"
    runs.mkdir()
    (runs / "a.jsonl").write_text("{]\n")
    (runs / "b.jsonl").write_text("{]\n")

    assert main(["translate", str(runs), "--from", VERL, "--to", "canonical"]) == 2

    assert capsys.readouterr().err.count("\n") == 1
    assert os.listdir(tmp_path) == ["runs"]


@pytest.mark.parametrize("aim", ["file", "folder"])
def test_a_link_out_of_the_folder_is_refused(runs, tmp_path, capsys, aim):
    """What lies elsewhere is not read and not written: one line, exit code 2, no output."""
    (tmp_path / "file").write_text("secret")
    (tmp_path / "folder").mkdir()
    (runs / "link").symlink_to(tmp_path / aim)

    assert main(["translate", str(runs), "--from", VERL, "--to", "canonical"]) == 2

    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert f"{runs / 'link'}: is a symbolic link out of the folder" in error
    assert not runs.with_name("runs.translated").exists()


def test_a_link_within_the_folder_leads_to_the_copy(runs):
    """An absolute link would lead back to the input; it becomes a relative one."""
    (runs / "a" / "best").symlink_to(runs / "a" / "checkpoint")

    translate_file(runs, source=VERL, target="canonical")

    assert os.readlink(runs.with_name("runs.translated") / "a" / "best") == "checkpoint"


def test_a_link_among_the_files_of_a_run_is_translated(runs):
    """TensorBoard reads a link as a file of the run; in the copy a file stands there."""
    file = next((runs / "a" / "tensorboard").iterdir())
    (runs / "a" / "tensorboard" / f"{file.name}.2").symlink_to(file.name)

    translate_file(runs, source=VERL, target="canonical")

    copies = runs.with_name("runs.translated") / "a" / "tensorboard"
    assert (copies / file.name).read_bytes() == (copies / f"{file.name}.2").read_bytes()


def test_a_database_s_journals_are_part_of_it(tmp_path):
    """Journals of the original beside the copy would damage it."""
    runs = tmp_path / "runs"
    runs.mkdir()
    code = f"""
import os, signal, sqlite3
database = sqlite3.connect({str(runs / "p.db")!r})
database.execute("PRAGMA journal_mode = WAL")
database.execute("CREATE TABLE metrics (id INTEGER PRIMARY KEY, run_name, step, metrics)")
row = ("r", 0, '{{"actor/ppo_kl": 0.5}}')
database.execute("INSERT INTO metrics (run_name, step, metrics) VALUES (?, ?, ?)", row)
database.commit()
os.kill(os.getpid(), signal.SIGKILL)
"""
    subprocess.run([sys.executable, "-c", code], check=False)
    assert set(os.listdir(runs)) == {"p.db", "p.db-wal", "p.db-shm"}

    report = translate_file(runs, source=VERL, target="canonical")

    assert os.listdir(tmp_path / "runs.translated") == ["p.db"]
    assert {old: how["to"] for old, how in report.translated.items()} == {"actor/ppo_kl": "kl/old/k1"}


def test_an_unknown_kind_or_an_empty_folder_is_an_error(tmp_path):
    """There is nothing to translate."""
    (tmp_path / "runs").mkdir()

    with pytest.raises(InputError, match="holds no names"):
        translate_file(tmp_path / "runs", source=VERL, target="canonical")
    with pytest.raises(InputError, match="unknown kind"):
        translate_file(tmp_path / "runs", source=VERL, target="canonical", kind="nothing")


def test_the_report_is_also_a_page(runs, tmp_path, capsys):
    """``--html`` writes one page with all files and names, which loads nothing and takes names for text."""
    (runs / "a" / "<b>&.jsonl").write_text('{"actor/ppo_kl": 1, "<script>": 2}\n')
    page = tmp_path / "report.html"

    assert main(["translate", str(runs), "--from", VERL, "--to", "canonical", "--html", str(page)]) == 0

    text = page.read_text(encoding="utf-8")
    seen = _Page()
    seen.feed(text)
    assert {"actor/ppo_kl", "kl/old/k1", "<script>", str(runs / "a" / "<b>&.jsonl")} <= seen.codes
    assert {"Files (5)", "Unknown (1)"} <= {heading for heading in seen.headings if heading.startswith(("F", "U"))}
    assert set() == seen.loaded
    # The page's own script filters its rows; a name that looks like one is text.
    assert text.count("<script>") == 1
    assert "&lt;script&gt;" in text


class _Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.codes, self.headings, self.loaded, self._open = set(), [], set(), []

    def handle_starttag(self, tag, attrs):
        self._open.append(tag)
        self.loaded |= {value for name, value in attrs if name in {"src", "href"}}

    def handle_data(self, data):
        if self._open and self._open[-1] == "code":
            self.codes.add(data)
        if self._open and self._open[-1] == "h2":
            self.headings.append(data)

    def handle_endtag(self, tag):
        while self._open and self._open.pop() != tag:
            pass


def test_a_page_without_a_folder_is_refused_first(runs, tmp_path, capsys):
    """A mistyped place for the report costs nothing: nothing has been written yet."""
    command = ["translate", str(runs), "--from", VERL, "--to", "canonical", "--html", str(tmp_path / "no" / "r.html")]

    assert main(command) == 2
    assert not runs.with_name("runs.translated").exists()


@pytest.mark.parametrize(
    ("page", "what"),
    [
        ("kept", "is a folder"),
        ("runs", "is a folder"),
        ("runs/a/metrics.jsonl", "may not replace what is translated"),
        ("runs.translated", "may not replace what is translated or its translation"),
    ],
)
def test_a_page_replaces_neither_a_folder_nor_a_run(runs, tmp_path, capsys, page, what):
    """``--html`` at a folder, at a file that is read or at the copy: one line, and all is as it was."""
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "notes").write_text("mine")
    place = runs.parent / page if page.startswith("runs") else tmp_path / page
    before = _files(runs)

    assert main(["translate", str(runs), "--from", VERL, "--to", "canonical", "--html", str(place)]) == 2
    assert what in capsys.readouterr().err
    assert (tmp_path / "kept" / "notes").read_text() == "mine"
    assert _files(runs) == before
    assert not runs.with_name("runs.translated").exists()


OLD_NAMES = {"actor/lr(1e-4)": 1.0, "critic/score/mean": 0.5}
OPEN_NAMES = {"actor/pg_loss": 0.25, "critic/score/mean": 0.5}


def _console(row):
    return "step:1 - " + " - ".join(f"{key}:{value}" for key, value in row.items()) + "\n"


def test_records_of_one_run_are_judged_together(tmp_path, capsys):
    """What one leaves open, another one of the run decides; names that are known nowhere rule nothing out."""
    for number in ("1", "2"):
        run = tmp_path / "runs" / number
        run.mkdir(parents=True)
        (run / "metrics.jsonl").write_text(json.dumps(OLD_NAMES) + "\n")
        (run / "logs").mkdir()
        (run / "logs" / "train.log").write_text(_console(OPEN_NAMES))
        (run / "mine.csv").write_text("step,my/own\n1,2\n")

    assert main(["translate", str(tmp_path / "runs"), "--to", "canonical", "--json"]) == 0

    report = json.loads(capsys.readouterr().out)
    logs = [file for file in report["files"] if file["path"].endswith((".log", ".jsonl"))]
    assert len(logs) == 4
    assert {file["from"] for file in logs} == {"verl==0.1"}


def test_runs_side_by_side_decide_nothing_about_each_other(tmp_path, capsys):
    """Two logs of one kind are of two runs, which may be of two releases, in one folder or in two."""
    for folders in (("", ""), ("old", "new")):
        root = tmp_path / "-".join(folders)
        for folder, name, row in zip(folders, ("a", "b"), (OLD_NAMES, OPEN_NAMES), strict=True):
            (root / folder).mkdir(parents=True, exist_ok=True)
            (root / folder / f"{name}.jsonl").write_text(json.dumps(row) + "\n")

        assert main(["translate", str(root), "--to", "canonical", "--json", "-o", f"{root}.out"]) == 1

        captured = capsys.readouterr()
        report = json.loads(captured.out)
        assert {file["path"][-7:]: file["from"] for file in report["files"]} == {
            "a.jsonl": "verl==0.1",
            "b.jsonl": "verl==0.1..0.9.1",
        }
        assert report["undecided"].keys() < OPEN_NAMES.keys()
        assert captured.err == ""


def test_a_page_replaces_another_file_only_with_force(runs, tmp_path, capsys):
    """``--html`` at a file that is there: one line, exit code 2, nothing written; with ``--force`` it is replaced."""
    page = tmp_path / "notes.html"
    page.write_text("mine")
    command = ["translate", str(runs), "--from", VERL, "--to", "canonical", "--html", str(page)]

    assert main(command) == 2
    error = capsys.readouterr().err
    assert (error.count("\n"), f"{page}: exists already" in error) == (1, True)
    assert (page.read_text(), runs.with_name("runs.translated").exists()) == ("mine", False)

    assert main([*command, "--force"]) == 0
    assert page.read_text().startswith("<!doctype html>")


def test_large_files_of_other_kinds_are_not_read_into_memory(tmp_path):
    """A checkpoint has a vocabulary of many megabytes, which holds every word that marks a dashboard: it is copied."""
    words = ("metric", "monitor", "y", "panels", "rows", "blocks", "version", "spec", "section", "log_history")
    vocabulary = {**dict.fromkeys(words, 0), **{f"{number:x}": number for number in range(400_000)}}
    peaks = []
    for name in ("alone", "beside"):
        folder = tmp_path / name / "checkpoint-4"
        folder.mkdir(parents=True)
        shutil.copy(FIXTURES / "trl-0.18.2-grpo.jsonl", folder / "log.jsonl")
        if name == "beside":
            (folder / "tokenizer.json").write_text(json.dumps({"model": {"vocab": vocabulary}}, indent=2))
        code = (
            "import re\nfrom rlmetrics.translate import translate_file\n"
            f"report = translate_file({str(tmp_path / name)!r}, source={GRPO!r}, target='canonical')\n"
            "print(len(report.copied), re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1])"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        copied, peak = map(int, done.stdout.split())
        peaks.append(peak * 1024)
    size = (tmp_path / "beside" / "checkpoint-4" / "tokenizer.json").stat().st_size
    assert copied == 1
    assert peaks[1] < peaks[0] + 2 * size
