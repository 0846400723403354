"""Sizes on real tensors: trainers' own updates, with tiny models, beside the ranges on reference batches.

The real batches are far smaller than the reference ones: 4 to 16 responses of at most 12 or 48 tokens, so single sizes
scatter. What is checked: the middle of the real sizes lies no further than a factor of three outside the range.
"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

import pytest
import torch
from parity.fixtures import Event, read_events, read_json
from parity.verl_updates import Update
from rlmetrics.names import Typical, load_tables

FACTOR = 3


def _range(function: str, about: str) -> Typical:
    return Typical(*load_tables().sizes[function][about])


def _check(sizes: list[float], function: str, about: str) -> None:
    """Check that sizes, in percent, lie where those on reference batches do."""
    known = _range(function, about)
    assert known.unit == "%"
    assert known.low / FACTOR <= median(sizes) <= FACTOR * known.high, (known, sizes)


def _apart(plain: float, other: float) -> float:
    return 100 * abs(other - plain) / abs(plain)


def _ppo_updates() -> Iterator[list[tuple[torch.Tensor, torch.Tensor]]]:
    """Yield for each update of TRL's PPO half the squared log-ratios and the mask of every micro-batch."""
    micro = []
    for event in read_events("trl-0.18.2-ppo_parity"):
        if event.name == "microbatch_at_backward":
            tensors = event.tensors
            squares = 0.5 * (tensors["new_logprobs"].double() - tensors["mb_logprobs"].double()) ** 2
            micro.append((squares, ~event.mask("padding_mask")[tensors["micro_batch_inds"].long()]))
        elif micro:
            yield micro
            micro = []


def test_padding_in_the_mean_of_trl_ppo():
    """Padding holds no divergence, so counting it lowers the mean by its share, as the range says."""
    known = _range("kl/old/k2@padded", "trait:padding_counted")
    sizes = []
    for micro in _ppo_updates():
        plain = float(torch.cat([squares[mask] for squares, mask in micro]).mean())
        padded = float(torch.cat([squares.flatten() for squares, _ in micro]).mean())
        assert (known.direction, padded < plain) == ("lower", True)
        sizes.append(_apart(plain, padded))
    assert len(sizes) == 6
    _check(sizes, "kl/old/k2@padded", "trait:padding_counted")
    assert known.low / 1.5 <= min(sizes)
    assert max(sizes) <= 1.5 * known.high


def _grpo_steps() -> Iterator[list[Event]]:
    """Yield the micro-batches of each step of TRL's GRPO that do not all have equally many tokens."""
    micro: list[Event] = []
    for event in read_events("trl-1.16.0-grpo_parity"):
        if event.name == "_compute_loss":
            micro.append(event)
        elif event.name == "log":
            if len({int(each.mask("completion_mask").sum()) for each in micro}) > 1:
                yield micro
            micro = []


def _means(step: list[Event], name: str) -> tuple[float, float, float]:
    """Return the mean over all tokens, that of the means of micro-batches, and that of the means of responses."""
    pairs = [(event.tensors[name].double(), event.mask("completion_mask")) for event in step]
    pooled = float(torch.cat([values[mask] for values, mask in pairs]).mean())
    micro = [float(values[mask].mean()) for values, mask in pairs]
    rows = [float(row[own].mean()) for values, mask in pairs for row, own in zip(values, mask, strict=True)]
    return pooled, sum(micro) / len(micro), sum(rows) / len(rows)


@pytest.mark.parametrize(
    ("name", "function"), [("entropies", "entropy/policy@from_token_entropy"), ("per_token_kl", "kl/reference/k3")]
)
def test_means_of_means_of_trl_grpo(name, function):
    """Micro-batches averaged, and responses averaged, against all tokens at once."""
    means = [_means(step, name) for step in _grpo_steps()]
    # Before the first update the policy is the reference, and there is nothing to compare.
    means = [each for each in means if each[0]]
    assert len(means) >= 4
    _check([_apart(pooled, micro) for pooled, micro, _ in means], function, "level:micro_batch mean/pool")
    _check([_apart(pooled, rows) for pooled, _, rows in means], function, "level:sequence mean/pool")


@pytest.mark.parametrize(
    ("key", "function"), [("actor/pg_clipfrac", "policy/clip_fraction"), ("actor/kl_loss", "kl/reference/k3")]
)
def test_means_of_micro_batches_of_verl(key, function):
    """What verl's actor reported of each micro-batch, averaged as verl does and by tokens."""
    sizes = {}
    for name, run in read_json("verl-0.5.0-updates").items():
        update = Update.named(name)
        if update.part == "actor" and update.micro < update.mini:
            assert isinstance(run, dict)
            first = update.leaves()[0]
            tokens = [int(leaf.tensors["mask"].sum()) for leaf in first]
            values = run["raw"][key][: len(first)]
            pooled = sum(value * count for value, count in zip(values, tokens, strict=True)) / sum(tokens)
            sizes[update.batch, len(first)] = _apart(pooled, sum(values) / len(values))
    assert len(sizes) >= 4
    _check(list(sizes.values()), function, "level:micro_batch mean/pool")
