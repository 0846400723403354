"""A metric's state: update, merge, compute, and everything that moves it from one place to another."""

from __future__ import annotations

import math
import pickle
from pathlib import Path

import pytest
import torch
from metric_inputs import make_inputs
from rlmetrics.functional import REGISTRY
from rlmetrics.state import MetricState

CLIP = REGISTRY["policy/clip_fraction"]
K1 = REGISTRY["kl/old/k1"]


def test_updates_add_up() -> None:
    """Updating twice gives the value over both batches, which is not the mean of their values."""
    first, second = make_inputs(K1, 0), make_inputs(K1, 1)
    state = K1.state().update(**first).update(**second)

    drift = torch.cat([(batch["old_logprobs"] - batch["logprobs"])[batch["mask"]] for batch in (first, second)])
    assert drift.mean().item() == pytest.approx(state.compute().item(), rel=1e-12)


def test_merge_takes_states_only() -> None:
    """Anything else is refused with what it is."""
    with pytest.raises(TypeError, match="merge takes another state of the same metric, not int"):
        K1.state().merge(5)  # type: ignore[arg-type]


def test_merge_is_in_place_and_leaves_the_other_alone() -> None:
    """Merging changes the left state, returns it, and does not touch the right one."""
    left, right = K1.state().update(**make_inputs(K1, 0)), K1.state().update(**make_inputs(K1, 1))
    before = right.values.clone()

    assert left.merge(right) is left
    assert torch.equal(before, right.values)


def test_metric_can_be_given_by_name() -> None:
    """A state can be made from the registry's key alone; an unknown one is an error that names near ones."""
    by_name = MetricState("policy/clip_fraction", clip_low=0.1)

    assert (by_name.metric, by_name.parameters["clip_low"]) == (CLIP, 0.1)
    with pytest.raises(KeyError, match="did you mean"):
        MetricState("policy/clip_fractions")


def test_init_forgets_everything() -> None:
    """After ``init`` the state is as good as new."""
    state = K1.state().update(**make_inputs(K1, 0)).init()

    assert torch.equal(K1.state().values, state.values)
    assert state.compute().isnan()


def test_state_is_one_float64_vector() -> None:
    """However much data goes in, the state stays one short float64 vector without history."""
    state = K1.state()
    for seed in range(5):
        inputs = make_inputs(K1, seed)
        inputs["logprobs"].requires_grad_()
        state.update(**inputs)

    assert (state.values.dtype, tuple(state.values.shape)) == (torch.float64, (2,))
    assert not state.values.requires_grad


def test_parameters_are_kept() -> None:
    """Parameters given to the state are those of every update."""
    inputs = make_inputs(CLIP, 2)
    state = CLIP.state(clip_low=0.01, clip_high=0.01).update(**inputs)

    assert CLIP.function(**inputs, clip_low=0.01, clip_high=0.01).item() == state.compute().item()
    assert CLIP.function(**inputs).item() != state.compute().item()


@pytest.mark.parametrize("metric", [K1, CLIP, REGISTRY["policy/ratio/distribution"]], ids=lambda metric: metric.id)
def test_pickle_and_state_dict(metric: MetricState, tmp_path: Path) -> None:
    """A state survives pickling, and ``torch.save`` of its dict, and goes on from there."""
    inputs = make_inputs(metric, 0)  # type: ignore[arg-type]
    state = metric.state().update(**inputs)  # type: ignore[attr-defined]

    copy = pickle.loads(pickle.dumps(state))
    torch.save(state.state_dict(), tmp_path / "state.pt")
    loaded = metric.state()  # type: ignore[attr-defined]
    loaded.load_state_dict(torch.load(tmp_path / "state.pt"))

    for other in (copy, loaded):
        assert torch.equal(state.values, other.values)
        expected = state.compute()
        assert torch.equal(expected, other.compute())
    assert not torch.equal(copy.update(**inputs).values, state.values)


def test_state_dict_is_a_copy() -> None:
    """Later updates do not change a saved state."""
    state = K1.state()
    saved = state.state_dict()
    state.update(**make_inputs(K1, 0))

    assert torch.equal(K1.state().values, saved["values"])


QUANTILE = REGISTRY["asynchrony/generation_time/p95"]


def test_kept_values_travel_as_a_list() -> None:
    """Ranks keep different numbers of values: a list of them merges to the whole, and one tensor is refused."""
    seconds = [torch.tensor([4.0, 1.0]), torch.zeros(0), torch.tensor([3.0, 2.0, 9.0])]
    states = [QUANTILE.state().update(generation_seconds=part) for part in seconds]
    values = [state.values for state in states]

    whole = states[0].over_ranks(values)

    assert whole.values.tolist() == [5.0, 4.0, 1.0, 3.0, 2.0, 9.0]
    assert pytest.approx(whole.compute().item()) == 8.0
    assert [len(one) for one in values] == [3, 1, 4]
    with pytest.raises(ValueError, match="asynchrony/generation_time/p95: gathered: expected a list"):
        states[0].over_ranks(torch.cat(values))
    with pytest.raises(ValueError, match=r"expected 1 or more gathered numbers, got shape \[0\]"):
        states[0].over_ranks([torch.zeros(0)])


def test_kept_values_are_saved_and_resumed() -> None:
    """A state that keeps values comes back from its dict however many it holds, and goes on."""
    state = QUANTILE.state().update(generation_seconds=torch.arange(20.0))
    resumed = QUANTILE.state()
    resumed.load_state_dict(state.state_dict())

    assert torch.equal(state.values, resumed.values)
    resumed.update(generation_seconds=torch.tensor([20.0]))
    assert resumed.compute().item() == 19.0


def test_a_batch_counts_as_one() -> None:
    """A loss that sorts its batch is averaged over batches, whatever their size; nothing counts nothing, NaN stays."""
    metric = REGISTRY["preference/loss/aot"]
    sides = ("chosen_logprobs", "rejected_logprobs", "ref_chosen_logprobs", "ref_rejected_logprobs")

    def batch(*margins: float) -> dict[str, torch.Tensor]:
        zeros = torch.zeros(len(margins), dtype=torch.float64)
        return dict(zip(sides, (torch.tensor(margins, dtype=torch.float64), zeros, zeros, zeros), strict=True))

    parameters = {name: 0.1 if name == "beta" else 0.0 for name in metric.parameters}
    small, large = batch(30.0), batch(-5.0, 0.0, 10.0)
    state = metric.state(device=None, **parameters).update(**small).update(**batch()).update(**large)

    losses = [metric(**one, **parameters).item() for one in (small, large)]
    assert sum(losses) / 2 == pytest.approx(state.compute().item(), rel=1e-12)
    assert math.log1p(math.exp(-3)) == pytest.approx(losses[0], rel=1e-12)
    assert state.values.tolist() == pytest.approx([sum(losses), 2.0])
    assert state.update(**batch(math.nan, 1.0)).compute().isnan()


def test_a_report_without_assignments_does_not_count() -> None:
    """Experts that got nothing give no number, and the mean over reports leaves that report out."""
    state = REGISTRY["balance/expert_load/avg_violation"].state()
    for loads in ([8, 0, 0, 0], [0, 0, 0, 0], [3, 3, 3, 3]):
        state.update(expert_assignments=torch.tensor(loads))

    assert state.compute().item() == 0.75


def test_the_slowest_of_all_parts() -> None:
    """The value beside the largest sum is that of the first response that took as long as any, in whatever part."""
    metric = REGISTRY["interaction/slowest/preemptions"]
    parts = [([1.0, 5.0], [0, 2]), ([], []), ([5.0, 2.0], [7, 1])]
    state = metric.state()
    for seconds, preemptions in parts:
        zeros = torch.zeros(len(seconds))
        state.update(
            generation_seconds=torch.tensor(seconds),
            tool_seconds=zeros,
            score_seconds=zeros,
            preemptions=torch.tensor(preemptions, dtype=torch.int64),
        )

    assert state.compute().item() == 2.0
    unknown = metric.state().update(
        generation_seconds=torch.tensor([1.0, math.nan]),
        tool_seconds=torch.zeros(2),
        score_seconds=torch.zeros(2),
        preemptions=torch.tensor([3, 4]),
    )
    assert unknown.compute().isnan()
    assert state.merge(unknown).compute().isnan()


def test_moves_between_devices() -> None:
    """``to`` moves the numbers; a state follows its first update to the device of the data."""
    state = K1.state(device="meta")
    assert state.values.device.type == "meta"
    assert K1.state().to("cpu").values.device.type == "cpu"


def test_refuses_other_metrics_and_parameters() -> None:
    """States of other metrics or other parameters neither merge nor load, and the error names both."""
    state = CLIP.state()
    with pytest.raises(ValueError, match=r"state of kl/old/k1 .* into a state of policy/clip_fraction"):
        state.merge(K1.state())
    with pytest.raises(ValueError, match=r"clip_low.*0.3.* into a state of policy/clip_fraction"):
        state.merge(CLIP.state(clip_low=0.3))
    with pytest.raises(ValueError, match="saved state is of kl/old/k1"):
        state.load_state_dict(K1.state().state_dict())
    with pytest.raises(ValueError, match="expected 2 saved numbers"):
        K1.state().load_state_dict({**K1.state().state_dict(), "values": torch.zeros(3)})
    for part in ("metric", "parameters", "values"):
        saved = {name: value for name, value in state.state_dict().items() if name != part}
        with pytest.raises(ValueError, match=f"policy/clip_fraction: the saved state has no {part}"):
            state.load_state_dict(saved)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"mask": None}, r"missing input 'mask', a bool tensor \[B, T\]"),
        ({"masks": torch.ones(1)}, "unknown input 'masks'; it takes logprobs, old_logprobs, mask"),
    ],
)
def test_names_wrong_inputs(change: dict[str, torch.Tensor | None], message: str) -> None:
    """A missing or unknown input is named, with what is expected."""
    inputs: dict[str, torch.Tensor | None] = {**make_inputs(K1, 0), **change}
    with pytest.raises(TypeError, match=message):
        K1.state().update(**{name: value for name, value in inputs.items() if value is not None})


def test_integer_mask_counts_as_truth_values() -> None:
    """A mask of integers does what the same mask of truth values does; a mask of floats is refused."""
    inputs = make_inputs(K1, 0)
    expected = K1.function(**inputs)

    assert torch.equal(expected, K1.function(**{**inputs, "mask": 2 * inputs["mask"].long()}))
    with pytest.raises(TypeError, match=r"mask: expected a bool tensor \[B, T\], got float32"):
        K1.function(**{**inputs, "mask": inputs["mask"].float()})


def test_names_wrong_parameters() -> None:
    """An unknown parameter is named with those that exist, a missing one too."""
    with pytest.raises(TypeError, match="unknown parameter 'clip'; it takes clip_low, clip_high"):
        CLIP.state(clip=0.2)
    with pytest.raises(TypeError, match="missing parameter 'limit'"):
        REGISTRY["length/at_limit_fraction"].state()
