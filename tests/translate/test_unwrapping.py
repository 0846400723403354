"""A console of verl that a terminal cut at its width is read as it was printed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rlmetrics.cli import main
from rlmetrics.health import check
from rlmetrics.logs.kinds import hf_console, kind_of, verl_console
from rlmetrics.logs.unwrapping import unwrapped_lines, width_of

KEYS = [f"actor/metric_{number}" for number in range(12)] + ["critic/score/mean", "timing_s/step"]


def step(number, prefix="(TaskRunner pid=7) "):
    """Return the line that verl prints at a step."""
    values = {key: f"{(number * 7919 + place * 104729) % 1000 / 1000:.3f}" for place, key in enumerate(KEYS)}
    return f"{prefix}step:{number} - " + " - ".join(f"{key}:{value}" for key, value in values.items())


def cut(line, width, *, bare=False):
    """Return a line as a terminal shows it; copied without blanks at the ends of its parts, if so wanted."""
    parts = [line[at : at + width] for at in range(0, len(line), width)]
    return [part.rstrip(" ") if bare else part for part in parts]


def rows(path):
    """Return steps and values of a console."""
    (run,) = verl_console.KIND.open(path).read()
    return [(row.step, dict(row.values)) for row in run.rows], run.account.notes


@pytest.mark.parametrize("bare", [False, True])
@pytest.mark.parametrize("prefix", ["", "(TaskRunner pid=7) ", "\x1b[36m(TaskRunner pid=7)\x1b[0m "])
@pytest.mark.parametrize("width", [80, 120, 160, 213])
def test_a_wrapped_console_reads_as_it_was_printed(tmp_path, width, prefix, bare):
    """Whatever the width and the prefix, with progress bars and messages in between."""
    printed = [step(number, prefix) for number in range(1, 9)]
    other = ["Training Progress:  10%|#         | 1/10 [00:10<01:30, 10.1s/it]", "a message"]
    (tmp_path / "whole.log").write_text("".join(f"{line}\n{other[0]}\n{other[1]}\n" for line in printed))
    bare_prefix = prefix.replace("\x1b[36m", "").replace("\x1b[0m", "")
    shown = []
    for line in printed:
        parts = cut(line.replace(prefix, bare_prefix, 1), width, bare=bare)
        shown += [parts[0].replace(bare_prefix, prefix, 1), *parts[1:], *other]
    (tmp_path / "cut.log").write_text("".join(f"{line}\n" for line in shown))

    assert rows(tmp_path / "cut.log") == (rows(tmp_path / "whole.log")[0], [])


def test_a_wrapped_console_is_translated_as_it_was_printed(tmp_path):
    """Names that were cut in two get their new name."""
    (tmp_path / "cut.log").write_text("\n".join(part for number in range(5) for part in cut(step(number), 100)) + "\n")

    code = main(["translate", str(tmp_path / "cut.log"), "--from", "verl==0.5.0", "--to", "canonical"])

    lines = (tmp_path / "cut.log.translated").read_text().splitlines()
    assert (code, len(lines)) == (0, 5)
    assert all("reward/score/mean" in line for line in lines)


def test_what_cannot_be_joined_is_said(tmp_path):
    """Where parts are missing, the report says that lines look cut, and what to do."""
    lines = [part for number in range(1, 9) for part in (cut(step(number), 80)[0], "…")]
    (tmp_path / "cut.log").write_text("\n".join(lines) + "\n")

    (report,) = check(tmp_path / "cut.log", at="verl==0.5.0")

    told = "8 of 8 steps look cut at 80 columns and are read in part; let the run print to a file instead of a terminal"
    assert told in report.notes


@given(
    st.lists(st.sampled_from(["", "note", "x" * 59, "x" * 60, "step:1 - a:1", "step:22 - " + "b" * 50]), max_size=40)
)
def test_lines_that_are_no_steps_stay(lines):
    """Nothing is joined that is not a whole record then."""
    begins = "step:".__eq__
    width = width_of(lines, lambda line: line.startswith("step:"))
    ended = [f"{line}\n" for line in lines]

    assert list(unwrapped_lines(ended, width or 60, lambda line: line.startswith("step:"), begins)) == ended


def dicts(count=9):
    """Return the lines of a Hugging Face trainer: a dict each, after a progress bar in every second one."""
    for number in range(1, count):
        values = {"loss": 0.7 - 0.03 * number, "rewards/chosen": number * 0.7391, "kl": number * 1e-05}
        values |= {"rewards/rejected": -number * 0.1234567, "logits/chosen": -597375.0 * number, "epoch": number / 9}
        yield (f" {number}%|#    | {number}/100 [00:10<01:30, 10.1s/it]" if number % 2 else "") + str(values)


@pytest.mark.parametrize("width", [60, 97, 112])
def test_dicts_that_a_terminal_cut_read_as_they_were_printed(tmp_path, width):
    """Whatever the width, the dicts of a Hugging Face console are put together, within numbers and names alike."""
    whole, shown = tmp_path / "whole.log", tmp_path / "cut.log"
    whole.write_text("".join(f"{line}\n" for line in dicts()))
    shown.write_text("".join(f"{part}\n" for line in dicts() for part in cut(line, width)))
    kind = kind_of(shown)

    read = [
        [dict(row.values) for run in hf_console.KIND.open(path).read() for row in run.rows] for path in (whole, shown)
    ]

    assert kind is hf_console.KIND
    assert len(read[0]) == 8
    assert read[1] == read[0]


@pytest.mark.parametrize("suffix", [".md", ".rst", ".txt", ".log"])
def test_consoles_that_were_pasted_into_a_text_are_read(tmp_path, suffix, capsys):
    """What decides is what a text holds, not how its name ends; among other files of a folder a text is no log."""
    path = tmp_path / f"notes{suffix}"
    lines = [f"    {line}" if suffix == ".rst" else line for line in dicts()]
    path.write_text("\n".join(["# What I see", "", "```", *lines, "```", ""]))

    code = main(["check", str(path), "--at", "trl[dpo]==0.24.0"])
    assert (code, "8 rows" in capsys.readouterr().out) == (0, True)

    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "README.md").write_text(path.read_text())
    assert main(["check", str(tmp_path / "runs"), "--at", "trl[dpo]==0.24.0"]) == 2
