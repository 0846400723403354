"""Values of runs of W&B: unchanged to the byte where nothing converts them, and the same again after there and back."""

import json
import subprocess
import sys
from decimal import Context, Decimal
from itertools import repeat

from hypothesis import given, settings
from hypothesis import strategies as st
from rlmetrics.translate import translate_file
from translate.wandb_items import KNOWN, write_run
from wandb_frames import Record, by_name, framed, payloads

PPO = "trl[PPOTrainer]==0.7.10"


def _exact(text):
    """A value of JSON with all digits of its numbers, however they are written."""
    return json.loads(text, parse_float=_digits, parse_int=_digits)


def _digits(text):
    return str(Decimal(text).normalize(Context(prec=400)))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats() | st.integers(-(10**30), 10**30), min_size=1, max_size=8))
def test_there_and_back_gives_the_same_values(tmp_path_factory, numbers):
    """Where relations are exact or affine, each number is the one it was: rates are multiplied and divided exactly."""
    folder = tmp_path_factory.mktemp("back")
    rate = {"nested_key": ["actor/lr(1e-4)"]}
    bins = [number for number in numbers if number == number and abs(number) < 1e300]
    path = write_run(
        folder / "run.wandb",
        *({"history": {"item": [{**rate, "value_json": json.dumps(number)}]}} for number in numbers),
        {"history": {"item": [{"nested_key": ["timing/ref"], "value_json": "0.10"}]}},
        {"summary": {"update": [{"key": "actor/lr(1e-4)", "value_json": json.dumps({"min": numbers[0]})}]}},
        {
            "history": {
                "item": [
                    {"nested_key": ["actor/lr(1e-4)", "_type"], "value_json": '"histogram"'},
                    {"nested_key": ["actor/lr(1e-4)", "bins"], "value_json": json.dumps(bins)},
                    {"nested_key": ["actor/lr(1e-4)", "values"], "value_json": "[1]"},
                ]
            }
        },
    )

    there = translate_file(path, source="verl==0.1", target="verl==0.2", output=folder / "a.wandb", strict=True)
    translate_file(folder / "a.wandb", source="verl==0.2", target="verl==0.1", output=folder / "b.wandb", strict=True)

    def read(file):
        records = [Record.FromString(payload) for payload in payloads(file.read_bytes())]
        return [
            {name: {path: _exact(text) for path, text in TEXTS.items()} for name, TEXTS in by_name(items).items()}
            for record in records
            if (items := [*record.history.item, *record.summary.update])
        ]

    assert {how["to"] for how in there.translated.values()} == {"actor/lr", "timing_s/ref"}
    assert str(read(path)) == str(read(folder / "b.wandb"))


def test_memory_stays_constant(tmp_path):
    """A hundred times more rows take hardly more memory: they are streamed."""
    names = [[name] for name in KNOWN] + [[str(place), "a"] for place in range(20)]
    items = [{"nested_key": name, "value_json": "0.25"} for name in names]
    row = Record(history={"item": items}).SerializeToString()
    peaks = []
    for count in (400, 40_000):
        path = tmp_path / f"run-{count}.wandb"
        with path.open("wb") as file:
            file.writelines(framed(repeat(row, count)))
        code = (
            "import re\nfrom rlmetrics.translate import translate_file\n"
            f"translate_file({str(path)!r}, source={PPO!r}, target='canonical')\n"
            "print(re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1])"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        peaks.append(int(done.stdout) << 10)

    assert path.stat().st_size > 18_000_000
    assert peaks[1] < peaks[0] + 5_000_000
