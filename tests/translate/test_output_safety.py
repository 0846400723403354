"""What a translation may write over, what it says when it can't, and what it leaves: all through the command line."""

import json
import os
import socket
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path

import pytest
from logs import LOGS
from rlmetrics.cli import main
from rlmetrics.logs.input_errors import InputError
from rlmetrics.logs.printable import printable
from rlmetrics.translate import placing, translate_file
from rlmetrics.translate.placing import replacing
from translate.without_room import WITHOUT_ROOM

VERL = "verl==0.9.1"
ROW = '{"actor/ppo_kl": 0.5, "critic/score/mean": 0.25}\n'
TO_CANONICAL = ["--from", VERL, "--to", "canonical"]
NOBODY = 65534


@pytest.fixture
def run_file(tmp_path):
    """A run of one row."""
    path = tmp_path / "run.jsonl"
    path.write_text(ROW)
    return path


def _command(*arguments, **options):
    command = [sys.executable, "-m", "rlmetrics.cli", "translate", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


def _make(kind, path):
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(str(path))
    elif kind == "device":
        os.mknod(path, 0o666 | 0o020000, os.makedev(1, 3))
    elif kind == "link":
        (path.parent / "aim").write_text("precious")
        path.symlink_to("aim")
    else:
        path.symlink_to(path.name if kind == "circle" else "nothing")


@pytest.mark.parametrize("option", ["-o", "--html"])
@pytest.mark.parametrize("kind", ["pipe", "socket", "device", "link", "dangling", "circle"])
def test_only_files_and_folders_are_written(run_file, tmp_path, capsys, kind, option):
    """A device, a pipe, a socket or a link is refused in one line, with ``--force`` too, and stays what it is."""
    place = tmp_path / "place"
    try:
        _make(kind, place)
    except PermissionError:
        return  # only root makes devices
    before = place.lstat()

    assert main(["translate", str(run_file), *TO_CANONICAL, option, str(place), "--force"]) == 2

    error = capsys.readouterr().err
    assert f"{place}: is a" in error
    assert error.count("\n") == 1
    assert (before.st_mode, before.st_ino, before.st_rdev) == (
        place.lstat().st_mode,
        place.lstat().st_ino,
        place.lstat().st_rdev,
    )
    assert {run_file.name, "place", "aim"} >= {path.name for path in tmp_path.iterdir()}
    assert kind != "link" or (tmp_path / "aim").read_text() == "precious"


@pytest.mark.parametrize("command", ["dashboard", "replacing"])
def test_no_other_command_replaces_a_device(tmp_path, capsys, command):
    """Whatever puts a file in place holds to the same rule."""
    pipe = tmp_path / "events.out.tfevents.1"
    os.mkfifo(pipe)

    if command == "dashboard":
        line = ["dashboard", "--at", VERL, "--kind", "tensorboard", "-o", str(pipe), "--force"]
        assert main(line) == 2
    else:
        with pytest.raises(ValueError, match="neither replaced nor followed"), replacing(pipe):
            pass

    assert pipe.is_fifo()


@pytest.mark.parametrize("given", ["", ".", "..", "/", "-"])
def test_an_output_needs_a_name(run_file, monkeypatch, capsys, given):
    """``-o .``, ``-o -`` and an unset variable are refused in one line."""
    monkeypatch.chdir(run_file.parent)

    assert main(["translate", "run.jsonl", *TO_CANONICAL, "-o", given, "--force"]) == 2
    err = capsys.readouterr().err
    assert ("is no name of a file or folder" if given else "an argument is empty") in err
    assert os.listdir() == ["run.jsonl"]


@pytest.mark.parametrize("given", [".", "./", "../runs", "../runs/.", "sub/.."])
def test_a_folder_may_be_named_by_dots(tmp_path, monkeypatch, given):
    """The copy lies beside the folder, under its real name."""
    runs = tmp_path / "runs"
    (runs / "sub").mkdir(parents=True)
    (runs / "a.jsonl").write_text(ROW)
    monkeypatch.chdir(runs)

    assert main(["translate", given, *TO_CANONICAL]) == 0

    assert set(os.listdir(tmp_path)) == {"runs", "runs.translated"}
    assert (tmp_path / "runs.translated" / "a.jsonl").is_file()


def test_the_folder_above_may_be_named_by_dots(tmp_path, monkeypatch):
    """``..`` is called what it is called."""
    (tmp_path / "runs" / "sub").mkdir(parents=True)
    (tmp_path / "runs" / "a.jsonl").write_text(ROW)
    monkeypatch.chdir(tmp_path / "runs" / "sub")

    assert main(["translate", "..", *TO_CANONICAL]) == 0
    assert set(os.listdir(tmp_path)) == {"runs", "runs.translated"}


@pytest.mark.parametrize("given", ["", "nothing", "circle", "dangling", "/"])
def test_what_is_no_input_is_told_in_one_line(tmp_path, monkeypatch, capsys, given):
    """An unset variable is not the folder that one is in; a link that leads nowhere is named as one."""
    monkeypatch.chdir(tmp_path)
    Path("circle").symlink_to("circle")
    Path("dangling").symlink_to("nowhere")

    assert main(["translate", given, *TO_CANONICAL]) == 2

    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert any(word in error for word in ("is empty", "no such file", "leads nowhere", "say with -o"))


def test_links_in_a_circle_are_left_out(tmp_path, capsys):
    """They lead to nothing that could be lost; the rest is translated, the report names them, the exit code is 1."""
    runs = tmp_path / "runs"
    runs.mkdir()
    (runs / "a.jsonl").write_text(ROW)
    (runs / "self").symlink_to("self")
    (runs / "one").symlink_to("other")
    (runs / "other").symlink_to("one")
    (runs / "above").symlink_to(".")

    assert main(["translate", str(runs), *TO_CANONICAL, "--json"]) == 1

    report = json.loads(capsys.readouterr().out)
    assert {str(runs / name) for name in ("self", "one", "other")} == set(report["failed"])
    assert set(os.listdir(tmp_path / "runs.translated")) == {"a.jsonl", "above"}


@pytest.mark.parametrize("length", [250, 255])
@pytest.mark.parametrize("sign", ["x", "é"])
def test_long_names_of_files(tmp_path, capsys, length, sign):
    """A name as long as the system allows can be translated; only its default output may have none."""
    bytes_each = len(sign.encode())
    name = (sign * 255)[: (length - 6) // bytes_each] + ".jsonl"
    runs = tmp_path / "runs"
    runs.mkdir()
    (runs / name).write_text(ROW)

    assert main(["translate", str(runs / name), *TO_CANONICAL]) == 2
    assert "say with -o" in capsys.readouterr().err
    assert main(["translate", str(runs / name), *TO_CANONICAL, "-o", str(tmp_path / name)]) == 0
    assert main(["translate", str(runs), *TO_CANONICAL]) == 0
    assert set(os.listdir(tmp_path)) == {"runs", "runs.translated", name}
    assert os.listdir(tmp_path / "runs.translated") == [name]


ODD = "a\nb\x1b[31m\u202ec"


def test_names_do_not_steer_the_terminal(tmp_path, capfd):
    """Names of files and metrics are shown with escapes, one entry a line, in reports, errors and on the page."""
    runs = tmp_path / "runs"
    runs.mkdir()
    (runs / f"{ODD}.jsonl").write_text('{"actor/ppo_kl": 1, "mine\\u001b[2J\\u000ax": 2, "\\ud800": 3}\n')
    (runs / f"{ODD}2.jsonl").write_text("{]\n")
    page = tmp_path / "page.html"

    assert main(["translate", str(runs), *TO_CANONICAL, "--html", str(page)]) == 1
    short = capfd.readouterr().out
    assert main(["translate", str(runs), *TO_CANONICAL, "--full", "--force"]) == 1
    assert main(["translate", str(runs / f"{ODD}2.jsonl"), *TO_CANONICAL]) == 2
    assert main(["translate", str(runs / f"{ODD}3.jsonl"), *TO_CANONICAL]) == 2

    out, err = capfd.readouterr()
    assert err.count("\n") == 3
    for line in [*short.splitlines(), *out.splitlines(), *err.splitlines()]:
        assert line.isprintable()
    assert r"mine\x1b[2J\nx, \ud800" in short
    assert r"  mine\x1b[2J\nx" in out.splitlines()
    assert r"  \ud800" in out.splitlines()
    assert r"a\nb\x1b[31m\u202ec3.jsonl" in err
    assert r"<code>mine\x1b[2J\nx</code>" in page.read_text(encoding="utf-8")


def test_every_sign_is_printable():
    """What is printable stays; all else is told by an escape."""
    text = "".join(map(chr, [*range(0x2100), *range(0xD7F0, 0xE010), 0x1F600, 0xE0001]))

    shown = printable(text)

    assert shown.isprintable()
    assert [sign for sign in text if sign.isprintable()] == [sign for sign in text if printable(sign) == sign]


@pytest.mark.parametrize("closed", ["stdout", "html"])
def test_a_report_that_cannot_be_written(run_file, tmp_path, closed):
    """The copy stands, and is said to; the exit code is 1, since nothing is wrong with the input."""
    page = Path("/dev/full") if closed == "html" else tmp_path / "page.html"
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "rlmetrics.cli", "translate", str(run_file), *TO_CANONICAL]
        if closed == "html":
            assert _command(run_file, *TO_CANONICAL, "--html", page).returncode == 2
            return
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)

    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "run.jsonl.translated is written, but its report can't be: standard output: No space left" in done.stderr
    assert b"kl/old/k1" in (tmp_path / "run.jsonl.translated").read_bytes()


def test_other_commands_say_that_nobody_hears_them():
    """A table that can't be printed is an error in one line, not a traceback of the interpreter at exit."""
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "rlmetrics.cli", "keys", "--at", VERL]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)

    assert done.returncode == 2
    assert done.stderr.endswith(": No space left on device\n")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("name", ["run.jsonl", "run.csv", "events", "project.db", "mlruns.db", "run-a.wandb", "mlruns"])
def test_a_full_disk_is_that_of_the_output(tmp_path, capsys, name, monkeypatch):
    """The message names what can't be written: neither the source nor nothing."""
    log = LOGS[name]
    rows = [{"actor/ppo_kl": repr(0.5 + step), "critic/score/mean": "0.25"} for step in range(3000)]
    log.write(tmp_path / name, rows)
    out = tmp_path / "out"
    given = ["translate", str(tmp_path / name), *TO_CANONICAL, "--kind", log.kind, "-o", str(out)]
    before = set(os.listdir(tmp_path))
    done = subprocess.run([sys.executable, "-c", WITHOUT_ROOM, *given], capture_output=True, text=True, check=False)

    if name == "mlruns":  # its files are small
        assert done.returncode == 0 or str(out) in done.stderr
        return
    assert done.returncode == 2, done.stderr
    assert f"{out}: " in done.stderr
    assert "too large" in done.stderr or "No space" in done.stderr
    assert done.stderr.count("\n") == 1
    assert set(os.listdir(tmp_path)) == before


def _as_nobody(function):
    """Run a function in a process that root's rights don't help, and return its exit code."""
    child = os.fork()
    if child == 0:
        try:
            if os.getuid() == 0:
                os.setgid(NOBODY)
                os.setuid(NOBODY)
            os._exit(function())
        except BaseException:
            os._exit(99)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def test_what_cannot_be_read_is_left_out(tmp_path, monkeypatch):
    """A file or a folder without permission does not keep the others; each is named, and the exit code is 1."""
    runs, folder = tmp_path / "runs", tmp_path
    (runs / "closed").mkdir(parents=True)
    (runs / "blind").mkdir()
    (runs / "wandb").mkdir()
    (runs / "a.jsonl").write_text(ROW)
    (runs / "b.jsonl").write_text(ROW)
    (runs / "closed" / "c.jsonl").write_text(ROW)
    (runs / "blind" / "d.jsonl").write_text(ROW)
    LOGS["run-a.wandb"].write(runs / "wandb" / "run-a.wandb", [{"actor/ppo_kl": "0.5"}])
    for path, mode in (("b.jsonl", 0), ("closed", 0), ("blind", 0o444), ("wandb/run-a.wandb", 0)):
        (runs / path).chmod(mode)
    for path in (folder, *folder.parents):
        if Path(tempfile.gettempdir()) in path.parents:
            path.chmod(0o777)
    out, said = folder / "out", folder / "said.json"
    translate_file(runs / "a.jsonl", source=VERL, target="canonical", output=folder / "first")  # all is imported

    def run():
        sys.stdout = said.open("w")
        code = main(["translate", str(runs), *TO_CANONICAL, "-o", str(out), "--json"])
        sys.stdout.flush()
        return code

    assert _as_nobody(run) == 1
    for path in ("closed", "blind"):
        (runs / path).chmod(0o755)
    failed = {str(Path(path).relative_to(runs)) for path in json.loads(said.read_text())["failed"]}
    assert {"b.jsonl", "closed", "wandb/run-a.wandb"} <= failed
    assert any(path.startswith("blind") for path in failed)
    assert [path.relative_to(out) for path in out.rglob("*") if path.is_file()] == [Path("a.jsonl")]


HUGE = "1" + "0" * 5000
BEYOND = "1e9999999999999999999"


@pytest.mark.parametrize(
    ("name", "text", "old", "new"),
    [
        ("config.json", f'{{"metric": "actor/ppo_kl", "seed": {HUGE}}}', "actor/ppo_kl", "kl/old/k1"),
        ("sweep.yaml", f"metric: actor/ppo_kl\nseed: {HUGE}\n", "actor/ppo_kl", "kl/old/k1"),
        ("run.jsonl", f'{{"actor/ppo_kl": 1, "n": {HUGE}, "m": {BEYOND}}}\n', "actor/ppo_kl", "kl/old/k1"),
    ],
)
def test_numbers_of_any_size_are_copied(tmp_path, name, text, old, new):
    """What is not converted needs no number that Python could hold."""
    (tmp_path / name).write_text(text)

    assert main(["translate", str(tmp_path / name), *TO_CANONICAL, "-o", str(tmp_path / f"new-{name}")]) == 0
    assert text.replace(old, new) == (tmp_path / f"new-{name}").read_text()


@pytest.mark.parametrize(
    "name",
    ["run.jsonl", "verl.jsonl", "trainer_state.json", "project.db", "run.csv", "verl.log", "hf.log", "run-a.wandb"],
)
def test_a_number_beyond_all_can_only_be_copied(tmp_path, capsys, name):
    """Under a name whose values are converted it is refused in one line, and not passed on as it is."""
    log = LOGS[name]
    log.write(tmp_path / name, [{"critic/score/mean": BEYOND, "actor/lr(1e-4)": "1"}])
    given = ["translate", str(tmp_path / name), "--from", "verl==0.1", "--to", "verl==0.9.1", "--kind", log.kind]
    assert main([*given, "-o", str(tmp_path / "out"), "--force"]) == 0
    log.write(tmp_path / f"2{name}", [{"critic/score/mean": "1", "actor/lr(1e-4)": BEYOND}])
    given[1] = str(tmp_path / f"2{name}")
    capsys.readouterr()

    assert main([*given, "-o", str(tmp_path / "out"), "--force"]) == 2

    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "can't be converted" in error


def test_half_a_pair_in_a_name_that_is_set_aside(tmp_path):
    """A lone surrogate stays an escape, in a text that is not ASCII too, where other names are written as they are."""
    path = tmp_path / "run.jsonl"
    path.write_text('{"actor/ppo_kl": 1, "val-core/\\ud800/acc/mean@1": 2, "é": 3}\n', encoding="utf-8")

    assert main(["translate", str(path), *TO_CANONICAL, "--html", str(tmp_path / "page.html")]) == 0
    assert len(json.loads((tmp_path / "run.jsonl.translated").read_text(encoding="utf-8"))) == 3


@pytest.mark.parametrize("name", ["project.db", "mlruns.db"])
def test_triggers_of_a_database_do_not_fire(tmp_path, name):
    """What they do was done when rows were logged; the copy has the same triggers, and no row that they made."""
    log = LOGS[name]
    path, out = tmp_path / name, tmp_path / "out.db"
    log.write(path, [{"actor/ppo_kl": "0.5", "critic/score/mean": "0.25"}])
    triggers = [
        f"CREATE TRIGGER on_{event} {when} {event} ON metrics BEGIN INSERT INTO fired VALUES ('{event}'); END"
        for event in ("INSERT", "UPDATE", "DELETE")
        for when in ("BEFORE",)
    ]
    with closing(sqlite3.connect(path)) as database, database:
        for statement in ("CREATE TABLE fired (event)", *triggers):
            database.execute(statement)

    assert main(["translate", str(path), *TO_CANONICAL, "--kind", log.kind, "-o", str(out)]) == 0

    with closing(sqlite3.connect(out)) as database:
        assert database.execute("SELECT count(*) FROM fired").fetchone()[0] == 0
        found = {sql for (sql,) in database.execute("SELECT sql FROM sqlite_master WHERE type = 'trigger'")}
    assert set(triggers) == found
    assert "kl/old/k1" in log.read(out)[0]


def _leave(output, moment):
    """Kill a process while it replaces a folder: before it is in place, or with the old one moved aside."""
    code = f"""
import os, signal, sys
from pathlib import Path
from rlmetrics.translate import placing
kill = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
if {moment!r} != "written":
    placing._exchanged = lambda *_: False
    rename = Path.rename
    Path.rename = lambda self, goal: kill() if self.name == "new" else rename(self, goal)
with placing.replacing(Path({str(output)!r})) as part:
    part.mkdir()
    (part / "new").touch()
    if {moment!r} == "written":
        kill()
"""
    subprocess.run([sys.executable, "-c", code], check=False)


@pytest.mark.parametrize("moment", ["written", "aside"])
def test_a_killed_replacement_of_a_folder_is_undone_by_the_next_run(tmp_path, capsys, moment):
    """The next run with this output removes what was left and says so; a folder that had lost its name has it again."""
    runs, out = tmp_path / "runs", tmp_path / "out"
    for folder in (runs, out):
        folder.mkdir()
    (runs / "a.jsonl").write_text(ROW)
    (out / "kept").write_text("old")
    _leave(out, moment)
    (left,) = (path for path in tmp_path.iterdir() if path.name.endswith(".part"))
    assert out.exists() == (moment == "written")

    assert main(["translate", str(runs), *TO_CANONICAL, "-o", str(out)]) == 2
    assert (out / "kept").read_text() == "old"
    assert not left.exists()
    _leave(out, moment)
    assert main(["translate", str(runs), *TO_CANONICAL, "-o", str(out), "--force"]) == 0
    assert "was left by a killed translation; removed" in capsys.readouterr().out
    assert set(os.listdir(tmp_path)) == {"runs", "out"}


def test_folders_are_exchanged_in_one_step(tmp_path):
    """Where the system can do it, there is no moment without a folder of that name."""
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / name).touch()

    if placing._exchanged(tmp_path / "one", tmp_path / "other"):
        assert (os.listdir(tmp_path / "one"), os.listdir(tmp_path / "other")) == (["other"], ["one"])
    else:
        assert os.listdir(tmp_path / "one") == ["one"]


def test_what_is_being_written_is_no_input(tmp_path):
    """The part of another translation, living or killed, that lies in a folder is not translated with it."""
    runs = tmp_path / "runs"
    runs.mkdir()
    (runs / "a.jsonl").write_text(ROW)
    with replacing(runs / "a.jsonl.translated") as part:
        part.write_text(ROW)
        report = translate_file(runs, source=VERL, target="canonical")
        assert report.skipped == [str(part.parent)]

    assert os.listdir(tmp_path / "runs.translated") == ["a.jsonl"]


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_two_translations_to_one_place_are_not_both_done(tmp_path, kind):
    """What comes second replaces nothing that was not there when it began, unless it is forced."""
    out = tmp_path / "out"

    def write(place, text):
        if kind == "folder":
            place.mkdir()
            place = place / "a.jsonl"
        place.write_text(text)

    def overtaken():
        with replacing(out, force=False) as late:
            write(late, "late")
            with replacing(out, force=False) as first:
                write(first, "first")

    with pytest.raises(InputError, match="was written by another program meanwhile"):
        overtaken()

    assert [path.read_text() for path in tmp_path.rglob("*") if path.is_file()] == ["first"]
    with replacing(out, force=True) as forced:
        write(forced, "forced")
    assert [path.read_text() for path in tmp_path.rglob("*") if path.is_file()] == ["forced"]


def test_nothing_is_left_where_not_one_byte_can_be_written(run_file, tmp_path):
    """Not even the folder in which the page of an answer was begun."""
    code = (
        "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); from rlmetrics.cli import main; "
        "resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)); sys.exit(main(sys.argv[1:]))"
    )
    asked = ["check", str(run_file), "--at", VERL, "--html", str(tmp_path / "page.html")]

    done = subprocess.run([sys.executable, "-c", code, *asked], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert os.listdir(tmp_path) == [run_file.name]
