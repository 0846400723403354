"""TRL's trainers with all numbers of a suite beside their own.

``from rlmetrics.trainers.trl import MeasuredGRPOTrainer`` in place of ``from trl import GRPOTrainer`` is the whole
change. The numbers are logged as ``exact/…``, those of evaluations as ``eval_exact/…``. Each is over all tokens,
responses or groups since the last row of the log, and over all ranks, however they were split; weights and random
numbers stay as they are.
"""

from __future__ import annotations

import inspect
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ._measuring import TRIED, Measured, Measurements
from ._offline import MeasuredDPO, MeasuredSFT
from ._online import MeasuredGRPO, MeasuredRLOO

if TYPE_CHECKING:
    MeasuredDPOTrainer: Any
    MeasuredGRPOTrainer: Any
    MeasuredRLOOTrainer: Any
    MeasuredSFTTrainer: Any

__all__ = [
    "TRIED",
    "Measured",
    "MeasuredDPO",
    "MeasuredDPOTrainer",
    "MeasuredGRPO",
    "MeasuredGRPOTrainer",
    "MeasuredRLOO",
    "MeasuredRLOOTrainer",
    "MeasuredSFT",
    "MeasuredSFTTrainer",
    "Measurements",
    "measured",
]

_KINDS: dict[str, type[Measured]] = {
    f"{cls.kind}Trainer": cls for cls in (MeasuredGRPO, MeasuredRLOO, MeasuredDPO, MeasuredSFT)
}


@cache
def measured(trainer: type) -> Any:
    """Return a trainer class of TRL, or one that inherits from it, that logs the numbers of its suite.

    Args:
        trainer: ``GRPOTrainer``, ``RLOOTrainer``, ``DPOTrainer``, ``SFTTrainer``, or a class of your own that
            inherits from one of them.

    Returns:
        A class that is made and used as the one given.

    Raises:
        TypeError: It is none of these. Making an object of it refuses releases that have not been tried.
    """
    for base in trainer.__mro__:
        mixin = _KINDS.get(base.__name__)
        if mixin is not None and base.__module__.partition(".")[0] == "trl":
            names = {
                "__module__": trainer.__module__,
                "__doc__": trainer.__doc__,
                "__signature__": inspect.signature(trainer),
            }
            return type(f"Measured{trainer.__name__}", (mixin, trainer), names)
    msg = f"{trainer.__name__} is none of {', '.join(_KINDS)} of TRL, and inherits from none"
    raise TypeError(msg)


def __getattr__(name: str) -> Any:
    kind = name.removeprefix("Measured")
    if kind == name or kind not in _KINDS:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    # TRL is imported with the first trainer that is asked for.
    return measured(getattr(import_module("trl"), kind))
