"""Random numbers that are the same on every machine and with every version of torch."""

from __future__ import annotations

import math
import random

import torch
from torch import Tensor

__all__ = ["Draws"]


class Draws:
    """Draws from Python's Mersenne twister, which is specified, laid out as float64 tensors.

    Args:
        seed: What the draws start from.
    """

    def __init__(self, seed: str) -> None:
        self._seed = seed
        self._source = random.Random(seed)

    def apart(self, name: str) -> Draws:
        """Return draws that nothing else moves on, so that what is added to one part changes no other."""
        return Draws(f"{self._seed}/{name}")

    def uniform(self, *shape: int) -> Tensor:
        """Return numbers between 0 and 1, both excluded."""
        count = math.prod(shape)
        words = torch.frombuffer(bytearray(self._source.randbytes(4 * count)), dtype=torch.int32)
        return ((words.double() + 2.0**31 + 0.5) / 2.0**32).reshape(shape)

    def normal(self, *shape: int) -> Tensor:
        """Return standard normal numbers, by the transform of Box and Muller."""
        radius = torch.sqrt(-2 * torch.log(self.uniform(*shape)))
        return radius * torch.cos(2 * math.pi * self.uniform(*shape))

    def exponential(self, *shape: int) -> Tensor:
        """Return numbers of mean 1 that fall off exponentially."""
        return -torch.log(self.uniform(*shape))

    def order(self, count: int) -> Tensor:
        """Return the numbers below ``count`` in random order."""
        return torch.argsort(self.uniform(count))
