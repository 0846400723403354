"""The formula language: one expression says what a metric is, and everything else is derived from it."""

from rlmetrics.state.layout import Slot, SlotKind, width

from .compile import Atom, Compiled, Fused, compile_formula, fuse
from .errors import FormulaError
from .functions import FUNCTIONS, Function
from .lower import Finalized

__all__ = [
    "FUNCTIONS",
    "Atom",
    "Compiled",
    "Finalized",
    "FormulaError",
    "Function",
    "Fused",
    "Slot",
    "SlotKind",
    "compile_formula",
    "fuse",
    "width",
]
