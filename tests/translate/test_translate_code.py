"""Code that reads logs by their keys, through the real command line: listed, and rewritten on request."""

import ast
import json
import keyword
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rlmetrics.cli import main
from rlmetrics.translate.code_strings import code_strings, with_strings_replaced

OLD, NEW = "trl[GRPOTrainer]==0.15.2", "trl[GRPOTrainer]==1.16.0"
CODE = '''\
"""Read train/completion_length of runs."""
import pandas as pd

KEYS = ['train/completion_length',  "kl"]  # completion_length


def read(df, name):
    x = df["completion_length"]; y = df.get('reward_std')
    z = df[f"rewards/{name}"] + df["completions/" + name] + df["objective/%s" % name]
    label = f"{x} of completion_length"
    return r"completion_length", B, "my completion_length", u'completion_length'
'''


@pytest.fixture
def code(tmp_path, capsys):
    """Write code, run the command on it and return the exit code, the report and what was written."""

    def run(text, *options, name="plot.py", source=OLD, target=NEW):
        path, out = tmp_path / name, tmp_path / f"out-{name}"
        path.write_bytes(text.encode())
        origin = [] if source is None else ["--from", source]
        done = main(["translate", str(path), *origin, "--to", target, "-o", str(out), "--json", *options])
        said = capsys.readouterr()
        assert path.read_bytes() == text.encode()
        return done, json.loads(said.out) if said.out else said.err, out.read_text() if out.exists() else None

    return run


def test_keys_of_other_releases_are_listed_and_kept(code):
    """Code that reads several releases names keys that the source never had; a word of no release is passed over."""
    text = 'df["policy/approxkl_avg"], df["ppo/policy/approxkl"], df["data/approxkl"]\n'
    done, report, _ = code(text, source="trl[PPOTrainer]==0.7.11", target="trl[PPOTrainer]==0.12.0")

    assert done == 0
    rows = [(key["key"], key["to"], key["severity"]) for key in report["keys"]]
    assert rows == [("policy/approxkl_avg", None, "none"), ("ppo/policy/approxkl", "policy/approxkl_avg", "biased")]
    assert "another release or trainer" in report["keys"][0]["why"]


def test_keys_are_listed_with_line_and_severity(code):
    """Texts for readers are none of them, and nothing is written."""
    done, report, written = code(CODE)
    assert (done, written) == (0, None)
    places = [(key["line"], key["key"], key["to"], key["severity"]) for key in report["keys"]]
    moved = "completions/mean_length"
    assert places == [
        (4, "train/completion_length", f"train/{moved}", "close"),
        (4, "kl", "kl", "biased"),
        (8, "completion_length", moved, "close"),
        (8, "reward_std", None, "look-alike"),
        (11, "completion_length", moved, "close"),
        (11, "completion_length", moved, "close"),
    ]
    assert report["keys"][2]["column"] == 12


def test_what_is_put_together_is_reported_and_never_rewritten(code):
    """Formatted, added and joined texts that look like keys stand apart."""
    _, report, written = code(CODE, "--code")
    assert [(one["line"], one["key"]) for one in report["joined"]] == [
        (9, "rewards/{…}"),
        (9, "completions/{…}"),
        (9, "objective/{…}"),
    ]
    for text in ('f"rewards/{name}"', '"completions/" + name', '"objective/%s" % name'):
        assert text in written


def test_rewriting_changes_the_literals_and_nothing_else(code):
    """Quotes, prefixes, comments and blanks stay, and so do texts that only hold a key."""
    done, report, written = code(CODE, "--code")
    assert done == 0
    assert report["outputs"]
    assert report["translated"]["completion_length"]["to"] == "completions/mean_length"
    wanted = CODE
    for old in ("'train/completion_length'", '["completion_length"]', 'r"completion_length"', "u'completion_length'"):
        wanted = wanted.replace(old, old.replace("completion_length", "completions/mean_length"))
    assert written == wanted


def test_each_name_comes_from_whoever_logs_it(code):
    """Without a source, keys of several trainers in one file are each found; what is uncertain says so."""
    text = 'for key in ["completion_length", "rewards/accuracies", "objective/kl"]:\n    plot(df[key])\n'
    _, report, _ = code(text, source=None, target="trl==1.16.0")
    assert [key["key"] for key in report["keys"]] == ["completion_length", "rewards/accuracies", "objective/kl"]
    _, report, _ = code(text, source=None, target="canonical")
    several = next(key for key in report["keys"] if key["key"] == "rewards/accuracies")
    assert several["to"] is None
    assert "means several things: " in several["why"]


def test_a_literal_in_pieces_is_reported(code):
    """One text over two literals has no one place for a new name, so that no copy is written."""
    _, report, written = code('x = df["completion_" "length"]\n', "--code")
    assert "in several pieces" in report["keys"][0]["why"]
    assert written is None


def test_cells_of_notebooks_are_code_too(code):
    """Lines for the notebook itself are passed over, and every other byte stays."""
    cell = ["%matplotlib inline\n", "!pip list\n", "é = df['completion_length']"]
    cells = [
        {"cell_type": "markdown", "source": ["completion_length"]},
        {"cell_type": "code", "source": cell, "outputs": []},
    ]
    text = json.dumps({"cells": cells, "nbformat": 4}, indent=1)
    _, report, written = code(text, "--code", name="plot.ipynb")
    assert [(key["cell"], key["line"]) for key in report["keys"]] == [(2, 3)]
    assert written == text.replace("['completion_length']", "['completions/mean_length']")


@pytest.mark.parametrize(
    ("text", "options", "said"),
    [
        ("x = = 1\n", [], "plot.py:1:5: not Python"),
        ("x = 'mine'\n", [], "plot.py: names no key that a described release logs"),
    ],
)
def test_what_can_not_be_read_is_told_in_one_line(code, text, options, said):
    """With its place, and nothing is written."""
    done, report, written = code(text, *options)
    assert (done, written) == (2, None)
    assert said in report
    assert report.count("\n") == 1


def test_other_files_take_no_code(tmp_path, capsys):
    """The option is for Python and notebooks."""
    path = tmp_path / "a.jsonl"
    path.write_text('{"loss": 1}\n')
    assert main(["translate", str(path), "--to", NEW, "--code"]) == 2
    assert "--code takes a file of Python source or a notebook" in capsys.readouterr().err


NAMES = st.from_regex(r"[a-z]{1,6}", fullmatch=True).filter(lambda name: not keyword.iskeyword(name))
TEXTS = st.text(alphabet="ab/_ é\\'\"\n{}%#", max_size=8)


@given(st.lists(st.tuples(NAMES, TEXTS, st.booleans()), min_size=1, max_size=6))
def test_replacing_literals_by_themselves_changes_no_tree(statements):
    """Whatever stands in a program: the place of each text is that of its literal."""
    source = "".join(f"{name} = [{text!r}, 1]{'  # é' if comment else ''}\n" for name, text, comment in statements)
    strings = code_strings(Path("a.py"), source)
    assert [one.text for one in strings] == [text for _, text, _ in statements]
    new = {one.index: f"n{number}" for number, one in enumerate(strings) if one.index is not None}
    assert len(new) == len(strings)
    written = with_strings_replaced(Path("a.py"), source, new)
    values = [node.value for node in ast.walk(ast.parse(written)) if isinstance(node, ast.Constant)]
    assert sorted(str(value) for value in values if value != 1) == sorted(new.values())


def test_a_template_that_is_filled_in_is_told_once(code):
    """Its literal is rewritten like any other; that it is put together is no reason to leave it alone."""
    done, report, written = code('def f(row, n):\n    return row["rewards/{}".format(n)]\n', "--code")

    assert done == 0
    assert [(key["key"], key["to"]) for key in report["keys"]] == [("rewards/{}", "rewards/{}/mean")]
    assert report["joined"] == []
    assert 'row["rewards/{}/mean".format(n)]' in written


def test_keys_within_regular_expressions_are_told(code):
    """No program can rewrite what a pattern may match; which old names stand in it is said."""
    text = 'import re\nPATTERN = re.compile(r"^(completion_length|kl)$")\nx = row["kl"]\n'
    done, report, written = code(text, "--code")

    assert done == 0
    (found,) = report["mentioned"]
    assert (found["line"], found["key"]) == (2, "completion_length")
    assert "completions/mean_length" in found["why"]
    assert written is None


def test_a_notebook_that_has_shown_nothing_is_code(code):
    """It is no log, so its keys are listed as those of a script are, and nothing is written."""
    cell = {"cell_type": "code", "metadata": {}, "source": ['x = row["completion_length"]'], "outputs": []}
    text = json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
    done, report, written = code(text, name="bare.ipynb")
    assert (done, written) == (0, None)
    assert [(key["cell"], key["line"], key["key"]) for key in report["keys"]] == [(1, 1, "completion_length")]


def test_outputs_of_a_rewritten_notebook_keep_their_names_and_that_is_said(tmp_path, capsys):
    """They show what ran; the notebook is run again, or translated as the log that it is."""
    table = "<table><thead><tr><th>Step</th><th>completion_length</th></tr></thead></table>"
    output = {"output_type": "display_data", "metadata": {}, "data": {"text/html": [table]}}
    for name, outputs in (("shown.ipynb", [output]), ("bare.ipynb", [])):
        cell = {"cell_type": "code", "metadata": {}, "source": ['x = row["completion_length"]'], "outputs": outputs}
        path = tmp_path / name
        path.write_text(json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
        assert main(["translate", str(path), "--from", OLD, "--to", NEW, "--code"]) == 0
        said = " ".join(capsys.readouterr().out.split())
        assert ("What cells have shown keeps its names" in said) == bool(outputs)
        assert ("completion_length" in Path(f"{path}.translated").read_text()) == bool(outputs)
