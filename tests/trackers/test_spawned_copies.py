"""What treats rows goes on in processes that are spawned, with what it knows."""

import copy
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rlmetrics.health import Monitor
from rlmetrics.names import load_tables
from rlmetrics.trackers import wrap
from rlmetrics.translate import Translator

AT, VERL = "trl[GRPOTrainer]==1.16.0", "verl==0.9.1"
ROW = {"kl": 0.5, "odd/key": 2.0}


def _pickled(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))


copies = pytest.mark.parametrize("copied", [_pickled, copy.deepcopy])


SPAWNED = """
import multiprocessing
from rlmetrics.health import Monitor
from rlmetrics.trackers import Live
from rlmetrics.translate import Translator

AT, VERL = "trl[GRPOTrainer]==1.16.0", "verl==0.9.1"
ROW = {"kl": 0.5, "odd/key": 2.0}

def asked(translator, monitor, live, answers):
    monitor.observe(20, {"kl": 9.0})
    row = live.take(21, ROW, evaluated=False).row
    answers.put((translator.row(ROW), monitor.rows, [found.rule for found in monitor.findings()], row))

if __name__ == "__main__":
    monitor = Monitor(AT)
    for step in range(20):
        monitor.observe(step, {"kl": 0.1 * step})
    context = multiprocessing.get_context("spawn")
    answers = context.Queue()
    translator, live = Translator(AT, VERL), Live(AT, VERL, health=True)
    process = context.Process(target=asked, args=(translator, monitor, live, answers))
    process.start()
    row, rows, found, taken = answers.get(timeout=120)
    process.join()
    assert row == translator.row(ROW) == {"actor/kl_loss": 0.5, "odd/key": 2.0}
    assert (monitor.rows, rows) == (20, 21)
    assert monitor.findings() and {finding.rule for finding in monitor.findings()} <= set(found)
    assert taken.items() >= row.items() and "health/level" in taken
"""


def test_spawned_processes_go_on(tmp_path: Path) -> None:
    """Translator, monitor and live rows are handed to a process that shares nothing with this one."""
    program = tmp_path / "spawned.py"
    program.write_text(SPAWNED.strip() + "\n")

    done = subprocess.run([sys.executable, program], capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr


@copies
def test_a_translator_goes_on_with_its_account(copied: Callable[[Any], Any]) -> None:
    """A copy tells of the keys that the original had met, and of its own beside them; the original does not."""
    translator = Translator(AT, VERL, both=True)
    translator.row({"kl": 0.5, "a": 1.0})

    other = copied(translator)
    assert other.row({"kl": 0.5, "b": 1.0}) == translator.row({"kl": 0.5, "b": 1.0})
    other.row({"c": 1.0})

    assert other.report.unchanged == ["a", "b", "c"]
    assert translator.report.unchanged == ["a", "b"]
    assert other.report.translated == translator.report.translated


@copies
def test_tables_are_loaded_again_where_they_go(copied: Callable[[Any], Any]) -> None:
    """Whatever holds them can be copied: they are the ones that the process has already."""
    tables = load_tables(())
    given = Monitor(AT, spec=tables), wrap(print, at=AT, to=VERL, spec=tables)

    assert copied(tables) is tables
    assert copied(given[0]).at == AT
    assert copied(given[1]).live.take(1, ROW, evaluated=False).row == given[1].live.take(1, ROW, evaluated=False).row
