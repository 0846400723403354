"""What frameworks log, as far as the reference pages tell it: all that these read of ``spec/frameworks``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..meaning import FrameworkScope, Piece, Resolved, resolve
from ..model import ComponentRange, Documented, Level, Operation, Signatures
from ..spec import Spec

__all__ = ["LoggedKey", "Said", "logged_keys"]

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
class LoggedKey:
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
        source: The file of the component in a release.
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


def logged_keys(spec: Spec) -> Iterator[LoggedKey]:
    """Yield what every component logs, in the order of the spec's files."""
    for name, framework in spec.frameworks.items():
        scope = FrameworkScope(framework)
        for stem, file in framework.files.items():
            for part in file.components:
                yield from _of_component(name, scope, stem, part, spec.signatures)


def _of_component(
    name: str, scope: FrameworkScope, stem: str, part: ComponentRange, signatures: Signatures
) -> Iterator[LoggedKey]:
    source = f"{part.module.replace('.', '/')}.py"
    for found in resolve(scope.component(stem, scope.bits(part.releases))):
        always = [found.record, *(fact for fact in found.facts if fact.when is None)]
        logged = [_code(guard) for piece in (found.record, *found.facts) for guard in piece.says.get("logged_when", ())]
        logged += [text for piece in always for text in _conditions(piece)]
        releases = scope.releases.of_bits(found.releases)
        for metric, guards, said in _meanings(scope, stem, found, signatures):
            place = (metric, name, part.name, found.key, found.mode, releases)
            yield LoggedKey(*place, tuple(logged), guards, said, source)


def _conditions(piece: Piece) -> Iterator[str]:
    if "condition" in piece.says:
        yield piece.says["condition"]
    yield from piece.says.get("fails", ())


def _meanings(
    scope: FrameworkScope, stem: str, found: Resolved, signatures: Signatures
) -> Iterator[tuple[str, tuple[str, ...], tuple[Said, ...]]]:
    """Yield each metric that a key can mean, the guards under which it does, and what is said about it then."""
    always = [found.record, *(fact for fact in found.facts if fact.when is None)]
    own = next((piece.says["metric"] for piece in reversed(always) if "metric" in piece.says), None)
    said = [Said(text) for text in _statements(scope, stem, always, signatures)]
    said += [Said("", documented=entry) for piece in found.facts for entry in piece.says.get("documented", ())]
    said += [Said("", documented=entry) for entry in found.record.says.get("documented", ())]
    guards: dict[str, list[str]] = {}
    for piece in found.facts:
        if piece.when is None:
            continue
        said += [Said(text, piece.when) for text in _statements(scope, stem, [piece], signatures)]
        if piece.says.get("metric", own) != own:
            guards.setdefault(piece.says["metric"], []).append(piece.when)
    if own is not None:
        others = [Said("", guard, metric=metric) for metric in guards for guard in guards[metric]]
        always_own = [f"not ({when})" for whens in guards.values() for when in whens]
        yield own, (" and ".join(always_own),) if always_own else (), (*said, *others)
    for metric, whens in guards.items():
        yield metric, tuple(whens), tuple(said)


def _statements(scope: FrameworkScope, stem: str, pieces: Sequence[Piece], signatures: Signatures) -> Iterator[str]:
    values: dict[str, object] = {}
    reduction: dict[Level, Operation] = {}
    traits: dict[str, None] = {}
    constant: dict[str, None] = {}
    without: dict[str, None] = {}
    for layer in _layers(scope, stem, pieces):
        for name in ("population", "snapshot", "span", "lag", "scale", "offset", "reproduced_by"):
            if name in layer:
                values[name] = layer[name]
        reduction.update(layer.get("reduction", {}))
        traits.update(dict.fromkeys(layer.get("traits", ())))
        constant.update(dict.fromkeys(layer.get("constant_when", ())))
        without.update(dict.fromkeys(layer.get("without", ())))
    population = signatures.populations.get(str(values.get("population")))
    if population is not None:
        yield f"over {_clause(population.brief)}"
        traits = {**dict.fromkeys(population.traits), **traits}
    yield from (f"without {_clause(signatures.without[name].brief)}" for name in without if name in signatures.without)
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


def _layers(scope: FrameworkScope, stem: str, pieces: Sequence[Piece]) -> Iterator[Mapping[str, Any]]:
    for piece in pieces:
        if "profile" in piece.says:
            profile = scope.profile(stem, piece.stem, piece.says["profile"])
            yield {
                name: getattr(profile, name) for name in type(profile).model_fields if name in profile.model_fields_set
            }
        yield piece.says


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
