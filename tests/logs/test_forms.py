"""A log is read as it is in whatever form it comes: packed, in UTF-16, in an archive, framed by a collector, turned.

What is read of a form must be what is read of the plain file, and a copy of a form has that form where there is one.
"""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import lzma
import tarfile
import zipfile
from pathlib import Path

import pyarrow
import pytest
from folders import FIXTURES
from hypothesis import given, settings
from hypothesis import strategies as st
from rlmetrics.cli import main
from rlmetrics.health.judging import logs_of
from rlmetrics.logs.forms import opened
from rlmetrics.logs.input_errors import InputError
from rlmetrics.logs.reading import one_a_step

GRPO = "trl[grpo]==1.16.0"
ROWS = [
    {"step": 10 * number, "loss": 0.5 / number, "kl": 0.001 * number, "completions/mean_length": 100.5 + number}
    for number in range(1, 7)
]
LINES = "".join(f"{json.dumps(row)}\n" for row in ROWS)
TABLE = "".join(",".join(map(str, line)) + "\n" for line in [[*ROWS[0]], *(row.values() for row in ROWS)])
CONSOLE = "".join(
    f"step:{row['step']} - " + " - ".join(f"{key}:{value}" for key, value in row.items() if key != "step") + "\n"
    for row in ROWS
)
PACKED = {
    ".gz": (gzip.compress, gzip.decompress),
    ".bz2": (bz2.compress, bz2.decompress),
    ".xz": (lzma.compress, lzma.decompress),
    ".zst": (
        lambda content: pyarrow.compress(content, codec="zstd", asbytes=True),
        lambda content: pyarrow.CompressedInputStream(pyarrow.BufferReader(content), "zstd").read(),
    ),
}


def read(path: Path) -> list[dict[str, float]]:
    """Return the rows of the only run below a path, as numbers with the step that each is of."""
    (unit,) = logs_of(path)[0]
    (run,) = unit.open().read()
    rows = one_a_step(run.rows)
    return [
        {"step": float(row.step), **{key: float(value) for key, value in row.values.items() if key != "step"}}
        if row.step is not None
        else {key: float(value) for key, value in row.values.items()}
        for row in rows
    ]


@pytest.mark.parametrize("suffix", PACKED)
@pytest.mark.parametrize(("name", "text"), [("run.jsonl", LINES), ("run.csv", TABLE), ("train.log", CONSOLE)])
def test_what_was_packed_is_read_and_a_copy_is_packed_likewise(tmp_path, suffix, name, text):
    """The rows are those of the plain file, and the copy unpacks to the translation of the plain file."""
    pack, unpack = PACKED[suffix]
    plain, packed = tmp_path / name, tmp_path / f"{name}{suffix}"
    plain.write_text(text)
    packed.write_bytes(pack(text.encode()))

    assert read(packed) == read(plain) == ROWS
    for path in (plain, packed):
        assert main(["translate", str(path), "--from", GRPO, "--to", "canonical"]) == 0
    copy = tmp_path / f"{packed.name}.translated"
    assert unpack(copy.read_bytes()) == (tmp_path / f"{name}.translated").read_bytes()


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize(("name", "text"), [("run.jsonl", LINES), ("run.csv", TABLE), ("log.txt", CONSOLE)])
def test_utf_16_is_read_and_a_copy_is_utf_16(tmp_path, encoding, name, text):
    """PowerShell's redirections are texts as any other; line ends stay as they were."""
    plain, wide = tmp_path / name, tmp_path / "wide" / name
    wide.parent.mkdir()
    text = text.replace("\n", "\r\n")
    plain.write_bytes(text.encode())
    wide.write_bytes(f"\ufeff{text}".encode(encoding))

    assert read(wide) == read(plain) == ROWS
    for path in (plain, wide):
        assert main(["translate", str(path), "--from", GRPO, "--to", "canonical"]) == 0
    copy = wide.with_name(f"{name}.translated").read_bytes().decode(encoding)
    assert copy == "\ufeff" + plain.with_name(f"{name}.translated").read_bytes().decode()


def test_a_row_of_utf_16_is_none_of_a_folder_that_is_lost(tmp_path):
    """In a folder, too, the first row of such a file is read."""
    (tmp_path / "run.jsonl").write_bytes(LINES.encode("utf-16"))
    assert read(tmp_path) == ROWS


def _zip(path, members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)


def _tar(path, members):
    with tarfile.open(path, "w:gz" if path.suffix == ".tgz" else "w") as archive:
        for name, content in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))


@pytest.mark.parametrize(("name", "pack"), [("run.zip", _zip), ("run.tgz", _tar), ("run.tar", _tar)])
def test_an_archive_is_read_as_the_folder_that_it_holds(tmp_path, capsys, name, pack):
    """Each run is named below the archive; to translate it, it is to be unpacked."""
    archive = tmp_path / name
    pack(archive, {"a/run.jsonl": LINES.encode(), "b/notes.txt": b"nothing"})

    assert read(archive) == ROWS
    assert [str(unit.path) for unit in logs_of(archive)[0]] == [str(archive / "a" / "run.jsonl")]
    assert main(["translate", str(archive), "--to", "canonical"]) == 2
    assert "unpack it, and translate the folder" in capsys.readouterr().err
    assert not archive.with_name(f"{name}.translated").exists()


def test_a_run_of_wandb_in_a_zip_is_that_run(tmp_path):
    """Its folder, zipped, gives the rows of the folder."""
    folder = next(path.parent for path in sorted((FIXTURES / "runs" / "wandb").rglob("*.wandb")))
    _zip(tmp_path / "run.zip", {f"{folder.name}/{file.name}": file.read_bytes() for file in folder.glob("*.wandb")})

    def rows(path):
        return [row.values.keys() for unit in logs_of(path)[0] for run in unit.open().read() for row in run.rows]

    assert rows(tmp_path / "run.zip") == rows(folder) != []


@pytest.mark.parametrize("name", ["../out.jsonl", "/out.jsonl", "a/../../out.jsonl", "..\\out.jsonl", "C:/out.jsonl"])
@pytest.mark.parametrize(("archive", "pack"), [("run.zip", _zip), ("run.tar", _tar)])
def test_nothing_of_an_archive_leads_out_of_it(tmp_path, archive, pack, name):
    """A member with a name that leads elsewhere is left out, and the others are read."""
    pack(tmp_path / archive, {name: LINES.encode(), "in/run.jsonl": LINES.encode()})
    form = opened(tmp_path / archive)
    assert form is not None
    assert {file.name for file in form.plain.rglob("*") if file.is_file()} == {"run.jsonl"}
    assert not list(form.plain.parent.rglob("out.jsonl"))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("run.jsonl.gz", gzip.compress(LINES.encode())[:-20]),
        ("run.jsonl.xz", lzma.compress(LINES.encode())[:-20]),
        ("run.zip", b"PK\x03\x04" + b"x" * 50),
        ("log.txt", LINES.encode("utf-16")[:-1]),
    ],
)
def test_what_is_damaged_is_refused_in_one_line_that_names_it(tmp_path, capsys, name, content):
    """Nothing is read of half a file without a word, and no temporary file is named."""
    path = tmp_path / name
    path.write_bytes(content)
    assert main(["check", str(path)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"rlmetrics check: {path}: ")


@given(cuts=st.lists(st.integers(1, 60), min_size=1, max_size=20))
@settings(max_examples=25, deadline=None)
def test_docker_s_parts_of_lines_are_put_together(tmp_path_factory, cuts):
    """However Docker cut what was printed, the rows are those that were printed."""
    entries, at, number = [], 0, 0
    while at < len(CONSOLE):
        size = cuts[number % len(cuts)]
        number += 1
        entries.append({"log": CONSOLE[at : at + size], "stream": "stdout", "time": "2026-01-02T03:04:05Z"})
        at += size
    path = tmp_path_factory.mktemp("docker") / "abc-json.log"
    path.write_text("".join(f"{json.dumps(entry)}\n" for entry in entries))
    assert read(path) == ROWS


def test_what_journald_collected_is_what_was_printed(tmp_path):
    """As JSON, with bytes where a line has colours, and as an export with a line of several."""
    lines = CONSOLE.splitlines()
    entries: list[dict[str, object]] = [{"__REALTIME_TIMESTAMP": "17", "MESSAGE": line} for line in lines]
    entries[1]["MESSAGE"] = [*f"\x1b[36m{lines[1]}".encode()]
    (tmp_path / "unit.json").write_text("".join(f"{json.dumps(entry)}\n" for entry in entries))
    wide = b"two\n" + lines[0].encode()
    exported = b"__CURSOR=a\n__REALTIME_TIMESTAMP=17\nMESSAGE\n" + len(wide).to_bytes(8, "little") + wide + b"\n\n"
    exported += b"".join(f"__CURSOR=b\nMESSAGE={line}\n_PID=1\n\n".encode() for line in lines[1:])
    (tmp_path / "unit.export").write_bytes(exported)

    assert read(tmp_path / "unit.json") == read(tmp_path / "unit.export") == ROWS


def test_rows_with_a_text_called_log_are_no_collected_console(tmp_path):
    """A logger's own rows may have a field of that name: others beside it are metrics."""
    path = tmp_path / "run.jsonl"
    path.write_text("".join(f"{json.dumps(row | {'log': 'fine'})}\n" for row in ROWS))
    assert opened(path) is None


KEYS = st.sampled_from(["loss", "kl", "completions/mean_length", "rewards/f/mean", "grad_norm"])
FRAMES = st.lists(KEYS, min_size=2, max_size=5, unique=True).flatmap(
    lambda keys: st.lists(
        st.fixed_dictionaries({key: st.floats(-1e6, 1e6).map(lambda value: round(value, 6)) for key in keys}),
        min_size=3,
        max_size=8,
    )
)


@given(rows=FRAMES, first=st.integers(1, 50), by=st.integers(1, 20))
@settings(max_examples=40, deadline=None)
def test_frames_are_read_in_each_orientation(tmp_path_factory, rows, first, by):
    """Split, by index, and turned: the rows are those of the frame, at the steps of its index."""
    folder = tmp_path_factory.mktemp("frames")
    steps = [first + by * number for number in range(len(rows))]
    wanted = [{"step": float(step), **row} for step, row in zip(steps, rows, strict=True)]
    columns = [*rows[0]]
    split = {"columns": columns, "index": steps, "data": [[row[key] for key in columns] for row in rows]}
    (folder / "split.json").write_text(json.dumps(split))
    (folder / "index.json").write_text(json.dumps(dict(zip(map(str, steps), rows, strict=True)), indent=1))
    with (folder / "turned.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["", *steps], *([key, *(row[key] for row in rows)] for key in columns)])

    for name in ("split.json", "index.json", "turned.csv"):
        assert read(folder / name) == wanted


def test_an_index_that_only_numbers_rows_is_no_step(tmp_path):
    """Rows with a step of their own keep it, whatever the index says."""
    split = {"columns": [*ROWS[0]], "index": [*range(6)], "data": [[*row.values()] for row in ROWS]}
    (tmp_path / "split.json").write_text(json.dumps(split))
    assert read(tmp_path / "split.json") == ROWS


def test_a_dashboard_or_settings_are_no_frame(tmp_path):
    """Objects by number that hold more than numbers and texts, and lists of other lengths, are left to others."""
    for number, content in enumerate(
        [
            {"columns": ["a", "b"], "data": [[1]]},
            {"columns": ["a"], "data": [[1]], "panels": []},
            {"0": {"a": {"b": 1}}, "1": {"a": {"b": 2}}},
            {"0": {"a": 1}, "1": {"b": 2}},
        ]
    ):
        path = tmp_path / f"{number}.json"
        path.write_text(json.dumps(content))
        assert opened(path) is None


STATISTICS = ["count", "mean", "std", "min", "25%", "50%", "75%", "max"]


@pytest.mark.parametrize("is_turned", [False, True])
def test_what_describe_says_is_no_run(tmp_path, capsys, is_turned):
    """One line says so, and nothing is written."""
    lines = [["", *ROWS[0]], *([name, *ROWS[0].values()] for name in STATISTICS)]
    path = tmp_path / "run.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows(zip(*lines, strict=True) if is_turned else lines)

    for words in (["check", str(path)], ["translate", str(path), "--to", "canonical"]):
        assert main(words) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert "is what df.describe() says of a run" in line
    assert [*tmp_path.iterdir()] == [path]


def test_what_describe_says_is_no_run_as_text_or_html(tmp_path, capsys):
    """Printed, or shown in a notebook, it is none either."""
    rows = "\n".join(f"{name}  1.0  2.0  3.0" for name in STATISTICS)
    cells = "".join(f"<tr><th>{name}</th><td>1.0</td><td>2.0</td></tr>\n" for name in STATISTICS)
    texts = {
        "run.txt": f"       step  loss  kl\n{rows}\n",
        "run.html": f"<table><tr><th></th><th>step</th><th>loss</th></tr>\n{cells}</table>\n",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
        assert main(["check", str(tmp_path / name)]) == 2
        assert "df.describe()" in capsys.readouterr().err


def test_excel_s_first_line_that_names_the_delimiter_stays(tmp_path):
    """It is no header, and a copy has it, too."""
    path = tmp_path / "run.csv"
    path.write_bytes(
        b"\xef\xbb\xbfsep=;\r\n" + TABLE.replace(",", ";").replace(".", ",").replace("\n", "\r\n").encode()
    )
    assert read(path) == ROWS
    assert main(["translate", str(path), "--from", GRPO, "--to", "canonical"]) == 0
    assert (tmp_path / "run.csv.translated").read_bytes().startswith(b"sep=;\r\n")


@pytest.mark.parametrize(
    ("cells", "wanted"),
    [
        (['"1,234"', "0.5"], [1234.0, 0.5]),
        (['"1,234,567.25"', "0.5"], [1234567.25, 0.5]),
    ],
)
def test_commas_between_thousands_are_none_of_decimals(tmp_path, cells, wanted):
    """Where decimals stand behind points, a comma can only part thousands."""
    path = tmp_path / "run.csv"
    path.write_text("step,num_tokens,loss\n" + "".join(f"{step},{','.join(cells)}\n" for step in (1, 2, 3)))
    assert read(path)[0] == {"step": 1.0, "num_tokens": wanted[0], "loss": wanted[1]}


def test_commas_that_may_be_either_are_left_alone(tmp_path):
    """Without a point anywhere nobody knows, so that nothing is taken for a number."""
    path = tmp_path / "run.csv"
    path.write_text('step,num_tokens,loss\n1,"1,234","0,5"\n2,"2,345","0,4"\n')
    assert opened(path) is None


def test_a_text_that_is_nothing_but_a_table_is_that_table(tmp_path):
    """Named .txt, too; a sentence with commas is none."""
    (tmp_path / "run.txt").write_text(TABLE)
    assert read(tmp_path / "run.txt") == ROWS
    (tmp_path / "words.txt").write_text("step, loss and kl,\nwent up, then down,\nin the end, not at all,\n")
    assert opened(tmp_path / "words.txt") is None


@given(rows=FRAMES, as_list=st.booleans())
@settings(max_examples=25, deadline=None)
def test_dicts_of_python_are_read_where_json_is_expected(tmp_path_factory, rows, as_list):
    """One a line or in a list, with NumPy's and PyTorch's numbers."""
    shown = [
        "{" + ", ".join(f"{key!r}: np.float64({value!r})" for key, value in ({"step": at} | row).items()) + "}"
        for at, row in enumerate(rows, start=1)
    ]
    path = tmp_path_factory.mktemp("python") / ("run.json" if as_list else "run.jsonl")
    path.write_text("[" + ",\n ".join(shown) + "]" if as_list else "\n".join(shown) + "\n")
    assert read(path) == [{"step": float(at), **row} for at, row in enumerate(rows, start=1)]


def test_nothing_of_such_a_dict_is_run(tmp_path):
    """Whatever stands in a row, it is read and never executed."""
    path = tmp_path / "run.jsonl"
    path.write_text("{'step': 1, 'loss': __import__('os').system('touch x') or 2}\n")
    assert opened(path) is None


def test_objects_within_objects_are_keys_of_several_parts(tmp_path):
    """Rows by topic are rows; values that a logger frames, and settings, are as before."""
    path, framed = tmp_path / "run.jsonl", tmp_path / "framed.jsonl"
    rows = [{"step": 1, "actor": {"pg_loss": 0.5}, "critic": {"score": {"mean": 0.25, "max": 1}}}]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    framed.write_text('{"step": 1, "data": {"actor/pg_loss": 0.5}}\n')
    assert read(path) == [{"step": 1, "actor/pg_loss": 0.5, "critic/score/mean": 0.25, "critic/score/max": 1}]
    assert opened(framed) is None


def test_what_is_left_of_a_run_of_mlflow_is_read(tmp_path, capsys):
    """Its metrics alone, without the file that says of which run; one folder too deep is told."""
    for key in ("loss", "rewards/f/mean"):
        file = tmp_path / "run" / "metrics" / key
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("".join(f"170000000000{step} 0.{step} {step}\n" for step in (1, 2)))
    assert read(tmp_path / "run") == [{"step": step, "loss": step / 10, "rewards/f/mean": step / 10} for step in (1, 2)]
    assert main(["check", str(tmp_path / "run" / "metrics")]) == 2
    assert "give the folder that it lies in" in capsys.readouterr().err


def test_a_packed_file_that_changes_is_read_anew(tmp_path):
    """What was unpacked is kept as long as the file is as it was, and no longer."""
    path = tmp_path / "run.jsonl.gz"
    path.write_bytes(gzip.compress(LINES.encode()))
    assert len(read(path)) == 6
    path.write_bytes(gzip.compress((LINES + '{"step": 70, "loss": 0.1, "kl": 0.5}\n').encode()))
    assert len(read(path)) == 7


def test_a_damaged_archive_raises(tmp_path):
    """From Python, too, it is an input error."""
    (tmp_path / "run.zip").write_bytes(b"PK\x03\x04")
    with pytest.raises(InputError, match="zip archive that is damaged"):
        opened(tmp_path / "run.zip")
