"""What the trainers of TRL have in common that log a suite's numbers: which releases, when to count, when to log."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rlmetrics.names.meanings.exact_names import EVALUATED, EXACT
from rlmetrics.trackers.exact import exact
from rlmetrics.trackers.faults import Faults

if TYPE_CHECKING:
    from torch import Tensor

    from rlmetrics.state.suite import Suite

__all__ = ["TRIED", "Measured", "Measurements"]

TRIED = {"0.18.2": ("GRPO", "DPO", "SFT"), "1.16.0": ("GRPO", "RLOO", "DPO", "SFT")}
"""Which trainers of which releases of TRL the numbers have been checked in; all others are refused."""


class Measurements:
    """What a trainer has measured since it last logged, in training and in evaluation apart.

    Attributes:
        release: The release of TRL.
        suites: One suite for ``train`` and one for ``eval``; empty until the trainer is made.
        faults: What went wrong without stopping the training.
        missing: Results of the suite that this run does not log, each with the reason.
    """

    def __init__(self, release: str) -> None:
        self.release = release
        self.suites: dict[str, Suite] = {}
        self.faults = Faults()
        self.missing: dict[str, str] = {}
        self._heard: list[Any] | None = None

    def leave_out(self, reason: str, *names: str) -> None:
        """Note results that will not be logged: whole names, or beginnings that end in ``/``."""
        known = next(iter(self.suites.values())).metrics
        for name in known:
            if name in names or any(end.endswith("/") and name.startswith(end) for end in names):
                self.missing.setdefault(name, reason)

    def update(self, mode: str, **tensors: Tensor | None) -> None:
        """Count tensors. What fails is noted; nothing is raised."""
        with self.faults("numbers of a batch could not be counted"):
            given = {name: tensor.detach() for name, tensor in tensors.items() if tensor is not None}
            self.suites[mode].update(**given)

    def row(self, mode: str, device: Any) -> dict[str, float]:
        """Return the numbers since the last call, those of all ranks together; every rank has to call."""
        found: dict[str, float] = {}
        with self.faults("the numbers could not be computed"):
            numbers = self.suites[mode].to(device).sync().compute()
            found = exact(numbers, EXACT if mode == "train" else EVALUATED)
        with self.faults("the numbers could not be reset"):
            self.suites[mode].reset()
        return found

    @contextmanager
    def listening(self) -> Iterator[list[Any]]:
        """Collect in a list what `hear` is told meanwhile."""
        before = self._heard
        heard: list[Any] = []
        self._heard = heard
        try:
            yield heard
        finally:
            self._heard = before

    def hear(self, found: Any) -> None:
        """Keep something for the one who listens, if any."""
        if self._heard is not None:
            self._heard.append(found)


_Trainer: Any = object


class Measured(ABC, _Trainer):  # type: ignore[misc]
    """A trainer of TRL that adds the numbers of a suite to what it logs.

    Attributes:
        measured: The numbers, what went wrong, and what is left out.
    """

    kind = ""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.measured = Measurements(_release(type(self), self.kind))
        super().__init__(*args, **kwargs)
        self.measured.suites = {mode: self._suite() for mode in ("train", "eval")}
        with self.measured.faults("what this run cannot measure could not be told"):
            self._tell_missing()

    def log(self, logs: dict[str, Any], *args: Any, **kwargs: Any) -> None:
        """Log as ever, with the numbers of the suite beside."""
        # The same dictionary, since evaluations return it: the best checkpoint is chosen by what TRL writes into it.
        logs.update(self.measured.row(self._mode, self.accelerator.device))
        super().log(logs, *args, **kwargs)

    @property
    def _mode(self) -> str:
        """Where numbers of now belong."""
        return "train" if self.model.training else "eval"

    @abstractmethod
    def _suite(self) -> Suite:
        """Return an empty suite of this trainer."""

    @abstractmethod
    def _tell_missing(self) -> None:
        """Tell which numbers this run cannot have, and why."""


def _release(cls: type, kind: str) -> str:
    """Return the release of TRL that a class comes from.

    Raises:
        TypeError: The class is no trainer of that kind.
        RuntimeError: The numbers have not been checked in this release.
    """
    name = f"{kind}Trainer"
    if not any(base.__name__ == name and base.__module__.partition(".")[0] == "trl" for base in cls.__mro__):
        msg = f"{cls.__name__} is no {name} of TRL: write class {cls.__name__}(Measured{kind}, {name})"
        raise TypeError(msg)
    release = str(getattr(sys.modules.get("trl"), "__version__", "?"))
    good = [known for known, kinds in TRIED.items() if kind in kinds]
    if release not in good:
        msg = f"Measured{kind} does not know {name} of TRL {release}, only of {', '.join(good)}"
        raise RuntimeError(msg)
    return release
