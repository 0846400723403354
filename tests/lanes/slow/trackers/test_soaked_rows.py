"""A run that never stops inventing keys, through `attach`: neither memory nor the time of a row grows.

``SOAKED_ROWS=1000000`` in the environment has it go on for a million rows; how much was held is printed with ``-s``.
"""

import os
import subprocess
import sys
from pathlib import Path

ROWS = int(os.environ.get("SOAKED_ROWS", "30000"))
SOAK = """
import random, sys, time
from rlmetrics.trainers.transformers import attach

AT = "trl[GRPOTrainer]==1.16.0"

class Handler:
    callbacks = ()
    def on_log(self, args, state, control, logs, **_):
        return control

class Trainer:
    callback_handler = Handler()

class State:
    is_world_process_zero = True
    global_step = 0
    log_history = []

def held():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096 / 1e6

trainer, state = Trainer(), State()
attached = attach(trainer, to="verl==0.9.1", both=True, health=True, at=AT, config={})
marks = []
for step in range(ROWS):
    new = {f"new/{step}/{number}": 1.0 for number in range(3)}
    row = {"loss": 0.1, "kl": 0.01, "reward": random.random(), **new}
    state.global_step, state.log_history = step, [{**row, "step": step}]
    trainer.callback_handler.on_log(None, state, None, row)
    if step % (ROWS // 3) == ROWS // 3 - 1:
        marks.append((held(), time.process_time()))
assert attached.faults.count == 0, attached.faults.last
(first, began), (middle, met), (last, ended) = marks
print(*(f"{rows:,} rows: {megabytes:.1f} MB held, {seconds:.0f} s" for rows, (megabytes, seconds) in
    zip((ROWS // 3, 2 * ROWS // 3, ROWS), marks)), sep="\\n")
assert last <= 200, marks
assert last - middle < 8, marks
assert ended - met < 1.5 * (met - began), marks
"""


def test_ever_new_keys_fill_no_memory_through_attach(tmp_path: Path) -> None:
    """Three keys a row never come back: 200 MB at most, nothing more after the second third, and no slower rows."""
    program = tmp_path / "soak.py"
    program.write_text(SOAK.replace("ROWS", str(ROWS)).strip() + "\n")

    done = subprocess.run([sys.executable, program], capture_output=True, text=True, check=False)

    print(done.stdout)
    assert done.returncode == 0, done.stderr
