"""What every key means in every release: where records, facts, guards and extended files come together."""

from .expand import Expander, ExpandError
from .resolution import ExtendedFile, chain
from .scope import FrameworkScope, scope_of
from .spec_pieces import BoundRow, Resolved, SpecPiece
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
