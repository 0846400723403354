"""Runs with very many names take time in proportion to them, whatever the kind: nothing is searched name by name."""

import gc
import time

import pytest
from logs import LOGS
from rlmetrics.translate import Report, translate_file
from wandb_frames import history, write

FEW, TIMES = 400, 16
"""Sixteen times the names would take 256 times the time, if each were looked for among all others."""


def _seconds(work):
    gc.collect()
    gc.disable()  # to look for garbage takes as long as all tests before have left objects
    try:
        begun = time.process_time()
        work()
        return time.process_time() - begun
    finally:
        gc.enable()


def _rows(name, count):
    row = {"actor/ppo_kl": "0.5"}
    if name == "run.csv":
        return [row | {f"mine/{number}": "1" for number in range(count)}]
    return [row | {f"mine/{number + place}": "1" for place in range(20)} for number in range(0, count, 20)]


@pytest.mark.parametrize("name", [name for name in LOGS if name != "mlruns"])
def test_unknown_names_take_time_in_proportion(name, tmp_path):
    """Each is looked up once, and taken down once."""
    log, took = LOGS[name], {}
    for count in (FEW, FEW * TIMES):
        path = tmp_path / str(count) / name
        path.parent.mkdir()
        log.write(path, _rows(name, count))
        options = {"source": "verl==0.9.1", "target": "canonical", "kind": log.kind}
        took[count] = _seconds(lambda path=path, options=options: translate_file(path, **options))

    assert took[FEW * TIMES] < 0.25 * TIMES * TIMES * took[FEW]


def test_definitions_by_prefix_are_looked_up_for_new_names_only(tmp_path):
    """W&B: each row with a new name looks at that, not at all that were written before."""
    took = {}
    for count in (FEW, FEW * TIMES):
        glob = {"metric": {"glob_name": "actor/*", "options": {"defined": True}}}
        rows = (history(**{f"actor/x{number}": "1", "actor/ppo_kl": "1"}) for number in range(count))
        path = write(tmp_path / f"run-{count}.wandb", glob, *rows)
        took[count] = _seconds(lambda path=path: translate_file(path, source="verl==0.9.1", target="canonical"))

    assert took[FEW * TIMES] < 0.25 * TIMES * TIMES * took[FEW]


def test_reports_of_many_files_are_put_together_in_proportion():
    """The names of a file are not searched among those of all others."""

    def total(count):
        reports = [Report("jsonl", "a", "b", unknown=[f"{file}/{name}" for name in range(20)]) for file in range(count)]
        assert 20 * count == len(Report.of(reports).unknown)

    few, many = _seconds(lambda: total(FEW)), _seconds(lambda: total(FEW * TIMES))

    assert many < 0.25 * TIMES * TIMES * few + 0.1
