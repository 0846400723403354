"""What every key means in every release: where records, facts, guards and extended files come together."""

from .expand import Expander, ExpandError
from .resolve import Component, Piece, Resolved, chain, resolve
from .scope import FrameworkScope
from .spelled import Spelled, spelled

__all__ = [
    "Component",
    "ExpandError",
    "Expander",
    "FrameworkScope",
    "Piece",
    "Resolved",
    "Spelled",
    "chain",
    "resolve",
    "spelled",
]
