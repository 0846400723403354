"""Names that nothing uses."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING

from rlmetrics.names.meanings.constancy import stated

from ...model import TraitActions
from ..guardsets import names_in
from ..key_languages import placeholders_in
from ..lint_check import Check, Hit, check
from ..said import expressions, keys_of, records, said_in, symbols
from .vanishing import guards_of_differences

if TYPE_CHECKING:
    from ...loader import YamlPath
    from ...model import FormulaVariant, Metric, SignatureFields
    from ..context import Context, FileScope

__all__ = ["CHECKS"]


@check(
    "unused-name",
    "warning",
    what="A trait, population, profile, placeholder, input, configuration key, guide, guard, short name or anchor that "
    "nothing uses.",
    fix="remove it, or use it where it belongs",
    whole=True,
)
def unused_name(context: Context) -> Iterator[Hit]:
    used = _Uses(context)
    signatures = context.spec.signatures
    words: tuple[tuple[str, str, Iterable[str]], ...] = (
        ("trait", "traits", signatures.traits),
        ("population", "populations", signatures.populations),
        ("part of a population", "without", signatures.without),
    )
    for kind, table, names in words:
        for name in names:
            if name not in used.words[table]:
                yield Hit("signatures", (table, name), f"no metric or record has the {kind} `{name}`")
    for name in context.spec.inputs:
        if name not in used.words["inputs"]:
            yield Hit("inputs", ("inputs", name), f"no metric has the input `{name}`")
    kinds = {"profiles": "profile", "placeholders": "placeholder", "config": "configuration key", "guides": "guide"}
    for ref, node in context.spec.roots():
        if ref.startswith("frameworks/"):
            for table, kind in kinds.items():
                # A profile of the framework that nothing uses is found as it is read.
                own = {} if table == "profiles" and ref.endswith("/framework") else getattr(node, table, {})
                of_base = _taken_over(context, ref, table)
                for name, item in own.items():
                    if name not in of_base and (ref, table, name) not in used.local and not getattr(item, "limits", ()):
                        yield Hit(ref, (table, name), f"nothing uses the {kind} `{name}`")
    for scope in context.files.values():
        others = context.spec.frameworks[scope.framework].lent.values()
        stated = context.spec.frameworks[scope.framework].stated.get(scope.stem, scope.file).anchors
        yield from _in_file(scope, {place for lent in others for place in lent.values()}, stated)


def _taken_over(context: Context, ref: str, table: str) -> Collection[str]:
    """Return the names that a framework, or a file of it, may have from the framework that it derives from."""
    base = context.spec.frameworks[ref.split("/")[1]].base
    if base is None:
        return ()
    return {name for owner in (base.head, *base.files.values()) for name in getattr(owner, table, {})}


def _in_file(scope: FileScope, lent: Collection[tuple[str, YamlPath]], stated: Collection[str]) -> Iterator[Hit]:
    """Yield the guards, short names and anchors of a file that nothing in it uses, nor a file that extends it."""
    file = scope.file
    # A guard that only names itself is not used.
    named = {name for path, text in expressions(scope) for name in names_in(text) if path[:2] != ("guards", name)}
    for name in file.guards:
        if name not in named and (scope.stem, ("guards", name)) not in lent:
            yield Hit(scope.ref, ("guards", name), f"nothing uses the guard `{name}`")
    for name in file.names:
        if name not in named:
            yield Hit(scope.ref, ("names", name), f"nothing uses the short name `{name}`")
    cited = {anchor for said in said_in(scope) for anchor in said.fields.at}
    cited.update(anchor for tracking in file.tracking for anchor in tracking.at)
    cited.update(anchor for pinned in file.pinned for anchor in pinned.at)
    cited.update(anchor for kept in file.kept for anchor in kept.at)
    for name, entry in symbols(scope):
        if name not in cited:
            fix = None if entry in stated else "run `rlmetrics anchor drop`, which takes it out of the lock"
            yield Hit(scope.ref, ("anchors", entry), f"nothing uses the anchor `{name}`", fix)


class _Uses:
    """Every name that something refers to."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self.words: dict[str, set[str]] = {name: set() for name in ("traits", "populations", "without", "inputs")}
        self.local: set[tuple[str, str, str]] = set()
        for metric in context.spec.metrics.values():
            self._metric(metric)
            for variant in metric.variants.values():
                self._metric(variant)
        for population in context.spec.signatures.populations.values():
            self.words["traits"].update(population.traits)
            self.words["without"].update(population.without)
            self.words["populations"].update([population.of] if population.of else [])
        # A part of another population names what is left of that: nothing has to mention it.
        parts = (name for name, population in context.spec.signatures.populations.items() if population.of)
        self.words["populations"].update(parts)
        for left in context.spec.signatures.without.values():
            self.words["traits"].add(left.trait)
        done = (trait.does for trait in context.spec.signatures.traits.values())
        for item in done:
            if isinstance(item, TraitActions):
                self.words["inputs"].update([] if item.plus is None else [item.plus.input])
                self.words["inputs"].update([] if item.weigh is None else [item.weigh.by])
        for convention in context.spec.conventions.values():
            self.words["traits"].update(convention.traits)
        for scope in context.files.values():
            self._file(scope)
        for _, _, guard, frameworks in guards_of_differences(context):
            for scope in context.files.values():
                if scope.framework in frameworks:
                    self._settings(scope, names_in(guard))

    def _file(self, scope: FileScope) -> None:
        for profile in scope.file.profiles.values():
            self._signature(scope, profile)
        for said in said_in(scope):
            fields = said.fields
            self._signature(scope, fields)
            self._find(scope, "profiles", [fields.profile] if fields.profile else [])
            self._cite(scope, [item.cited for item in fields.documented if item.cited is not None])
        for name, path, record in records(scope):
            for key, _ in keys_of(name, path, record):
                self._find(scope, "placeholders", placeholders_in(key))
        for unlogged in scope.file.unlogged:
            for key in unlogged.keys:
                self._find(scope, "placeholders", placeholders_in(key))
            self._cite(scope, [unlogged.guide])
        for _, text in expressions(scope):
            self._settings(scope, names_in(text))
        self._settings(scope, scope.file.names.values())
        for pinned in scope.file.pinned:
            self._settings(scope, pinned.settings)

    def _metric(self, owner: Metric | FormulaVariant) -> None:
        self.words["inputs"].update(owner.inputs or [])
        self.words["populations"].update([owner.population] if owner.population else [])

    def _signature(self, scope: FileScope, fields: SignatureFields) -> None:
        self.words["traits"].update(fields.traits)
        self.words["without"].update(fields.without)
        self.words["populations"].update([fields.population] if fields.population else [])
        for text in fields.constant_when:
            # Written as in `0 when num_iterations == 1`; prose in its place has no names.
            constant = stated(text)
            self._settings(scope, names_in(constant.guard) if constant is not None and constant.guard else ())

    def _settings(self, scope: FileScope, names: Iterable[str]) -> None:
        self._find(scope, "config", [self._context.full(scope.framework, scope.stem, name) for name in names])

    def _cite(self, scope: FileScope, guides: Iterable[str]) -> None:
        framework = f"frameworks/{scope.framework}/framework"
        self.local.update((framework, "guides", guide.partition("#")[0].strip()) for guide in guides)

    def _find(self, scope: FileScope, table: str, names: Collection[str]) -> None:
        context = self._context
        for name in names:
            # A fragment may be extended by several files that each define the name.
            for stem in (scope.stem, *context.users.get((scope.framework, scope.stem), ())):
                definition = context.find(scope.framework, stem, table, name)  # type: ignore[arg-type]
                if definition is not None:
                    self.local.add((definition[0], table, name))


CHECKS: tuple[Check, ...] = (unused_name,)
