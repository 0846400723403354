"""Tables of notebooks and model cards, in whatever text they are kept, through the real command line."""

import json

import pytest
from rlmetrics.cli import main

DPO, CANONICAL = "trl[DPOTrainer]==1.16.0", "canonical"
TITLES = [
    "Step",
    "Training Loss",
    "rewards / chosen",
    "rewards / rejected",
    "rewards / accuracies",
    "rewards / margins",
]
CELLS = [
    [str(step), f"{0.7 - step / 100:.6f}", f"{step / 100:.6f}", f"{-step / 100:.6f}", "0.625000", f"{step / 50:.6f}"]
    for step in range(1, 13)
]
LINES = [TITLES, *CELLS]


def _tabs(rows):
    return "".join("\t".join(row) + "\n" for row in rows)


def _markdown(rows):
    rule = "|" + "|".join(":-----:" for _ in rows[0]) + "|\n"
    head, *body = ("| " + " | ".join(row) + " |\n" for row in rows)
    return f"# Results\n\n{head}{rule}{''.join(body)}\nMore `step` text\n"


def _blanks(rows):
    return "".join(" ".join(row) + "\n" for row in rows)


def _columns(rows):
    return "".join("  ".join(f"{cell:>44}" for cell in row) + "\n" for row in rows)


def _html(rows):
    head, *body = ("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>\n" for row in rows)
    return f'<p>x</p><table border="1" class="dataframe">\n{head.replace("td>", "th>")}{"".join(body)}</table><p>y</p>'


def _numbered(rows):
    head, *body = rows
    numbered = [["", *head], *([str(number), *row] for number, row in enumerate(body))]
    lines = ("".join(f"{cell:>44}" for cell in row) + "\n" for row in numbered)
    return "".join(lines)


def _notebook(rows, *, whole=False, more=()):
    shown = _html(rows)
    data = {"text/html": shown if whole else shown.splitlines(keepends=True), "text/plain": ["<HTML object>"]}
    cells = [{"cell_type": "code", "source": ["x"], "outputs": [{"output_type": "display_data", "data": data}]}]
    return json.dumps({"cells": [*cells, *more], "metadata": {"é": 1}, "nbformat": 4}, indent=1, ensure_ascii=False)


FORMS = {
    "table.txt": _tabs,
    "card.md": _markdown,
    "issue.txt": _blanks,
    "columns.log": _columns,
    "page.html": _html,
    "frame.txt": _numbered,
    "train.ipynb": _notebook,
    "one.ipynb": lambda rows: _notebook(rows, whole=True),
    "table.tsv": _tabs,
}


@pytest.fixture(params=FORMS)
def written(request, tmp_path):
    """Write the table in one of its forms, and return the path and what the form writes for other titles."""
    path = tmp_path / request.param
    path.write_text(FORMS[request.param](LINES), encoding="utf-8")
    return path, FORMS[request.param]


def test_check_reads_each_form_alike(written, capsys):
    """The trainer, the rows and the steps are found, whatever keeps the table."""
    assert main(["check", str(written[0]), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert "DPOTrainer" in found["at"]
    assert (found["rows"], found["steps"]) == (12, [1, 12])


def test_translate_changes_the_titles_and_nothing_else(written, tmp_path, capsys):
    """Names are shown as the table shows names; each other sign is where it was."""
    path, form = written
    out = tmp_path / f"out-{path.name}"

    assert main(["translate", str(path), "--from", DPO, "--to", CANONICAL, "-o", str(out), "--json"]) == 0

    report = json.loads(capsys.readouterr().out)
    names = {old: row["to"] for old, row in report["translated"].items()}
    assert names["rewards/chosen"] == "preference/reward/chosen"
    logged = {title: title.replace(" / ", "/") for title in TITLES[2:]} | {"Training Loss": "loss"}
    titles = [
        names.get(logged.get(title, ""), title).replace("/", " / ") if title != "Step" else title for title in TITLES
    ]
    new, wanted = out.read_text(encoding="utf-8"), form([titles, *CELLS])
    squeeze = path.name in ("columns.log", "frame.txt")
    assert (new.split() == wanted.split()) if squeeze else (new == wanted)


def test_keys_compare_and_plot_read_each_form(written, capsys):
    """The other commands that read logs take it, too."""
    path = str(written[0])
    assert main(["compare", path, path, "--json"]) == 0
    pairs = json.loads(capsys.readouterr().out)["pairs"]
    assert "preference/reward/chosen" in {pair["metric"] for pair in pairs}
    assert main(["plot", path, "rewards/chosen"]) == 0
    assert "rewards/chosen" in capsys.readouterr().out


def test_a_model_card_shows_evaluations(tmp_path, capsys):
    """Capitals are those of evaluated keys, and what was not logged is no number."""
    card = tmp_path / "README.md"
    card.write_text(
        "### Training results\n\n"
        "| Training Loss | Epoch | Step | Validation Loss | Rewards/chosen | Mean Token Accuracy |\n"
        "|:-------------:|:-----:|:----:|:---------------:|:--------------:|:-------------------:|\n"
        "| No log        | 0.5   | 10   | 0.69            | 0.01           | 0.5                 |\n"
        "| 0.6           | 1.0   | 20   | 0.61            | 0.03           | 0.75                |\n"
    )
    assert main(["translate", str(card), "--from", DPO, "--to", CANONICAL, "--json", "--dry-run"]) == 0
    names = set(json.loads(capsys.readouterr().out)["translated"])
    assert {"loss", "eval_loss", "eval_rewards/chosen", "eval_mean_token_accuracy", "epoch"} <= names
    assert main(["check", str(card), "--at", DPO]) == 0
    assert "Training Loss beside an evaluation is the last" in capsys.readouterr().out


def test_each_table_of_a_notebook_is_a_run(tmp_path, capsys):
    """Tables and what was printed in other cells are told apart by their cells."""
    printed = "".join(f"{{'loss': {1 / step}, 'grad_norm': 0.5, 'epoch': {step / 10}}}\n" for step in range(1, 5))
    stream = {"output_type": "stream", "name": "stdout", "text": [printed[:25], printed[25:]]}
    notebook = tmp_path / "two.ipynb"
    notebook.write_text(_notebook(LINES, more=[{"cell_type": "code", "outputs": [stream]}]))

    assert main(["check", str(notebook), "--json"]) == 0
    runs = json.loads(capsys.readouterr().out)
    assert {run["run"].rpartition(":")[2]: run["rows"] for run in runs} == {"cell 1": 12, "cell 2": 4}

    out = tmp_path / "out.ipynb"
    assert (
        main(["translate", str(notebook), "--from", "trl[SFTTrainer]==1.16.0", "--to", CANONICAL, "-o", str(out)]) == 0
    )
    text = "".join(json.loads(out.read_text())["cells"][1]["outputs"][0]["text"])
    assert text == printed.replace("'loss'", "'sft/loss'").replace("'grad_norm'", "'optimizer/gradient_norm'").replace(
        "'epoch'", "'progress/epoch'"
    )


def test_values_that_are_converted_are_written_in_their_cells(tmp_path):
    """A share of the opposite is subtracted from one in each form, and NaN and what was not logged stay."""
    rows = [["Step", "val / contain_eos_token"], ["1", "0.25"], ["2", "No log"], ["3", "nan"], ["4", "1.0"]]
    for name, form in FORMS.items():
        path, out = tmp_path / name, tmp_path / f"out-{name}"
        path.write_text(form(rows), encoding="utf-8")
        source = "trl[OnlineDPOTrainer]==1.16.0"
        assert main(["translate", str(path), "--from", source, "--to", CANONICAL, "-o", str(out)]) == 0
        new = ["0.75", "No log", "nan", "0.0"]
        wanted = form([["Step", "length / truncated_fraction"], *([str(n), cell] for n, cell in enumerate(new, 1))])
        assert out.read_text(encoding="utf-8").split() == wanted.split()


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        (
            "a.txt",
            "Step\tTraining Loss\treward\n1\t0.5\t1\n2\t0.5\n3\t0.5\t1\n",
            ":3:1: a row has 2 cells where the header has 3",
        ),
        ("a.txt", "Step Training Loss Mean Token Accuracy\n1 0.5 0.5\n2 0.5 0.5\n", ":2:1: a row has 3 cells"),
        ("a.ipynb", '{"cells": [\n}', ":2:1: not a notebook: "),
        ("a.ipynb", '{"cells": []}', ": holds no whole row"),
    ],
)
def test_what_is_broken_is_told_in_one_line(tmp_path, capsys, name, text, said):
    """With its place, and nothing is written."""
    path = tmp_path / name
    path.write_text(text)
    source = [] if name.endswith("ipynb") else ["--from", "trl[GRPOTrainer]==1.16.0"]
    assert main(["translate", str(path), *source, "--to", CANONICAL, "-o", str(tmp_path / "o")]) == 2
    told = capsys.readouterr().err
    assert said in told
    assert told.count("\n") == 1
    assert not (tmp_path / "o").exists()


def test_a_frame_is_not_read_with_columns_moved(tmp_path, capsys):
    """Where titles can't be told apart, rows are left out and the reason told: no number gets another's name."""
    path = tmp_path / "a.txt"
    path.write_text("Step Training Loss Mean Token Accuracy\n0 1 0.5 0.5\n1 2 0.5 0.5\n")
    assert main(["check", str(path)]) == 2
    assert "4 cells where the header has 5; paste the table with tabs, or as Markdown" in capsys.readouterr().err


def test_a_frame_whose_index_is_the_step_is_read(tmp_path, capsys):
    """Pandas prints the name of the index on a line of its own, below the titles."""
    path, out = tmp_path / "a.txt", tmp_path / "o.txt"
    rows = "".join(f"{step:<4}   0.{step}5     0.{step}\n" for step in range(1, 10))
    path.write_text(f"print(frame)\n       reward    kl\nstep              \n{rows}\ndone\n")
    assert main(["check", str(path), "--at", "trl[grpo]==0.15.2", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["rows"], found["steps"]) == (9, [1, 9])
    assert main(["translate", str(path), "--from", "trl[grpo]==0.15.2", "--to", "canonical", "-o", str(out)]) == 0
    assert out.read_text().splitlines()[1].split() == ["reward/score/mean", "kl/reference/k3"]
    assert out.read_text().splitlines()[2:] == path.read_text().splitlines()[2:]


def test_prose_and_data_are_no_tables(tmp_path, capsys):
    """A table without a step, or without numbers, is none of logged rows."""
    for number, text in enumerate(
        [
            "name\tage\nAnn\t3\nBob\t4\n",
            "Step | Who\n--- | ---\n1 | Ann\n2 | Bob\n",
            "Step by step\n1 do this\n2 do that\n",
        ]
    ):
        path = tmp_path / f"{number}.txt"
        path.write_text(text)
        assert main(["check", str(path)]) == 2
        assert "is no log of a known kind" in capsys.readouterr().err
