"""Advantage estimators: against plain Python, by hand, and what all of them promise."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
import torch
from generate_support import environment
from hypothesis import given, settings
from hypothesis import strategies as st
from rlmetrics import advantages
from rlmetrics.advantages import reference
from torch import Tensor

ESTIMATORS: dict[str, tuple[tuple[str, ...], list[dict[str, Any]]]] = {
    "gae": (
        ("token_rewards", "values", "mask"),
        [{"gamma": 1.0, "lam": 0.95}, {"gamma": 0.9, "lam": 0.5, "whiten": True}, {"gamma": 0.99, "lam": 0.0}],
    ),
    "discounted_returns": (("token_rewards", "mask"), [{}, {"gamma": 0.9}, {"gamma": 0.0}]),
    "group_relative": (
        ("rewards", "group_ids"),
        [
            {},
            {"std": "none"},
            {"std": "batch", "epsilon": 1e-6},
            {"ddof": 0, "alone": "reward"},
            {"std": "none", "alone": "reward"},
        ],
    ),
    "best_of_group": (("rewards", "group_ids"), [{}, {"std": "none"}, {"std": "batch", "ddof": 0}]),
    "leave_one_out": (("rewards", "group_ids"), [{}, {"alone": "reward"}]),
    "whiten": (("advantages", "mask"), [{}, {"ddof": 0, "shift_mean": False}]),
    "per_token": (("sequence_advantages", "mask"), [{}]),
}
CASES = [(name, options) for name, (_, several) in ESTIMATORS.items() for options in several]
every_case = pytest.mark.parametrize(("name", "options"), CASES)
every_estimator = pytest.mark.parametrize("name", list(ESTIMATORS))


def inputs_of(name: str, seed: int, rows: int = 6, width: int = 7) -> dict[str, Tensor]:
    """Return float64 inputs: gaps in the mask, an empty response, a group of one."""
    generator = torch.Generator().manual_seed(seed)
    inputs: dict[str, Tensor] = {}
    for word in ESTIMATORS[name][0]:
        if word == "mask":
            inputs[word] = torch.rand((rows, width), generator=generator) < 0.7
            inputs[word][seed % rows] = False
        elif word == "group_ids":
            inputs[word] = torch.tensor([5, -3, 5, 9, -3, 5])[torch.arange(rows) % 6]
        else:
            shape = (rows,) if word in ("rewards", "sequence_advantages") else (rows, width)
            inputs[word] = torch.randn(shape, generator=generator, dtype=torch.float64) * 3
    return inputs


def computed(name: str, inputs: dict[str, Tensor], options: dict[str, Any]) -> list[Tensor]:
    """Return an estimator's results, one or two."""
    result = getattr(advantages, name)(**inputs, **options)
    return [result] if isinstance(result, Tensor) else list(result)


def expected_of(name: str, inputs: dict[str, Tensor], options: dict[str, Any]) -> list[Tensor]:
    """Return what the reference gives."""
    result = getattr(reference, name)(**{word: tensor.tolist() for word, tensor in inputs.items()}, **options)
    return [torch.tensor(part, dtype=torch.float64) for part in (result if name == "gae" else [result])]


def assert_close(expected: list[Tensor], actual: list[Tensor], tolerance: float = 1e-9) -> None:
    """Compare results one by one."""
    assert len(expected) == len(actual)
    for left, right in zip(expected, actual, strict=True):
        torch.testing.assert_close(right.double(), left, rtol=tolerance, atol=tolerance)


@every_case
@given(seed=st.integers(0, 10_000), rows=st.integers(1, 6), width=st.integers(1, 9))
@settings(deadline=None, max_examples=30)
def test_agrees_with_the_reference(name: str, options: dict[str, Any], seed: int, rows: int, width: int) -> None:
    """Whatever the shape, the mask and the options: the same numbers as by definition."""
    inputs = inputs_of(name, seed, rows, width)
    assert_close(expected_of(name, inputs, options), computed(name, inputs, options))


@every_estimator
def test_has_a_reference(name: str) -> None:
    """Each estimator that is exported has a reference and is tested here."""
    assert set(ESTIMATORS) == set(reference.__all__) == set(advantages.__all__) - {"Alone", "Estimate", "Std"}
    assert callable(getattr(reference, name))


def test_gae_by_hand() -> None:
    """Three tokens with a gap: errors 0 + 0.5*2 - 1 = 0 and 4 - 2 = 2; advantages 0 + 0.25*2 = 0.5 and 2."""
    rewards = torch.tensor([[0.0, 100.0, 4.0]])
    values = torch.tensor([[1.0, 100.0, 2.0]])
    mask = torch.tensor([[True, False, True]])
    result = advantages.gae(rewards, values, mask, gamma=0.5, lam=0.5)
    assert result.advantages.tolist() == [[0.5, 0.0, 2.0]]
    assert result.returns.tolist() == [[1.5, 0.0, 4.0]]


def test_gae_with_lambda_one_is_the_return_minus_the_value() -> None:
    """With λ = 1 the values in between cancel."""
    inputs = inputs_of("gae", 3)
    rewards, values, mask = inputs.values()
    result = advantages.gae(rewards, values, mask, gamma=0.9, lam=1.0)
    returns = advantages.discounted_returns(rewards, mask, gamma=0.9)
    torch.testing.assert_close(result.returns, returns)


def test_group_relative_by_hand() -> None:
    """Rewards 1 and 3 have mean 2 and standard deviation √2; a lone 7 is no better than itself."""
    rewards, groups = torch.tensor([1.0, 7.0, 3.0], dtype=torch.float64), torch.tensor([4, 0, 4])
    by_group = advantages.group_relative(rewards, groups, epsilon=0.0)
    assert by_group.tolist() == pytest.approx([-(0.5**0.5), 0.0, 0.5**0.5])
    assert advantages.group_relative(rewards, groups, std="none").tolist() == [-1.0, 0.0, 1.0]
    assert advantages.group_relative(rewards, groups, std="none", alone="reward").tolist() == [-1.0, 7.0, 1.0]
    # Mean 11/3, squares of deviations 64/9 + 100/9 + 4/9 = 168/9, over two 28/3.
    by_batch = advantages.group_relative(rewards, groups, std="batch", epsilon=0.0)
    assert by_batch.tolist() == pytest.approx([-((3 / 28) ** 0.5), 0.0, (3 / 28) ** 0.5])


@given(seed=st.integers(0, 1000))
def test_means_weighted_with_lengths(seed: int) -> None:
    """The baseline of OPO: the reward per token of a group, as the reference has it; equal lengths change nothing."""
    inputs = inputs_of("group_relative", seed)
    lengths = torch.randint(0, 5, (6,), generator=torch.Generator().manual_seed(seed))
    options: dict[str, Any] = {"std": "none", "alone": "reward"}
    rewards, groups = inputs["rewards"], inputs["group_ids"]
    expected = reference.group_relative(rewards.tolist(), groups.tolist(), lengths=lengths.tolist(), **options)
    found = advantages.group_relative(rewards, groups, lengths=lengths, **options)

    torch.testing.assert_close(found, torch.tensor(expected, dtype=torch.float64))
    plain = advantages.group_relative(rewards, groups, **options)
    torch.testing.assert_close(advantages.group_relative(rewards, groups, lengths=0 * lengths + 3, **options), plain)


def test_best_of_group_by_hand() -> None:
    """Only the best of each group has an advantage, its lead; of two that tie, none is ahead."""
    rewards = torch.tensor([1.0, 4.0, 2.0, 5.0, 5.0, 7.0])
    groups = torch.tensor([0, 0, 0, 8, 8, 9])
    expected = torch.tensor([0.0, 2.0, 0.0, 0.0, 0.0, 0.0])
    assert torch.equal(expected, advantages.best_of_group(rewards, groups, std="none"))
    scaled = expected / (torch.tensor([1.0, 4.0, 2.0]).std() + 1e-6)
    torch.testing.assert_close(advantages.best_of_group(rewards, groups), scaled)


def test_equal_rewards_have_no_advantage() -> None:
    """A group without spread gives 0, not a rounding error blown up by a tiny divisor."""
    result = advantages.group_relative(torch.full((6,), 0.1), torch.zeros(6, dtype=torch.int64))
    assert pytest.approx(result.abs().max().item(), abs=1e-10) == 0.0


def test_leave_one_out_by_hand() -> None:
    """Of rewards 1, 2 and 6 the others have means 4, 3.5 and 1.5."""
    result = advantages.leave_one_out(torch.tensor([1.0, 2.0, 6.0]), torch.tensor([1, 1, 1]))
    assert result.tolist() == [-3.0, -1.5, 4.5]


def test_whiten_by_hand() -> None:
    """Values 1 and 3 become ∓1/√2; with ddof 0 and the mean kept, 1 and 3 stay."""
    values, mask = torch.tensor([[1.0, 50.0], [3.0, 50.0]]), torch.tensor([[True, False], [True, False]])
    result = advantages.whiten(values, mask, epsilon=0.0)
    assert result.flatten().tolist() == pytest.approx([-(0.5**0.5), 0.0, 0.5**0.5, 0.0])
    kept = advantages.whiten(values, mask, ddof=0, epsilon=0.0, shift_mean=False)
    assert pytest.approx(kept.flatten().tolist()) == [1.0, 0.0, 3.0, 0.0]


@every_case
def test_padding_is_never_read(name: str, options: dict[str, Any]) -> None:
    """NaN and infinity outside the mask change nothing, and 0 comes out there."""
    inputs = inputs_of(name, 1)
    expected = computed(name, inputs, options)
    if "mask" in inputs:
        for garbage in (float("nan"), float("inf")):
            filled = {
                word: tensor.masked_fill(~inputs["mask"], garbage) if tensor.shape == inputs["mask"].shape else tensor
                for word, tensor in inputs.items()
                if word != "mask"
            }
            actual = computed(name, {**filled, "mask": inputs["mask"]}, options)
            assert_close(expected, actual, 0.0)
            assert all(part[~inputs["mask"]].abs().sum().item() == 0.0 for part in actual)


@every_case
def test_compiles_to_one_graph(name: str, options: dict[str, Any]) -> None:
    """``torch.compile(fullgraph=True)`` traces the estimator without a break, and the result stays the same."""
    torch.compiler.reset()
    estimator: Callable[..., Tensor | tuple[Tensor, ...]] = getattr(advantages, name)
    compiled = torch.compile(estimator, fullgraph=True, backend="eager")
    inputs = inputs_of(name, 2)
    result = compiled(**inputs, **options)
    assert_close(computed(name, inputs, options), [result] if isinstance(result, Tensor) else list(result))


@every_case
def test_never_waits_for_the_device(name: str, options: dict[str, Any]) -> None:
    """Estimators run on tensors without data, so nothing in them depends on a value."""
    inputs = {word: tensor.to("meta") for word, tensor in inputs_of(name, 0).items()}
    assert all(part.device.type == "meta" for part in computed(name, inputs, options))


@every_case
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_dtypes(name: str, options: dict[str, Any], dtype: torch.dtype) -> None:
    """Results are at least float32 and as exact as that, whatever comes in; no gradient flows."""
    inputs = {
        word: tensor.to(dtype).requires_grad_() if tensor.is_floating_point() else tensor
        for word, tensor in inputs_of(name, 4).items()
    }
    results = computed(name, inputs, options)
    assert all(torch.promote_types(dtype, torch.float32) == part.dtype for part in results)
    assert not any(part.requires_grad for part in results)
    assert_close(expected_of(name, inputs, options), results, 1e-5)


@every_case
def test_no_responses(name: str, options: dict[str, Any]) -> None:
    """An empty batch and a batch of empty responses have no advantages, and no NaN."""
    inputs = inputs_of(name, 0)
    nothing = computed(name, {word: tensor[:0] for word, tensor in inputs.items()}, options)
    assert all(part.numel() == 0 for part in nothing)
    if "mask" in inputs:
        results = computed(name, {**inputs, "mask": torch.zeros_like(inputs["mask"])}, options)
        assert all(part.abs().sum().item() == 0.0 for part in results)


def test_large_rewards_keep_their_digits() -> None:
    """Rewards around a million that differ by one give the same advantages as around zero."""
    offsets, groups = torch.tensor([0.0, 1.0, 3.0, 0.0]), torch.zeros(4, dtype=torch.int64)
    for estimator in (advantages.group_relative, advantages.leave_one_out):
        torch.testing.assert_close(estimator(1e6 + offsets, groups), estimator(offsets, groups))


@every_estimator
def test_wrong_inputs_are_named(name: str) -> None:
    """Integers for floats, another shape, floats for a mask: the message names the input."""
    inputs = inputs_of(name, 0)
    options = ESTIMATORS[name][1][0]
    function: Callable[..., object] = getattr(advantages, name)
    for word, tensor in inputs.items():
        wrong = tensor.to(torch.int64 if tensor.is_floating_point() else torch.float32)
        with pytest.raises(TypeError, match=rf"{word}: expected an? (float|bool|int) tensor \[B(, T)?\], got "):
            function(**{**inputs, word: wrong}, **options)
        with pytest.raises(ValueError, match=r"expected shape .*, got "):
            function(**{**inputs, word: tensor[1:]}, **options)


def test_unknown_words_are_named() -> None:
    """A way to scale that does not exist is an error with the ones that do."""
    rewards, groups = torch.ones(2), torch.zeros(2, dtype=torch.int64)
    with pytest.raises(ValueError, match="std: expected one of 'group', 'batch', 'none', got 'rank'"):
        advantages.group_relative(rewards, groups, std="rank")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="alone: expected one of 'zero', 'reward', got 'nan'"):
        advantages.leave_one_out(rewards, groups, alone="nan")  # type: ignore[arg-type]


def test_torch_is_imported_on_use() -> None:
    """Importing the package loads no torch; unknown names are the usual error."""
    code = "import sys, rlmetrics.advantages, rlmetrics.advantages.reference; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], env=environment(), capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = advantages.nothing
    assert advantages.__all__ == dir(advantages)
