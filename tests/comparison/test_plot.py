"""``plot`` on real files, through the real command line, with and without colours."""

import re
from xml.etree import ElementTree

import pytest
from comparison.runs_to_compare import NEW, OLD, VERL, rewarded, simulated, written
from rlmetrics.cli import main

SVG = "{http://www.w3.org/2000/svg}"


def run(capsys, *arguments):
    """Run a command; return exit code, output and errors."""
    code = main([str(argument) for argument in arguments])
    told = capsys.readouterr()
    return code, told.out, told.err


def test_plot_draws_in_the_terminal_and_as_svg(tmp_path, capsys):
    """A curve by key or canonical name, in braille or as a file, both with the values of the axes."""
    path, drawing = simulated(tmp_path / "run.jsonl"), tmp_path / "curve.svg"

    _, out, _ = run(capsys, "plot", path, "entropy/policy", "--at", NEW)
    run(capsys, "plot", path, "reward", "--at", NEW, "--svg", drawing)

    assert "\nentropy/policy  entropy, nat\n" in out
    assert any(0x2800 < ord(letter) <= 0x28FF for letter in out)
    assert len(re.findall(r"^ *[\d.]+ ┤", out, re.MULTILINE)) >= 3
    assert "100" in out.splitlines()[-1]
    root = ElementTree.fromstring(drawing.read_text(encoding="utf-8"))
    texts = [item.text for item in root.iter(f"{SVG}text")]
    assert texts[0] == "reward/score/mean"
    assert {"0", "50", "100", "150", "200"} & {*texts}
    assert [item for item in root.iter(f"{SVG}path") if "L" in item.get("d", "")]


def test_runs_are_drawn_over_each_other(tmp_path, capsys):
    """Three runs of two frameworks share a chart; letters tell them apart where there are no colours."""
    a, b, c = (
        simulated(tmp_path / "a.jsonl"),
        simulated(tmp_path / "b.jsonl", "entropy_collapse", OLD, 1),
        simulated(tmp_path / "c.jsonl", "healthy", VERL, 2),
    )

    code, out, _ = run(capsys, "plot", a, b, c, "reward", "--at", NEW, "--at", OLD, "--at", VERL)

    legend, _, chart = out.partition("\n\n")
    assert code == 0
    assert [line[0] for line in legend.splitlines() if not line.startswith(" ")] == ["a", "b", "c"]
    assert chart.startswith("reward/score/mean  reward, critic/score/mean")
    drawn = "".join(line.partition("┤")[2] or line.partition("│")[2] for line in chart.splitlines())
    assert {"a", "b", "c"} <= {*drawn}
    assert "\x1b" not in out


def test_a_terminal_shows_runs_in_colours(tmp_path, capsys, monkeypatch):
    """On a terminal each run has a colour, in the legend and on the chart, unless NO_COLOR is set."""
    a, b = rewarded(tmp_path / "a.jsonl", 0.5, 0.1), rewarded(tmp_path / "b.jsonl", 0.2, 0.1)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)

    _, painted, _ = run(capsys, "plot", a, b, "reward", "--at", NEW)
    monkeypatch.setenv("NO_COLOR", "1")
    _, plain, _ = run(capsys, "plot", a, b, "reward", "--at", NEW)

    assert {"\x1b[34m", "\x1b[33m", "\x1b[0m"} <= {*re.findall(r"\x1b\[\d+m", painted)}
    assert "\x1b" not in plain


def test_without_a_key_the_crucial_ones_are_drawn(tmp_path, capsys, monkeypatch):
    """The reward and the divergence, and neither a timer nor a counter; beside each other where there is room."""
    rows = [
        {"step": at, "step_time": 1.0, "num_tokens": at, "kl": 0.1, "reward": 0.5, "loss": 0.1} for at in range(1, 30)
    ]
    path = written(tmp_path / "run.jsonl", rows)

    _, narrow, _ = run(capsys, "plot", path, "--at", NEW)
    monkeypatch.setenv("COLUMNS", "160")
    _, wide, _ = run(capsys, "plot", path, "--at", NEW)

    assert "reward/score/mean" in narrow
    assert "kl/reference/k3" in narrow
    assert "step_time" not in narrow
    assert len(wide.splitlines()) < len(narrow.splitlines())
    assert max(map(len, narrow.splitlines()[1:])) <= 80
    assert max(map(len, wide.splitlines()[1:])) <= 160


@pytest.mark.parametrize(
    ("keys", "said"), [(["rewerd"], "did you mean reward"), (["reward", "no_such"], "no_such is no file")]
)
def test_an_unknown_key_is_refused(tmp_path, capsys, keys, said):
    """Also beside one that there is: the nearest is named, nothing is drawn, and nothing written."""
    path, drawing = rewarded(tmp_path / "a.jsonl", 0.5), tmp_path / "curve.svg"

    code, out, err = run(capsys, "plot", path, *keys, "--at", NEW, "--svg", drawing)

    assert (code, out, err.count("\n"), said in err) == (2, "", 1, True)
    assert not drawing.exists()


def test_a_look_alike_is_grey_with_its_reason(tmp_path, capsys):
    """The spread of rewards of two releases is two numbers: the second is dotted, and the reason stands below."""
    a, b = rewarded(tmp_path / "a.jsonl", 0.5), rewarded(tmp_path / "b.jsonl", 0.5)

    _, out, _ = run(capsys, "plot", a, b, "reward_std", "--at", "trl[grpo]==0.26.2", "--at", "trl[grpo]==0.27.0")

    assert "≠ a mean over prompts of the standard deviation" in " ".join(out.split())


def test_a_curve_is_broken_where_there_is_no_number(tmp_path, capsys):
    """NaN is neither drawn nor taken for a value of the axis."""
    rows = [
        {"step": at, "reward": 0.5, "loss": None if at % 2 else "NaN" if at == 10 else 0.1 * at} for at in range(1, 30)
    ]
    path, drawing = written(tmp_path / "run.jsonl", rows), tmp_path / "curve.svg"

    code, _, _ = run(capsys, "plot", path, "loss", "--at", NEW, "--svg", drawing)

    curves = [
        item.get("d", "")
        for item in ElementTree.fromstring(drawing.read_text()).iter(f"{SVG}path")
        if "L" in item.get("d", "")
    ]
    assert code == 0
    assert [curve.count("M") for curve in curves] == [2]
    assert "nan" not in drawing.read_text().lower()


def test_a_run_without_the_curve_is_named(tmp_path, capsys):
    """Of two runs one does not log the key: the chart says so, in the terminal and as SVG, and so does ``why``."""
    a = rewarded(tmp_path / "a.jsonl", 0.5, 0.1, completion_length=100)
    b = rewarded(tmp_path / "b.jsonl", 0.2, 0.1)
    drawing = tmp_path / "curves.svg"

    _, out, _ = run(capsys, "plot", a, b, "completion_length", "--at", "trl[grpo]==0.15.2")
    run(capsys, "plot", a, b, "completion_length", "--at", "trl[grpo]==0.15.2", "--svg", drawing)
    _, why, _ = run(capsys, "why", "completion_length", a, b, "--at", "trl[grpo]==0.15.2")

    assert out.splitlines()[-1] == "– b not logged"
    texts = [item.text for item in ElementTree.fromstring(drawing.read_text(encoding="utf-8")).iter(f"{SVG}text")]
    assert "– b not logged" in texts
    assert "b.jsonl does not log completion_length" in " ".join(why.split())
