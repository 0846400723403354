"""The formula language: one expression says what a metric is, and everything else is derived from it."""

from rlmetrics.state.kinds import SlotKind
from rlmetrics.state.slot_layout import Slot, width

from .axes import AXES_OF
from .compile import Atom, Compiled, compile_formula
from .declared import PlainInput, PlainParameter
from .formula_errors import FormulaError
from .fused_plan import Fused, FusedBlock, fuse
from .lower import Finalized
from .operation import Operation
from .operations import FUNCTIONS, OPERATIONS
from .written import written

__all__ = [
    "AXES_OF",
    "FUNCTIONS",
    "OPERATIONS",
    "Atom",
    "Compiled",
    "Finalized",
    "FormulaError",
    "Fused",
    "FusedBlock",
    "Operation",
    "PlainInput",
    "PlainParameter",
    "Slot",
    "SlotKind",
    "compile_formula",
    "fuse",
    "width",
    "written",
]
