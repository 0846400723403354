"""Imported once, in the process that workers are forked from: all of them share the rules and tables read here."""

from __future__ import annotations

import gc

from rlmetrics.health import judging
from rlmetrics.health.rules import rules_of
from rlmetrics.logs.kinds import csv, jsonl, trainer_state
from rlmetrics.names.inference import Clues, find_source
from rlmetrics.names.tables.loading import load_tables

from . import scanning

__all__: list[str] = []

_IMPORTED = (csv, jsonl, trainer_state, judging, scanning)
rules_of(load_tables())
find_source(Clues(("loss", "learning_rate"), whole=True))
# Nothing of it is looked through again, which would copy its pages into each process.
gc.freeze()
