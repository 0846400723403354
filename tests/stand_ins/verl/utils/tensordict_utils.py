"""Data that is no tensor, in what a worker returns."""

from __future__ import annotations

from typing import Any


def get(tensordict: Any, key: str, default: Any = None) -> Any:
    """Return a value."""
    return tensordict.get(key, default)


def assign_non_tensor(tensor_dict: Any, **kwargs: Any) -> None:
    """Put values in."""
    tensor_dict.update(kwargs)
