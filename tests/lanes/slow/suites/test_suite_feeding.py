"""However a batch comes to a suite, block by block, cut, padded or packed, on one rank or three: the same numbers."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random

from gloo_ranks import on_ranks
from rlmetrics.state.suite import Suite
from rlmetrics.suites import make_suite
from suites.feeding import draw_batch
from suites.suite_support import SUITES, assert_same
from suites.test_suite_rows import KEYS

MAKES: list[Callable[[], Suite]] = [*SUITES, partial(make_suite, KEYS)]
SEEDS = range(20)

WORKER = """
from random import Random
import torch.distributed as dist
from gloo_ranks import join, report
from suites.feeding import FORMS, draw_batch, draw_updates, split_columns
from lanes.slow.suites.test_suite_feeding import MAKES, SEEDS

rank = join()
found = {}
for number, make in enumerate(MAKES):
    for seed in SEEDS:
        rng = Random(seed)
        suite, split = make(), make().split_over(dist.group.WORLD)
        batch, lengths = draw_batch(rng, suite)
        for update in draw_updates(rng, suite, batch, lengths):
            if rng.randrange(3) == rank:
                suite.update(**update)
        for update in draw_updates(rng, split, batch, lengths, FORMS[:-1]):
            split.update(**split_columns(rng, split, update, 3)[rank])
        found[f"{number} {seed}"] = [suite.sync().compute(), split.sync().compute()]
report(found)
"""


def test_any_feeding_on_three_ranks(tmp_path: Path) -> None:
    """Updates dealt to three ranks, and updates whose rows are split over them, give the numbers of one process."""
    found = on_ranks(tmp_path, WORKER)

    for number, make in enumerate(MAKES):
        for seed in SEEDS:
            batch, _ = draw_batch(Random(seed), make())
            expected = make().update(**batch).compute()
            for rank in found:
                for results in rank[f"{number} {seed}"]:
                    assert_same(expected, results, rel=1e-6)
