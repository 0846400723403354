"""Tables, through the real command line: the header is translated, the body only where a value changes."""

import csv
import io
import json
import re
import shutil
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from rlmetrics.cli import main
from rlmetrics.logs import csvcells
from rlmetrics.logs.csvcells import quoted_like, split, unquoted

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures" / "runs"
GRPO = "trl[GRPOTrainer]==0.18.2"
MARKS = ("__MIN", "__MAX")


@pytest.fixture
def translated(tmp_path, capsys):
    """Translate a text through the command line and return the exit code, the written bytes and the report."""

    def run(text, source, target, *options):
        path, out = tmp_path / "runs.csv", tmp_path / "out.csv"
        data = text if isinstance(text, bytes) else text.encode()
        path.write_bytes(data)
        code = main(["translate", str(path), "--from", source, "--to", target, "-o", str(out), "--json", *options])
        captured = capsys.readouterr()
        assert data == path.read_bytes()
        if not out.exists():
            return code, captured.err, None
        return code, out.read_bytes(), json.loads(captured.out)

    return run


def test_an_export_of_a_chart_keeps_runs_quotes_and_body(translated):
    """Run names and the marks of minimum and maximum stay around the new name; the body is the same bytes."""
    old = (FIXTURES / "trl-0.18.2-grpo.wandb-export.csv").read_bytes()

    code, new, report = translated(old, GRPO, "verl==0.9.1")

    titles = next(csv.reader([new.splitlines()[0].decode()]))
    assert (code, report["kind"], report["records"]) == (0, "csv", 5)
    assert titles == [
        "training/global_step",
        *(f"{run} - critic/score/mean{mark}" for run in ("bright-sun-1", "dark-moon-2") for mark in ("", *MARKS)),
    ]
    assert old.split(b"\n", 1)[1] == new.split(b"\n", 1)[1]
    assert new.startswith(b'"training/global_step","')


def test_names_of_runs_may_hold_the_separator(translated):
    """The metric begins after the last separator before a known name; an unknown one after the last of all."""
    old = "Step,a - b - train/reward,a - b - train/reward__MIN,train - kl - mine,x - y - mine/own__MAX\n1,2,3,4,5\n"

    code, new, report = translated(old, GRPO, "verl==0.9.1")

    titles = "Step,a - b - critic/score/mean,a - b - critic/score/mean__MIN,train - kl - mine,x - y - mine/own__MAX"
    assert (code, new) == (0, f"{titles}\n1,2,3,4,5\n".encode())
    assert sorted(report["unknown"]) == ["mine", "mine/own"]


def test_a_history_from_the_api_is_translated_by_its_header(translated):
    """A plain table of metrics, axes of W&B among them, changes in its first line only."""
    old = (FIXTURES / "trl-0.18.2-grpo.wandb-api.csv").read_bytes()

    code, new, report = translated(old, GRPO, "canonical")

    titles = new.splitlines()[0].decode().split(",")
    assert code == 0
    assert {"loss/total", "reward/score/mean", "eval/reward/score/mean", "_step", "_runtime"} <= set(titles)
    assert "_step" not in report["unknown"]
    assert old.split(b"\n", 1)[1] == new.split(b"\n", 1)[1]


def test_a_mirrored_metric_swaps_minimum_and_maximum(translated):
    """What counts the opposite is subtracted from one, and the smallest value becomes the largest."""
    key = "val/contain_eos_token"
    old = f"Step,a - {key},a - {key}__MIN,a - {key}__MAX\n1,0.5,0.25,1\n2,,NaN,-inf\n"

    code, new, report = translated(old, "trl[OnlineDPOTrainer]==0.18.2", "canonical")

    new_key = "length/truncated_fraction"
    assert code == 0
    assert report["translated"][key]["transform"] == {"scale": -1.0, "offset": 1.0}
    assert f"Step,a - {new_key},a - {new_key}__MAX,a - {new_key}__MIN\n1,0.5,0.75,0.0\n2,,NaN,inf\n".encode() == new


def test_values_of_an_affine_column_are_converted_and_others_are_not(translated):
    """Only the converted column changes its values; quotes, empty cells, NaN and line ends stay."""
    old = 'Step,actor/lr(1e-4),actor/pg_loss\r\n1,"2.5",0.10\r\n2,,1e-3\r\n3,NaN,x\r\n'

    code, new, report = translated(old, "verl==0.1", "verl==0.9.1")

    assert code == 0
    assert new == b'Step,actor/lr,actor/pg_loss\r\n1,"0.00025",0.10\r\n2,,1e-3\r\n3,NaN,x\r\n'
    assert report["translated"]["actor/lr(1e-4)"]["transform"]["scale"] == 1e-4
    assert report["records"] == 3


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_empty_lines_stay_where_values_are_converted(end, translated):
    """A line without a cell is no row: it is written where it stood, in a wide table as in a long one."""
    wide = end.join(["Step,actor/lr(1e-4)", "1,2.5", "", "2,5", "", ""])
    long = end.join(["step,metric,value", "1,actor/lr(1e-4),2.5", "", "1,mine,3", "", ""])

    _, columns, counted = translated(wide, "verl==0.1", "verl==0.9.1")
    _, points, also = translated(long, "verl==0.1", "verl==0.9.1", "--force")

    assert (counted["records"], also["records"]) == (2, 2)
    assert columns.decode() == end.join(["Step,actor/lr", "1,0.00025", "", "2,0.0005", "", ""])
    assert points.decode() == end.join(["step,metric,value", "1,actor/lr,0.00025", "", "1,mine,3", "", ""])


@given(body=st.text(alphabet='a,"\n\r ', max_size=40), cut=st.integers(1, 4))
def test_rows_are_counted_as_a_reader_of_csv_counts_them(tmp_path_factory, body, cut):
    """Whatever stands between quotes, wherever a read ends, and whichever line ends: empty lines are no rows."""
    text = re.sub("\r(?!\n)", "", body)
    assume(text.count('"') % 2 == 0 and not re.search('[^,\n"]"[^"]*"|"[^",\r\n]', text))
    path = tmp_path_factory.mktemp("rows") / "rows.csv"
    path.write_bytes((text + "\n").encode())
    expected = [row for row in csv.reader(io.StringIO(text + "\n", newline="")) if row]

    with mock.patch.object(csvcells, "_CHUNK", cut), path.open("rb") as file:
        found = csvcells.scan(file, 0)

    assert found == (len(expected), path.stat().st_size)


def test_names_in_a_column_are_translated(translated):
    """A table with a row for each number: its names change, values are converted, and all else stays."""
    old = 'run,step,metric,value,note\na,1,num_tokens,2048,"x,y"\na,1,mine,1.50,\na,1,"epoch",0.25,\n'

    _, new, report = translated(old, "trl[SFTTrainer]==0.18.2", "verl==0.9.1")

    lines = new.decode().splitlines()
    assert lines[:3] == [
        "run,step,metric,value,note",
        'a,1,train/total_tokens(B),2.048e-06,"x,y"',
        "a,1,mine,1.50,",
    ]
    assert (len(lines), report["records"]) == (4, 3)


def test_of_two_names_in_a_column_that_claim_one_the_differing_is_set_aside(translated):
    """Points of two keys with one new name are written once where they agree, and apart where they differ."""
    rows = "step,key,value\n1,train/reward,0.5\n1,reward,{}\n2,train/reward,0.25\n2,reward,0.25\n"

    _, same, _ = translated(rows.format("0.50"), GRPO, "canonical")
    _, other, _ = translated(rows.format("0.75"), GRPO, "canonical", "--force")

    names = [[line.split(",")[1] for line in text.decode().splitlines()[1:]] for text in (same, other)]
    assert names[0] == ["reward/score/mean"] * 2
    assert sorted({*names[1]}) != ["reward/score/mean"]
    assert len(names[1]) == 4


def test_converted_values_keep_their_decimal_commas(translated):
    """A number whose decimals stand behind a comma is converted, and written as it was."""
    old = "step;num_tokens;epoch\r\n1;2048,5;0,25\r\n"

    _, new, _ = translated(old, "trl[SFTTrainer]==0.18.2", "verl==0.9.1")

    assert new.decode().splitlines()[1].startswith("1;2,0485e-06;0,25")


def test_blanks_around_cells_stay(translated):
    """People write a blank after a comma: names and converted numbers get back the blanks that they had."""
    old = 'step, actor/lr(1e-4) ,  mine, "critic/score/mean" \n1,  0.5 ,x , 2\n2, , y,3\n'

    code, new, report = translated(old, "verl==0.1", "verl==0.5.0")
    _, plain, _ = translated(old.replace(" ", ""), "verl==0.1", "verl==0.5.0", "--force")

    assert (code, report["records"]) == (0, 2)
    assert new == b'step, actor/lr ,  mine, "critic/score/mean" \n1,  5e-05 ,x , 2\n2, , y,3\n'
    assert plain == new.replace(b" ", b"")
    code, back, _ = translated(new, "verl==0.5.0", "verl==0.1", "--force")
    assert (code, back.decode()) == (0, old)


def test_text_where_a_number_must_be_converted_is_refused(translated):
    """The line and the column's name are told, and nothing is written."""
    code, error, _ = translated("Step,actor/lr(1e-4)\n1,fast\n", "verl==0.1", "verl==0.9.1")

    assert code == 2
    assert "runs.csv:2" in error
    assert "actor/lr(1e-4)" in error


@pytest.mark.parametrize("tail", ["3", '3,"0.7', "3,"])
def test_a_torn_last_row_is_left_out(translated, tail):
    """A row with too few cells, or an open quote, at the very end was cut off by a crash."""
    code, new, report = translated(f"step,reward,kl\n1,0.5,2\n{tail}", GRPO, "canonical")

    assert code == 1
    assert new == b"step,reward/score/mean,kl/reference/k3\n1,0.5,2\n"
    assert report["lost"] == {"records": 1, "bytes": len(tail)}


def test_a_whole_last_row_without_a_line_end_is_kept(translated):
    """The last row of a table need not end in a line end."""
    _, new, report = translated("step,reward\n1,0.5\n2,0.6", GRPO, "canonical")

    assert new == b"step,reward/score/mean\n1,0.5\n2,0.6"
    assert (report["records"], report["lost"]["records"]) == (2, 0)


def test_two_columns_of_one_new_name_with_different_values_are_set_aside(translated):
    """Neither may be chosen for the other: both keep their values under a name of their own, and the exit code is 1."""
    code, new, report = translated("step,kl,train/kl\n1,0.5,0.7\n", GRPO, "canonical")

    assert code == 1
    assert new == b"step,untranslated/trl-0.18.2/kl,untranslated/trl-0.18.2/train/kl\n1,0.5,0.7\n"
    assert sorted(next(iter(report["collisions"].values()))) == ["kl", "train/kl"]


def test_two_columns_of_one_new_name_with_equal_values_are_written_once(translated):
    """0.50 is 0.5: the second column is left out and reported."""
    code, new, report = translated("step,kl,train/kl,note\n1,0.5,0.50,a\n2,1,1.0,b\n", GRPO, "canonical")

    assert code == 0
    assert new == b"step,kl/reference/k3,note\n1,0.5,a\n2,1,b\n"
    assert report["duplicates"] == {"train/kl": "kl/reference/k3"}


def test_both_names_give_two_columns(translated):
    """``--both`` writes the old column beside the new one."""
    _, new, _ = translated("step,kl\n1,0.5\n", GRPO, "canonical", "--both")

    assert new == b"step,kl/reference/k3,kl\n1,0.5,0.5\n"


def test_runs_of_one_name_do_not_collide(translated):
    """Two runs may share a name: their columns are translated each on its own."""
    code, new, _ = translated("Step,a - b - reward,a - b - reward\n1,0.5,0.7\n", GRPO, "canonical")

    assert code == 0
    assert new == b"Step,a - b - reward/score/mean,a - b - reward/score/mean\n1,0.5,0.7\n"


def test_a_tab_separated_table_with_a_byte_order_mark_and_quoted_line_ends(translated):
    """The delimiter is seen in the header; a quoted line end is no row's end; the mark stays."""
    old = '\ufeffstep\treward\tnote\n1\t0.5\t"two\nlines"\n'.encode()

    _, new, report = translated(old, GRPO, "canonical")

    assert old.replace(b"\treward\t", b"\treward/score/mean\t") == new
    assert report["records"] == 1


def test_a_ragged_row_is_refused_only_where_rows_are_rewritten(translated):
    """A row of another length can't be converted; its line is told."""
    code, error, _ = translated("Step,actor/lr(1e-4)\n1,2\n2,3,4\n", "verl==0.1", "verl==0.9.1")

    assert code == 2
    assert "runs.csv:3: a row has 3 cells where the header has 2" in error


def test_the_source_is_inferred_from_a_header(tmp_path, capsys):
    """Without ``--from``, the names of a chart's columns say which trainer logged them, run names aside."""
    path = Path(shutil.copy(FIXTURES / "trl-0.18.2-grpo.wandb-api.csv", tmp_path / "api.csv"))

    code = main(["translate", str(path), "--to", "canonical"])

    said = capsys.readouterr()
    assert (code, "GRPOTrainer" in said.out) == (1, True)


@given(
    cells=st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8), min_size=1),
    delimiter=st.sampled_from([",", "\t", ";"]),
    quoting=st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL]),
    end=st.sampled_from(["\r\n", "\n"]),
)
def test_cells_are_split_as_python_writes_them(cells, delimiter, quoting, end):
    """Joined again the cells are the same text, and they say what was written."""
    # Python before 3.13 leaves a return unquoted that its line ends don't hold; no reader can tell it from a line end.
    assume(end == "\r\n" or quoting == csv.QUOTE_ALL or "\r" not in "".join(cells))
    buffer = io.StringIO()
    csv.writer(buffer, delimiter=delimiter, quoting=quoting, lineterminator=end).writerow(cells)

    parts = split(buffer.getvalue(), delimiter)

    assert parts is not None
    found, end = parts
    assert buffer.getvalue() == delimiter.join(found) + end
    assert cells == [unquoted(cell) for cell in found]
    assert cells == [unquoted(quoted_like(cell, unquoted(cell.strip(" ")), delimiter)) for cell in found]


@pytest.mark.parametrize("record", ["a,\r\n", "a,b\r\n", '"a","\r"\r\n', '"a","\r"\n'])
def test_a_return_before_the_line_end_belongs_to_it_unless_quoted(record):
    """Cells are those that Python's reader finds."""
    parts = split(record, ",")

    assert parts is not None
    found, end = parts
    assert next(csv.reader(io.StringIO(record, newline=""))) == [unquoted(cell) for cell in found]
    assert record == ",".join(found) + end
