"""Rows that are recorded as metrics of OpenTelemetry, and what a real receiver on this machine gets of them."""

from __future__ import annotations

import logging
import math
import multiprocessing
import os
import random
import re
import subprocess
import sys
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.distributed as dist
import yaml
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from otlp_server import Receiver, receiving
from rlmetrics.names import NamesError
from rlmetrics.trackers import wrap
from rlmetrics.trackers.opentelemetry import Recorder, record
from rlmetrics.trainers.verl import TrackingAdapter

ROOT = Path(__file__).resolve().parents[2]
PROPOSAL = yaml.safe_load((ROOT / "spec" / "conventions" / "opentelemetry.yaml").read_text(encoding="utf-8"))
VERL = "verl==0.9.1"
GRPO = "trl[GRPOTrainer]==1.16.0"
Make = Callable[..., Recorder]


@pytest.fixture
def receiver(monkeypatch: pytest.MonkeyPatch) -> Iterator[Receiver]:
    """Return a receiver to which everything is sent."""
    with receiving() as found:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", found.url)
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "1")
        yield found


@pytest.fixture
def recorder(receiver: Receiver) -> Iterator[Make]:
    """Return what makes recorders, and ends them while the receiver is there."""
    made: list[Recorder] = []

    def make(*args: Any, **options: Any) -> Recorder:
        made.append(record(*args, **options) if not isinstance(args[0], str) else Recorder(*args, **options))
        return made[-1]

    yield make
    receiver.status = 200
    for each in made:
        each.close()


def test_every_name_of_the_proposal_arrives_as_it_says(receiver: Receiver, recorder: Make) -> None:
    """Canonical numbers arrive under all names of the proposal, as its instruments, in its units, as exact."""
    one = recorder("canonical")
    row = {item["metric"]: [1.0, 3.0] if "distribution" in item["metric"] else 2 for item in PROPOSAL["names"]}

    one(row, 7)

    assert one.flush()
    assert receiver.paths == ["/v1/metrics"]
    kinds = {"gauge": "gauge", "histogram": "histogram", "counter": "sum"}
    found = {name: (point.kind, point.unit) for name, (point,) in receiver.points().items()}
    assert {item["name"]: (kinds[item["instrument"]], item["unit"]) for item in PROPOSAL["names"]} == found
    assert receiver.values()["rl.train.loss"] == 2
    assert receiver.values()["rl.loop.duration"] == (1, 2.0, 2.0, 2.0)
    assert receiver.values()["rl.reward.score"] == (2, 4.0, 1.0, 3.0)
    attributes = {name: point.attributes for name, (point,) in receiver.points().items()}
    assert {
        item["name"]: {"rlmetrics.key": item["metric"], "rlmetrics.relation": "exact"} for item in PROPOSAL["names"]
    } == attributes
    assert one.left_out == {}
    assert one.faults.count == 0


def test_what_differs_is_left_out_unless_it_is_wanted(receiver: Receiver, recorder: Make) -> None:
    """A number that is not quite what the proposal names is recorded on demand only, and says so."""
    row = {"timing_s/step": 3.5, "critic/score/mean": 0.25, "actor/ppo_kl": 0.1}
    strict, lenient = recorder(VERL), recorder(VERL, approximate=True)

    strict(row, 1)
    assert strict.flush()
    assert receiver.requests == []
    assert "rl.loop.duration is approximate" in strict.left_out["timing_s/step"]
    assert strict.left_out["actor/ppo_kl"] == "the convention has no name for it"

    lenient(row, 1)
    assert lenient.flush()
    points = receiver.points()
    assert set(points) == {"rl.loop.duration", "rl.environment.reward.mean"}
    (point,) = points["rl.environment.reward.mean"]
    assert point.value == 0.25
    assert point.attributes == {"rlmetrics.key": "critic/score/mean", "rlmetrics.relation": "approximate"}
    assert set(lenient.left_out) == {"actor/ppo_kl"}


def test_the_reason_for_leaving_out_is_the_worst_one(recorder: Make) -> None:
    """Of several differences the one that weighs most is told: here, of what the number is taken at all."""
    one = recorder(VERL)

    one({"perf/mfu/actor": 0.5})

    assert "rl.train.mfu is approximate" in one.left_out["perf/mfu/actor"]
    assert "what is measured" in one.left_out["perf/mfu/actor"]


def test_settings_decide_whether_a_difference_shows(receiver: Receiver, recorder: Make) -> None:
    """TRL counts a prompt once for every response: with one response for each, its tokens are what the name says."""
    by_default, single = recorder(GRPO), recorder(GRPO, config={"num_generations": 1, "output_dir": "x"})

    by_default({"num_tokens": 100.0})
    single({"num_tokens": 100.0})

    assert "num_tokens" in by_default.left_out
    assert single.flush()
    assert receiver.values() == {"rl.train.tokens": 100.0}


def test_known_conversions_are_done(receiver: Receiver, recorder: Make) -> None:
    """Values get the unit and the origin of the proposal: a scale where something else differs, and a mere offset."""
    config = {"num_ppo_epochs": 1, "num_mini_batches": 1}
    tokens = recorder("verl[sft]==0.9.1", approximate=True)
    steps = recorder("trl[RLOOTrainer]==0.13.0", config=config)

    tokens({"train/total_tokens(B)": torch.tensor(0.5)}, 1)
    assert tokens.flush()
    assert receiver.values() == {"rl.train.tokens": 500_000_000.0}

    steps({}, 6)
    assert steps.flush()
    ((point,),) = receiver.points().values()
    assert (point.value, point.attributes["rlmetrics.relation"]) == (7.0, "affine")


def test_steps_of_transformers_are_recorded_though_no_row_has_them(receiver: Receiver, recorder: Make) -> None:
    """The step of TRL's rows is the counter of steps, and no attribute: there is one series, however long the run."""
    one = recorder(GRPO, attributes={"rl.run.id": "7", "rl.algorithm": "grpo"})

    for step in range(1, 21):
        one({"loss": 0.5}, step)

    assert one.flush()
    ((name, (point,)),) = receiver.points().items()
    assert (name, point.kind, point.value) == ("rl.train.steps", "sum", 20)
    assert point.attributes == {"rlmetrics.key": "train/global_step", "rlmetrics.relation": "exact"}
    assert tuple(point.resource[f"rl.{key}"] for key in ("system", "run.id", "algorithm")) == ("trl", "7", "grpo")


def test_a_counter_has_the_total_of_the_run(receiver: Receiver, recorder: Make) -> None:
    """The counter is what the source says, whatever was logged before; a total that falls back is a fault."""
    one = recorder("canonical")

    for total in (1000, 1500, 1500, 2500):
        one({"progress/tokens_seen": total})
    assert one.flush()
    assert receiver.values() == {"rl.train.tokens": 2500}

    one({"progress/tokens_seen": 2000})
    one({"progress/tokens_seen": 2100})
    assert one.faults.count == 1
    assert one.flush()
    assert receiver.values() == {"rl.train.tokens": 2600}


def test_a_distribution_with_negative_numbers_ends(receiver: Receiver, recorder: Make) -> None:
    """Histograms refuse negative numbers; without them they would show another distribution, so none is added."""
    one = recorder("canonical")

    one({"reward/score/distribution": torch.tensor([0.5, 1.0])})
    one({"reward/score/distribution": torch.tensor([0.5, -1.0])})
    one({"reward/score/distribution": torch.tensor([0.5, 1.0])})

    assert one.faults.count == 1
    assert "no negative numbers" in one.left_out["reward/score/distribution"]
    assert one.flush()
    assert receiver.values() == {"rl.reward.score": (2, 1.5, 0.5, 1.0)}


def test_values_that_are_no_numbers_are_faults(
    receiver: Receiver, recorder: Make, caplog: pytest.LogCaptureFixture
) -> None:
    """What cannot be recorded is counted, logged once, and the rest of its row arrives."""
    one = recorder("canonical")
    rows: list[dict[Any, Any]] = [
        {"loss/total": math.nan, "throughput/mfu_update": 0.25},
        {"loss/total": "nan?", "throughput/mfu_update": 0.5},
        {"loss/total": None, ("not", "a text"): 1.0, "throughput/mfu_update": 0.75},
    ]

    with caplog.at_level(logging.WARNING, "rlmetrics"):
        for row in [*rows, *rows]:
            one(row)

    assert one.faults.count == 5  # the third row's strange key is looked up once
    assert sum("training goes on" in item.getMessage() for item in caplog.records) == 3
    assert one.flush()
    assert receiver.values() == {"rl.train.mfu": 0.75}


def test_a_name_has_one_key(receiver: Receiver, recorder: Make) -> None:
    """Of two keys that claim a name the closer one has it, so that receivers do not add up one number twice."""
    one = recorder(VERL, approximate=True)

    one({"perf/mfu/actor": 0.5, "actor/mfu": 0.25})
    one({"perf/mfu/actor": 0.5})

    assert one.flush()
    assert receiver.values() == {"rl.train.mfu": 0.25}
    assert one.left_out["perf/mfu/actor"] == "rl.train.mfu is recorded from actor/mfu"


def test_what_is_left_out_is_said_once(recorder: Make, caplog: pytest.LogCaptureFixture) -> None:
    """One message tells how many keys have no name, and not again when others come."""
    one = recorder(VERL)

    with caplog.at_level(logging.WARNING, "rlmetrics"):
        for key in ("actor/ppo_kl", "actor/entropy", "my/own"):
            one({key: 1.0}, 1)

    (said,) = [item.getMessage() for item in caplog.records]
    assert said.startswith("OpenTelemetry gets 0 of 1 keys")
    assert set(one.left_out) == {"actor/ppo_kl", "actor/entropy", "my/own"}


def test_ever_new_keys_fill_no_memory(receiver: Receiver, recorder: Make) -> None:
    """Keys that are not recorded are forgotten; those that are go on, and what has ended does not begin anew."""
    one = recorder("canonical")
    (spread,) = (item["metric"] for item in PROPOSAL["names"] if "distribution" in item["metric"])
    one({spread: [1.0]}, 0)
    one({spread: [-1.0]}, 1)
    for step in range(40):
        one({"reward/score/mean": float(step), **{f"own/{step}/{number}": 1.0 for number in range(1_000)}}, step)

    tracemalloc.start()
    for step in range(40, 80):
        one({"reward/score/mean": float(step), **{f"own/{step}/{number}": 1.0 for number in range(1_000)}}, step)
    grown, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    one({spread: [1.0]}, 80)

    assert grown < 5_000_000
    assert 10_000 <= len(one.left_out) < 20_000
    assert one.flush()
    assert receiver.values() == {"rl.environment.reward.mean": 79.0, "rl.reward.score": (1, 1.0, 1.0, 1.0)}


def test_any_function_that_logs_is_recorded(receiver: Receiver, recorder: Make) -> None:
    """Beside `wrap`, rows are recorded as they come, while the function gets new names and health as before."""
    logged: list[tuple[dict[str, Any], int]] = []
    log = wrap(lambda row, step: logged.append((row, step)), at=VERL, to="canonical", health=True)
    one = recorder(log, approximate=True)

    log({"critic/score/mean": 0.25}, step=3)

    assert logged == [({"reward/score/mean": 0.25, "health/level": 0.0}, 3)]
    assert one.flush()
    assert receiver.values() == {"rl.environment.reward.mean": 0.25}


def test_a_tracking_of_verl_is_recorded(receiver: Receiver, recorder: Make) -> None:
    """Beside an adapter of verl, the settings of the run are known, and every row of the driver is recorded."""
    logged: list[dict[str, Any]] = []

    class Tracker:
        def log(self, data: dict[str, Any], step: int) -> None:
            logged.append(data)

    actor = {"ppo_mini_batch_size": 8, "ppo_epochs": 1}
    config = {"actor_rollout_ref": {"actor": actor}, "data": {"train_batch_size": 8}}
    adapter = TrackingAdapter(Tracker(), to="canonical", at=VERL, config=config)
    one = recorder(adapter)

    adapter.log(data={"training/global_step": 5, "timing_s/step": 2.0}, step=5)

    assert logged == [{"progress/global_step": 5, "timing/step": 2.0}]
    assert one.flush()
    assert receiver.values() == {"rl.train.steps": 5}


@pytest.mark.parametrize("status", [400, 500])
def test_a_receiver_that_refuses_is_a_fault(
    receiver: Receiver, recorder: Make, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    """Metrics that are refused are counted, told once, and stop nothing; the next ones arrive."""
    one = recorder("canonical")
    receiver.status = status
    with caplog.at_level(logging.WARNING, "rlmetrics"):
        for _ in range(2):
            one({"loss/total": 0.5})
            assert not one.flush()
    assert one.faults.count == 2
    assert sum("could not be sent" in item.getMessage() for item in caplog.records if item.name == "rlmetrics") == 1

    receiver.status = 200
    one({"loss/total": 0.25})
    assert one.flush()
    assert receiver.values() == {"rl.train.loss": 0.25}


@pytest.mark.parametrize("status", [200, 500])
def test_sending_draws_no_random_numbers_of_the_program(receiver: Receiver, recorder: Make, status: int) -> None:
    """What a program draws next is the same, whether and whenever something was sent, and sent again."""
    one = recorder("canonical")
    receiver.status = status
    random.seed(7)
    before = random.getstate()

    one({"loss/total": 0.5})
    one.flush()

    assert receiver.requests
    assert random.getstate() == before


def test_no_receiver_is_a_fault(recorder: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """An address where nobody listens is counted, and recording goes on."""
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
    one = recorder("canonical")

    one({"loss/total": 0.5})

    assert not one.flush()
    assert one.faults.count == 1


def test_only_the_first_rank_records(
    receiver: Receiver, recorder: Make, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Another rank records if it is told to; what torch says about ranks counts more than the environment."""
    monkeypatch.setenv("RANK", "1")
    first, every = recorder("canonical"), recorder("canonical", every_rank=True)

    for one in (first, every):
        one({"loss/total": 0.5})
        assert one.flush()
    assert len(receiver.requests) == 1

    dist.init_process_group("gloo", init_method=f"file://{tmp_path}/store", rank=0, world_size=1)
    try:
        first({"loss/total": 0.75})
    finally:
        dist.destroy_process_group()
    assert first.flush()
    assert receiver.values() == {"rl.train.loss": 0.75}


def test_forked_processes_send_only_if_they_record(receiver: Receiver, recorder: Make) -> None:
    """A process that was forked to load data does not send again what its parent recorded; one that records does."""
    one = recorder("canonical")
    one({"loss/total": 0.5})
    assert one.flush()

    def child() -> None:
        os._exit(0 if one.flush() else 1)

    def recording_child() -> None:
        one({"loss/total": 0.25})
        os._exit(0 if one.flush() else 1)

    for target, requests in ((child, 1), (recording_child, 2)):
        process = multiprocessing.get_context("fork").Process(target=target)
        process.start()
        process.join(20)
        assert process.exitcode == 0
        assert requests == len(receiver.requests)
    assert receiver.values() == {"rl.train.loss": 0.25}


def test_a_provider_of_the_callers_own(recorder: Make, caplog: pytest.LogCaptureFixture) -> None:
    """A program that has set OpenTelemetry up gives its provider, whose resource and whose end are its own matter."""
    reader = InMemoryMetricReader()
    provider = MeterProvider([reader])
    one = recorder("canonical", provider=provider)

    one({"loss/total": 0.5})
    one.close()

    data = reader.get_metrics_data()
    assert data is not None
    (metric,) = data.resource_metrics[0].scope_metrics[0].metrics
    assert metric.name == "rl.train.loss"
    provider.shutdown()
    assert caplog.records == []  # it would say so if it had been ended before
    with pytest.raises(ValueError, match="the resource of a provider"):
        Recorder("canonical", provider=provider, attributes={"rl.run.id": "7"})


def test_what_is_wrong_from_the_start_is_said_at_the_start() -> None:
    """An unknown source, and rows whose source is not known, are errors before the run begins."""
    with pytest.raises(NamesError, match="verl"):
        Recorder("verlo==0.9.1")
    with pytest.raises(ValueError, match="say at="):
        record(wrap(print, health=True))


def test_it_needs_an_extra_that_it_names() -> None:
    """Without OpenTelemetry all trackers can be imported, and recording says what to install."""
    code = """
import sys
sys.modules["opentelemetry"] = None
from rlmetrics.trackers.opentelemetry import Recorder
try:
    Recorder("canonical")
except ImportError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert done.stderr == ""
    assert 'pip install "rlmetrics[opentelemetry]"' in done.stdout


def test_the_page_shows_it(receiver: Receiver) -> None:
    """The snippet of the page about trainers sends what the page says that it sends."""
    section = (ROOT / "docs" / "trainers.md").read_text(encoding="utf-8").partition("\n## In OpenTelemetry\n")[2]
    *_, code = re.findall(r"^```python\n(.*?)^```$", section.partition("\n## ")[0], re.S | re.M)

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    assert receiver.values() == {"rl.environment.reward.mean": 0.25, "rl.loop.duration": (1, 12.5, 12.5, 12.5)}
    assert "{'actor/ppo_kl': 'the convention has no name for it'}" in done.stdout
    assert receiver.points()["rl.loop.duration"][0].resource["rl.system"] == "verl"


def test_a_copy_records_by_itself(receiver: Receiver) -> None:
    """A recorder goes into other processes as what it was made of."""
    import pickle

    recorder = Recorder(VERL, attributes={"rl.run.id": "7"})
    other = pickle.loads(pickle.dumps(recorder))
    recorder.close()

    other({"actor/entropy": 0.5}, 1)
    assert other.flush()
    other.close()

    assert other.left_out.keys() <= {"actor/entropy"}
    assert other.faults.count == 0
