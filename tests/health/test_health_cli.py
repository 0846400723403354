"""``check``, ``watch``, ``compare`` and ``plot`` on real files, through the real command line."""

import json
import subprocess
import sys
import threading
import time
from html.parser import HTMLParser
from pathlib import Path

import pytest
from health_simulator import simulate, spelled
from rlmetrics.cli import main
from rlmetrics.health import check_path

RUNS = Path(__file__).parent.parent / "fixtures" / "runs"
GRPO = "trl[GRPOTrainer]==1.16.0"
CAUSES = {
    "non_finite",
    "no_learning_signal",
    "engine_mismatch",
    "stale_rollouts",
    "update_too_large",
    "kl_explosion",
    "entropy_collapse",
    "entropy_explosion",
    "length_exploit",
    "truncation",
    "reward_hacking",
    "reward_plateau",
    "held_out_divergence",
    "component_farming",
    "critic_failure",
    "kl_controller",
    "gradient_pathology",
    "preference_degeneration",
    "throughput",
    "logging_gap",
    "release_defect",
    "other",
}


def write(path, scenario="entropy_collapse", family="grpo", source=GRPO, seed=0):
    """Write a simulated run as JSON lines and return its path."""
    rows = spelled(simulate(family, scenario, seed).rows, source)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def run(capsys, *arguments):
    """Run a command; return exit code, output and errors."""
    code = main([str(argument) for argument in arguments])
    told = capsys.readouterr()
    return code, told.out, told.err


def test_the_json_has_the_shape_of_the_interface(tmp_path, capsys):
    """Run, source, rows, findings, diagnoses and what was not judged, each with the fields of the contract."""
    path = write(tmp_path / "run.jsonl", "zero_advantage")

    code, out, _ = run(capsys, "check", path, "--at", GRPO, "--json")

    report = json.loads(out)
    assert 1 == code
    assert (str(path), GRPO, 240) == (report["run"], report["at"], report["rows"])
    fields = [
        "rule",
        "level",
        "cause",
        "metric",
        "key",
        "onset_step",
        "first_step",
        "last_step",
        "value",
        "message",
        "advice",
        "basis",
        "source",
    ]
    assert all(set(fields) <= set(finding) for finding in report["findings"])
    fields = ["id", "cause", "level", "title", "onset_step", "explains", "message", "checks", "confidence"]
    assert all(set(fields) <= set(diagnosis) for diagnosis in report["diagnoses"])
    assert all({"rule", "state", "why", "how"} <= set(item) for item in report["not_judged"])
    assert {item["cause"] for item in (*report["findings"], *report["diagnoses"])} <= CAUSES
    assert "no_learning_signal" == report["diagnoses"][0]["cause"]
    assert report["cost"]["steps"] > 100


@pytest.mark.parametrize(
    ("scenario", "fail_on", "code"),
    [
        ("entropy_collapse", "error", 0),
        ("entropy_collapse", "warning", 1),
        ("nan_loss", "error", 1),
        ("nan_loss", "never", 0),
        ("healthy", "warning", 0),
    ],
)
def test_the_exit_code_is_for_builds(tmp_path, capsys, scenario, fail_on, code):
    """Findings of the level of ``--fail-on`` give 1, others 0."""
    path = write(tmp_path / "run.jsonl", scenario)

    assert code == run(capsys, "check", path, "--at", GRPO, "--fail-on", fail_on)[0]


def test_the_terminal_report_is_at_most_a_screen(tmp_path, capsys):
    """The answer stands in the first line, and all fits 40 lines."""
    path = write(tmp_path / "run.jsonl", "kl_explosion")

    _, out, _ = run(capsys, "check", path, "--at", GRPO)

    lines = out.splitlines()
    assert lines[0].startswith("The policy runs away from the reference, since step")
    assert len(lines) <= 40
    assert "Do this, in this order" in lines


def test_the_page_needs_nothing_from_elsewhere(tmp_path, capsys):
    """The page holds its curves as SVG, and no address that a browser would load."""
    path, page = write(tmp_path / "run.jsonl"), tmp_path / "report.html"

    run(capsys, "check", path, "--at", GRPO, "--html", page)

    class Loads(HTMLParser):
        def __init__(self):
            super().__init__()
            self.found, self.drawings = [], 0

        def handle_starttag(self, tag, attrs):
            self.found += [value for name, value in attrs if name in ("src", "href") and value]
            self.drawings += tag == "polyline"

    reader = Loads()
    reader.feed(page.read_text())
    assert ([], True) == (reader.found, reader.drawings >= 2)
    assert "@import" not in page.read_text()
    assert "prefers-color-scheme:dark" in page.read_text()
    code, _, err = run(capsys, "check", path, "--at", GRPO, "--html", page)
    assert (2, True) == (code, "exists already" in err)


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("trl-1.16.0-grpo.jsonl", 7),
        ("trl-1.16.0-grpo.trainer_state.json", 7),
        ("trl-1.16.0-grpo.console.log", 2),
        ("trl-0.18.2-grpo.wandb-api.csv", 5),
        ("verl-0.5.0.console.log", 4),
        ("verl-0.9.1-tracking.jsonl", 5),
        ("tensorboard/verl-0.9.1", 5),
        ("wandb/made-by-0.22.3", None),
        ("trackio", 5),
        ("mlruns", 5),
    ],
)
def test_every_kind_of_log_is_read(name, rows):
    """Each kind gives the rows that it holds."""
    (report,) = check_path(RUNS / name)[:1]

    assert report.rows > 0
    assert rows in (None, report.rows)


def test_a_torn_tail_is_left_out_and_said(tmp_path):
    """What a crash cut off is not judged; the report says how much that is."""
    path = write(tmp_path / "run.jsonl", "healthy")
    path.write_text(path.read_text()[:-40])

    (report,) = check_path(path, at=GRPO)

    assert 239 == report.rows
    assert any("cut off" in note for note in report.notes)


def test_two_runs_in_one_file_are_judged_apart(tmp_path):
    """Where steps begin anew, or rows name another run, another report begins."""
    first, second = write(tmp_path / "a.jsonl", "healthy"), write(tmp_path / "b.jsonl", "nan_loss", seed=1)
    path = tmp_path / "both.jsonl"
    path.write_text(first.read_text() + second.read_text())

    levels = [report.level for report in check_path(path, at=GRPO)]

    assert 2 == len(levels)
    assert "error" == levels[1]
    assert levels[0] != "error"


def test_rows_without_steps_are_counted(tmp_path):
    """A log without steps is judged by its rows."""
    rows = spelled(simulate("grpo", "nan_loss").rows, GRPO)
    path = tmp_path / "run.jsonl"
    path.write_text("".join(json.dumps({k: v for k, v in row.items() if k != "step"}) + "\n" for row in rows))

    (report,) = check_path(path, at=GRPO)

    assert ("error", 79) == (report.level, report.diagnoses[0].onset_step)


@pytest.mark.parametrize(
    ("content", "said"),
    [(None, "does not exist"), ("", "holds no row"), ("{}\n", "holds no row"), ("not json\n", "holds no row")],
)
def test_bad_input_gets_one_line(tmp_path, capsys, content, said):
    """What is no log is refused in one line, with exit code 2."""
    path = tmp_path / "run.jsonl"
    if content is not None:
        path.write_text(content)

    code, out, err = run(capsys, "check", path, "--at", GRPO)

    assert (2, "", 1) == (code, out, len(err.splitlines()))
    assert said in err


def test_watch_speaks_when_something_is_found(tmp_path):
    """A file that grows is followed; the collapse is told once, and the command runs with the news."""
    rows = spelled(simulate("grpo", "zero_advantage").rows, GRPO)
    path, news = tmp_path / "run.jsonl", tmp_path / "news.txt"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows[:60]))
    script = f"import sys; open({str(news)!r}, 'a').write(sys.argv[-1] + '\\n')"
    command = [sys.executable, "-m", "rlmetrics.cli", "watch", path, "--at", GRPO, "--interval", "0.1", "--idle", "4"]
    command += ["--run", f'{sys.executable} -c "{script}"', "--level", "error"]

    def grow():
        time.sleep(1.5)
        with path.open("a") as file:
            for row in rows[60:120]:
                file.write(json.dumps(row) + "\n")

    thread = threading.Thread(target=grow)
    thread.start()
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False, timeout=120)
    thread.join()

    assert (1, "") == (done.returncode, done.stderr)
    lines = done.stdout.splitlines()
    assert any("advantage" in line or "grad_norm" in line for line in lines)
    assert len(lines) == len(set(lines))
    assert len(lines) == len(news.read_text().splitlines())


def test_compare_finds_where_runs_part(tmp_path, capsys):
    """Two releases are compared on canonical names; the first line says at which step they part."""
    a = write(tmp_path / "a.jsonl", "healthy", source=GRPO)
    b = write(tmp_path / "b.jsonl", "nan_gradient", source="trl[GRPOTrainer]==0.18.2")
    page = tmp_path / "compare.html"

    code, out, _ = run(capsys, "compare", a, b, "--json", "--html", page)

    found = json.loads(out)
    pairs = {pair["metric"]: pair for pair in found["pairs"]}
    assert 0 == code
    assert {"metric", "a", "b", "relation", "differs_by", "first_difference_step"} <= set(found["pairs"][0])
    assert ("reward", "reward", "exact") == tuple(pairs["reward/score/mean"][field] for field in ("a", "b", "relation"))
    assert pairs["reward/score/mean"]["first_difference_step"] is None
    assert 80 == pairs["optimizer/gradient_norm"]["first_difference_step"]
    assert {"only_a", "only_b"} <= set(found)
    assert "The runs part at step" in page.read_text()


def test_plot_draws_in_the_terminal_and_as_svg(tmp_path, capsys):
    """A curve by key or canonical name, in braille or as a file; an unknown key names the nearest."""
    path, drawing = write(tmp_path / "run.jsonl", "healthy"), tmp_path / "curve.svg"

    _, out, _ = run(capsys, "plot", path, "entropy/policy", "--at", GRPO)
    run(capsys, "plot", path, "reward", "--at", GRPO, "--svg", drawing)
    code, _, err = run(capsys, "plot", path, "rewerd", "--at", GRPO)

    assert out.startswith("entropy  (entropy/policy, nat)")
    assert any(0x2800 < ord(letter) <= 0x28FF for letter in out)
    assert drawing.read_text().startswith("<svg xmlns=")
    assert (2, True) == (code, "did you mean reward" in err)
