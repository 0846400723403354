"""A suite in use: errors, reset, resume, pickling, metrics of one's own choice."""

from __future__ import annotations

import copy
import io
import math
import pickle
from dataclasses import replace

import pytest
import torch
from rlmetrics.functional import REGISTRY
from rlmetrics.state.fusing import fuse_metrics
from rlmetrics.state.packing import Packing
from rlmetrics.state.registry import MetricFunction
from rlmetrics.state.slot_layout import Slot
from rlmetrics.state.slots import merge
from rlmetrics.state.suite import Suite
from rlmetrics.suites import DPOSuite, PPOSuite, SFTSuite, make_suite
from suites.suite_support import SUITES, make_batch

CHOICE = ["policy/clip_fraction", "kl/old/k3", "value/explained_variance"]


@pytest.mark.parametrize(
    ("change", "error", "says"),
    [
        ({"mask": None}, TypeError, "PPOSuite: 'logprobs' is of no use without 'mask'"),
        ({"logprob": torch.ones(6, 5)}, TypeError, "PPOSuite: unknown input 'logprob'; it takes logprobs, "),
        ({"returns": None, "values": None}, None, ""),
        ({"mask": torch.ones(6, 5)}, TypeError, "mask: expected a bool tensor [B, T], got float32 [6, 5]"),
        ({"values": torch.ones(6)}, ValueError, "values: expected a tensor [B, T], got float32 [6]"),
        ({"scores": [1.0]}, TypeError, "scores: expected a float tensor [B], got list"),
        (
            {"returns": torch.ones(6, 4)},
            ValueError,
            "returns: expected a tensor [B, T] with T = 5 as in logprobs [6, 5], got float32 [6, 4]",
        ),
    ],
)
def test_wrong_inputs(change: dict[str, object], error: type[Exception] | None, says: str) -> None:
    """One error names the input, what it should be and what came; the state stays as it was."""
    suite = PPOSuite()
    batch = {**make_batch(suite, 0), **change}
    before = suite.values.clone()
    if error is None:
        suite.update(**batch)  # type: ignore[arg-type]
        return

    with pytest.raises(error) as raised:
        suite.update(**batch)  # type: ignore[arg-type]

    assert str(raised.value).startswith(says)
    assert torch.equal(before, suite.values)


def test_optional_input_without_its_partner() -> None:
    """An optional input that no metric can use without another one is an error that names the other."""
    suite = DPOSuite()
    batch = make_batch(suite, 0)
    del batch["chosen_mask"]

    with pytest.raises(TypeError, match="'chosen_mean_logits' is of no use without 'chosen_mask'"):
        suite.update(**batch)


def test_lists_of_two_lengths() -> None:
    """Axes that no metric ties together may differ in size: chosen and rejected responses have their own."""
    suite = DPOSuite()
    batch = make_batch(suite, 0)

    assert batch["chosen_mask"].shape != batch["rejected_mask"].shape
    assert len(suite.metrics) == len(suite.update(**batch).compute())


@pytest.mark.parametrize(
    ("metrics", "options", "error", "says"),
    [
        (["rollout/token_weight/p50"], {}, ValueError, "keeps every value, so its state grows"),
        (["validation/pass_at_k"], {"k": 2}, ValueError, "is written by hand, so it cannot be part of a suite"),
        (["kl/old/k3", "kl/old/k3"], {}, ValueError, "twice"),
        ([], {}, ValueError, "no metrics"),
        ("kl/old/k3", {}, TypeError, "expected a list of metrics or a mapping, got the string 'kl/old/k3'"),
        (["kl/old/k4"], {}, KeyError, "did you mean"),
        (["kl/old/k3"], {"clip_low": 0.1}, TypeError, "clip_low"),
        (["length/at_limit_fraction"], {}, TypeError, "limit"),
        ({"kl/old/k3": {"clip": 1}}, {}, TypeError, "clip"),
        (["kl/old/k3"], {"clip_low": None}, TypeError, "clip_low"),
    ],
)
def test_wrong_choices(metrics: object, options: dict[str, object], error: type[Exception], says: str) -> None:
    """What cannot be fused is refused at once, with the reason."""
    with pytest.raises(error, match=says):
        make_suite(metrics, **options)  # type: ignore[arg-type]


def test_parameters_shared_and_own() -> None:
    """A parameter goes to every metric that has it; in a mapping, metrics have their own, defaults included."""
    keys = ["policy/clip_fraction_low", "policy/clip_fraction_high", "policy/clip_fraction"]
    shared = make_suite(keys, clip_low=0.05)
    own = make_suite({keys[0]: {"clip_low": 0.05}, keys[1]: {}, keys[2]: {}})
    batch = make_batch(shared, 1)

    results, own_results = shared.update(**batch).compute(), own.update(**batch).compute()

    inputs = [batch[name] for name, _, _ in REGISTRY[keys[0]].inputs]
    assert REGISTRY[keys[2]](*inputs, clip_low=0.05).item() == pytest.approx(results[keys[2]])
    assert REGISTRY[keys[2]](*inputs).item() == pytest.approx(own_results[keys[2]])
    assert results[keys[0]] == own_results[keys[0]]


def test_parameter_of_a_generated_suite() -> None:
    """A keyword argument of the class reaches every metric that has the parameter."""
    narrow, wide = PPOSuite(clip_low=0.01, clip_high=0.01), PPOSuite()
    batch = make_batch(narrow, 2)

    low, high = narrow.update(**batch).compute(), wide.update(**batch).compute()

    assert low["policy/outside_region_fraction"] > high["policy/outside_region_fraction"]
    assert low["value/loss"] == high["value/loss"]


def omitting(metric: MetricFunction) -> MetricFunction:
    """Return a metric with another policy over nothing."""
    return replace(metric, empty="omit")


def test_omitted_when_empty() -> None:
    """A metric with ``empty: omit`` is left out where its population was empty, and only there; others are NaN."""

    class Both(Suite):
        fusion = fuse_metrics({"left out": (omitting(REGISTRY["kl/old/k1"]), {}), "kept": (REGISTRY["kl/old/k2"], {})})

    suite = Both({})
    batch = make_batch(suite, 0)
    nothing = {**batch, "mask": torch.zeros_like(batch["mask"])}

    assert list(suite.update(**nothing).compute()) == ["kept"]
    assert math.isnan(suite.compute()["kept"])
    assert list(suite.update(**batch).compute()) == ["left out", "kept"]


def test_one_tensor_for_two_inputs() -> None:
    """A mask that serves as two inputs at first does not stand for both when they differ later, nor the other way."""
    keys = ["preference/logit/chosen", "preference/logit/rejected"]
    suite = make_suite(keys)
    batch = make_batch(suite, 0, rows=4)
    batch = {**batch, **{name: x[:, :5] for name, x in batch.items() if x.dim() == 2}}
    masks = [name for name in batch if name.endswith("mask")]
    shared = dict.fromkeys(masks, batch[masks[0]])

    for given in (shared, {}, shared, {}):
        tensors = {**batch, **given}
        results = suite.reset().update(**tensors).compute()
        for key in keys:
            metric = REGISTRY[key]
            expected = metric.function(*[tensors[name] for name, _, _ in metric.inputs])
            assert results[key] == pytest.approx(expected.item())


@pytest.mark.parametrize("columns", [5, 2000])
def test_state_is_an_ordinary_tensor(columns: int) -> None:
    """What an update leaves may be changed in place and be part of a graph, and an update in inference mode merges."""
    suite = PPOSuite()
    batch = make_batch(suite, 0, columns=columns)
    suite.update(**batch)
    suite.values.add_(0)
    factor = torch.ones((), requires_grad=True)
    (suite.values * factor).sum().backward()  # type: ignore[no-untyped-call]
    with torch.inference_mode():
        inside = PPOSuite().update(**batch)

    assert suite.compute() == inside.compute()
    assert suite.update(**batch).compute() == inside.update(**batch).compute()


@pytest.mark.parametrize("make", SUITES)
def test_reset(make: type[Suite]) -> None:
    """After a reset the suite is as good as new."""
    suite, new = make(), make()  # type: ignore[call-arg]
    batch = make_batch(suite, 1)

    suite.update(**make_batch(suite, 0)).reset()

    assert torch.equal(new.values, suite.values)
    assert new.update(**batch).compute() == suite.update(**batch).compute()


@pytest.mark.parametrize("make", [PPOSuite, lambda: make_suite(CHOICE)])
def test_pickled_and_resumed(make) -> None:  # type: ignore[no-untyped-def]
    """A pickled copy, a deep copy and a resumed state give the same bits, now and after the next update."""
    suite = make().update(**make_batch(make(), 0))
    stream = io.BytesIO()
    torch.save(suite.state_dict(), stream)
    stream.seek(0)
    resumed = make()
    resumed.load_state_dict(torch.load(stream, weights_only=True))
    more = make_batch(suite, 1)
    copies = [pickle.loads(pickle.dumps(suite)), copy.deepcopy(suite), resumed]

    for other in copies:
        assert suite.compute() == other.compute()
    suite.update(**more)
    for other in copies:
        assert suite.compute() == other.update(**more).compute()


def test_state_of_another_suite() -> None:
    """A state of other metrics or other parameters is refused, in merging as in loading."""
    suite = PPOSuite()
    for other in (PPOSuite(clip_low=0.1), SFTSuite()):
        with pytest.raises(ValueError, match="must be the same"):
            suite.merge(other)
        with pytest.raises(ValueError, match="the saved state has other"):
            suite.load_state_dict(other.state_dict())


def test_what_is_no_saved_state() -> None:
    """Data with a part missing, or with numbers of another suite's size, is refused, and says which part."""
    suite = SFTSuite()
    saved = suite.state_dict()
    for part in ("metrics", "parameters", "slots"):
        with pytest.raises(ValueError, match=f"SFTSuite: the saved state has no {part}"):
            suite.load_state_dict({name: value for name, value in saved.items() if name != part})
    for values, came in ((torch.zeros(3, dtype=torch.float64), r"shape \[3\]"), (None, "NoneType")):
        with pytest.raises(ValueError, match=f"SFTSuite: expected {suite.values.numel()} saved numbers, got {came}"):
            suite.load_state_dict({**saved, "values": values})


def test_state_dict_is_a_copy() -> None:
    """What was saved does not change when the suite goes on."""
    suite = SFTSuite().update(**make_batch(SFTSuite(), 0))
    saved = suite.state_dict()
    before = saved["values"].clone()

    suite.update(**make_batch(suite, 1))

    assert torch.equal(before, saved["values"])


def test_moved_to_a_device() -> None:
    """``to`` moves the state and returns the suite."""
    suite = SFTSuite()

    assert suite.to("meta") is suite
    assert suite.values.device.type == "meta"


def test_packing_merges_as_slots_do() -> None:
    """Merging kinds together gives what merging slot by slot gives, for one pair and for many states in order."""
    slots = [
        Slot("a", "sum"),
        Slot("b", "count"),
        Slot("c", "min"),
        Slot("d", "max"),
        Slot("e", "max"),
        Slot("f", "moments"),
        Slot("g", "moments"),
        Slot("h", "comoments"),
        Slot("i", "bins", 2, 0.0, 1.0),
        Slot("j", "bins", 4, 0.0, 1.0),
        Slot("k", "last"),
    ]
    packing = Packing(slots)
    states = torch.randint(1, 9, (5, packing.width), generator=torch.Generator().manual_seed(0)).double()
    states[2] = packing.initial()
    expected = states[0]
    for state in states[1:]:
        expected = merge(slots, expected, state)

    torch.testing.assert_close(expected, packing.merge_all(states), rtol=1e-12, atol=1e-12)
    assert torch.equal(merge(slots, states[0], states[1]), packing.merge(states[0], states[1]))
    assert torch.equal(states[1], packing.merge(packing.initial(), states[1]))


def test_packing_wants_sorted_slots() -> None:
    """Slots out of order are refused."""
    with pytest.raises(ValueError, match="sorted by kind"):
        Packing([Slot("a", "min"), Slot("b", "sum")])


def test_repr() -> None:
    """What is printed says how many metrics and numbers there are."""
    assert repr(SFTSuite()).startswith("SFTSuite(7 metrics, {}, ")
