"""Values of runs of W&B: unchanged to the byte where nothing converts them, and the same again after there and back."""

import json
import string
import subprocess
import sys
from decimal import Context, Decimal
from itertools import repeat
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from rlmetrics.translate import Translator, translate_file
from rlmetrics.translate.kinds.wandb.run import translate_run
from rlmetrics.translate.kinds.wandb.transactions import Writer
from rlmetrics.translate.options import Options
from wandb_frames import Record, by_name, framed, payloads, rows

PPO = "trl[PPOTrainer]==0.7.10"
FIXTURES = Path(__file__).resolve().parent.parent / "fixtures" / "runs" / "wandb"
TRANSLATOR = Translator(PPO, "canonical")
KNOWN = ["objective/kl", "ppo/policy/approxkl", "ppo/loss/value", "ppo/returns/mean", "tokens/queries_len_mean"]

names = st.sampled_from(KNOWN) | st.text(max_size=12) | st.text("ab\x01\x82", min_size=120, max_size=140)
names = names.filter(lambda name: not name.startswith("_") and TRANSLATOR.key(name).output not in KNOWN)
texts = st.text(max_size=20) | st.sampled_from(
    ["NaN", "-Infinity", "9" * 400, '"\x82\x01"', "1e-05", "\x12\x01a\x82\x01"]
)


@st.composite
def items(draw):
    """Items of one row: names under either field, some with paths into a dict."""
    found = []
    for name in draw(st.lists(names, unique_by=lambda name: TRANSLATOR.key(name).output, max_size=6)):
        path = draw(st.lists(st.text(string.ascii_lowercase, max_size=3), max_size=2))
        text = draw(texts)
        by_key = draw(st.booleans()) and name and not path
        found.append({"key": name, "value_json": text} if by_key else {"nested_key": [name, *path], "value_json": text})
    return found


def _exact(text):
    """A value of JSON with all digits of its numbers, however they are written."""
    return json.loads(text, parse_float=_digits, parse_int=_digits)


def _digits(text):
    return str(Decimal(text).normalize(Context(prec=400)))


def _write(path, *parts):
    with path.open("wb") as file:
        writer = Writer(file)
        for number, part in enumerate(parts, start=1):
            writer.write(Record(num=number, **part).SerializeToString())
    return path


@settings(max_examples=100, deadline=None)
@example([[{"nested_key": ["objective/kl", ""], "value_json": text}] for text in ("", "0", "")])
@given(st.lists(items(), min_size=1, max_size=4))
def test_any_value_under_any_name_stays_as_it_is(tmp_path_factory, logged):
    """Whatever a name or a value is, also bytes that look like fields, the value is found unchanged under its name."""
    folder = tmp_path_factory.mktemp("values")
    known = {"nested_key": ["objective/entropy"], "value_json": "1"}
    history = [{"history": {"item": [known, *row]}} for row in logged]
    path = _write(folder / "run.wandb", *history, {"summary": {"update": logged[0]}})

    report = TRANSLATOR.new_report("wandb")
    translate_run(path, folder / "out.wandb", TRANSLATOR, report, Options())

    *found, _ = [Record.FromString(payload) for payload in payloads((folder / "out.wandb").read_bytes())]
    assert len(logged) + 1 == len(found)
    for row, record in zip([*logged, logged[0]], found, strict=True):
        written = [*record.history.item, *record.summary.update]
        old = [(bool(item.get("key")), item.get("nested_key") or [item["key"]], item["value_json"]) for item in row]
        new = [(bool(item.key), list(item.nested_key) or [item.key], item.value_json) for item in written]
        expected = [(by_key, [TRANSLATOR.key(name).output, *path], text) for by_key, (name, *path), text in old]
        assert sorted(expected) == sorted(entry for entry in new if entry[2] != "1" or entry[1] != [_ENTROPY])
    assert {name for row in logged for name, *_ in [item.get("nested_key") or [item["key"]] for item in row]} <= {
        *report.unknown,
        *report.unchanged,
        *report.translated,
        *report.set_aside,
    }


_ENTROPY = TRANSLATOR.key("objective/entropy").output


def test_ten_megabytes_under_one_name(tmp_path):
    """A value that fills hundreds of blocks, and an integer of many digits, come out as they went in."""
    text, number = json.dumps("é😀" * 2_500_000, ensure_ascii=False), "7" * 100_000
    row = {"objective/kl": text, "mine": number, "ppo/mean_scores": "1.50"}
    path = _write(
        tmp_path / "run.wandb",
        {"history": {"item": [{"nested_key": [name], "value_json": value} for name, value in row.items()]}},
    )

    report = translate_file(path, source=PPO, target="canonical", output=tmp_path / "out.wandb")

    (found,) = rows((tmp_path / "out.wandb").read_bytes())
    new = {report.translated.get(name, {"to": name})["to"]: value for name, value in row.items()}
    assert len(text.encode()) > 10_000_000
    assert new == {name: texts[()] for name, texts in found.items()}
    assert report.unknown == ["mine"]


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats() | st.integers(-(10**30), 10**30), min_size=1, max_size=8))
def test_there_and_back_gives_the_same_values(tmp_path_factory, numbers):
    """Where relations are exact or affine, each number is the one it was: rates are multiplied and divided exactly."""
    folder = tmp_path_factory.mktemp("back")
    rate = {"nested_key": ["actor/lr(1e-4)"]}
    bins = [number for number in numbers if number == number and abs(number) < 1e300]
    path = _write(
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
            {name: {path: _exact(text) for path, text in texts.items()} for name, texts in by_name(items).items()}
            for record in records
            if (items := [*record.history.item, *record.summary.update])
        ]

    assert {how["to"] for how in there.translated.values()} == {"actor/lr", "timing_s/ref"}
    assert str(read(path)) == str(read(folder / "b.wandb"))


@pytest.mark.slow
def test_memory_stays_constant(tmp_path):
    """A hundred times more rows take hardly more memory: they are streamed."""
    items = [{"nested_key": [name, "a"], "value_json": "0.25"} for name in (*KNOWN, *map(str, range(20)))]
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
