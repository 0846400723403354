"""How much the programs of two sources have in common, to choose between trainers that log the same metric."""

from __future__ import annotations

from functools import cached_property

from .protocol import View

__all__ = ["Affinity"]


class Affinity:
    """Counts the metrics that a program of one source shares with each program of another.

    A shared metric counts the more, the fewer programs of the target have it.

    Args:
        from_: The source.
        to: The target.
    """

    def __init__(self, from_: View, to: View) -> None:
        self._from = from_
        self._to = to
        self._shared: dict[str, dict[str, float]] = {}

    def __call__(self, component: str, target: str) -> float:
        """Return how much the programs of a component of the source and of one of the target have in common."""
        program = self._from.program(component)
        if program not in self._shared:
            shared = self._shared[program] = {}
            for metric in self._measured[program]:
                others = self._having.get(metric, ())
                for other in others:
                    shared[other] = shared.get(other, 0.0) + 1 / len(others)
        return self._shared[program].get(self._to.program(target), 0.0)

    @cached_property
    def _measured(self) -> dict[str, dict[str, None]]:
        return _measured(self._from)

    @cached_property
    def _having(self) -> dict[str, list[str]]:
        having: dict[str, list[str]] = {}
        for program, metrics in _measured(self._to).items():
            for metric in metrics:
                having.setdefault(metric, []).append(program)
        return having


def _measured(view: View) -> dict[str, dict[str, None]]:
    """Return the metrics that each program logs, in the order of the spec: sums of them must not depend on chance."""
    measured: dict[str, dict[str, None]] = {}
    for entry in view.entries():
        metrics = measured.setdefault(view.program(entry.component), {})
        if entry.metric is not None:
            metrics[entry.metric] = None
    return measured
