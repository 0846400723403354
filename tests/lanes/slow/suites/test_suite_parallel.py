"""Three ranks: whatever form the data has and however it is spread, the numbers of one process, or an error."""

from __future__ import annotations

from typing import Any

import pytest
from gloo_ranks import on_ranks
from rlmetrics.state import MetricState
from rlmetrics.suites import GRPOSuite, make_suite
from suites.suite_support import assert_same
from suites.test_suite_rows import KEYS, ragged

WORKER = """
import copy
import torch
import torch.distributed as dist
from gloo_ranks import join, report
from rlmetrics.state import MetricState
from rlmetrics.suites import GRPOSuite, PPOSuite, make_suite
from suites.suite_support import counted_collectives
from suites.test_suite_rows import KEYS, packed, ragged, tokens_of

rank = join()
pair = dist.new_group([0, 1])
calls = counted_collectives()
found = {}

def refused(call):
    try:
        call()
    except (ValueError, TypeError) as error:
        return f"{type(error).__name__}: {error}"
    return None

def rows_of(batch, lengths, rows):
    return {name: tensor[rows] for name, tensor in batch.items()}, lengths[rows]

# Whole responses, dealt to ranks, packed, a set of inputs at a time.
suite = GRPOSuite()
batch, lengths = ragged(suite, 4, rows=6)
part, some = rows_of(batch, lengths, slice(2 * rank, 2 * rank + 2))
form = packed(suite, part, some, ["cu_seqlens", "cu_seqlens, flat", "nested, jagged"][rank])
of_tokens = {*tokens_of(suite, part), "cu_seqlens"}
suite.update(**{name: tensor for name, tensor in form.items() if name in of_tokens})
for name in ("rewards", "scores", "lengths"):
    more = {"rewards": ["group_ids"], "lengths": ["terminated"]}.get(name, [])
    suite.update(**{word: part[word] for word in (name, *more)})
calls.clear()
found["packed"] = suite.sync().compute()
found["collectives"] = len(calls)

# Each row cut into three parts of tokens, of which one is longer.
for name, suite in {"sequences": make_suite(KEYS), "grpo": GRPOSuite()}.items():
    batch, _ = ragged(suite, 5, rows=6)
    columns = [slice(0, 2), slice(2, 4), slice(4, 7)][rank]
    of_tokens = tokens_of(suite, batch)
    part = {word: x[:, columns] if word in of_tokens else x for word, x in batch.items()}
    calls.clear()
    suite.split_over(dist.group.WORLD).update(**part)
    found[f"split {name} calls"] = len(calls)
    found[f"split {name}"] = suite.sync().compute()

# A packed row cut into three.
suite = make_suite(KEYS)
batch, lengths = ragged(suite, 6, rows=6)
row = packed(suite, batch, lengths, "cu_seqlens")
total = sum(lengths)
edges = [0, total // 3, 2 * total // 3, total]
part = {word: x[:, edges[rank]:edges[rank + 1]] if x.dim() > 1 else x for word, x in row.items()}
found["split packed"] = suite.split_over(dist.group.WORLD).update(**part).sync().compute()

# What must not pass in silence.
other = PPOSuite(clip_low=0.1 if rank == 2 else 0.2)
found["parameters"] = refused(other.sync)
state = MetricState("policy/clip_fraction", clip_low=0.1 if rank == 1 else 0.2)
found["parameters of a state"] = refused(state.sync)
found["suites"] = refused([PPOSuite, GRPOSuite, lambda: make_suite(KEYS)][rank]().sync)
found["states"] = refused(MetricState(["kl/old/k1", "reward/group_std", "rollout/token_weight/p50"][rank]).sync)
cut = GRPOSuite().update(rewards=torch.tensor([1.0, float(rank)]), group_ids=torch.tensor([rank, 9]))
found["cut"] = refused(cut.sync().compute)
cut = MetricState("reward/group_std").update(rewards=torch.tensor([1.0, 2.0]), group_ids=torch.tensor([rank, 9]))
found["cut state"] = refused(lambda: cut.sync().compute())
tokens = {name: torch.zeros(2, 3) for name in ("old_logprobs", "ref_logprobs")[: 1 + rank]}
tokens["mask"] = torch.ones(2, 3, dtype=torch.bool)
found["inputs"] = refused(lambda: make_suite(KEYS).split_over(dist.group.WORLD).update(**tokens))
found["rows"] = refused(lambda: make_suite(KEYS).split_over(dist.group.WORLD).update(
    old_logprobs=torch.zeros(2 + rank, 3), mask=torch.ones(2 + rank, 3, dtype=torch.bool)))

# One rank gives what completes no metric, has a misspelt name, or nothing; what the others do, they do not wait for it.
split = {name: make_suite(KEYS).split_over(dist.group.WORLD) for name in ("no metric", "name", "nothing")}
tokens = {"old_logprobs": torch.zeros(2, 3), "mask": torch.ones(2, 3, dtype=torch.bool)}
found["no metric"] = refused(lambda: split["no metric"].update(
    **({"mask": tokens["mask"]} if rank == 1 else tokens)))
found["name"] = refused(lambda: split["name"].update(**tokens, **({"mas": 1} if rank == 0 else {})))
found["nothing"] = refused(lambda: split["nothing"].update(**({} if rank == 2 else tokens)))
for name, suite in split.items():
    suite.reset().update(**tokens)
    found[f"{name}, then"] = suite.sync().compute()["entropy/surprisal_sum"]
found["alone"] = refused(split["name"].reset().update(**tokens).compute)
found["meanwhile"] = refused(split["name"].sync if rank == 2 else lambda: split["name"].update(**tokens))
# Metrics of single tokens meet only in the end.
late = {name: GRPOSuite().split_over(dist.group.WORLD) for name in ("less", "rows", "never", "wrong")}
values = {"advantages": torch.zeros(2, 3), "token_entropy": torch.zeros(2, 3), "mask": tokens["mask"]}
some = dict(values)
if rank == 1:
    del some["token_entropy"]
late["less"].update(**some)
late["rows"].update(**{name: x[:2 - (rank == 0)] for name, x in values.items()})
if rank:
    late["never"].update(**values)
wrong = {"mask": tokens["mask"]} if rank == 1 else values
found["wrong here"] = refused(lambda: late["wrong"].update(**wrong))
for name, suite in late.items():
    found[f"late {name}"] = refused(suite.sync)
    found[f"late {name}, then"] = suite.reset().update(**values).sync().compute()["entropy/policy"]
if rank < 2:
    found["part"] = refused(lambda: GRPOSuite().split_over(dist.group.WORLD).sync(pair))
found["late split"] = refused(lambda: late["less"].split_over(None))
found["copied"] = refused(lambda: copy.deepcopy(late["less"]))
if rank == 2:
    found["outside split"] = refused(lambda: GRPOSuite().split_over(pair))
if rank == 2:
    found["outside"] = refused(lambda: GRPOSuite().sync(pair))

# More groups than there is room for, and states that keep every value.
many = GRPOSuite()
for number in range(3):
    ids = torch.arange(9000 * (3 * rank + number), 9000 * (3 * rank + number + 1)) // 2
    many.update(rewards=(ids % 7).double(), group_ids=ids)
calls.clear()
found["many"] = [many.sync().compute()["reward/zero_std_fraction"], len(calls)]
state = MetricState("rollout/token_weight/p50")
names = [word for word, _, _ in state.metric.inputs]
whole, _ = ragged(make_suite(["kl/rollout/k1"]), 8, rows=6)
state.update(**{word: x[2 * rank: 2 * rank + 1 + rank] for word, x in whole.items()})
found["quantile"] = state.sync().compute().item()
part, _ = rows_of(whole, [], slice(2 * rank, 2 * rank + 2))
found["mean state"] = MetricState("kl/rollout/k1").update(**part).sync().compute().item()
report(found)
"""


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """Run three processes with gloo, and return what each of them found."""
    return on_ranks(tmp_path_factory.mktemp("parallel"), WORKER)


def test_packed_block_by_block_on_three_ranks(found: list[dict[str, Any]]) -> None:
    """Packed in three ways, fed one set of inputs at a time, the ranks have the numbers of all padded rows."""
    batch, _ = ragged(GRPOSuite(), 4, rows=6)
    expected = GRPOSuite().update(**batch).compute()

    for rank in found:
        assert_same(expected, rank["packed"], rel=1e-9)
        assert rank["collectives"] == 1


def test_rows_split_over_ranks(found: list[dict[str, Any]]) -> None:
    """Rows cut between tokens give the numbers of whole rows; metrics of single tokens need no collective for it."""
    batch, _ = ragged(make_suite(KEYS), 5, rows=6)
    expected = make_suite(KEYS).update(**batch).compute()
    grpo, _ = ragged(GRPOSuite(), 5, rows=6)

    for rank in found:
        assert_same(expected, rank["split sequences"], rel=1e-9)
        assert_same(GRPOSuite().update(**grpo).compute(), rank["split grpo"], rel=1e-9)
        assert rank["split grpo calls"] == 0
        assert rank["split sequences calls"] > 0


def test_packed_row_split_over_ranks(found: list[dict[str, Any]]) -> None:
    """A packed row cut between tokens is put together before it is unpacked."""
    batch, _ = ragged(make_suite(KEYS), 6, rows=6)
    expected = make_suite(KEYS).update(**batch).compute()

    for rank in found:
        assert_same(expected, rank["split packed"], rel=1e-9)


@pytest.mark.parametrize(
    ("case", "says"),
    [
        (
            "parameters",
            "ValueError: PPOSuite: expected the same metrics and parameters on all ranks, got others on ranks",
        ),
        ("parameters of a state", "ValueError: policy/clip_fraction: expected the same metrics and parameters on all"),
        (
            "cut",
            "ValueError: GRPOSuite: group_ids: expected each group whole in one update of one rank, got parts of 9",
        ),
        ("cut state", "ValueError: reward/group_std: group_ids: expected each group whole in one update of one rank"),
        ("inputs", "ValueError: FusedSuite: expected the same inputs on all ranks that rows are split over, got"),
        ("rows", "ValueError: mask: expected as many rows on all ranks that they are split over, got"),
    ],
)
def test_refused_on_every_rank(found: list[dict[str, Any]], case: str, says: str) -> None:
    """What would give a wrong number is an error on each rank."""
    for rank in found:
        assert str(rank[case]).startswith(says)


def test_split_ranks_that_go_other_ways(found: list[dict[str, Any]]) -> None:
    """A rank that refuses its inputs says why, the others say which rank did, and all go on together."""
    for case, failing, says in (
        ("no metric", 1, "TypeError: FusedSuite: 'mask' is of no use without "),
        ("name", 0, "TypeError: FusedSuite: unknown input 'mas'"),
        ("nothing", 2, "TypeError: FusedSuite: expected at least one of "),
    ):
        for rank, one in enumerate(found):
            other = f"ValueError: FusedSuite: rank {failing} of those that rows are split over refused its inputs"
            assert one[case].startswith(says if rank == failing else other)
            assert one[f"{case}, then"] == 0.0
    for one in found:
        assert one["meanwhile"].endswith("but rank 0 updates while rank 2 synchronises")
        assert one["alone"].startswith("ValueError: FusedSuite: expected sync() before this")


def test_split_tokens_that_differ(found: list[dict[str, Any]]) -> None:
    """Where ranks send nothing in updates, other inputs, rows or updates on one of them are refused by sync on all."""
    for rank, one in enumerate(found):
        assert (one["wrong here"] is not None) == (rank == 1)
        for case in ("less", "rows", "never", "wrong"):
            says = "ValueError: GRPOSuite: expected the same inputs on all ranks that rows are split over, got others"
            assert one[f"late {case}"].startswith(says)
            assert one[f"late {case}, then"] == 0.0


def test_split_suites_stay_with_their_ranks(found: list[dict[str, Any]]) -> None:
    """Results of a part of the ranks, copies, and groups of other ranks are refused."""
    for one in found[:2]:
        assert one["part"].startswith("ValueError: GRPOSuite: expected sync over a group with all ranks that rows are")
    for one in found:
        assert one["late split"].endswith("expected split_over before the first update, or after reset()")
        assert one["copied"].startswith("TypeError: GRPOSuite: cannot copy or pickle while rows are split over ranks")
    assert found[2]["outside split"] == "ValueError: GRPOSuite: this process does not belong to the group"


def test_ranks_with_other_metrics(found: list[dict[str, Any]]) -> None:
    """Ranks with other suites or metrics, whose states differ in size, are refused on all of them."""
    for one in found:
        for case in ("suites", "states"):
            assert "expected the same metrics and parameters on all ranks, got others on ranks 0 and 1" in one[case]


def test_outside_the_group(found: list[dict[str, Any]]) -> None:
    """A process that does not belong to the group is told so."""
    assert found[2]["outside"] == "ValueError: GRPOSuite: this process does not belong to the group"


def test_more_than_there_is_room_for(found: list[dict[str, Any]]) -> None:
    """Thousands of groups and states without a fixed width take a second collective."""
    whole, _ = ragged(make_suite(["kl/rollout/k1"]), 8, rows=6)
    state = MetricState("rollout/token_weight/p50")
    for rank in range(3):
        state.update(**{word: x[2 * rank : 2 * rank + 1 + rank] for word, x in whole.items()})
    mean = MetricState("kl/rollout/k1").update(**whole)

    for one in found:
        assert one["many"] == [1.0, 2]
        assert one["quantile"] == pytest.approx(state.compute().item())
        assert one["mean state"] == pytest.approx(mean.compute().item())
