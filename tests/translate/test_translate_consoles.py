"""Logs of consoles, through the real command line: names change within records, every other byte stays."""

import json
import math
import re
import shutil
import time
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from logs import kind_name
from rlmetrics.cli import main
from rlmetrics.logs import kinds
from rlmetrics.logs.consoles import number_in
from rlmetrics.logs.kinds.hf_console import dicts_in
from rlmetrics.translate import InputError, translate_file
from rlmetrics.translate.rewriting.console_lines import number_like

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures" / "runs"
VERL = "verl==0.9.1"
GRPO = "trl[GRPOTrainer]==0.18.2"


@pytest.fixture
def translated(tmp_path, capsys):
    """Translate a text through the command line and return the written text and the report."""

    def run(text, source, target, *options):
        path, out = tmp_path / "console.log", tmp_path / "out.log"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        code = main(["translate", str(path), "--from", source, "--to", target, "-o", str(out), "--json", *options])
        captured = capsys.readouterr()
        assert code in (0, 1), captured.err
        assert path.read_bytes() == (text if isinstance(text, bytes) else text.encode())
        return out.read_bytes().decode("utf-8", "surrogateescape"), json.loads(captured.out)

    return run


def test_completions_with_nul_bytes_are_no_binary_file(translated):
    """A model that knows nothing yet may sample NUL bytes, which GRPO prints: the console is read, and keeps them."""
    rows = "".join(f"{{'loss': 0.1, 'completion_length': {20 + step}.0, 'epoch': 0.1}}\n" for step in range(3))
    old = f"0%| | 0/3\n{rows}\u2502 why \u2502 \0\x11the\0 \u2502 {'-' * 1000}\n"

    new, report = translated(old, "trl[GRPOTrainer]==0.15.2", GRPO)

    assert (report["kind"], report["records"]) == ("hf-console", 3)
    assert new == old.replace("completion_length", "completions/mean_length")


def test_a_binary_file_is_no_console(tmp_path, capsys):
    """What begins with NUL bytes, or is full of them, is refused even where lines of a console stand in it."""
    row = b"\n{'loss': 0.1, 'reward_std': 0.3, 'epoch': 0.1}\n"
    for name, content in {"begin": b"\0\1 rows" + row * 9, "full": b"rows" + (row + b"\0\0\7\0") * 9}.items():
        path = tmp_path / f"{name}.log"
        path.write_bytes(content)

        assert main(["keys", str(path)]) == 2
        assert f"{name}.log: is no log of a known kind" in capsys.readouterr().err


def test_a_verl_log_under_ray_keeps_prefixes_and_values(translated):
    """Prefixes of Ray and progress bars stay; each value is the text it was under the new name, NumPy's included."""
    old = (FIXTURES / "verl-0.9.1-ray.console.log").read_text()

    new, report = translated(old, VERL, "canonical")

    assert (report["kind"], report["records"]) == ("verl-console", 5)
    assert old.splitlines()[0] == new.splitlines()[0]
    for was, now in zip(old.splitlines()[1:], new.splitlines()[1:], strict=True):
        assert was.split(" - ")[0] == now.split(" - ")[0]
        values = [[field.rpartition(":")[2] for field in line.split(" - ")[1:]] for line in (was, now)]
        assert values[0] == values[1]
        assert "actor/" not in now
    assert "policy/loss:np.float64(0.25)" in new


def test_the_print_of_verl_0_5_is_recognised_and_translated_to_a_later_release(translated):
    """Full precision and NumPy's wrappers are read; a log of five months ago fits today's names."""
    old = (FIXTURES / "verl-0.5.0.console.log").read_text()

    new, report = translated(old, "verl==0.5.0", VERL)

    assert report["records"] == 4
    assert "actor/pg_loss" in report["translated"]
    assert [line.split(" - ")[0] for line in old.splitlines()] == [line.split(" - ")[0] for line in new.splitlines()]


def test_learning_rates_of_the_first_verl_are_rescaled(translated):
    """``actor/lr(1e-4)`` is written in units of 1e-4: the value under the new name is the rate itself."""
    new, _ = translated("step:3 - actor/lr(1e-4):0.010 - actor/pg_loss:0.123\n", "verl==0.1", VERL)

    rate = re.fullmatch(r"step:3 - actor/lr:(\S+) - actor/pg_loss:0\.123\n", new)
    assert rate
    assert float(rate[1]) == pytest.approx(1e-6, rel=1e-12)


def test_colours_other_steps_and_bytes_that_are_no_text_stay(translated):
    """Escape codes, lines that only mention a step, and bytes that are no UTF-8 come out as they went in."""
    old = (
        b"\x1b[36m(TaskRunner pid=7)\x1b[0m step:1 - actor/pg_loss:0.5 - x y/z:nan\x1b[0m\r\n"
        b"global_step:1 - actor/pg_loss:0.5\n"
        b"\x1b[32mstep:1 - actor/pg_loss:0.5\x1b[0m\n"
        b"\xff\xfe step by step: actor/pg_loss\n"
        b"Training: 10%|1  | 1/10 [00:01<00:09]step:2 - actor/pg_loss:-1e-06 [repeated 2x]\n"
    )

    new, report = translated(old, VERL, "canonical")

    lines = old.decode("utf-8", "surrogateescape").split("\n")
    lines[0] = lines[0].replace("actor/pg_loss", "policy/loss")
    lines[2] = lines[2].replace("actor/pg_loss", "policy/loss")
    lines[4] = lines[4].replace("actor/pg_loss", "policy/loss")
    assert "\n".join(lines) == new
    assert report["unknown"] == ["x y/z"]


@pytest.mark.parametrize("cut", range(8, 60, 7))
def test_a_verl_line_that_was_cut_off_is_left_out(translated, cut):
    """Wherever a crash cuts the last step, it is left out and counted: its last number may lack digits."""
    whole = "step:1 - actor/pg_loss:0.123\n"
    torn = "step:2 - actor/pg_loss:0.456 - actor/ppo_kl:0.25 - critic/score/mean:0.75"[:cut]

    new, report = translated(whole + torn, VERL, "canonical")

    assert new == "step:1 - policy/loss:0.123\n"
    assert report["lost"] == {"records": 1, "bytes": cut}


@pytest.mark.parametrize(
    ("name", "source", "records"),
    [
        ("trl-0.18.2-grpo.console.log", GRPO, 5),
        ("trl-1.16.0-grpo.console.log", "trl[GRPOTrainer]==1.16.0", 2),
    ],
)
def test_printed_dicts_are_translated_among_progress_bars(translated, name, source, records):
    """Dicts of transformers 4 and 5 change their names and nothing else, after carriage returns and bars."""
    old = (FIXTURES / name).read_bytes()

    new, report = translated(old, source, "canonical")

    assert (report["kind"], report["records"]) == ("hf-console", records)
    assert "{'loss/total': " in new
    pattern = re.compile(r"\{'.*?\}")
    assert pattern.sub("{}", old.decode()) == pattern.sub("{}", new)
    values = re.compile(r": ('[^']*'|[^,}\]]+)[,}]")
    assert [values.findall(text) for text in pattern.findall(old.decode())] == [
        values.findall(text) for text in pattern.findall(new)
    ]


def test_only_dicts_that_stand_alone_are_records(translated):
    """A dict within a sentence is left alone; one after a rank, a colour or a bar is a record."""
    old = (
        "defaults: {'reward': 0, 'epoch': 1}. If this is not desired\n"
        "[rank0]: {'reward': 0.5, 'epoch': 0.1}\n"
        "100%|##| 4/4 [00:00<00:00, 9it/s]{'reward': nan, 'epoch': 0.2}\n"
        "\x1b[32m{\"reward\": tensor(0.5), 'epoch': 0.3}\x1b[0m\n"
    )

    new, report = translated(old, GRPO, "canonical", "--kind", "hf-console")

    assert report["records"] == 3
    assert old.splitlines()[0] == new.splitlines()[0]
    assert "[rank0]: {'reward/score/mean': 0.5, 'progress/epoch': 0.1}" in new
    assert "9it/s]{'reward/score/mean': nan, " in new
    assert "{'reward/score/mean': tensor(0.5), 'progress/epoch': 0.3}\x1b[0m" in new


def test_dicts_that_are_written_above_bars_are_records(translated):
    """Transformers logs an evaluation while its bar is open: tqdm moves the cursor up before the dict."""
    old = (
        "\r 33%|3  | 1/3 [00:00<00:00, 9it/s]\n\r  0%|   | 0/2 [00:00<?, ?it/s]\x1b[A\r        \r\n"
        "\r        \r\x1b[A{'eval_reward': 0.5, 'epoch': 1.0}\n"
        "\r        \x1b[A\r        \r{'reward': 0.25, 'epoch': 1.5}\n"
    )

    for log in (old, old.replace("\x1b", "")):
        new, report = translated(log, GRPO, "canonical", "--force")

        assert report["records"] == 2
        expected = log.replace("'eval_reward'", "'eval/reward/score/mean'").replace("'epoch'", "'progress/epoch'")
        assert expected.replace("'reward'", "'reward/score/mean'") == new


@pytest.mark.parametrize(
    "before",
    [
        "0: ",
        "[default0]:",
        "2026-01-02T10:11:12.5Z ",
        "2026-01-02T10:11:12Z stdout F ",
        "worker-0: ",
        "10.0.0.12: ",
        "trainer-1  | ",
        "INFO:__main__:",
        "INFO: ",
        "2026-01-02 10:11:12,123 - INFO - ",
        "2026-01-02 10:11:12,123 INFO trainer: ",
        "2026-01-02 10:11:12.123 | INFO     | __main__:on_log:57 - ",
        "[INFO|callbacks.py:310] 2026-01-02 10:11:12,373 >> ",
    ],
)
def test_what_collectors_of_logs_put_before_a_line_stays(translated, before):
    """Ranks as SLURM and torchrun name them, hosts as pdsh does, times as containers do, and what loggers write."""
    new, report = translated(before + "{'reward': 0.5, 'epoch': 0.1}\n", GRPO, "canonical")

    assert report["records"] == 1
    assert before + "{'reward/score/mean': 0.5, 'progress/epoch': 0.1}\n" == new


@pytest.mark.parametrize(
    "before", ["args: ", "INFO - the arguments: ", "INFO 05-01 10:00:11 ppo.py:525] Global step 1: ", "step10: "]
)
def test_a_dict_behind_words_is_no_record(tmp_path, before):
    """Neither what a sentence names, nor what a step of another kind of console does, is taken for a logged row."""
    path = tmp_path / "a.log"
    path.write_text(f"{{'reward': 0.5, 'epoch': 0.1}}\n{before}{{'reward': 0.75, 'epoch': 0.2}}\n")
    (run,) = kinds.KINDS["hf-console"].open(path).read()
    assert [row.values["reward"] for row in run.rows] == ["0.5"]


def test_a_long_line_is_searched_in_no_time():
    """What may stand before a dict is bounded: a line full of levels and marks takes no cubic time."""
    begun = time.process_time()
    assert not list(dicts_in("INFO - " * 3000 + "x{'reward': 0.5}\n"))
    assert time.process_time() - begun < 5


def test_a_row_of_json_behind_a_logger_is_a_record(translated):
    """Loggers that write JSON are read as those that print a dict; what is no number in JSON stays as it is."""
    before = "2026-01-02 10:11:12,123 INFO trainer: "
    new, report = translated(before + '{"reward": 0.5, "kl": NaN, "note": null, "epoch": 0.1}\n', GRPO, "canonical")

    assert report["records"] == 1
    assert new.startswith(before + "{")
    row = json.loads(new.removeprefix(before))
    assert (row["reward/score/mean"], row["note"], row["progress/epoch"]) == (0.5, None, 0.1)
    assert any(math.isnan(value) for value in row.values() if isinstance(value, float))


def test_values_of_transformers_5_stay_text_of_four_digits(translated):
    """A converted value is written as it was read: quoted, with four significant digits."""
    new, _ = translated("{'num_tokens': '2.048e+04', 'epoch': '0.2'}\n", "trl[SFTTrainer]==0.18.2", VERL)

    assert "'train/total_tokens(B)': '2.048e-05'" in new


def test_a_dict_that_was_cut_off_is_left_out(translated):
    """Without its closing brace the last dict is torn; a whole one without a line end is kept."""
    whole = "{'reward': 0.5, 'epoch': 0.1}\n"

    torn, torn_report = translated(whole + "{'reward': 0.5, 'epo", GRPO, "canonical")

    assert torn == "{'reward/score/mean': 0.5, 'progress/epoch': 0.1}\n"
    assert torn_report["lost"] == {"records": 1, "bytes": 20}


def test_a_last_dict_without_a_line_end_is_whole(translated):
    """The closing brace says that nothing is missing."""
    new, report = translated("{'reward': 0.5, 'epoch': 0.1}", GRPO, "canonical")

    assert new == "{'reward/score/mean': 0.5, 'progress/epoch': 0.1}"
    assert report["lost"]["records"] == 0


def test_nothing_translated_is_an_error_and_nothing_is_written(tmp_path, capsys):
    """A log without any known name ends with exit code 2 and no output."""
    path = tmp_path / "console.log"
    path.write_text("step:1 - my/own:0.5\n")

    assert main(["translate", str(path), "--from", VERL, "--to", "canonical"]) == 2

    assert "0 keys translated" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_of_logs_is_told_apart(tmp_path):
    """Each log of a folder is recognised by what it holds; other text is left out."""
    for name in ("verl-0.5.0.console.log", "trl-0.18.2-grpo.console.log"):
        shutil.copy(FIXTURES / name, tmp_path / name)
    (tmp_path / "notes.txt").write_text("step by step\n")

    kinds = {path.name: kind_name(path) for path in tmp_path.iterdir()}

    assert kinds == {
        "verl-0.5.0.console.log": "verl-console",
        "trl-0.18.2-grpo.console.log": "hf-console",
        "notes.txt": None,
    }


@pytest.mark.parametrize("target", ["canonical", VERL])
def test_a_translated_console_is_a_console_with_the_same_steps(target, tmp_path):
    """A copy is recognised by its epoch, whatever that is called, and its bars place its rows as they did before."""
    rows = [
        f"{{'loss': 0.{step}, 'learning_rate': 1e-05, 'kl': 0.1, 'reward': 0.25, 'epoch': {step / 10}}}"
        for step in (1, 2, 3)
    ]
    bars = [f"\r 10%|#  | {10 * step}/30 [00:0{step}<00:10,  1.00it/s]" for step in (1, 2, 3)]
    path, copy = tmp_path / "old.log", tmp_path / "new.log"
    summary = "{'train_runtime': 9.5, 'train_loss': 0.2, 'epoch': 0.3}\n"
    path.write_text("".join(f"{bar}\r{row}\n{bar}" for bar, row in zip(bars, rows, strict=True)) + f"\r{summary}")

    translate_file(path, source=GRPO, target=target, output=copy)

    assert "'epoch'" not in copy.read_text() or target == VERL
    assert (kind_name(path), kind_name(copy)) == ("hf-console", "hf-console")
    steps = [
        [row.step for run in kinds.KINDS["hf-console"].open(log).read() for row in run.rows] for log in (path, copy)
    ]
    assert steps == [[10, 20, 30, 30]] * 2


def test_a_value_that_cannot_be_converted_names_its_line(tmp_path):
    """Text and booleans are copied; what an affine relation can't carry is refused, not guessed."""
    path = tmp_path / "console.log"
    path.write_text("hello\nstep:1 - actor/lr(1e-4):True\n")

    translate_file(path, source="verl==0.1", target=VERL, output=tmp_path / "out.log")

    assert (tmp_path / "out.log").read_text() == "hello\nstep:1 - actor/lr:True\n"
    with pytest.raises(InputError, match="unknown kind"):
        translate_file(path, kind="console", source="verl==0.1", target=VERL, output=tmp_path / "other.log")


@given(number=st.floats(allow_nan=False) | st.integers(), wrapper=st.sampled_from(["{}", "np.float64({})", "{}"]))
def test_numbers_are_read_and_written_in_their_wrapper(number, wrapper):
    """A number within NumPy's print is read as the number, and written back it is the same text."""
    text = wrapper.format(repr(number))

    assert Decimal(repr(number)) == number_in(text)
    assert text == number_like(text, number_in(text))
