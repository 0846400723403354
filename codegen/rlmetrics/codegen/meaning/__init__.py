"""What every key means in every release: where records, facts, guards and extended files come together."""

from .expand import Expander, ExpandError
from .resolution import BoundRow, ExtendedFile, Resolved, SpecPiece, chain
from .scope import FrameworkScope, scope_of
from .spelled import Spelled, spelled

__all__ = [
    "BoundRow",
    "ExpandError",
    "Expander",
    "ExtendedFile",
    "FrameworkScope",
    "Resolved",
    "SpecPiece",
    "Spelled",
    "chain",
    "scope_of",
    "spelled",
]
