"""The reference batches, and the numbers over their parts, against arithmetic by hand."""

from __future__ import annotations

from itertools import islice

import pytest
import torch
from rlmetrics.codegen.sizes.batch_shapes import LAYOUTS, PROFILES
from rlmetrics.codegen.sizes.batches import Step, steps
from rlmetrics.codegen.sizes.departures import DEPARTURES
from rlmetrics.codegen.sizes.draws import Draws
from rlmetrics.codegen.sizes.step_parts import Numbers, can_compute
from rlmetrics.functional import REGISTRY

ENTROPY = REGISTRY["entropy/policy@from_token_entropy"]


@pytest.fixture(scope="module")
def step() -> Step:
    """Return a step of two processes, each with eight micro-batches of four responses."""
    return list(islice(steps(), 2))[1]


def _entropies(step: Step, rank: int | None = None) -> list[torch.Tensor]:
    """Return the entropies of the counted tokens of each micro-batch."""
    return [
        piece.inputs["token_entropy"][piece.inputs["mask"]]
        for piece in step.pieces
        if rank is None or piece.place[0] == rank
    ]


def test_draws_are_the_same_on_every_machine():
    """The first numbers are those of the specified generator, whatever the version of torch."""
    draws = Draws("seed")
    assert [round(float(x), 4) for x in draws.uniform(3)] == [0.6382, 0.5589, 0.7367]


def test_draws_of_one_part_do_not_move_those_of_another():
    """Drawing more for one input leaves the others as they are."""
    first, second = Draws("seed"), Draws("seed")
    first.apart("pairs").normal(100)
    assert torch.equal(first.normal(5), second.normal(5))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts_come_out_even(layout):
    """Every process, mini-batch and micro-batch has equally many responses, and every process whole groups."""
    rows = layout.rows // layout.ranks
    assert 0 == layout.rows % layout.ranks == rows % layout.group == rows % (layout.mini_batches * layout.micro_rows)


def test_there_are_one_and_several_processes_and_all_kinds_of_length():
    """What sizes are said to cover is there."""
    assert {layout.ranks for layout in LAYOUTS} == {1, 2, 4, 8}
    assert {profile.verified for profile in PROFILES} == {False, True}
    assert len(LAYOUTS) * len(PROFILES) == 24


def test_padding_holds_nothing(step):
    """A number that looks at padding without being told what is there is not a number."""
    for piece in step.pieces:
        assert piece.inputs["logprobs"][~piece.inputs["mask"]].isnan().all()
        assert piece.inputs["logprobs"][piece.inputs["mask"]].isfinite().all()


def test_no_update_leaves_the_policy_as_it_was(step):
    """With one optimizer step per batch every ratio is 1."""
    for piece in step.pieces:
        mask = piece.inputs["mask"]
        assert torch.equal(piece.inputs["logprobs"][mask], piece.inputs["old_logprobs"][mask])


def test_pooled_is_the_mean_over_all_tokens(step):
    """Micro-batches are put together token by token."""
    assert float(torch.cat(_entropies(step)).mean()) == pytest.approx(Numbers(ENTROPY, step).pooled, rel=1e-12)


def test_means_of_parts_count_every_part_once(step):
    """A mean over processes, micro-batches or responses is the plain mean of what each of them has."""
    numbers = Numbers(ENTROPY, step)
    ranks = [float(torch.cat(_entropies(step, rank)).mean()) for rank in (0, 1)]
    micro = [float(part.mean()) for part in _entropies(step)]
    rows = [
        float(entropy[mask].mean())
        for piece in step.pieces
        for entropy, mask in zip(piece.inputs["token_entropy"], piece.inputs["mask"], strict=True)
    ]
    for level, parts in (("rank", ranks), ("micro_batch", micro), ("sequence", rows)):
        assert sum(parts) / len(parts) == pytest.approx(numbers.reduced(level, "mean"), rel=1e-12)
    assert ranks[0] == pytest.approx(numbers.reduced("rank", "first"), rel=1e-12)


def test_a_level_with_one_part_is_no_level(step):
    """There is nothing to compare where a step has one mini-batch."""
    numbers = Numbers(ENTROPY, step)
    assert [numbers.has(each) for each in ("rank", "micro_batch", "mini_batch", "epoch")] == [True, True, False, False]


def test_groups_are_never_cut(step):
    """Statistics of groups are compared over processes, which hold whole groups, and over nothing smaller."""
    numbers = Numbers(REGISTRY["reward/group_std"], step)
    assert [numbers.has(each) for each in ("rank", "micro_batch")] == [True, False]


def test_what_nothing_is_known_of_is_not_computed(step):
    """A metric needs all of its inputs, and values of all its parameters."""
    assert can_compute(ENTROPY, step.generated[0])
    assert not can_compute(REGISTRY["timing/forward_backward"], step.generated[0])
    assert not can_compute(REGISTRY["advantage/distribution"], step.generated[0])


def test_truncated_responses_are_left_out_whole():
    """What is left are the tokens of the responses that ended on their own."""
    steps_cut = [each for each in islice(steps(), 16, 18) if not all(x["terminated"].all() for x in each.generated)]
    for each in steps_cut:
        plain, finished = _both(DEPARTURES["truncated_responses_excluded"](ENTROPY, None, each))
        kept = [
            piece.inputs["token_entropy"][row][piece.inputs["mask"][row]]
            for piece in each.pieces
            for row in range(len(piece.inputs["mask"]))
            if piece.inputs["terminated"][row]
        ]
        assert float(torch.cat(kept).mean()) == pytest.approx(finished, rel=1e-12)
        assert float(torch.cat(_entropies(each)).mean()) == pytest.approx(plain, rel=1e-12)
    assert len(steps_cut) == 2


def test_padding_dilutes_by_its_share():
    """Where padding counts as 0, the mean falls by the share of padding."""
    later = next(islice(steps(), 0, 1))
    departed = DEPARTURES["padding_counted"](REGISTRY["kl/old/k2@padded"], REGISTRY["kl/old/k2"], later)
    plain, padded = _both(departed)
    masks = torch.cat([piece.inputs["mask"].flatten() for piece in later.pieces])
    assert plain * float(masks.double().mean()) == pytest.approx(padded, rel=1e-9)
    assert DEPARTURES["padding_counted"](REGISTRY["kl/old/k2"], REGISTRY["kl/old/k2"], later) is None


def test_text_after_the_end_has_a_size_in_sums_only(step):
    """A sum over a response grows with its length; of a mean nothing is known."""
    plain, uncut = _both(DEPARTURES["text_after_end_counted"](REGISTRY["entropy/surprisal_sum"], None, step))
    assert uncut > plain
    assert DEPARTURES["text_after_end_counted"](ENTROPY, None, step) is None
    assert DEPARTURES["text_after_end_counted"](REGISTRY["entropy/surprisal_sum@padding_filled"], None, step) is None


def test_another_policys_ratios_have_the_mean_one():
    """So two estimators of one divergence agree but for chance: over six steps within a quarter."""
    found = dict.fromkeys(("kl/reference/k1", "kl/reference/k3"), 0.0)
    for each in islice(steps(), 0, 24, 4):
        for name in found:
            found[name] += Numbers(REGISTRY[name], each).pooled
    assert found["kl/reference/k3"] == pytest.approx(found["kl/reference/k1"], rel=0.25)


def _both(numbers: tuple[float, float] | None) -> tuple[float, float]:
    assert numbers is not None
    return numbers
