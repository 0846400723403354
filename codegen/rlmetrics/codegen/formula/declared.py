"""What the compiler must know of an input and of a parameter. The models of the spec fit, and so do plain values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from .nodes import DType

__all__ = ["DeclaredInput", "DeclaredParameter", "Domain", "PlainInput", "PlainParameter"]

Domain = Literal["token", "sequence", "group", "vocab", "batch", "scalar"]


class DeclaredInput(Protocol):
    """A declared input."""

    @property
    def domain(self) -> Domain:
        """Its axes."""
        ...

    @property
    def dtype(self) -> DType:
        """Its kind of dtype."""
        ...


class DeclaredParameter(Protocol):
    """A declared parameter."""

    @property
    def default(self) -> bool | int | float | None:
        """Its default, which also tells its type; None where there is none."""
        ...


@dataclass(frozen=True)
class PlainInput:
    """An input known by its axes and dtype only."""

    domain: Domain
    dtype: DType


@dataclass(frozen=True)
class PlainParameter:
    """A parameter known by its default only."""

    default: bool | int | float | None
