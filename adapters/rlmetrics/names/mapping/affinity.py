"""How much the programs of two sources have in common, to choose between trainers that log the same metric."""

from __future__ import annotations

from functools import cached_property

from ..meanings.protocol import View

__all__ = ["Affinity"]


class Affinity:
    """Counts the metrics that a program of one source shares with each program of another.

    A shared metric counts the more, the fewer programs of the target have it. Of two programs that share as much, the
    one that has nothing else is nearer: a supervised trainer of two metrics, not all of reinforcement learning.

    Args:
        from_: The source.
        to: The target.
    """

    def __init__(self, from_: View, to: View) -> None:
        self._from = from_
        self._to = to
        self._shared: dict[str, dict[str, float]] = {}
        self._found: dict[tuple[str, str], tuple[float, bool]] = {}

    def __call__(self, component: str, target: str) -> tuple[float, bool]:
        """Return how much the programs of a component of the source and of one of the target have in common.

        Returns:
            What they share, and whether that is all that the target's program logs.
        """
        asked = component, target
        if asked not in self._found:
            self._found[asked] = self._count(self._from.program(component), self._to.program(target))
        return self._found[asked]

    def _count(self, program: str, other: str) -> tuple[float, bool]:
        if program not in self._shared:
            shared = self._shared[program] = {}
            for metric in self._measured[program]:
                others = self._having.get(metric, ())
                for name in others:
                    shared[name] = shared.get(name, 0.0) + 1 / len(others)
        is_all = self._logged.get(other, {}).keys() <= self._measured[program].keys()
        return self._shared[program].get(other, 0.0), is_all

    @cached_property
    def _logged(self) -> dict[str, dict[str, None]]:
        return _measured(self._to)

    @cached_property
    def _measured(self) -> dict[str, dict[str, None]]:
        return _measured(self._from)

    @cached_property
    def _having(self) -> dict[str, list[str]]:
        having: dict[str, list[str]] = {}
        for program, metrics in self._logged.items():
            for metric in metrics:
                having.setdefault(metric, []).append(program)
        return having


def _measured(view: View) -> dict[str, dict[str, None]]:
    """Return the metrics that each program logs, in the order of the spec: sums of them must not depend on chance."""
    measured: dict[str, dict[str, None]] = {}
    for place in view.places():
        metrics = measured.setdefault(view.program(place.component), {})
        if (metric := view.metric(place)) is not None:
            metrics[metric] = None
    return measured
