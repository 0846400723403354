"""What a logged key stands for: the function of its metric and the reduction that its signature states."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache

from rlmetrics.names import Resolution, resolve, show

Value = bool | int | float | str | None


@dataclass(frozen=True)
class Source:
    """The code that logged a run.

    Attributes:
        at: Framework, component and release, such as ``trl[PPOTrainer]==0.7.10``.
        config: What the run set differently from the release's defaults.
    """

    at: str
    config: tuple[tuple[str, Value], ...] = ()

    def resolution(self, key: str) -> Resolution:
        """Return what the spec says about a key."""
        return _resolve(self, key)

    def quantity(self, key: str) -> Quantity:
        """Return the metric's function and the reduction that the key's signature states."""
        found = self.resolution(key)
        assert found.metric is not None, f"{self.at} {key}: {found.reason}"
        signature = found.signature
        assert signature is not None
        assert not isinstance(signature.scale, str), f"{self.at} {key}: the scale {signature.scale} is not known"
        assert not isinstance(signature.offset, str), f"{self.at} {key}: the offset {signature.offset} is not known"
        variant = f"@{signature.reproduced_by}" if signature.reproduced_by else ""
        return Quantity(
            found.metric + variant,
            tuple(signature.reduction.items()),
            signature.scale,
            signature.offset,
            frozenset(signature.traits),
        )

    def measured(self, key: str) -> str:
        """Return the reason why no function gives a key: what is measured, where its metric is none of tensors."""
        metric = self.resolution(key).metric
        assert metric is not None, f"{self.at} does not log {key}"
        (shown,) = show(metric)
        text = shown.entry.get("measured")
        assert isinstance(text, str), f"{metric} has a function; {key} needs no reason"
        return f"Measured, not computed: {text[:1].lower()}{' '.join(text.split())[1:]}"


@dataclass(frozen=True)
class Quantity:
    """A function of ``rlmetrics.functional.REGISTRY`` and how its values over parts become one number.

    Attributes:
        function: The metric's id, followed by ``@variant`` for a variant.
        reduction: Operation by level; levels that are not named are pooled.
        scale: logged = scale * reduced + offset.
        offset: See ``scale``.
        traits: Of these, the harness acts on ``zero_when_empty``, ``zero_without_token``, ``nan_entries_skipped``.
    """

    function: str
    reduction: tuple[tuple[str, str], ...] = ()
    scale: float = 1.0
    offset: float = 0.0
    traits: frozenset[str] = field(default_factory=frozenset)

    def operation(self, level: str) -> str:
        """Return how parts of a level become one number."""
        return dict(self.reduction).get(level, "pool")

    @property
    def of_one_part(self) -> Quantity:
        """The same over one part, before what the framework does to the whole."""
        return replace(self, reduction=(), scale=1.0, offset=0.0)


@cache
def _resolve(source: Source, key: str) -> Resolution:
    config: Mapping[str, Value] = dict(source.config)
    found = [one for one in resolve(key, at=source.at, config=config) if one.metric is not None]
    assert len(found) == 1, f"{source.at} {key}: {len(found)} meanings"
    return found[0]
