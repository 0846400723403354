"""``open`` on real files, through the real command line: what the page holds, and what it refuses."""

import json
import re
from html import unescape

import pytest
from comparison.runs_to_compare import NEW, OLD, VERL, rewarded, simulated, written
from rlmetrics.charts.chart_page import document
from rlmetrics.cli import main


def run(capsys, *arguments):
    """Run a command; return exit code, output and errors."""
    code = main([str(argument) for argument in arguments])
    told = capsys.readouterr()
    return code, told.out, told.err


def charts_of(page):
    """The charts of a page: title, and what their curves are."""
    text = page.read_text(encoding="utf-8")
    found = re.findall(r'<figure[^>]* data-d="([^"]*)"[^>]*><figcaption><code>([^<]*)</code>', text)
    return {unescape(title): json.loads(data) for data, title in found}


def test_runs_of_all_kinds_are_one_page(tmp_path, capsys):
    """Three runs of two frameworks share the chart of a metric under its canonical name, with the values as logged."""
    paths = [
        simulated(tmp_path / "a.jsonl"),
        simulated(tmp_path / "b.jsonl", "entropy_collapse", OLD, 1),
        simulated(tmp_path / "c.jsonl", "nan_gradient", VERL, 2),
    ]
    page = tmp_path / "runs.html"

    code, out, _ = run(capsys, "open", *paths, "-o", page, "--at", NEW, "--at", OLD, "--at", VERL)

    assert (code, out.startswith(f"{page}: 3 runs, ") or str(page) in out) == (0, True)
    charts = charts_of(page)
    reward = charts["reward/score/mean"]
    assert [curve[0] for curve in reward] == [0, 1, 2]
    rows = [json.loads(line) for line in paths[0].read_text().splitlines()]
    logged = [row["reward"] for row in rows if "reward" in row]
    assert reward[0][2] == pytest.approx(logged, rel=1e-4)
    text = page.read_text(encoding="utf-8")
    assert "The numbers broke, since step 80" in text
    assert 'type="search"' in text
    assert not re.search(r"""(?:src|href)=["']?http|@import|url\(""", text)


def test_a_look_alike_is_grey_with_the_reason(tmp_path, capsys):
    """One name with two meanings: the other run's curve stands grey, and the page says since when it is another."""
    a, b, page = rewarded(tmp_path / "a.jsonl", 0.5), rewarded(tmp_path / "b.jsonl", 0.5), tmp_path / "p.html"

    run(capsys, "open", a, b, "-o", page, "--at", "trl[grpo]==0.26.2", "--at", "trl[grpo]==0.27.0")

    charts = charts_of(page)
    assert [(curve[0], curve[3]) for curve in charts["reward/score/std"]] == [(1, 0), (0, 1)]
    assert [(curve[0], curve[3]) for curve in charts["reward/score/mean"]] == [(0, 0), (1, 0)]
    assert "until 0.26.2, standard deviation of the scores over responses since 0.27.0" in page.read_text()


def test_a_folder_is_opened_and_what_is_strange_in_it_told(tmp_path, capsys):
    """Its runs are all there; a file that is none is named on the page and on stderr."""
    folder, page = tmp_path / "runs", tmp_path / "p.html"
    folder.mkdir()
    for seed in range(5):
        rewarded(folder / f"{seed}.jsonl", 0.5, 0.1, seed=seed)
    (folder / "empty.jsonl").write_text("", encoding="utf-8")

    code, _, err = run(capsys, "open", folder, "-o", page, "--at", NEW)

    assert code == 0
    assert page.read_text(encoding="utf-8").count("<li data-r=") >= 5
    assert "empty.jsonl" in err
    assert "empty.jsonl" in page.read_text(encoding="utf-8")


def test_long_runs_are_thinned_and_the_page_says_so(tmp_path, capsys):
    """A spike among 20,000 rows is in the drawing, the page stays small, and tells how long the run is."""
    rows = [{"step": step, "reward": 0.5, "grad_norm": 40.0 if step == 7001 else 0.3} for step in range(1, 20_001)]
    path, page = written(tmp_path / "a.jsonl", rows), tmp_path / "p.html"

    run(capsys, "open", path, "-o", page, "--at", NEW)

    text = page.read_text(encoding="utf-8")
    assert "The longest has 20,000 points." in text
    assert len(text) < 150_000
    (figure,) = [part for part in text.split("<figure")[1:] if "optimizer/gradient_norm" in part]
    faint = re.search(r'class="c r0 f" d="([^"]*)"', figure)
    assert faint is not None
    heights = [int(place) for place in re.findall(r"[ML]\d+ (\d+)", faint[1])]
    assert min(heights) < 100 < sorted(heights)[1]
    assert "steps 1 to 20,000" in text


def test_the_page_is_chinese_where_that_is_asked_for(tmp_path, capsys):
    """With ``--lang zh`` as by the environment; names stay as they are."""
    a, b, page = rewarded(tmp_path / "a.jsonl", 0.5), rewarded(tmp_path / "b.jsonl", 0.2), tmp_path / "p.html"

    code, out, _ = run(capsys, "open", a, b, "-o", page, "--at", NEW, "--lang", "zh")

    text = page.read_text(encoding="utf-8")
    assert code == 0
    assert '<html lang="zh">' in text
    assert "先看这些" in text
    assert "Look at these first" not in text
    assert "reward/score/mean" in text
    assert "2个运行" in "".join(out.split())  # the line may be wrapped behind a long path


@pytest.mark.parametrize("how", ["exists", "its own run", "no folder", "sources"])
def test_nothing_is_destroyed(tmp_path, capsys, how):
    """A page that exists, a run, a folder that there is not, or sources that do not fit: one line, and 2."""
    a, b, page = rewarded(tmp_path / "a.jsonl", 0.5), rewarded(tmp_path / "b.jsonl", 0.5), tmp_path / "p.html"
    page.write_text("mine", encoding="utf-8")
    target = {"exists": page, "its own run": a, "no folder": tmp_path / "no" / "p.html"}.get(how, tmp_path / "q.html")
    sources = ["--at", NEW, "--at", OLD, "--at", NEW] if how == "sources" else ["--at", NEW]

    code, out, err = run(capsys, "open", a, b, "-o", target, *sources)

    assert (code, out, err.count("\n")) == (2, "", 1)
    assert page.read_text(encoding="utf-8") == "mine"
    assert a.read_text(encoding="utf-8").startswith("{")


@pytest.mark.parametrize(("count", "is_many"), [(12, False), (13, True)])
def test_lines_of_many_runs_let_each_other_through(count, is_many):
    """A crowd of opaque lines shows the last one only."""
    assert ('class="wide-page many"' in document("title", "", runs=count, wide=True)) == is_many


def test_of_many_runs_the_sick_ones_stand_on_top(tmp_path, capsys):
    """Nobody scrolls through a legend for the runs that are told to be sick; each keeps its letter."""
    for at in range(12):
        simulated(tmp_path / f"run{at:02d}.jsonl", "entropy_collapse" if at == 9 else "healthy", NEW, at)
    page = tmp_path / "page.html"

    run(capsys, "open", tmp_path, "-o", page, "--at", NEW)

    rows = re.findall(r'<li data-r="(\d+)" data-n="(\w+)">.*?</li>', page.read_text(encoding="utf-8"))
    assert rows[0] == ("9", "j")
    assert [int(number) for number, _ in rows[1:]] == [at for at in range(12) if at != 9]
