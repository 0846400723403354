"""Every sentence of the spec that claims something of a number, with its place, and the digest of what it rests on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from ..tables.health_table import all_rules, bounds, metrics_of_rule
from ..tables.metrics_table import texts_of
from .carried import Carried
from .digests import digest, dumped, values_of
from .said import said_anywhere
from .stated_values import stated_values

if TYPE_CHECKING:
    from ..loader import YamlPath
    from ..model import Metric
    from ..model.signature import Trait
    from .context import Context

__all__ = ["Sentence", "sentences"]


class Sentence(NamedTuple):
    """A sentence that claims something of a number.

    Attributes:
        kind: ``reading``, ``range``, ``constant``, ``varies``: that no sentence calls a number constant, ``band``: the
            bounds of healthy values, ``best``: that a number near its best is not passed over, ``answer``: that no two
            sentences about a value exclude each other, ``stated``: a value that a description gives it, ``effect``: on
            which side a trait leaves a number, or ``vanishes``: under which settings it leaves it alone.
        ref: The file.
        path: Its place there.
        told: What it is said of, as `Carried` names it: ``metric …``, ``trait …``, or the place of a record or fact.
        says: The reading, or the text.
        digest: Of the sentence, and of all that decides the numbers it is about.
    """

    kind: str
    ref: str
    path: YamlPath
    told: str
    says: Any
    digest: str

    @property
    def subject(self) -> str:
        """The metric, or the trait, that it is about; empty for what records say."""
        word, _, name = self.told.partition(" ")
        return name if word in ("metric", "trait") else ""

    @property
    def place(self) -> str:
        """The file and the node in it, as the lock has them."""
        return f"{self.ref}:{'.'.join(map(str, self.path))}"


def sentences(context: Context, carried: Carried | None = None) -> list[Sentence]:
    """Return every sentence of a spec that steps can bear out or refute.

    Args:
        context: The spec.
        carried: Of which keys they are told, if the caller has use for it, too.
    """
    return list(_Sentences(context, carried or Carried(context.definitions)).all())


class _Sentences:
    def __init__(self, context: Context, carried: Carried) -> None:
        self._context = context
        self._carried = carried

    def all(self) -> Iterator[Sentence]:
        spec = self._context.spec
        healthy = self._healthy()
        for name, metric in spec.metrics.items():
            yield from self._of_metric(name, metric, healthy.get(name, ()))
        for name, trait in spec.signatures.traits.items():
            yield from self._of_trait(name, trait)
        yield from self._of_records()

    def _of_metric(self, name: str, metric: Metric, healthy: tuple[Any, ...]) -> Iterator[Sentence]:
        ref, path, told = f"metrics/{self._context.spec.family_of[name]}", ("metrics", name), f"metric {name}"
        # What a metric says of values explains those out of its range, and those that never change.
        explained = values_of(metric.reads)
        resting = [told, self._formula(name), *self._carried.digests(told)]
        for index, reading in enumerate(metric.reads):
            rests = digest(dumped(reading), resting)
            yield Sentence("reading", ref, (*path, "reads", index), told, reading, rests)
        for said in stated_values(metric.description):
            yield Sentence("stated", ref, (*path, "description"), told, said, digest(said.text, resting))
        if metric.formula is None:
            return
        if metric.range not in (None, (None, None)):
            rests = digest(dumped(metric.range), explained, resting)
            yield Sentence("range", ref, (*path, "range"), told, metric.range, rests)
        yield Sentence("varies", ref, path, told, f"{name} varies", digest("varies", explained, resting))
        if healthy:
            says = f"bounds of healthy values of {name}"
            yield Sentence("band", ref, path, told, says, digest(says, healthy, dumped(metric.range), resting))
        high = metric.range[1] if metric.range is not None else None
        if metric.direction == "higher" and high is not None and "returns" in metric.inputs:
            says = f"best values of {name}"
            yield Sentence("best", ref, path, told, says, digest(says, explained, dumped(metric.range), resting))
        if explained:
            says = f"what values of {name} mean"
            yield Sentence("answer", ref, path, told, says, digest(says, explained, dumped(metric.range), resting))

    def _of_trait(self, name: str, trait: Trait) -> Iterator[Sentence]:
        path, told = ("traits", name), f"trait {name}"
        resting = [told, *self._carried.digests(told)]
        for index, reading in enumerate(trait.reads):
            rests = digest(dumped(reading), resting)
            yield Sentence("reading", "signatures", (*path, "reads", index), told, reading, rests)
        for kind, field in (("effect", "effect"), ("vanishes", "vanishes_if")):
            says = getattr(trait, field)
            if says is not None:
                rests = digest(field, dumped(says), dumped(trait.does), resting)
                yield Sentence(kind, "signatures", (*path, field), told, says, rests)

    def _of_records(self) -> Iterator[Sentence]:
        for said in said_anywhere(self._context):
            told = f"{said.ref} {said.path}"
            resting = self._carried.digests(told)
            for index, reading in enumerate(said.fields.reads):
                rests = digest(dumped(reading), resting)
                yield Sentence("reading", said.ref, (*said.path, "reads", index), told, reading, rests)
            stated = said.fields.constant_when
            path = (*said.path, "constant_when")
            for index, text in enumerate([stated] if isinstance(stated, str) else stated or ()):
                place = path if isinstance(stated, str) else (*path, index)
                yield Sentence("constant", said.ref, place, told, text, digest(text, resting))

    def _healthy(self) -> dict[str, tuple[Any, ...]]:
        """Return the bounds that rules call healthy, by metric."""
        found: dict[str, tuple[Any, ...]] = {}
        for rule in all_rules(self._context.spec):
            limits = {side: number for side, number in bounds(rule).items() if side in ("above", "below")}
            for metric in metrics_of_rule(rule, self._context.spec.metrics) if limits else ():
                found[metric] = (*found.get(metric, ()), (rule.id, limits))
        return found

    def _formula(self, name: str) -> str:
        texts = texts_of(self._context.spec.metrics[name])
        return digest(
            {field: texts.get(field) for field in ("let", "formula", "variants", "parameters", "empty", "nan")}
        )
