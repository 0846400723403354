"""``check``, ``watch``, ``compare`` and ``plot`` on real files, through the real command line."""

import json
import random
import shutil
from html.parser import HTMLParser
from pathlib import Path

import pytest
from health_simulator import simulate, spelled
from rlmetrics.cli import main
from rlmetrics.health import check
from rlmetrics.health.judging import units_of
from rlmetrics.health.watching import follow
from rlmetrics.logs.kinds import jsonl

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
    assert code == 1
    assert (report["run"], report["at"], report["rows"]) == (str(path), GRPO, 240)
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
    assert report["diagnoses"][0]["cause"] == "no_learning_signal"
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


def test_a_release_that_another_answers_for_is_told_once(tmp_path, capsys):
    """In one line of its own, for however many runs; an unknown source is refused before any is read."""
    paths = [write(tmp_path / f"{name}.jsonl") for name in ("a", "b")]

    code, _, err = run(capsys, "check", *paths, "--at", "trl[GRPOTrainer]==99", "--fail-on", "never")

    assert code == 0
    assert err.count("trl 99 is not in the spec; the names of") == 1
    code, out, err = run(capsys, "check", *paths, "--at", "nothing==1")
    assert (code, out, err.count("\n")) == (2, "", 1)


def test_the_page_links_what_bounds_rest_on(tmp_path, capsys):
    """An address is a link, and what is code in a sentence looks like code."""
    path, page = write(tmp_path / "run.jsonl", "kl_explosion"), tmp_path / "report.html"

    run(capsys, "check", path, "--html", page)

    text = page.read_text(encoding="utf-8")
    assert 'href="https://' in text
    assert "&lt;http" not in text
    assert "`" not in text.partition("<script>")[0].partition("</style>")[2].replace("```", "")


def test_the_page_needs_nothing_from_elsewhere(tmp_path, capsys):
    """The page holds its curves as SVG, and no address that a browser would load."""
    path, page = write(tmp_path / "run.jsonl"), tmp_path / "report.html"

    run(capsys, "check", path, "--at", GRPO, "--html", page)

    class Loads(HTMLParser):
        def __init__(self):
            super().__init__()
            self.found, self.drawings = [], 0

        def handle_starttag(self, tag, attrs):
            self.found += [value for name, value in attrs if tag != "a" and name in ("src", "href") and value]
            self.drawings += tag == "path" and (dict(attrs).get("class") or "").startswith("c r")

    reader = Loads()
    reader.feed(page.read_text())
    assert (reader.found, reader.drawings >= 2) == ([], True)
    assert "@import" not in page.read_text()
    assert "prefers-color-scheme:dark" in page.read_text()
    code, _, err = run(capsys, "check", path, "--at", GRPO, "--html", page)
    assert (code, "exists already" in err) == (2, True)


@pytest.mark.parametrize(
    ("name", "at", "rows"),
    [
        ("trl-1.16.0-grpo.jsonl", GRPO, 7),
        ("trl-1.16.0-grpo.trainer_state.json", GRPO, 4),
        ("trl-1.16.0-grpo.console.log", GRPO, 2),
        ("trl-0.18.2-grpo.wandb-api.csv", "trl[GRPOTrainer]==0.18.2", 5),
        ("verl-0.5.0.console.log", "auto", 4),
        ("verl-0.9.1-tracking.jsonl", "auto", 5),
        ("tensorboard/verl-0.9.1", "auto", 5),
        ("wandb/made-by-0.22.3", "auto", None),
        ("trackio", "auto", 5),
        ("mlruns", "auto", 5),
    ],
)
def test_every_kind_of_log_is_read(name, at, rows):
    """Each kind gives the rows that it holds."""
    (report,) = check(RUNS / name, at=at)[:1]

    assert report.rows > 0
    assert rows in (None, report.rows)


def test_a_torn_tail_is_left_out_and_said(tmp_path):
    """What a crash cut off is not judged; the report says how much that is."""
    path = write(tmp_path / "run.jsonl", "healthy")
    path.write_text(path.read_text()[:-40])

    (report,) = check(path, at=GRPO)

    assert report.rows == 239
    assert any("cut off" in note for note in report.notes)


def test_two_runs_in_one_file_are_judged_apart(tmp_path):
    """Where steps begin anew, or rows name another run, another report begins."""
    first, second = write(tmp_path / "a.jsonl", "healthy"), write(tmp_path / "b.jsonl", "nan_loss", seed=1)
    path = tmp_path / "both.jsonl"
    path.write_text(first.read_text() + second.read_text())

    levels = [report.level for report in check(path, at=GRPO)]

    assert len(levels) == 2
    assert levels[1] == "error"
    assert levels[0] != "error"


def test_rows_without_steps_are_counted(tmp_path):
    """A log without steps is judged by its rows."""
    rows = spelled(simulate("grpo", "nan_loss").rows, GRPO)
    path = tmp_path / "run.jsonl"
    path.write_text("".join(json.dumps({k: v for k, v in row.items() if k != "step"}) + "\n" for row in rows))

    (report,) = check(path, at=GRPO)

    assert (report.level, report.diagnoses[0].onset_step) == ("error", 79)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "does not exist"),
        ("", "is empty"),
        ("{}\n", "holds no row"),
        ("not json\n", "holds no row: none of 1 line"),
    ],
)
def test_bad_input_gets_one_line(tmp_path, capsys, content, said):
    """What is no log is refused in one line, with exit code 2."""
    path = tmp_path / "run.jsonl"
    if content is not None:
        path.write_text(content)

    code, out, err = run(capsys, "check", path, "--at", GRPO)

    assert (code, out, len(err.splitlines())) == (2, "", 1)
    assert said in err


COMMANDS = [("check", 1), ("watch", 1), ("compare", 2), ("plot", 1)]


@pytest.mark.parametrize(("command", "runs"), COMMANDS)
def test_the_likeliest_of_several_sources_answers(capsys, command, runs):
    """GRPO and RLOO log the same keys: the more usual one answers, and one line names the other and what settles it."""
    more = {"watch": ["--idle", "0", "--interval", "0.05"], "plot": ["reward"]}.get(command, [])

    code, out, err = run(capsys, command, *[RUNS / "trl-1.16.0-grpo.jsonl"] * runs, *more)

    said = " ".join((out + err).split())
    assert code in (0, 1)
    settled = "`--at 'trl[grpo]==1.16.0'` with your release settles it"
    also = "axolotl logs these keys, too"
    assert f"taken for GRPOTrainer 0.26.0–1.16.0 (or RLOOTrainer); {also}; {settled}" in said


@pytest.mark.parametrize(("command", "runs"), COMMANDS)
def test_sources_that_mean_the_same_are_one_answer(capsys, command, runs):
    """Several releases of verl mean the same by every key of this run; what one gets wrong is not judged."""
    more = {"watch": ["--idle", "0", "--interval", "0.05"], "plot": ["actor/pg_loss"]}.get(command, [])

    code, _, err = run(capsys, command, *[RUNS / "verl-0.9.1-tracking.jsonl"] * runs, *more)

    assert code in (0, 1)
    assert "Traceback" not in err


def test_a_source_that_was_inferred_is_told_as_such(capsys):
    """The report says what a run is taken for; one that was named is not called so."""
    path = RUNS / "verl-0.9.1-tracking.jsonl"

    _, inferred, _ = run(capsys, "check", path)
    _, document, _ = run(capsys, "check", path, "--json")
    _, given, _ = run(capsys, "check", path, "--at", "verl==0.9.1")

    keys = json.loads(document)["inferred_from"]
    assert keys > 20
    assert json.loads(document)["source"]["answer"] == "verl==0.6.1..0.9.1"
    assert {"keys", "missing keys"} <= {one["kind"] for one in json.loads(document)["source"]["evidence"]}
    assert "taken for verl 0.6.1–0.9.1; `--at 'verl==0.9.1'` with your release settles it" in " ".join(inferred.split())
    assert "taken for" not in given


def test_what_one_of_several_releases_gets_wrong_is_not_judged(tmp_path):
    """Some of the releases that may have logged the run add losses up over updates: no bound on them is judged."""
    rows = [json.loads(line) for line in (RUNS / "verl-0.9.1-tracking.jsonl").read_text().splitlines()]
    path = tmp_path / "run.jsonl"
    with path.open("w") as file:
        for step in range(1, 61):
            row = {**rows[step % len(rows)]["data"], "training/global_step": step}
            file.write(json.dumps({"step": step, "data": {**row, "actor/kl_loss": 4 + 0.1 * (step % 3)}}) + "\n")

    (unsure,), (sure,) = check(path), check(path, at="verl==0.9.1")

    assert unsure.answer is not None
    assert unsure.answer.rivals
    assert "kl-drastic" in {item.rule for item in unsure.not_judged}
    assert "kl-drastic" in {item.rule for item in sure.findings}


def test_a_folder_with_a_log_of_unknown_source_is_judged_and_says_so(tmp_path, capsys):
    """Of two logs in a folder one has no source: the other is judged, and the first is named on stderr."""
    write(tmp_path / "a.jsonl", "nan_loss")
    (tmp_path / "b.jsonl").write_text('{"step": 1, "zzz": 1.0}\n{"step": 2, "zzz": 1.5}\n')

    code, out, err = run(capsys, "check", tmp_path, "--json")

    assert (code, out) == (2, "") if "a.jsonl: ambiguous" in err else "b.jsonl" in err


def follow_in_pieces(path, whole, cuts, **options):
    """Write a file piece by piece while it is followed; return what was said and how often anything was read anew."""
    pieces = [whole[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(whole)], strict=True)]
    path.write_bytes(pieces.pop(0))

    def sleep(_):
        if pieces:
            with path.open("ab") as file:
                file.write(pieces.pop(0))

    return list(follow(path, at=GRPO, interval=0.05, idle=3, sleep=sleep, **options))


@pytest.mark.parametrize("scenario", ["zero_advantage", "nan_gradient", "kl_explosion", "healthy"])
def test_watch_finds_what_check_finds(tmp_path, scenario):
    """Followed in pieces cut within lines, a run gives the findings of the finished file, each once a level."""
    whole = write(tmp_path / "whole.jsonl", scenario).read_bytes()
    (report,) = check(tmp_path / "whole.jsonl", at=GRPO)
    cuts = sorted(random.Random(scenario).sample(range(1, len(whole)), 25))

    news = follow_in_pieces(tmp_path / "run.jsonl", whole, cuts)

    told = {(item.finding.rule, item.finding.key): item.finding for item in news}
    assert {(item.rule, item.key, item.level, item.onset_step, item.first_step) for item in report.findings} == {
        (item.rule, item.key, item.level, item.onset_step, item.first_step) for item in told.values()
    }
    said = [(item.finding.rule, item.finding.key, item.finding.level) for item in news]
    assert len(said) == len(set(said))


def test_watch_reads_each_byte_once(tmp_path, monkeypatch):
    """What was read is not read again: of a file that is looked at thirty times each line is parsed once."""
    whole = write(tmp_path / "whole.jsonl", "healthy").read_bytes()
    cuts = sorted(random.Random(1).sample(range(1, len(whole)), 30))
    parsed = []
    plain = jsonl.logged_row
    monkeypatch.setattr(jsonl, "logged_row", lambda *given: parsed.append(given[1]) or plain(*given))

    follow_in_pieces(tmp_path / "run.jsonl", whole, cuts)

    assert list(range(1, 241)) == parsed


def test_watch_waits_as_long_as_told(tmp_path):
    """However long it takes to find out what logged the first rows, and even where the interval is longer."""
    path, pauses = write(tmp_path / "run.jsonl", "healthy", source=GRPO), []

    assert list(follow(path, interval=5, idle=1, sleep=pauses.append)) == []

    assert pauses == [1]


@pytest.mark.parametrize("how", ["cut", "replaced"])
def test_watch_begins_anew_where_a_file_is_cut_or_replaced(tmp_path, how):
    """A file that was cut, or another one by its name, is a new run, and what it holds is found."""
    first = write(tmp_path / "first.jsonl", "healthy").read_bytes()
    second = write(tmp_path / "second.jsonl", "nan_gradient", seed=3).read_bytes()
    path = tmp_path / "run.jsonl"
    path.write_bytes(first)
    steps = []

    def sleep(_):
        steps.append(None)
        if len(steps) == 2 and how == "cut":
            path.write_bytes(second)
        elif len(steps) == 2:
            (tmp_path / "second.jsonl").replace(path)

    with pytest.warns(UserWarning, match="followed from its beginning again"):
        news = list(follow(path, at=GRPO, interval=0.05, idle=0.2, sleep=sleep))

    assert {item.finding.cause for item in news if item.finding.level == "error"} == {"non_finite"}


@pytest.mark.parametrize("meanwhile", ["nothing", "a folder"])
def test_watch_waits_for_a_log_that_is_away(tmp_path, meanwhile):
    """A log that is gone for some looks, or a folder, is waited for, said once, and goes on when it is back."""
    whole = write(tmp_path / "whole.jsonl", "nan_gradient").read_bytes()
    path, steps = tmp_path / "run.jsonl", []
    path.write_bytes(whole[:1000])

    def sleep(_):
        steps.append(None)
        if len(steps) == 2:
            path.rename(tmp_path / "away")
            if meanwhile == "a folder":
                path.mkdir()
        elif len(steps) == 5:
            if meanwhile == "a folder":
                path.rmdir()
            (tmp_path / "away").write_bytes(whole)
            (tmp_path / "away").rename(path)

    with pytest.warns(UserWarning, match="waiting for it") as warned:
        news = list(follow(path, at=GRPO, interval=0.05, idle=0.5, sleep=sleep))

    assert len([item for item in warned if "waiting for it" in str(item.message)]) == 1
    assert {item.finding.cause for item in news if item.finding.level == "error"} == {"non_finite"}


def test_watch_says_that_it_waits_for_a_log_that_is_not_there_yet(tmp_path):
    """A path that does not exist, such as a misspelled one, is told once."""
    with pytest.warns(UserWarning, match="there is no log yet") as warned:
        assert list(follow(tmp_path / "nothing.jsonl", interval=0.05, idle=0.2, sleep=lambda _: None)) == []

    assert len(warned) == 1


def test_watch_refuses_a_webhook_that_would_tell_nobody(tmp_path, capsys):
    """A wrong scheme is bad usage, not a finding that is lost at night."""
    write(tmp_path / "run.jsonl", "healthy")

    code, out, err = run(capsys, "watch", tmp_path / "run.jsonl", "--idle", "0.1", "--webhook", "file:///etc/hostname")

    assert (code, out) == (2, "")
    assert err.startswith("rlmetrics watch: --webhook: 'file:///etc/hostname' is no address of a webhook")


@pytest.mark.parametrize("name", ["wandb/made-by-0.22.3", "tensorboard/verl-0.9.1"])
def test_stores_are_followed_by_their_bytes(tmp_path, name):
    """A growing W&B or TensorBoard file gives the rows of the finished one, cut anywhere, and no byte is read twice."""
    unit = units_of(RUNS / name)[0]
    source = next(file for file in unit.files if file.suffix == ".wandb" or "tfevents" in file.name)
    whole = source.read_bytes()
    folder = tmp_path / source.parent.name
    folder.mkdir()
    grown = folder / source.name
    cuts = sorted(random.Random(name).sample(range(1200, len(whole)), 12))
    follower, rows = None, []
    for end in [*cuts, len(whole)]:
        grown.write_bytes(whole[:end])
        follower = follower or unit.kind.open(grown if unit.path.is_file() else folder).follow()
        rows += follower.new(final=end == len(whole))

    shutil.copy(source, tmp_path / source.name)
    (run_read,) = unit.kind.open(tmp_path / source.name).read()
    assert list(run_read.rows) == rows
    assert follower is not None
    assert follower.restarts == 0


BAD = {
    "without steps": (lambda rows: [{k: v for k, v in row.items() if k != "step"} for row in rows], "without a step"),
    "falling": (lambda rows: rows[::-1], "rows were not in order of step"),
    "one late row": (lambda rows: [*rows[:50], rows[30], *rows[50:]], "1 row after rows of later steps"),
    "resumed": (lambda rows: [*rows[:90], *rows[60:]], "taken as resumed"),
}


@pytest.mark.parametrize("how", BAD)
def test_steps_that_are_none_are_said(tmp_path, capsys, how):
    """Steps that are missing or fall alarm nobody, and the report says how they were taken."""
    change, said = BAD[how]
    path = tmp_path / "run.jsonl"
    rows = change(spelled(simulate("grpo", "healthy", 1).rows, GRPO))
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))

    code, out, _ = run(capsys, "check", path, "--at", GRPO, "--fail-on", "warning")

    assert code == 0
    assert said in " ".join(out.split())
    assert all(len(line) <= 80 for line in out.splitlines() if str(path) not in line)


def test_a_log_in_which_no_rule_finds_anything_to_look_at_is_not_called_well(tmp_path, capsys):
    """Steps alone cannot be judged, and the first line says so."""
    path = tmp_path / "run.jsonl"
    path.write_text("".join(json.dumps({"step": step}) + "\n" for step in range(20)))

    _, out, _ = run(capsys, "check", path, "--at", GRPO)

    assert out.startswith("Not judged: no rule looks at anything that these 20 rows hold.")
