"""What records how numbers of parts are put together: batches, statements of a file, and the table that is kept."""

from __future__ import annotations

import ast
import importlib.machinery
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from programs.openrlhf_parity import Absent

__all__ = ["WIDTH", "Number", "Opened", "Placed", "Tensors", "Uncalled", "batch", "statements", "table", "written"]

Tensors = dict[str, torch.Tensor]
Placed = tuple[dict[str, int], Tensors]
Number = tuple[str, str, Mapping[str, Any], list[Placed], Any]

WIDTH = 5
"""Positions of a batch."""


def batch(seed: int, lengths: Sequence[int] = (5, 3)) -> Tensors:
    """Return a micro-batch."""
    made = torch.Generator().manual_seed(seed)

    def noise(size: float) -> torch.Tensor:
        return (size * torch.randn(len(lengths), WIDTH, generator=made)).mul(1000).round().div(1000)

    old = -noise(1.0).abs()
    return {
        "old_logprobs": old,
        "logprobs": old + noise(0.5),
        "ref_logprobs": old + noise(0.4),
        "advantages": noise(1.0),
        "token_entropy": noise(1.0).abs(),
        "mask": torch.arange(WIDTH)[None, :] < torch.tensor(lengths)[:, None],
    }


def statements(path: Path, wanted: str, names: dict[str, Any]) -> None:
    """Run the statements of a file whose text holds what is wanted, the innermost ones."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, (ast.Assign, ast.Expr)) and wanted in ast.unparse(node):
            exec(compile(ast.Module([node], []), str(path), "exec"), names)


class Opened(dict[str, Any]):
    """Settings that are read as attributes and by ``get``."""

    __getattr__ = dict.__getitem__


def written(found: Sequence[Number]) -> list[Any]:
    """Return numbers with their tensors as lists."""
    rounded = lambda tensor: json.loads(json.dumps(tensor.tolist()))  # noqa: E731
    return [
        (at, key, config, [(place, {name: rounded(tensor) for name, tensor in one.items()}) for place, one in given],
         value if isinstance(value, list) else float(f"{float(value):.8g}"))
        for at, key, config, given, value in found
    ]  # fmt: skip


def table(title: str, found: Sequence[Any]) -> dict[str, Any]:
    """Return numbers as they are kept: batches and settings once, and each number with their names."""
    batches: dict[str, str] = {}
    configs = list({json.dumps(config): config for _, _, config, _, _ in found}.values())
    rows = []
    for at, key, config, given, value in found:
        places = [(place, batches.setdefault(json.dumps(one), f"{title} {len(batches)}")) for place, one in given]
        rows.append((at, key, configs.index(config), places, value))
    return {"batches": {name: json.loads(text) for text, name in batches.items()}, "configs": configs, "numbers": rows}


class Uncalled(Absent):
    """Finds, beside packages that are not needed, what of verl starts workers or reads images."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """Find one of them."""
        wanted = name.startswith(("verl.single_controller.ray", "verl.utils.dataset.rl_dataset"))
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if wanted else super().find_spec(name)
