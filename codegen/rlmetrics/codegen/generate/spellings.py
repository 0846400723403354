"""How frameworks spell each metric, in words, for the reference pages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ..inheritance import applied_records
from ..model import ComponentFile, Documented, Emission, Level, Operation, Profile, Signatures, Variant
from ..releases import Releases
from ..spec import FrameworkSpec, Spec

__all__ = ["Case", "Spelling", "spellings"]

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
class Case:
    """What holds when the configuration satisfies a guard.

    Attributes:
        guard: The guard.
        metric: The metric that the key means then.
        computed: How it is computed then, as far as that differs.
    """

    guard: str
    metric: str
    computed: tuple[str, ...]


@dataclass(frozen=True)
class Spelling:
    """One key under which a metric is logged.

    Attributes:
        framework: The framework's title.
        component: The class or part that logs it.
        releases: The releases in which it does, as text.
        key: The key or template.
        logged: When it is logged; empty for always.
        computed: How this code computes it, one statement each, as far as it departs from the definition.
        cases: What configuration changes.
        documented: What the framework's own guide says where it differs.
        source: Where the key stands in a release.
    """

    framework: str
    component: str
    releases: str
    key: str
    logged: str
    computed: tuple[str, ...]
    cases: tuple[Case, ...]
    documented: tuple[Documented, ...]
    source: str


def spellings(spec: Spec) -> dict[str, list[Spelling]]:
    """Return the spellings of every metric id, in the order of the spec's files."""
    found: dict[str, list[Spelling]] = {}
    for framework in spec.frameworks.values():
        for metric, spelling in _Framework(framework, spec.signatures).spellings():
            found.setdefault(metric, []).append(spelling)
    return found


class _Framework:
    """The spellings of one framework."""

    def __init__(self, framework: FrameworkSpec, signatures: Signatures) -> None:
        self._framework = framework
        self._signatures = signatures
        self._releases = Releases(tuple(release.release for release in framework.framework.releases))
        self._expanded: dict[tuple[str, ...], frozenset[str]] = {}

    def spellings(self) -> Iterator[tuple[str, Spelling]]:
        """Yield every spelling with its metric; equal ones of several releases as one."""
        merged: dict[tuple[str, Spelling], set[str]] = {}
        files = self._framework.files
        for stem, file in files.items():
            for part in file.components:
                for found in applied_records(files, stem, self._expand(part.releases), self._expand):
                    for key in self._of_emission(part.name, files[found.stem], found.emission):
                        merged.setdefault(key, set()).update(found.releases)
        for (metric, spelling), covered in merged.items():
            yield metric, replace(spelling, releases=self._releases.text(covered))

    def _of_emission(self, component: str, origin: ComponentFile, emission: Emission) -> Iterator[tuple[str, Spelling]]:
        """Yield the emission's metric and those of its variants, each with a spelling that lacks its releases."""
        profile = origin.profiles.get(emission.profile or "")
        base = tuple(self._statements([profile, emission] if profile else [emission]))
        cases = tuple(self._case(origin, emission, variant) for variant in emission.variants)
        evidence = emission.evidence[0]
        logged = [text for text in (emission.condition, _code(emission.when)) if text]
        spelling = Spelling(
            framework=self._framework.framework.title,
            component=component,
            releases="",
            key=emission.key,
            logged="; ".join(logged),
            computed=base,
            cases=cases,
            documented=tuple(emission.documented),
            source=f"{evidence.path}:{evidence.line}",
        )
        # Without a meaning of its own, the record means each metric in some cases only.
        is_split = emission.exhaustive and len({case.metric for case in cases}) > 1
        if emission.metric is not None and not is_split:
            yield emission.metric, spelling
        guarded: dict[str, list[Case]] = {}
        for case in cases:
            if is_split or case.metric != emission.metric:
                guarded.setdefault(case.metric, []).append(case)
        for metric, own in guarded.items():
            guards = " or ".join(case.guard for case in own)
            yield metric, replace(spelling, cases=tuple(own), logged="; ".join([*logged, f"if {guards}"]))

    def _case(self, origin: ComponentFile, emission: Emission, variant: Variant) -> Case:
        profile = origin.profiles.get(variant.profile or "")
        statements = tuple(self._statements([profile, variant] if profile else [variant]))
        return Case(_code(variant.when), variant.metric or emission.metric or "", statements)

    def _statements(self, layers: Sequence[Layer]) -> Iterator[str]:
        signatures = self._signatures
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
        yield from self._reduced(reduction)
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

    def _reduced(self, reduction: dict[Level, Operation]) -> Iterator[str]:
        """Yield one statement for each operation, with all levels that it reduces."""
        levels: dict[Operation, list[str]] = {}
        for level, operation in reduction.items():
            if operation not in ("pool", "none"):
                levels.setdefault(operation, []).append(_LEVELS[level])
        for operation, names in levels.items():
            yield f"over {_listed(names)}: {self._signatures.operations[operation]}"

    def _expand(self, ranges: str | list[str]) -> frozenset[str]:
        key = (ranges,) if isinstance(ranges, str) else tuple(ranges)
        if key not in self._expanded:
            self._expanded[key] = self._releases.expand(list(key))
        return self._expanded[key]


def _code(guard: str | None) -> str:
    return f"`{' '.join(guard.split())}`" if guard else ""


def _clause(sentence: str) -> str:
    return sentence[0].lower() + sentence[1:].rstrip(".")


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
