"""What holds for every kind of log: values, unknown names, look-alikes, conversions, collisions, round trips, tears."""

import random
import struct
from decimal import Context, Decimal
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from logs import LOGS
from rlmetrics.translate import translate_file
from translate.every_kind import FLIPPED, ROWS, translate
from wandb_frames import framed, payloads

OLD_VERL, SCALED = "verl==0.1", "actor/lr(1e-4)"
VERL, DPO, PPO = "verl==0.9.1", "trl[OnlineDPOTrainer]==0.18.2", "trl[PPOTrainer]==0.7.10"


@pytest.fixture(params=LOGS)
def log(request):
    """Each kind of log in turn."""
    return LOGS[request.param]


BINARY = {"events": 6, "mlruns.db": 14, "run.parquet": 15, "points.parquet": 15}
"""Digits that survive in binary numbers, of TensorBoard in four bytes, of MLflow and Parquet in eight."""


def _numbers(name):
    """Numbers as a log of this kind spells them."""
    digits = BINARY.get(name, 25)
    powers = st.integers(-20, 5) if name != "mlruns.db" else st.just(-digits)
    signs, whole = st.sampled_from(("", "-")), st.integers(0, 10**digits - 1)
    decimals = st.builds("{}{}e{}".format, signs, whole, powers)
    if name in BINARY:
        return decimals.map(float).map(repr)
    floats = st.floats(allow_nan=False, allow_infinity=False).map(repr)
    return floats if name == "mlruns" else floats | decimals


@pytest.mark.parametrize("name", LOGS)
def test_converted_values_come_back_digit_for_digit(name, tmp_path):
    """Multiplied and divided, or subtracted from one twice, any number that fits is the same, however it is spelled."""
    log = LOGS[name]
    # Of the names with a factor there is none that MLflow allows.
    key, source, target = (FLIPPED, DPO, "canonical") if log.kind == "mlflow" else (SCALED, OLD_VERL, VERL)

    def read(text):
        return float(text) if name in BINARY else Decimal(text).normalize(Context(prec=400))

    @settings(max_examples=10, deadline=None)
    @given(st.lists(_numbers(name), min_size=1, max_size=80))
    def check(numbers):
        with TemporaryDirectory(dir=tmp_path) as place:
            there, back = Path(place, f"out-{log.name}"), Path(place, "back")
            new, _ = translate(log, Path(place), [{key: number} for number in numbers], source, target)
            translate_file(there, source=target, target=source, output=back, kind=log.kind)

            assert key not in new[0]
            written = map(_single, numbers) if name == "events" else numbers
            assert list(map(read, written)) == [read(row[key]) for row in log.read(back)]

    check()


def _single(text):
    """The float32 next to a number."""
    return struct.unpack("f", struct.pack("f", float(text)))[0]


@pytest.mark.parametrize("name", [name for name, log in LOGS.items() if log.tears and name != "mlruns"])
def test_any_cut_keeps_the_whole_rows(name, tmp_path):
    """Wherever a crash cuts a file: what comes before the torn row is all there, and the bytes lost are counted."""
    log = LOGS[name]
    log.write(tmp_path / name, ROWS)
    file = tmp_path / name if (tmp_path / name).is_file() else next((tmp_path / name).iterdir())
    whole = file.read_bytes()
    translate_file(tmp_path / name, source=VERL, target="canonical", output=tmp_path / "whole", kind=log.kind)
    expected = log.read(tmp_path / "whole")
    cuts = random.Random(name).sample(range(len(whole) // 2, len(whole)), 25)
    for cut in sorted({*cuts, len(whole) - 1, len(whole)}):
        file.write_bytes(whole[:cut])

        report = translate_file(
            tmp_path / name, source=VERL, target="canonical", output=tmp_path / "out", kind=log.kind, force=True
        )

        found = log.read(tmp_path / "out")
        complete, rest = _whole_rows(name, whole[:cut])
        assert expected[:complete] == found[:complete], cut
        assert len(found) - complete in {0, 1}, cut
        if len(found) == complete:
            # The beginning of a step may be any output, and so may the whole line that names one.
            begin, line = {"verl.log": ("step:", ""), "steps.log": ("INFO - Step 1", "INFO - Step 1: \n")}.get(
                name, ("", "")
            )
            rest = 0 if rest <= len(begin) or rest == len(line) else rest
            assert rest == report.lost.bytes, cut
        elif name == "events":
            assert found[-1].items() <= expected[complete].items(), cut
        else:
            # A row that lacks nothing but its end, and in a table perhaps the end of its last cell.
            last = list(expected[complete].values())[:-1] if name == "run.csv" else list(expected[complete].values())
            assert last == list(found[-1].values())[: len(last)], cut


def _whole_rows(name, content):
    """How many rows are whole, and how many bytes follow the last one."""
    if name == "events":
        at, ends = 0, [0]
        while at + 12 <= len(content) and at + 16 + int.from_bytes(content[at : at + 8], "little") <= len(content):
            at += 16 + int.from_bytes(content[at : at + 8], "little")
            ends.append(at)
        return (len(ends) - 1) // len(ROWS[0]), len(content) - ends[-1]
    if name == "run-a.wandb":
        whole = payloads(content)
        return len(whole), len(content) - sum(map(len, framed(whole)))
    if name == "trainer_state.json":
        _, _, rest = content.partition(b'"log_history": [')
        count = rest.count(b"}") - rest.count(b"\n}")
        if b"]" in rest:
            return count, 0 if rest.rstrip().endswith(b"}") else len(rest) - rest.rindex(b"]") - 1
        return count, len(rest) - rest.rfind(b"}") - 1
    if name == "rows.json":
        return content.count(b"}"), 0 if b"]" in content else len(content) - content.rfind(b"}") - 1
    if name == "steps.log":
        return content.count(b"}\n"), len(content) - content.rfind(b"}\n") - 2
    lines = content.split(b"\n")
    return len(lines) - 1 - (name == "run.csv"), len(lines[-1])
