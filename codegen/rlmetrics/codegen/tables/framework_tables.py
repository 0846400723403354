"""The tables of one framework: releases, settings and components, and for each component what its keys mean."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from ..meaning import BoundRow, ExtendedFile, FrameworkScope, Resolved, SpecPiece, scope_of
from ..meaning.overridden import of_base
from ..model import Guard, Record
from .data import Row, Table, row, source

if TYPE_CHECKING:
    from ..model import ConfigKey, GuideStatement, Placeholder, Ranges, SignatureFields, SpecReading, Tracking, Unlogged
    from ..model.component_file import ReportedFault
    from ..spec import FrameworkBase, FrameworkSpec

__all__ = ["framework_tables"]


def framework_tables(name: str, spec: FrameworkSpec) -> dict[str, Table]:
    """Return the tables of a framework: one for its components, and one for each file that has components."""
    framework, folder = spec.framework, f"frameworks/{name}"
    scope = scope_of(spec)
    code = framework.code
    index: dict[str, Any] = {
        **({} if code is None else {"CODE": (code.url, _ranges(code.releases or ".."))}),
        "RELEASES": spec.releases,
        **({} if spec.base is None else _derivation(scope, spec.base)),
        "CONFIG": _config(framework.config),
        "PROGRAMS": {
            name: row(
                brief=item.brief,
                releases=_ranges(item.releases),
                default=item.default or None,
                of=item.of,
                settings=item.settings,
                code=item.code,
            )
            for name, item in framework.programs.items()
        },
        **row(TASKS=framework.tasks, JUMPS=framework.jumps, SUCCEEDED=framework.succeeded),
        **row(AROUND=None if framework.settings is None else framework.settings.around),
        "COMPONENTS": _components(spec),
    }
    files = {
        f"{folder}/{stem}": Table(f"spec/{folder}/{stem}.yaml", _Tables(scope, stem).data())
        for stem, file in spec.files.items()
        if file.components
    }
    return {f"{folder}/framework": Table(f"spec/{folder}", index), **files}


def _derivation(scope: FrameworkScope, base: FrameworkBase) -> dict[str, Any]:
    """Return the base with its release under each release, and the methods that each file's classes replace."""
    replaced: dict[str, dict[str, list[str]]] = {}
    for stem, file in scope.spec.files.items():
        overridden = scope.component(stem).overridden
        if file.components and overridden is not None and overridden.methods:
            ranges = scope.releases.ranges
            replaced[stem] = {method: ranges(bits) for method, bits in sorted(overridden.methods.items()) if bits}
    return row(DERIVES=(base.name, base.under), OVERRIDES=replaced)


def _components(spec: FrameworkSpec) -> list[Any]:
    """Return the components: those that the framework puts first, then the others, file by file."""
    place = {name: index for index, name in enumerate(spec.framework.foremost)}
    rows = [
        (component.name, stem, _ranges(component.releases), component.module)
        for stem, file in spec.files.items()
        for component in file.components
    ]
    return sorted(rows, key=lambda item: place.get(item[0], len(place)))


class _Tables:
    """What one component's table holds, with whatever occurs often written once and named by its number."""

    def __init__(self, scope: FrameworkScope, stem: str) -> None:
        self._scope = scope
        self._component: ExtendedFile = scope.component(stem)
        self._profiles: dict[str, Row] = {}
        self._notes: dict[str, int] = {}
        self._reads: dict[SpecReading, int] = {}
        self._documented: dict[tuple[Any, ...], int] = {}
        self._pieces: dict[str, int] = {}
        self._placed: dict[tuple[int, str], int] = {}
        self._rows: list[Row] = []

    def data(self) -> Row:
        """Return the table."""
        component = self._component
        file = component.files[component.stem]
        chained = [component.files[part] for part in component.chain]
        keys = [self._key(item) for item in component.resolved]
        return row(
            title=file.title,
            brief=file.brief,
            program=file.program,
            extends=component.chain[1:],
            modes=file.modes,
            eval_prefix=None if file.eval_prefix == "eval_" else file.eval_prefix,
            tracking=self._tracking(),
            config=_config(self._config()),
            single=self._single(),
            bind=self._bind(),
            placeholders=self._placeholders(),
            profiles=self._profiles,
            notes=list(self._notes),
            reads=list(self._reads),
            documented=[list(item) for item in self._documented],
            pieces=self._rows,
            keys=keys,
            measuring=self._measuring(keys),
            reports=[*self._reports()],
            unlogged=[row for part in chained for item in part.unlogged for row in self._unlogged(item)],
        )

    def _config(self) -> dict[str, ConfigKey]:
        """Return the settings, of each the nearest definition: own files, then the own head, then files of a base."""
        component, head, base = self._component, self._scope.spec.framework, self._scope.spec.base
        config: dict[str, ConfigKey] = {}
        parts = [*reversed(component.chain)]
        for part in filter(of_base, parts):
            config.update(component.files[part].config)
        if base is not None:
            shared = {name: key.typed(()) for name, key in base.head.config.items()}
            config.update({name: key for name, key in head.config.items() if shared.get(name) != key})
        for part in parts:
            if not of_base(part):
                config.update(component.files[part].config)
        return config

    def _key(self, item: Resolved) -> list[Any]:
        """Return key, mode, releases, the record's piece, those of its facts, and the file if it is a fragment."""
        spans = self._scope.releases.ranges(item.releases)
        facts = [self._piece(fact, item) for fact in item.facts]
        cells: list[Any] = [item.key, item.mode, spans, self._piece(item.record, item), facts]
        fragment = not self._component.files[item.stem].components
        return [*cells, item.stem] if fragment else cells

    def _measuring(self, keys: Sequence[Sequence[Any]]) -> dict[str, list[int]]:
        """Return for each metric the numbers of the rows that may mean it."""
        rows: dict[str, list[int]] = {}
        for number, (_, _, _, record, facts, *_) in enumerate(keys):
            for metric in dict.fromkeys(self._rows[piece].get("metric") for piece in (record, *facts)):
                if metric is not None:
                    rows.setdefault(metric, []).append(number)
        return rows

    def _piece(self, piece: SpecPiece, item: Resolved) -> int:
        """Return the number of a piece; one and the same stands behind many keys."""
        asked = id(piece), item.stem
        if asked not in self._placed:
            self._placed[asked] = self._place(piece, item)
        return self._placed[asked]

    def _place(self, piece: SpecPiece, item: Resolved) -> int:
        said: Row = {}
        for name, value in piece.says.items():
            if name == "profile":
                said[name] = self._profile(item.stem if piece.stem == item.stem else piece.stem, value)
            elif name == "notes":
                said[name] = [self._notes.setdefault(note, len(self._notes)) for note in value]
            elif name == "reads":
                said[name] = [self._reads.setdefault(reading, len(self._reads)) for reading in value]
            elif name == "parameters":
                said[name] = {parameter: self._values(rows) for parameter, rows in value.items()}
            elif name == "documented":
                said[name] = [self._document(entry) for entry in value]
            elif name == "at":
                here = piece.stem == self._component.stem
                said[name] = [anchor if here else f"{piece.stem}:{anchor}" for anchor in value]
            else:
                said[name] = list(value) if isinstance(value, tuple) else value
        if isinstance(piece.fields, Record):
            if self._scope.is_foreign(piece.stem, piece.fields.at):
                said["foreign"] = True
            if not self._component.files[piece.stem].as_defined:
                said["silent"] = True
        if piece.when is not None:
            said["when"] = piece.when
            if getattr(piece.fields, "name", None):
                said["name"] = piece.fields.name  # type: ignore[attr-defined]
        place = repr(sorted(said.items()))
        if place not in self._pieces:
            self._pieces[place] = len(self._rows)
            self._rows.append(said)
        return self._pieces[place]

    def _profile(self, stem: str, name: str) -> str:
        """Return the name of a profile here; where it is named, own and inherited ones are known."""
        profile = self._scope.profile(self._component.stem, stem, name)
        fields = _fields(profile)
        shown = name if self._profiles.setdefault(name, fields) == fields else f"{stem}.{name}"
        self._profiles.setdefault(shown, fields)
        return shown

    def _document(self, entry: GuideStatement) -> int:
        guide, _, heading = (part.strip() for part in (entry.cited or "").partition("#"))
        known = self._scope.spec.framework.guides.get(guide)
        title, path = (guide, None) if known is None else (known.title, known.path)
        identity = (entry.says, entry.code, title, path, heading or None)
        return self._documented.setdefault(identity, len(self._documented))

    def _unlogged(self, item: Unlogged) -> Iterator[Row]:
        guide, _, heading = (part.strip() for part in item.guide.partition("#"))
        known = self._scope.spec.framework.guides.get(guide)
        for key, said in item.keys.items():
            yield row(
                key=key,
                releases=_ranges(item.releases),
                says=said.says,
                instead=said.instead,
                title=guide if known is None else known.title,
                heading=heading,
            )

    def _reports(self) -> Iterator[Row]:
        """Yield what was told of keys of which this component has the record that was spoken of, and no own one."""
        component, prefix = self._component, self._component.files[self._component.stem].eval_prefix
        for part in component.chain:
            taken = {
                item.key.removeprefix(prefix) if item.mode == "eval" else item.key
                for item in component.resolved
                if item.stem == part
            }
            for report in component.files[part].reports:
                keys = [key for key in sorted(taken) if any(fnmatchcase(key, name) for name in report.keys)]
                if keys and report.releases:
                    yield self._report(part, report, keys)

    def _report(self, stem: str, item: ReportedFault, keys: list[str]) -> Row:
        spec = self._scope.spec
        framework = spec.framework if spec.base is None or "/" not in stem else spec.base.spec.framework
        page = "" if framework.code is None else framework.code.url.partition("/blob/")[0]
        return row(
            keys=keys,
            releases=self._scope.releases.ranges(self._scope.bits(item.releases)),
            number=item.number,
            url=f"{page}/{'pull' if item.pull else 'issues'}/{item.number}",
            says=item.says,
            state=item.state,
            fixed=item.fixed,
            by=item.by,
            read=item.read,
        )

    def _tracking(self) -> list[Row]:
        """Return how each release hands its numbers over: what the nearest file says that says anything about it."""
        rows: list[Row] = []
        left = self._component.described
        for part in self._component.chain:
            covered = 0
            for item in self._component.files[part].tracking:
                here = left & (self._component.own(part) if item.releases is None else self._scope.bits(item.releases))
                if here:
                    rows.append(_tracked(item, self._scope.releases.ranges(here)))
                    covered |= here
            left &= ~covered
        return rows

    def _single(self) -> dict[str, list[Any]]:
        """Return, for each part, when there is only one of it: releases and guards, as the nearest file has them."""
        rows: dict[str, list[Any]] = {}
        for part in self._component.chain:
            for name, guard in self._component.files[part].single.items():
                rows.setdefault(name, self._guards(part, guard))
        for name, guard in self._scope.spec.framework.single.items():
            rows.setdefault(name, self._guards(self._component.stem, guard))
        return rows

    def _bind(self) -> dict[str, list[Any]]:
        """Return what parameters of functions are taken from, as the nearest file has it."""
        rows: dict[str, list[Any]] = {}
        for part in self._component.chain:
            for name, stated in self._component.files[part].bind.items():
                rows.setdefault(name, self._values(self._component.values(part, stated)))
        return rows

    def _values(self, rows: Sequence[BoundRow]) -> list[Any]:
        return [[self._scope.releases.ranges(item.releases), *item[1:]] for item in rows]

    def _guards(self, stem: str, guard: str | list[Guard]) -> list[Any]:
        """Return a guard written out, with the releases in which it reads alike; one that never holds is false."""
        expander, guards = self._component.expander(stem), []
        left = self._component.described
        for item in [Guard(when=guard)] if isinstance(guard, str) else guard:
            covered = left if item.releases is None else left & self._scope.bits(item.releases)
            left &= ~covered
            for where, written in expander.guard(item.when):
                if where & covered:
                    guards.append((self._scope.releases.ranges(where & covered), written or "true"))
                    covered &= ~where
            if covered:
                guards.append((self._scope.releases.ranges(covered), "false"))
        return guards

    def _placeholders(self) -> dict[str, Row]:
        known: dict[str, Placeholder] = dict(self._scope.spec.framework.placeholders)
        for part in reversed(self._component.chain):
            known.update(self._component.files[part].placeholders)
        return {
            name: row(brief=item.brief, pattern=item.pattern, examples=item.examples, open=item.open or None)
            for name, item in known.items()
        }


def _tracked(item: Tracking, spans: list[str]) -> Row:
    return row(
        releases=spans,
        route=item.route,
        enable=item.enable,
        x_axis=item.x_axis,
        in_training=item.in_training,
        every=None if item.every == "unstated" else item.every,
        interval=item.interval,
        sources=[source(entry) for entry in item.sources],
        at=item.at,
    )


def _fields(item: SignatureFields) -> Row:
    said = (name for name in type(item).model_fields if name in item.model_fields_set)
    return row(**{name: getattr(item, name) for name in said if name not in ("brief", "releases")})


def _config(config: Mapping[str, ConfigKey]) -> dict[str, Row]:
    return {
        name: row(
            type=key.type,
            brief=key.brief,
            choices=key.choices,
            defaults=[(_ranges(default.releases) or (), default.value, default.symbol) for default in key.defaults],
            formerly=None if key.formerly is None else (_ranges(key.formerly.releases) or (), key.formerly.name),
            limits=key.limits,
            unless=key.unless,
        )
        for name, key in config.items()
    }


def _ranges(ranges: Ranges | None) -> list[str] | None:
    return [ranges] if isinstance(ranges, str) else ranges
