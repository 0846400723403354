"""Rows on their way into trackers: new names, health, further numbers, and that nothing of it stops a program."""

from __future__ import annotations

import copy
import json
import logging
import math
import multiprocessing
import os
import threading
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
import torch
from rlmetrics.health import Monitor
from rlmetrics.names import NamesError
from rlmetrics.suites import GRPOSuite
from rlmetrics.trackers import FindingsFile, Live, tell, wrap
from rlmetrics.trackers.live_settings import known_settings, plain_settings, settings_beside
from rlmetrics.trainers._reporters import ReportedRow, prefixed
from rlmetrics.translate import Translator

AT = "trl[GRPOTrainer]==1.16.0"
ROW = {"loss": 0.5, "kl": 0.01, "reward": 1.0, "my/own": 3.0, "epoch": 0.5}


def live(**options: Any) -> Live:
    """Return what treats rows of GRPO for the reporters of transformers."""
    return Live(AT, options.pop("to", "canonical"), prefixed=prefixed, **options)


def test_a_row_gets_the_names_that_the_translator_gives() -> None:
    """Names and values are those of `Translator.row`; the row itself stays as it is."""
    row = dict(ROW)

    found = live().take(1, row, evaluated=False)

    assert Translator(AT, "canonical").row(ROW) == found.row
    assert row == ROW


def test_reporters_show_what_translating_their_files_gives() -> None:
    """What trackers show is the translation of what they would have shown, not a prefix before the new name."""
    found = live().take(1, {"kl": 0.1, "eval_kl": 0.2}, evaluated=False)

    assert found.row == {"kl/reference/k3": 0.1, "eval/kl/reference/k3": 0.2}
    assert {name: found.shown[name] for name in found.row} == {name: name for name in found.row}


def test_names_of_the_same_framework_keep_their_prefix() -> None:
    """Names of another release of TRL are shown as that release shows them, which needs no exception."""
    found = Live("trl[PPOTrainer]==0.18.2", "trl[PPOv2Trainer]==0.11.4", prefixed=prefixed).take(
        1, {"objective/kl": 0.1, "lr": 1.0}, evaluated=False
    )

    assert not found.row.keys() & found.shown.keys()


def test_both_keeps_the_old_names() -> None:
    """With ``both`` each value stands under its old and its new name."""
    found = live(both=True).take(1, ROW, evaluated=False)

    assert {name: found.row[name] for name in ROW} == ROW
    assert ROW["kl"] == found.row["kl/reference/k3"]


def test_rivals_are_decided_row_by_row() -> None:
    """Two keys that claim one name share it while they agree, and are set aside while they do not."""
    agreeing = {"loss": 1.0, "train/loss": 1.0, "kl": 0.5}
    quarrelling = {"loss": 1.0, "train/loss": 2.0, "kl": 0.5}
    one = live()

    for row in (agreeing, quarrelling, agreeing):
        assert Translator(AT, "canonical").row(row) == one.take(1, row, evaluated=False).row
    assert one.faults.count == 0


def test_tensors_and_arrays_are_converted_like_numbers() -> None:
    """Where a value changes its unit, a tensor of one element becomes the number, and others pass as they are."""
    one = Live("verl==0.9.1", "canonical")
    picture = torch.ones(3)

    found = one.take(1, {"train/total_tokens(B)": torch.tensor(0.5), "my/picture": picture}, evaluated=False).row

    assert found["progress/tokens_seen"] == pytest.approx(5e8)
    assert any(value is picture for value in found.values())
    assert one.faults.count == 0


def test_health_joins_the_rows_of_training() -> None:
    """Numbers of health stand in rows of training, from nothing to what was found, and not in evaluations."""
    one = live(health=True)

    first = one.take(1, ROW, evaluated=False).row
    assert first["health/level"] == 0
    assert "health/level" not in one.take(1, {"eval_loss": 1.0}, evaluated=True).row
    rows = [one.take(step, {**ROW, "loss": math.nan}, evaluated=False).row for step in range(2, 6)]
    last = rows[-1]
    assert last["health/level"] == 3
    assert 3 in [value for name, value in last.items() if name.startswith("health/") and name != "health/level"]


def test_findings_are_said_once(caplog: pytest.LogCaptureFixture) -> None:
    """Each finding is logged once under the package's name, whatever follows."""
    one = live(health=True)

    with caplog.at_level(logging.INFO, "rlmetrics"):
        for step in range(30):
            one.take(step, {**ROW, "loss": math.nan if step > 3 else 0.5}, evaluated=False)

    texts = [item.getMessage() for item in caplog.records if item.name == "rlmetrics"]
    assert 1 <= len(texts) == len(set(texts)) < 5
    assert any("loss" in text for text in texts)


def test_a_monitor_and_functions_of_the_callers_own(tmp_path: Path) -> None:
    """``health`` takes a monitor, functions that get the news, or several of them."""
    monitor, heard = Monitor(AT), []
    one = live(health=[monitor, heard.append, FindingsFile(tmp_path / "new" / "findings.jsonl")])

    one.take(1, ROW, evaluated=False)
    one.take(2, {**ROW, "loss": math.inf}, evaluated=False)

    assert one.monitor is monitor
    assert list({news.finding.cause for news in heard}) == ["non_finite"]
    lines = [json.loads(line) for line in (tmp_path / "new" / "findings.jsonl").read_text().splitlines()]
    assert [news.finding.rule for news in heard] == [line["rule"] for line in lines]
    assert lines[0]["step"] == 2
    assert lines[0]["diagnosis"]


def test_what_health_takes_is_checked() -> None:
    """Anything that is neither a monitor nor a function is refused when it is given."""
    with pytest.raises(TypeError, match="health takes True"):
        live(health=[3])


def test_a_sink_that_fails_stops_nothing() -> None:
    """A function that raises is counted, told once, and the row goes its way; the other functions get the news."""
    heard: list[Any] = []

    def broken(_: object) -> None:
        raise OSError("no room")

    one = live(health=[broken, heard.append])
    rows = [one.take(step, {**ROW, "loss": math.nan, "kl": math.nan}, evaluated=False).row for step in range(4)]

    assert len(heard) == one.faults.count > 0
    assert "no room" in one.faults.last
    assert "kl/reference/k3" in rows[-1]


def test_a_row_that_cannot_be_renamed_is_logged_as_it_came(caplog: pytest.LogCaptureFixture) -> None:
    """Keys that are no texts, and values that no conversion understands, are faults: counted, and logged once."""
    one = live()
    row: dict[Any, Any] = {("not", "a text"): 1.0, "loss": 0.5}

    with caplog.at_level(logging.WARNING, "rlmetrics"):
        for _ in range(5):
            assert row == one.take(1, row, evaluated=False).row

    assert one.faults.count == 5
    assert len(caplog.records) == 1


def test_exact_numbers_of_a_suite_join_the_rows() -> None:
    """A suite's numbers since the last row stand under ``exact/``, without those that there is nothing to say about."""
    suite = GRPOSuite()
    one = live(metrics=suite)
    logprobs = -torch.ones(2, 3)
    for shift in (0.1, 0.2):
        suite.update(
            logprobs=logprobs, old_logprobs=logprobs - shift, advantages=torch.ones(2, 3), mask=torch.ones(2, 3).bool()
        )
        more = one.measured()
        found = one.take(1, ROW, more, evaluated=False)
        assert math.exp(shift) == pytest.approx(found.row["exact/policy/ratio/mean"])
        assert not any(math.isnan(value) for value in found.row.values())
        assert found.shown["exact/policy/ratio/mean"] == "exact/policy/ratio/mean"


def test_metrics_that_fail_stop_nothing() -> None:
    """A suite that cannot compute is a fault, and the row is logged without it."""

    class Broken:
        def compute(self) -> dict[str, float]:
            raise ZeroDivisionError

        def reset(self) -> None:
            raise ZeroDivisionError

    one = live(metrics=Broken())

    assert one.measured() == {}
    assert one.faults.count == 2


def test_unknown_sources_are_refused_when_they_are_given() -> None:
    """A target that there is not is an error where it is written, not a silent row."""
    with pytest.raises(NamesError, match="verl"):
        live(to="verlo==0.9.1")


def test_settings_decide_where_the_source_knows_them() -> None:
    """Of the settings of a run those count that the source knows; another framework's of the same name do not."""
    settings = {"loss_type": "dapo", "beta": 0.1, "output_dir": "x", "learning_rate": 1.0, "scale_rewards": "no such"}

    known = known_settings(AT, settings)

    assert {"loss_type", "beta"} <= set(known)
    assert "output_dir" not in known
    assert "loss_type" not in settings_beside("verl==0.9.1", known, AT)
    assert known == settings_beside("canonical", known, AT)


@pytest.mark.parametrize(
    ("loss", "metric"),
    [(["sigmoid"], "sigmoid"), (["ipo"], "ipo"), (("hinge",), "hinge"), (["sigmoid", "sft"], "weighted_sum")],
)
def test_a_loss_in_a_list_is_that_loss(loss: object, metric: str) -> None:
    """TRL's DPO holds the name of its loss in a list, and logs the sum of several."""
    at = "trl[DPOTrainer]==1.9.0"

    found = Live(at, "canonical", config=plain_settings({"loss_type": loss})).take(1, {"loss": 0.5}, evaluated=False)

    assert found.row == {f"preference/loss/{metric}": 0.5}


def test_many_threads_log_at_once() -> None:
    """Threads that log through one object each get their own row, and health sees all of them."""
    one = live(health=True)
    wrong: list[Any] = []

    def log(number: int) -> None:
        for step in range(100):
            row = {**ROW, "loss": number + step / 1000}
            if one.take(step, row, evaluated=False).row["loss/total"] != row["loss"]:
                wrong.append((number, step))

    threads = [threading.Thread(target=log, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert wrong == []
    assert one.monitor.rows == 800
    assert one.faults.count == 0


def test_a_fork_while_others_log_does_not_lock_the_child() -> None:
    """A process that is forked while threads log can log itself at once."""
    one = live(health=True)
    stop = threading.Event()

    def log() -> None:
        while not stop.is_set():
            one.take(1, ROW, evaluated=False)

    threads = [threading.Thread(target=log) for _ in range(3)]
    for thread in threads:
        thread.start()
    context = multiprocessing.get_context("fork")
    try:
        for _ in range(10):
            child = context.Process(target=lambda: one.take(2, ROW, evaluated=False) and os._exit(7))
            child.start()
            child.join(20)
            assert child.exitcode == 7
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def test_a_row_answers_to_old_names_and_shows_the_new() -> None:
    """A callback that looks up an old name finds it; one that copies or prints the row gets the new names only."""
    row = ReportedRow({"loss/total": 0.5}, {"loss": 0.5})

    assert 0.5 == row["loss"] == row.get("loss") == row["loss/total"]
    assert "loss" in row
    assert "other" not in row
    assert row.get("other", 3) == 3
    with pytest.raises(KeyError):
        row["other"]
    assert {"loss/total": 0.5} == dict(row) == {**row} == copy.deepcopy(row) == json.loads(json.dumps(row))
    assert len(row) == 1


class Logger:
    """Keeps what it is asked to log."""

    def __init__(self) -> None:
        self.calls: list[tuple[tuple[Any, ...], dict[str, Any]]] = []

    def log(self, data: dict[str, Any], step: int | None = None, **more: Any) -> str:
        """Log."""
        self.calls.append(((data, step), more))
        return "done"


def test_any_function_that_logs_can_be_wrapped() -> None:
    """The row is renamed wherever it stands among the arguments; all else, and what is returned, stays as it is."""
    logger = Logger()
    log = wrap(logger.log, "verl==0.9.1", "canonical")

    assert "done" == log({"actor/lr": 0.1}, 3, commit=False) == log(data={"actor/lr": 0.1}, step=4)
    assert (logger.calls) == [
        (({"optimizer/learning_rate": 0.1}, 3), {"commit": False}),
        (({"optimizer/learning_rate": 0.1}, 4), {}),
    ]


def test_wrapped_health_gets_the_step() -> None:
    """A monitor behind a wrapped function is told the step that is logged."""
    heard: list[Any] = []
    log = wrap(Logger().log, "verl==0.9.1", health=heard.append)

    log({"actor/pg_loss": 0.1, "actor/grad_norm": 1.0}, step=40)
    log({"actor/pg_loss": math.nan, "actor/grad_norm": 1.0}, step=41)

    assert [news.step for news in heard] == [41]


def test_what_a_wrapped_function_raises_is_raised() -> None:
    """Errors of the logger itself are not hidden."""

    def log(row: dict[str, Any]) -> None:
        raise ConnectionError(str(row))

    with pytest.raises(ConnectionError):
        wrap(log, "verl==0.9.1", "canonical")({"actor/lr": 1.0})


def test_new_names_need_a_source() -> None:
    """A target without a source is refused."""
    with pytest.raises(ValueError, match="at="):
        wrap(print, to="canonical")


def test_tell_hears_whoever_observes() -> None:
    """Functions that are subscribed to a monitor hear what is found by any call of ``observe``."""
    monitor, heard = Monitor(AT), []
    faults = tell(monitor, heard.append)

    monitor.observe(1, ROW)
    found = monitor.observe(2, {**ROW, "kl": math.nan})

    assert [news.finding for news in heard] == found != []
    assert faults.count == 0


def test_measured_numbers_keep_their_names() -> None:
    """What a suite has measured passes as it is, once, where other unknown names are a metric of the user's own."""
    measured = {"exact/kl/reference/k3": 0.1, "eval_exact/reward/score/mean": 0.2}
    for both in (False, True):
        found = live(both=both).take(1, {"kl": 0.3, **measured, "my/own": 1.0}, evaluated=False)

        assert measured == {name: found.row[name] for name in found.row if "exact/" in name}
        assert not [name for name in found.shown if "exact/" in name]
        assert "group/user_metric/my/own" in found.row


def test_keys_that_never_come_back_fill_no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run whose rows bring new names for ever is renamed in bounded memory, its account included."""
    for bound in ("trackers.live_names._MOST", "translate.translator._MAX_KEYS", "translate.row_routes._MOST"):
        monkeypatch.setattr(f"rlmetrics.{bound}", 300)
    one = live()
    sizes = []
    tracemalloc.start()
    for step in range(600):
        one.take(step, {"kl": 0.1, **{f"mine/{step}/{place}": 1.0 for place in range(5)}}, evaluated=False)
        if step % 200 == 199:
            sizes.append(tracemalloc.get_traced_memory()[0])
    tracemalloc.stop()

    assert one.faults.count == 0
    assert sizes[2] < sizes[1] + 200_000


class _Raises(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        raise RuntimeError(record.msg)


def test_a_filter_of_the_program_that_raises_does_not_reach_training() -> None:
    """Neither findings nor faults are told through the caller's own broken logging at the price of a step."""

    class UnspokenError(Exception):
        def __str__(self) -> str:
            raise RuntimeError

    def sink(news: object) -> None:
        raise UnspokenError

    logger, broken = logging.getLogger("rlmetrics"), _Raises()
    one = live(health=[True, sink])
    logger.addFilter(broken)
    try:
        one.take(1, {"loss": 0.5, "kl": 0.1}, evaluated=False)
        found = one.take(2, {"loss": math.nan, "kl": 0.1}, evaluated=False)
    finally:
        logger.removeFilter(broken)

    assert "loss" not in found.row
    assert one.faults.count >= 1
    assert "UnspokenError" in one.faults.last
