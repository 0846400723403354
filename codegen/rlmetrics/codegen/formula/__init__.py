"""The formula language: one expression says what a metric is, and everything else is derived from it."""

from rlmetrics.state.layout import Slot, SlotKind, width

from .axes import AXES_OF
from .compile import Atom, Compiled, compile_formula
from .declared import PlainInput, PlainParameter
from .errors import FormulaError
from .functions import FUNCTIONS, Function
from .fusing import Block, Fused, fuse
from .lower import Finalized
from .written import written

__all__ = [
    "AXES_OF",
    "FUNCTIONS",
    "Atom",
    "Block",
    "Compiled",
    "Finalized",
    "FormulaError",
    "Function",
    "Fused",
    "PlainInput",
    "PlainParameter",
    "Slot",
    "SlotKind",
    "compile_formula",
    "fuse",
    "width",
    "written",
]
