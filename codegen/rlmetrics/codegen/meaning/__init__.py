"""What every key means in every release: where records, facts, guards and extended files come together."""

from .expand import Expander, ExpandError
from .resolve import ExtendedFile, Resolved, SpecPiece, chain, resolve
from .scope import FrameworkScope
from .spelled import Spelled, spelled

__all__ = [
    "ExpandError",
    "Expander",
    "ExtendedFile",
    "FrameworkScope",
    "Resolved",
    "SpecPiece",
    "Spelled",
    "chain",
    "resolve",
    "spelled",
]
