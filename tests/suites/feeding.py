"""One batch as the updates of a trainer: cut into rows and sets of inputs, in any form, order and padding."""

from __future__ import annotations

from itertools import accumulate, pairwise
from random import Random

import torch
from rlmetrics.state.suite import Suite
from suites.suite_support import Tensors, make_batch
from torch import Tensor

FORMS = ("padded", "cu_seqlens", "cu_seqlens, flat", "position_ids", "position_ids, flat", "nested")


def of_tokens(suite: Suite, name: str) -> bool:
    """Return whether an input has tokens."""
    return name in suite.fusion.inputs and "T" in "".join(suite.fusion.inputs[name][0])


def draw_batch(rng: Random, suite: Suite) -> tuple[Tensors, list[int]]:
    """Return a batch whose rows are as long as the second value says; some rows have no token that counts."""
    rows, columns = 2 * rng.randint(1, 5), rng.randint(2, 7)
    batch = make_batch(suite, rng.randrange(1000), rows, columns)
    lengths = [rng.randint(2, columns) for _ in range(rows)]
    outside = torch.arange(columns) >= torch.tensor(lengths).unsqueeze(1)
    empty = torch.tensor([rng.random() < 0.2 for _ in range(rows)])
    for name, tensor in batch.items():
        if of_tokens(suite, name):
            batch[name] = tensor[:, :columns].masked_fill(outside, 0)
            if name.endswith("mask"):
                batch[name] = batch[name] & ~empty.unsqueeze(1)
        if tensor.is_floating_point():
            batch[name] = batch[name].float()
    return batch, lengths


def draw_updates(
    rng: Random, suite: Suite, batch: Tensors, lengths: list[int], forms: tuple[str, ...] = FORMS
) -> list[Tensors]:
    """Return updates that together give each metric its inputs once, in any order."""
    updates = []
    for names in _sets(rng, suite, batch):
        step = 2 if "group_ids" in names else 1
        rows = len(lengths) // step
        edges = sorted(step * rng.randint(0, rows) for _ in range(rng.randint(0, 3)))
        for start, stop in pairwise([0, *edges, len(lengths)]):
            part = {name: batch[name][start:stop] for name in names}
            updates.append(_in_form(rng, suite, part, lengths[start:stop], forms))
    rng.shuffle(updates)
    return updates


def _sets(rng: Random, suite: Suite, batch: Tensors) -> list[list[str]]:
    """Return sets of inputs: what one metric needs stays together, and masks go wherever they are needed."""
    blocks = [block.inputs for block in suite.fusion.blocks if batch.keys() >= {*block.inputs}]
    masks = {name for name in batch if name.endswith("mask")}
    tied = {name: number for number, name in enumerate(sorted({*batch} - masks))}
    for block in blocks:
        numbers = {tied[name] for name in block if name not in masks}
        tied = {name: min(numbers) if number in numbers else number for name, number in tied.items()}
    bins: dict[int, set[str]] = {}
    target = {number: rng.randint(0, 3) for number in sorted({*tied.values()})}
    for name, number in tied.items():
        needed = {mask for block in blocks if name in block for mask in block if mask in masks}
        bins.setdefault(target[number], set()).update({name, *needed})
    return [rng.sample(sorted(names), len(names)) for _, names in sorted(bins.items())]


def _in_form(rng: Random, suite: Suite, part: Tensors, lengths: list[int], forms: tuple[str, ...]) -> Tensors:
    tokens = [name for name in part if of_tokens(suite, name)]
    kind = rng.choice([torch.bool, torch.int64, torch.uint8])
    part = {name: x.to(kind) if name.endswith("mask") else x for name, x in part.items()}
    form = rng.choice(forms if lengths else forms[:3])
    if not tokens or form == "padded":
        wider = max(lengths, default=0) + rng.randint(0, 2)
        return {name: _widened(x, wider) if name in tokens else x for name, x in part.items()}
    for name in tokens:
        rows = [row[:length] for row, length in zip(part[name], lengths, strict=True)]
        if form == "nested":
            part[name] = torch.nested.nested_tensor(rows, layout=torch.jagged)
        else:
            flat = torch.cat(rows) if rows else part[name].flatten()
            part[name] = flat if form.endswith("flat") else flat.unsqueeze(0)
    if form.startswith("cu_seqlens"):
        part["cu_seqlens"] = torch.tensor([0, *accumulate(lengths)], dtype=rng.choice([torch.int32, torch.int64]))
    elif form.startswith("position_ids"):
        places = torch.cat([torch.arange(length) for length in lengths])
        part["position_ids"] = places if form.endswith("flat") else places.unsqueeze(0)
    return part


def _widened(x: Tensor, columns: int) -> Tensor:
    """Return rows cut or filled to so many columns; what fills them is no number, since nothing may read it."""
    missing = columns - x.shape[1]
    if missing <= 0:
        return x[:, :columns]
    filling = x.new_full((x.shape[0], missing), torch.nan if x.is_floating_point() else 0)
    return torch.cat([x, filling], 1)


def split_columns(rng: Random, suite: Suite, update: Tensors, ranks: int) -> list[Tensors]:
    """Return the parts of an update whose rows are split over ranks; a part may hold no token."""
    first = next((x for name, x in update.items() if of_tokens(suite, name)), None)
    if first is None:
        return [update] * ranks
    width = first.shape[-1]
    edges = [0, *sorted(rng.randint(0, width) for _ in range(ranks - 1)), width]
    return [
        {
            name: x[..., start:stop] if of_tokens(suite, name) or name == "position_ids" else x
            for name, x in update.items()
        }
        for start, stop in pairwise(edges)
    ]


def draw_wrong(rng: Random, suite: Suite, update: Tensors) -> dict[str, object]:
    """Return an update with one thing wrong with it."""
    wrong: dict[str, object] = dict(update)
    name = rng.choice([name for name in update if name in suite.fusion.inputs])
    x = update[name]
    choices: list[object] = [x.tolist() if not x.is_nested else [1.0], x.to(torch.complex64)]
    # Truth values may be integers, but no mask is of floats, and no score of truth values.
    choices.append(x.long() if suite.fusion.inputs[name][1] == "float" else x.float())
    if not x.is_nested and len([other for other in update if other in suite.fusion.inputs]) > 1:
        choices.append(torch.cat([x, x[:1]]) if x.shape[0] else x.new_zeros(2, *x.shape[1:]))
    wrong[name] = rng.choice(choices)
    return wrong
