"""What frameworks log, as far as the reference pages tell it: all that these read of ``spec/frameworks``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from ..inheritance import applied_records
from ..model import ComponentFile, Documented, Emission, Level, Operation, Profile, Signatures, Variant
from ..releases import Releases
from ..spec import FrameworkSpec, Spec

__all__ = ["Emitted", "Said", "emitted"]

_SNAPSHOTS = {
    "current": "with the policy being updated",
    "old": "with the policy as it was before the update",
    "rollout": "with the policy of the rollout engine",
    "reference": "with the reference policy",
}
_LEVELS = {
    "token": "tokens",
    "sequence": "sequences",
    "group": "groups",
    "micro_batch": "micro-batches",
    "mini_batch": "mini-batches",
    "epoch": "epochs",
    "rank": "ranks",
    "window": "the steps of a logging window",
}

Layer = Profile | Emission | Variant


@dataclass(frozen=True)
class Said:
    """One statement about how a key comes about.

    Attributes:
        text: The statement in plain words; empty where ``metric`` or ``documented`` says it.
        guard: The condition over configuration under which it holds; empty where it always does.
        metric: Another metric that the key means instead.
        documented: What the framework's own guide says.
    """

    text: str
    guard: str = ""
    metric: str | None = None
    documented: Documented | None = None


@dataclass(frozen=True)
class Emitted:
    """One key of one component that means a metric, over releases in which the same is said about it.

    Attributes:
        metric: The metric.
        framework: The framework's name.
        component: The class or part that logs it.
        key: The key or template.
        mode: ``train`` or ``eval``.
        releases: Where all this holds.
        logged: When the key is logged, in words with ``code`` in backticks; all must hold.
        guards: Conditions over configuration, one of which must hold for the key to mean this metric; empty if it
            always does.
        said: How this code departs from the metric's definition.
        source: Where the key stands in a release.
    """

    metric: str
    framework: str
    component: str
    key: str
    mode: str
    releases: frozenset[str]
    logged: tuple[str, ...]
    guards: tuple[str, ...]
    said: tuple[Said, ...]
    source: str


def emitted(spec: Spec) -> Iterator[Emitted]:
    """Yield what every component logs, in the order of the spec's files."""
    for name, framework in spec.frameworks.items():
        order = Releases(tuple(release.release for release in framework.framework.releases))
        yield from _of_framework(name, framework, order, spec.signatures)


def _of_framework(name: str, framework: FrameworkSpec, order: Releases, signatures: Signatures) -> Iterator[Emitted]:
    @cache
    def expanded(ranges: tuple[str, ...]) -> frozenset[str]:
        return order.expand(list(ranges))

    def expand(ranges: str | list[str]) -> frozenset[str]:
        return expanded((ranges,) if isinstance(ranges, str) else tuple(ranges))

    files = framework.files
    for stem, file in files.items():
        for part in file.components:
            for found in applied_records(files, stem, expand(part.releases), expand):
                emission = found.emission
                evidence = emission.evidence[0]
                source = f"{evidence.path}:{evidence.line}"
                logged = tuple(text for text in (emission.condition, _code(emission.when)) if text)
                for metric, guards, said in _meanings(files[found.stem], emission, signatures):
                    for mode in sorted(found.modes, reverse=True):
                        place = (metric, name, part.name, emission.key, mode, found.releases)
                        yield Emitted(*place, logged, guards, said, source)


def _meanings(
    origin: ComponentFile, emission: Emission, signatures: Signatures
) -> Iterator[tuple[str, tuple[str, ...], tuple[Said, ...]]]:
    """Yield each metric that an emission can mean, the guards under which it does, and what is said about it then."""
    profile = origin.profiles.get(emission.profile or "")
    own = emission.metric or (profile.metric if profile else None)
    always = [Said(text) for text in _statements([profile, emission] if profile else [emission], signatures)]
    always += [Said("", documented=documented) for documented in emission.documented]
    cases: dict[str, list[Said]] = {}
    guards: dict[str, list[str]] = {}
    for variant in emission.variants:
        profile = origin.profiles.get(variant.profile or "")
        metric = variant.metric or own or ""
        texts = _statements([profile, variant] if profile else [variant], signatures)
        cases.setdefault(metric, []).extend(Said(text, variant.when) for text in texts)
        guards.setdefault(metric, []).append(variant.when)
    # Without a meaning of its own, the record means each metric in some cases only.
    is_split = emission.exhaustive and len(cases) > 1
    if own is not None and not is_split:
        others = [Said("", guard, metric=metric) for metric in guards if metric != own for guard in guards[metric]]
        yield own, (), (*always, *cases.get(own, ()), *others)
    for metric, said in cases.items():
        if is_split or metric != own:
            yield metric, tuple(guards[metric]), (*always, *said)


def _statements(layers: Sequence[Layer], signatures: Signatures) -> Iterator[str]:
    values: dict[str, object] = {}
    reduction: dict[Level, Operation] = {}
    traits: dict[str, None] = {}
    constant: dict[str, None] = {}
    for layer in layers:
        for name in ("population", "snapshot", "span", "lag", "scale", "offset", "reproduced_by"):
            value = getattr(layer, name)
            if value is not None:
                values[name] = value
        reduction.update(layer.reduction)
        traits.update(dict.fromkeys(layer.traits))
        constant.update(dict.fromkeys(layer.constant_when))
    population = signatures.populations.get(str(values.get("population")))
    if population is not None:
        yield f"over {_clause(population.brief)}"
        traits = {**dict.fromkeys(population.traits), **traits}
    if "snapshot" in values:
        yield _SNAPSHOTS[str(values["snapshot"])]
    yield from _reduced(reduction, signatures)
    yield from (signatures.traits[trait].what for trait in traits if trait in signatures.traits)
    if "scale" in values or "offset" in values:
        scaled = f"`{values['scale']}` × metric" if "scale" in values else "metric"
        moved = f" + `{values['offset']}`" if "offset" in values else ""
        yield f"logged value = {scaled}{moved}"
    if "span" in values:
        yield f"covers {values['span']}"
    if values.get("lag"):
        yield f"belongs to step {values['lag']:+d}"
    yield from (f"constant when {when}" for when in constant)
    if "reproduced_by" in values:
        yield f"reproduced by the variant `{values['reproduced_by']}`"


def _reduced(reduction: dict[Level, Operation], signatures: Signatures) -> Iterator[str]:
    """Yield one statement for each operation, with all levels that it reduces."""
    levels: dict[Operation, list[str]] = {}
    for level, operation in reduction.items():
        if operation not in ("pool", "none"):
            levels.setdefault(operation, []).append(_LEVELS[level])
    for operation, names in levels.items():
        yield f"over {_listed(names)}: {signatures.operations[operation]}"


def _code(guard: str | None) -> str:
    return f"`{' '.join(guard.split())}`" if guard else ""


def _clause(sentence: str) -> str:
    return sentence[0].lower() + sentence[1:].rstrip(".")


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
