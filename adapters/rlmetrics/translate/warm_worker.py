"""Imported once, in the process that workers are forked from: all of them share what is read here."""

from __future__ import annotations

import gc

from rlmetrics.logs.kinds import csv, jsonl, trainer_state
from rlmetrics.names.inference import Clues, find_source
from rlmetrics.names.tables.loading import load_tables

from . import jobs, row_routes, translation
from .rewriting import csv_rewriter, jsonl_rewriter, trainer_state_rewriter

__all__: list[str] = []

_IMPORTED = (csv, jsonl, trainer_state, jobs, row_routes, translation)
_WRITING = (csv_rewriter, jsonl_rewriter, trainer_state_rewriter)
load_tables()
find_source(Clues(("loss", "learning_rate"), whole=True))
# Nothing of it is looked through again, which would copy its pages into each process.
gc.freeze()
