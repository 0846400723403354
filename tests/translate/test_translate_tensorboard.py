"""TensorBoard event files: what TensorBoard's own reader finds in the translation of real ones."""

import json
import os
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import pytest
from rlmetrics.cli import main
from rlmetrics.logs.kinds.tensorboard import KIND
from rlmetrics.logs.kinds.tensorboard.crc32c import masked
from rlmetrics.translate import InputError, translate_file
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.plugins.histogram.summary_v2 import histogram_pb
from tensorboard.plugins.scalar.summary_v2 import scalar_pb
from tensorboard.util.tensor_util import make_ndarray, make_tensor_proto
from tracker_messages import Category, Chart, Event, HistogramProto, Layout, Summary
from translate.event_files import event_of, framed, number_event, records_of, write_events

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures" / "runs" / "tensorboard"
PPO, CANONICAL = "trl[PPOTrainer]==0.7.10", "canonical"
VERL_1, VERL_5 = "verl==0.1", "verl==0.5.0"
KINDS = ("scalars", "tensors", "histograms", "images", "compressedHistograms", "audio")
REAL = {
    "trl-0.7.10-ppo": (PPO, "trl[PPOTrainer]==0.18.2"),
    "trl-0.7.10-histograms": (PPO, CANONICAL),
    "trl-1.16.0-grpo": ("trl[GRPOTrainer]==1.16.0", "verl==0.9.1"),
    "verl-0.9.1": ("verl==0.9.1", CANONICAL),
}


def _points(folder):
    """Every point that TensorBoard finds, by kind and tag."""
    reader = EventAccumulator(str(folder), size_guidance=dict.fromkeys(KINDS, 0))
    reader.Reload()
    reading = {"scalars": reader.Scalars, "tensors": reader.Tensors, "histograms": reader.Histograms}
    return {(kind, tag): list(read(tag)) for kind, read in reading.items() for tag in reader.Tags()[kind]}


@pytest.mark.parametrize("run", REAL)
def test_every_point_of_a_real_run_is_found_under_its_new_tag(run, tmp_path, capsys):
    """TensorBoard reads each point with the step, wall time and value it had, and finds nothing else."""
    source, target = REAL[run]
    before = {path: path.read_bytes() for path in (FIXTURES / run).rglob("*") if path.is_file()}

    code = main(
        ["translate", str(FIXTURES / run), "--from", source, "--to", target, "-o", str(tmp_path / "out"), "--json"]
    )

    report = json.loads(capsys.readouterr().out)
    moved = {old: how["to"] for old, how in report["translated"].items()} | report["set_aside"]
    gone = set(report["duplicates"])
    old, new = _points(FIXTURES / run), _points(tmp_path / "out")
    scales = {tag: how["transform"]["scale"] for tag, how in report["translated"].items() if how["transform"]}
    for tag, scale in scales.items():
        was, now = old.pop(("scalars", tag)), new.pop(("scalars", moved[tag]))
        assert [(point.step, point.wall_time) for point in was] == [(point.step, point.wall_time) for point in now]
        assert [point.value for point in now] == pytest.approx([point.value * scale for point in was])
    layouts = [points.pop(("tensors", "custom_scalars__config__"), None) is not None for points in (old, new)]
    assert layouts[0] == layouts[1]
    assert {report["kind"]} == {"tensorboard"}
    assert int(bool(report["collisions"])) == code
    assert len(old) - len(gone) == len(new)
    expected = {(kind, moved.get(tag, tag)): points for (kind, tag), points in old.items() if tag not in gone}
    assert repr(sorted(expected.items())) == repr(sorted(new.items()))
    assert {path.relative_to(FIXTURES / run) for path in before} == {
        path.relative_to(tmp_path / "out") for path in (tmp_path / "out").rglob("*") if path.is_file()
    }
    assert {path: path.read_bytes() for path in before} == before
    assert [tag for tag in moved if tag.startswith(("_hparams_", "custom_scalars"))] == []


def test_records_without_a_renamed_tag_are_the_same_bytes(tmp_path, capsys):
    """Settings, texts and scalars that keep their tag are copied as they are, checksums included."""
    source, target = REAL["trl-1.16.0-grpo"]
    path = next((FIXTURES / "trl-1.16.0-grpo").iterdir())
    report = translate_file(path, source=source, target=target, output=tmp_path / "out.tfevents")

    renamed = {old for old, how in report.translated.items() if how["to"] != old} | set(report.set_aside)
    pairs = list(zip(records_of(path), records_of(tmp_path / "out.tfevents"), strict=True))
    tags = [[value.tag for value in Event.FromString(old[12:-4]).summary.value] for old, _ in pairs]
    kept = [old == new for (old, new), names in zip(pairs, tags, strict=True) if renamed.isdisjoint(names)]
    assert 5 < len(kept) < len(pairs)
    assert all(kept)


def test_files_of_a_run_agree_about_a_collision(tmp_path, capsys):
    """Two tags claim one name and differ in the second file only: both are set aside in the first file as well."""
    for number, other in enumerate((1.0, 2.0)):
        write_events(
            tmp_path / "run" / f"events.out.tfevents.{number}.host",
            number_event(number, "env/reward_mean", 1.0),
            number_event(number, "ppo/mean_scores", other),
            number_event(number, "objective/kl", 0.5),
        )

    code = main(["translate", str(tmp_path / "run"), "--from", PPO, "--to", "trl[PPOTrainer]==0.18.2"])

    assert code == 1
    assert set(_points(tmp_path / "run.translated")) == {
        ("scalars", "untranslated/trl-0.7.10/env/reward_mean"),
        ("scalars", "untranslated/trl-0.7.10/ppo/mean_scores"),
        ("scalars", "objective/kl"),
    }


@pytest.mark.parametrize("torn", ["env/reward_mean", "ppo/mean_scores"])
def test_a_crash_between_two_equal_tags_costs_no_point(torn, tmp_path):
    """Of two tags with equal values one is written; a last value that only the other one has is written too."""
    tags = ["env/reward_mean", "ppo/mean_scores"]
    events = [number_event(step, tag, float(step)) for step in range(1, 6) for tag in tags if (step, tag) != (5, torn)]
    path = write_events(tmp_path / "run" / "events.out.tfevents.1.host", *events)

    report = translate_file(path.parent, source=PPO, target="trl[PPOTrainer]==0.18.2")

    points = _points(tmp_path / "run.translated")
    assert report.exit_code == 0
    assert set(points) == {("scalars", "objective/scores")}
    assert len(points["scalars", "objective/scores"]) == 5


def test_both_names_are_written_on_request(tmp_path, capsys):
    """``--both`` gives each point a second tag, in the same event."""
    source, target = REAL["verl-0.9.1"]
    arguments = ["--from", source, "--to", target, "-o", str(tmp_path / "out"), "--both"]

    assert main(["translate", str(FIXTURES / "verl-0.9.1"), *arguments]) == 0

    old, new = _points(FIXTURES / "verl-0.9.1"), _points(tmp_path / "out")
    assert old["scalars", "actor/ppo_kl"] == new["scalars", "actor/ppo_kl"] == new["scalars", "kl/old/k1"]


def test_unknown_tags_are_dropped_on_request(tmp_path):
    """``--unknown drop`` leaves out the event, too, if no value of it is left."""
    path = write_events(
        tmp_path / "events.out.tfevents.1", number_event(1, "objective/kl", 1.0), number_event(1, "mine", 2.0)
    )

    report = translate_file(path, source=PPO, target=CANONICAL, unknown="drop", output=tmp_path / "out.tfevents")

    assert report.unknown == ["mine"]
    assert [
        next((value.tag for value in Event.FromString(record[12:-4]).summary.value), None)
        for record in records_of(tmp_path / "out.tfevents")
    ] == [None, "kl/old_reference_sum/k1"]


def test_values_follow_a_known_conversion(tmp_path):
    """The first verl logged the learning rate in units of 1e-4: numbers, tensors and histograms are converted."""
    tag = "actor/lr(1e-4)"
    histogram = HistogramProto(min=1, max=4, num=3, sum=7, sum_squares=21, bucket_limit=[2, 4], bucket=[2, 1])
    second = histogram_pb(tag, [1.0, 2.0, 4.0], buckets=2).value[0]
    path = write_events(
        tmp_path / "events.out.tfevents.1",
        number_event(1, tag, 3.0),
        number_event(2, tag, float("nan")),
        event_of(3, scalar_pb(tag, 5.0).value[0]),
        event_of(4, Summary.Value(tag=tag, histo=histogram)),
        event_of(5, second),
    )

    translate_file(path, source=VERL_1, target=VERL_5, output=tmp_path / "out.tfevents")

    values = [Event.FromString(record[12:-4]).summary.value[0] for record in records_of(tmp_path / "out.tfevents")[1:]]
    one, nan, tensor, buckets, rows = values
    assert {value.tag for value in values} == {"actor/lr"}
    assert one.simple_value == pytest.approx(3e-4)
    assert nan.simple_value != nan.simple_value
    assert make_ndarray(tensor.tensor).item() == pytest.approx(5e-4)
    assert [
        buckets.histo.min,
        buckets.histo.max,
        buckets.histo.sum,
        buckets.histo.sum_squares,
    ] == pytest.approx([1e-4, 4e-4, 7e-4, 21e-8])
    assert list(buckets.histo.bucket_limit) == pytest.approx([2e-4, 4e-4])
    assert list(buckets.histo.bucket) == [2, 1]
    before, after = make_ndarray(second.tensor), make_ndarray(rows.tensor)
    assert after[:, :2] == pytest.approx(before[:, :2] * 1e-4)
    assert before[:, 2].tolist() == after[:, 2].tolist()


def test_what_cannot_be_converted_is_refused(tmp_path, capsys):
    """An image under a name whose numbers are converted gives one line, and nothing is written."""
    path = write_events(
        tmp_path / "events.out.tfevents.1", event_of(1, Summary.Value(tag="actor/lr(1e-4)", image={"width": 1}))
    )

    code = main(["translate", str(path), "--from", VERL_1, "--to", VERL_5])

    assert code == 2
    assert "actor/lr(1e-4): a value of kind image" in capsys.readouterr().err
    assert os.listdir(tmp_path) == [path.name]


def test_layouts_show_old_and_new_tags(tmp_path):
    """Regular expressions stay and the new tags of what they match are added; margins name the new tags."""
    multiline = Chart(title="both", multiline={"tag": ["ppo/loss/.*", "ppo/policy/clipfrac", "("]})
    band = {"value": "ppo/val/mean", "lower": "mine", "upper": "objective/kl"}
    margin = Chart(margin={"series": [band]})
    layout = Layout(category=[Category(title="PPO", chart=[multiline, margin])])
    value = Summary.Value(
        tag="custom_scalars__config__",
        tensor=make_tensor_proto(layout.SerializeToString()),
        metadata={"plugin_data": {"plugin_name": "custom_scalars"}},
    )
    run = tmp_path / "run"
    write_events(
        run / "events.out.tfevents.1", number_event(1, "ppo/loss/policy", 1.0), number_event(1, "ppo/loss/value", 1.0)
    )
    write_events(run / "events.out.tfevents.2.layout", event_of(0, value))

    translate_file(run, source=PPO, target=CANONICAL)

    record = records_of(tmp_path / "run.translated" / "events.out.tfevents.2.layout")[1]
    found = Layout.FromString(Event.FromString(record[12:-4]).summary.value[0].tensor.string_val[0])
    lines, margin = found.category[0].chart
    assert list(lines.multiline.tag) == [
        "ppo/loss/.*",
        "ppo/policy/clipfrac",
        "(",
        "^policy/loss$",
        "^value/loss$",
        "^policy/clip_fraction$",
    ]
    assert [getattr(margin.margin.series[0], field) for field in ("value", "lower", "upper")] == [
        "value/mean",
        "mine",
        "kl/old_reference_sum/k1",
    ]


@pytest.mark.parametrize("cut", [1, 5, 13, 30])
def test_a_torn_tail_costs_the_last_record_only(cut, tmp_path, capsys):
    """Wherever a crash cut the file, all whole records are translated and the loss is told in records and bytes."""
    source, target = REAL["verl-0.9.1"]
    path = tmp_path / "events.out.tfevents.1"
    whole = records_of(next((FIXTURES / "verl-0.9.1").iterdir()))
    path.write_bytes(b"".join(whole)[:-cut])

    code = main(["translate", str(path), "--from", source, "--to", target, "--json"])

    report = json.loads(capsys.readouterr().out)
    assert code == 1
    assert len(whole) - 1 == report["records"]
    assert report["lost"] == {"records": 1, "bytes": len(whole[-1]) - cut}


@pytest.mark.parametrize(("where", "what"), [(0, "its length"), (9, "its length"), (20, "its data"), (-1, "its data")])
def test_a_damaged_record_is_told_with_its_offset(where, what, tmp_path, capsys):
    """A flipped bit anywhere in a record gives one line with the record's offset, and nothing is written."""
    whole = records_of(next((FIXTURES / "verl-0.9.1").iterdir()))
    offset = sum(map(len, whole[:7]))
    damaged = bytearray(whole[7])
    damaged[where] ^= 0x10
    path = tmp_path / "events.out.tfevents.1"
    path.write_bytes(b"".join([*whole[:7], bytes(damaged), *whole[8:]]))

    code = main(["translate", str(path), "--from", "verl==0.9.1", "--to", CANONICAL])

    message = capsys.readouterr().err
    assert code == 2
    assert f"{path}: the record at byte {offset} is damaged: the checksum of {what} is wrong" in message
    assert message.count("\n") == 1
    assert os.listdir(tmp_path) == [path.name]


def test_an_absurd_length_is_refused(tmp_path, capsys):
    """A header that claims more than a message can hold is refused, without trying to read that much."""
    head = struct.pack("<Q", 2**60)
    path = tmp_path / "events.out.tfevents.1"
    path.write_bytes(head + struct.pack("<I", masked(head)) + b"rest")

    assert main(["translate", str(path), "--from", PPO, "--to", CANONICAL]) == 2
    assert f"the record at byte 0 is damaged: a length of {2**60} bytes can't be" in capsys.readouterr().err


def test_a_record_that_is_no_event_is_refused(tmp_path):
    """Sound records of something else end with a message, not with a traceback."""
    path = tmp_path / "events.out.tfevents.1"
    path.write_bytes(framed(b"\xff" * 30))

    with pytest.raises(InputError, match="is no event"):
        translate_file(path, source=PPO, target=CANONICAL)


def test_other_kinds_in_the_same_folder_are_translated_too(tmp_path, capsys):
    """A run's folder holds event files and JSON lines: each is translated as what it is, below folders as well."""
    shutil.copytree(FIXTURES / "trl-0.7.10-ppo", tmp_path / "run" / "tb")
    shutil.copy(FIXTURES.parent / "trl-0.7.10-ppo1_tensorboard.jsonl", tmp_path / "run" / "logs.jsonl")

    assert main(["translate", str(tmp_path / "run"), "--from", PPO, "--to", CANONICAL, "--json"]) == 0

    report = json.loads(capsys.readouterr().out)
    assert report["kind"] == "jsonl+tensorboard"
    assert len(report["outputs"]) == 3
    assert all(Path(output).is_file() for output in report["outputs"])


def test_without_tensorboard_one_line_names_the_extra(tmp_path):
    """Event files need TensorBoard's classes; without it the command says what to install."""
    path = write_events(tmp_path / "events.out.tfevents.1", number_event(1, "objective/kl", 1.0))
    code = (
        "import sys; sys.modules['tensorboard'] = None\n"
        "from rlmetrics.cli import main\n"
        f"sys.exit(main(['translate', {str(path)!r}, '--from', {PPO!r}, '--to', 'canonical']))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert done.returncode == 2
    assert done.stderr == 'rlmetrics translate: needs tensorboard; pip install "rlmetrics[tensorboard]"\n'


def test_texts_about_the_run_are_no_metrics(tmp_path, capsys):
    """The arguments and the model's configuration, which transformers writes as texts, keep their tags."""
    folder = shutil.copytree(FIXTURES / "trl-1.16.0-grpo", tmp_path / "run")
    before = {tag for tag in KIND.open(folder).names() if "text_summary" in tag}

    assert main(["translate", str(folder), "--to", CANONICAL, "--json"]) == 0

    report = json.loads(capsys.readouterr().out)
    named = [*report["translated"], *report["unknown"], *report["unchanged"], *report["set_aside"]]
    assert not [name for name in named if "text_summary" in name] + [*before]
    assert KIND.open(tmp_path / "run.translated").argument_names()[None] >= {"loss_type"}


def test_recorded_arguments_tell_trainers_apart(tmp_path, capsys):
    """GRPOTrainer and RLOOTrainer log the same keys; transformers' callback writes the arguments as a text."""
    folder = shutil.copytree(FIXTURES / "trl-1.16.0-grpo", tmp_path / "run")
    assert KIND.open(folder).argument_names()[None] >= {"loss_type", "scale_rewards", "output_dir"}
    assert main(["translate", str(folder), "--to", CANONICAL, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["from"].startswith("trl[GRPOTrainer]==")

    texts = [b"{", b"[1]", b'{"output_dir": 1, "logging_steps": 2, "per_device_train_batch_size": 3}']
    events = [
        event_of(0, Summary.Value(tag="args/text_summary", tensor=make_tensor_proto([text], dtype="string")))
        for text in texts
    ]
    path = write_events(tmp_path / "made" / "events.out.tfevents.1", *events[:2])
    assert frozenset() == KIND.open(path).argument_names()[None]
    path = write_events(path, *events)
    assert KIND.open(path.parent).argument_names()[None] == {
        "output_dir",
        "logging_steps",
        "per_device_train_batch_size",
    }


def test_a_tensor_that_cannot_be_read_is_no_number(tmp_path, capsys):
    """An event whose tensor lost its type is no point of a curve, keeps no other from being read, and is not lost."""
    tensor = make_tensor_proto(0.5)
    tensor.dtype = 0
    events = [event_of(step, Summary.Value(tag="train/loss", tensor=tensor)) for step in range(3)]
    events += [event_of(step, Summary.Value(tag="train/reward", simple_value=0.25)) for step in range(3)]
    path = write_events(tmp_path / "events.out.tfevents.1", *events)

    rows = [row.values for run in KIND.open(path).read() for row in run.rows]
    assert [row for row in rows if "train/loss" in row] == []
    assert [row["train/reward"] for row in rows] == [0.25] * 3

    assert (
        main(["translate", str(path), "--from", "trl[grpo]==1.16.0", "--to", CANONICAL, "-o", str(tmp_path / "out")])
        == 0
    )
    capsys.readouterr()
    assert len(records_of(tmp_path / "out")) == len(records_of(path))
