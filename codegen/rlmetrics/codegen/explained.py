"""Where each field of an answer comes from: the line of the spec that sets it, and the source that shows it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rlmetrics.names.tables.pieces import combine

from .meaning import FrameworkScope, Resolved, SpecPiece, scope_of

if TYPE_CHECKING:
    from rlmetrics.names.meanings.component import ComponentView
    from rlmetrics.names.tables.key_records import Entry

    from .loader.document import YamlPath
    from .spec import Spec

__all__ = ["Explained", "Field", "explain"]

_SIMPLE = (
    *("snapshot", "span", "lag", "scale", "offset", "reproduced_by", "kind", "condition"),
    *("route", "every", "axis", "logged_by"),
)
_LISTS = ("traits", "constant_when", "notes", "documented", "fails")


@dataclass(frozen=True)
class Field:
    """One field of a resolved signature.

    Attributes:
        field: Its name, such as ``metric`` or ``reduction.rank``.
        value: Its value.
        from_: ``file:line`` that sets it.
        proof: Where the source of the release shows it, as ``path:line``.
        when: The guard of the fact that sets it; None where it always holds.
    """

    field: str
    value: Any
    from_: str
    proof: tuple[str, ...] = ()
    when: str | None = None


@dataclass(frozen=True)
class Explained:
    """Everything that is said of a key in one release and configuration.

    Attributes:
        entry: The answer.
        fields: Its fields.
        inactive: What other configurations would change: guard, what it says and where it stands.
    """

    entry: Entry
    fields: tuple[Field, ...]
    inactive: tuple[Field, ...] = field(default=())


class _Explainer:
    def __init__(self, spec: Spec, framework: str, view: ComponentView, stem: str, item: Resolved) -> None:
        self._spec = spec
        self._framework = framework
        self._scope = scope_of(spec.frameworks[framework])
        self._view = view
        self._stem = stem
        self._item = item

    def explained(self, entry: Entry) -> Explained:
        holds = self._view.config.holds
        active = [fact for fact in self._item.facts if fact.when is None or holds(fact.when)]
        idle = [fact for fact in self._item.facts if fact not in active]
        pieces = [self._item.record, *active]
        unstated = entry.signature.unstated
        fields = [item for item in self._fields(pieces) if item.field not in unstated]
        if unstated:
            fields.append(self._field("unreviewed", ", ".join(unstated), pieces[0], "metric"))
        return Explained(entry, tuple(fields), tuple(self._idle(idle)))

    def _fields(self, pieces: Sequence[SpecPiece]) -> Iterator[Field]:
        profile, profile_piece = self._profile(pieces)
        # What guides say is told one by one below, and is no value of a table.
        says = [{name: value for name, value in piece.says.items() if name != "documented"} for piece in pieces]
        said = combine(says[0], says[1:], _Profiles(self._scope, self._stem, pieces))
        metric = said.get("metric")
        if metric is not None:
            yield self._set("metric", metric, pieces)
        yield from self._each("logged_when", pieces)
        population = said.get("population")
        if population is None and isinstance(metric, str) and metric in self._spec.metrics:
            own = self._spec.metrics[metric].population
            if own is not None:
                place = self._spec.locate_metric(metric, ("population",))
                yield Field("population", own, f"{place.file}:{place.line}")
        elif population is not None:
            yield self._set("population", population, pieces, profile)
        yield from self._each("without", pieces, profile)
        if profile_piece is not None:
            yield self._field("profile", profile_piece.says["profile"], profile_piece, "profile")
        for level in self._spec.signatures.levels:
            if level in said["reduction"]:
                yield self._reduction(level, said["reduction"][level], pieces, profile)
        for name in _SIMPLE:
            if said.get(name) is not None:
                yield self._set(name, said[name], pieces, profile)
        for name in _LISTS:
            yield from self._each(name, pieces, profile)

    def _profile(self, pieces: Sequence[SpecPiece]) -> tuple[Mapping[str, Any], SpecPiece | None]:
        setting = [piece for piece in pieces if "profile" in piece.says]
        if not setting:
            return {}, None
        profile = self._scope.profile(self._stem, setting[-1].stem, setting[-1].says["profile"])
        return {name: getattr(profile, name) for name in profile.model_fields_set}, setting[-1]

    def _set(
        self, name: str, value: Any, pieces: Sequence[SpecPiece], profile: Mapping[str, Any] | None = None
    ) -> Field:
        setting = [piece for piece in pieces if name in piece.says]
        if setting:
            return self._field(name, value, setting[-1], name)
        return self._of_profile(name, value, pieces)

    def _reduction(self, level: str, value: str, pieces: Sequence[SpecPiece], profile: Mapping[str, Any]) -> Field:
        setting = [piece for piece in pieces if level in piece.says.get("reduction", ())]
        if setting:
            return self._field(f"reduction.{level}", value, setting[-1], "reduction")
        return self._of_profile(f"reduction.{level}", value, pieces)

    def _of_profile(self, name: str, value: Any, pieces: Sequence[SpecPiece]) -> Field:
        """Return a field that the profile sets: it stands with the profile, and what names it proves it."""
        setting = next(piece for piece in reversed(pieces) if "profile" in piece.says)
        chosen = setting.says["profile"]
        for part in (*self._scope.component(setting.stem).chain, *self._scope.component(self._stem).chain):
            if chosen in self._scope.spec.known[part].profiles:
                where = self._locate(part, ("profiles", chosen, name.partition(".")[0]))
                return Field(name, value, where, self._proof(setting), setting.when)
        raise KeyError(chosen)

    def _each(
        self, name: str, pieces: Sequence[SpecPiece], profile: Mapping[str, Any] | None = None
    ) -> Iterator[Field]:
        for value in (profile or {}).get(name, ()):
            yield self._of_profile(name, value, pieces)
        for piece in pieces:
            for value in piece.says.get(name, ()):
                shown = value if isinstance(value, str) else value.says
                yield self._field(name, shown, piece, name)

    def _field(self, name: str, value: Any, piece: SpecPiece, written: str) -> Field:
        return Field(name, value, self._locate(piece.stem, (*piece.path, written)), self._proof(piece), piece.when)

    def _idle(self, facts: Sequence[SpecPiece]) -> Iterator[Field]:
        for fact in facts:
            says = {name: value for name, value in fact.says.items() if name != "at"}
            yield Field("fact", _shown(says), self._locate(fact.stem, fact.path), self._proof(fact), fact.when)

    def _locate(self, stem: str, path: YamlPath) -> str:
        place = self._spec.locate(f"frameworks/{self._framework}/{stem}", path)
        return f"{place.file}:{place.line}"

    def _proof(self, piece: SpecPiece) -> tuple[str, ...]:
        """Return where the anchors of a record or fact stand in the release; without own ones those of its record."""
        chosen = piece if piece.fields.at else self._item.record
        anchors = [f"{chosen.stem}:{name}" for name in chosen.fields.at]
        table = self._view.table
        evidence = table.evidence(self._stem, anchors, self._view.release)
        return tuple(dict.fromkeys(f"{item.path}:{item.line}" for item in evidence))


class _Profiles(dict[str, Mapping[str, Any]]):
    """The profiles that records and facts name, each as the file in which they stand knows it."""

    def __init__(self, scope: FrameworkScope, stem: str, pieces: Sequence[SpecPiece]) -> None:
        super().__init__()
        for piece in pieces:
            if "profile" in piece.says:
                profile = scope.profile(stem, piece.stem, piece.says["profile"])
                fields = profile.model_fields_set - {"brief", "releases"}
                self[piece.says["profile"]] = {name: getattr(profile, name) for name in fields}


def _shown(says: Mapping[str, Any]) -> str:
    parts = []
    for name, value in says.items():
        if isinstance(value, Mapping):
            text = ", ".join(f"{key} {item}" for key, item in value.items())
        elif isinstance(value, list | tuple):
            text = ", ".join(str(getattr(item, "says", item)) for item in value)
        else:
            text = str(value)
        parts.append(f"{name.replace('_', ' ')} {text}")
    return "; ".join(parts)


def explain(spec: Spec, framework: str, stem: str, view: ComponentView, key: str, mode: str) -> Explained:
    """Return where each field of a key's meaning comes from.

    Args:
        spec: The spec of the checkout.
        framework: The framework.
        stem: The file of the component.
        view: The component in one release, under a configuration.
        key: The key or template, as logged.
        mode: ``train`` or ``eval``.

    Raises:
        KeyError: The component does not log the key.
    """
    entry = view.entry(key, mode)
    scope = scope_of(spec.frameworks[framework])
    bit = 1 << scope.releases.index(view.release)
    items = [item for item in scope.component(stem).resolved if (item.key, item.mode) == (key, mode)]
    chosen = [item for item in items if item.releases & bit]
    if not chosen:
        raise KeyError(key)
    # Where several places write the key, the one that the configuration picks is explained.
    for item in chosen:
        explained = _Explainer(spec, framework, view, stem, item).explained(entry)
        if len(chosen) == 1 or any(one.field == "metric" and one.value == entry.metric for one in explained.fields):
            return explained
    return _Explainer(spec, framework, view, stem, chosen[0]).explained(entry)
