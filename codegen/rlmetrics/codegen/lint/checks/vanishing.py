"""Guards that say when a difference is gone, apart from those of component files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rlmetrics.names.differences.severity import SINGLE, UNKNOWN
from rlmetrics.names.settings.guards import GuardError, SettingName, parse
from rlmetrics.names.tables.levels import UPDATE

from ..lint_check import Check, Hit, check
from ..vocabulary_lookups import missing

if TYPE_CHECKING:
    from ...loader import YamlPath
    from ..context import Context

__all__ = ["CHECKS", "guards_of_differences"]


def guards_of_differences(context: Context) -> Iterator[tuple[str, YamlPath, str, tuple[str, ...]]]:
    """Yield the guards of traits, and those of whole frameworks, each with its place and the frameworks it is for."""
    frameworks = tuple(context.spec.frameworks)
    for name, trait in context.spec.signatures.traits.items():
        guard, path = trait.vanishes_if, ("traits", name, "vanishes_if")
        if isinstance(guard, str):
            yield "signatures", path, guard, frameworks
        else:
            for framework, text in (guard or {}).items():
                yield "signatures", (*path, framework), text, (framework,)
    for framework, spec in context.spec.frameworks.items():
        for part, said in spec.framework.single.items():
            place: YamlPath = ("single", part)
            if isinstance(said, str):
                yield f"frameworks/{framework}/framework", place, said, (framework,)
            else:
                for index, item in enumerate(said):
                    yield f"frameworks/{framework}/framework", (*place, index, "when"), item.when, (framework,)


@check(
    "vanishing-guard",
    "error",
    what="A guard that says when a difference is gone, and cannot be read or names a setting that no component has.",
    fix="use settings of a component, `unknown`, or `single.` with a part",
    whole=True,
)
def vanishing_guard(context: Context) -> Iterator[Hit]:
    known: dict[str, set[str]] = {
        framework: {name for stem in spec.files for name in (*spec.framework.config, *spec.files[stem].config)}
        for framework, spec in context.spec.frameworks.items()
    }
    parts = {f"{SINGLE}{part}" for part in (*context.spec.signatures.levels, UPDATE)}
    for ref, path, text, frameworks in guards_of_differences(context):
        for framework in frameworks:
            if framework not in known:
                yield from missing(context, "framework", "frameworks", framework, known, ref, path)
        try:
            expression = parse(text)
        except GuardError as error:
            yield Hit(ref, path, error.message.partition("; ")[0], value=True)
            continue
        settings = {UNKNOWN, *parts}.union(*(known.get(framework, ()) for framework in frameworks))
        names = {node.name for node in expression.walk() if isinstance(node, SettingName)}
        for name in sorted(names):
            yield from missing(context, "configuration key", "config", name, settings, ref, path)


@check(
    "program",
    "error",
    what="A program of a framework that no component runs in, that is part of none, or a second default.",
    fix="name a program that a component has, or another of these",
    whole=True,
)
def program(context: Context) -> Iterator[Hit]:
    for framework, spec in context.spec.frameworks.items():
        ref = f"frameworks/{framework}/framework"
        known = {item.program for item in spec.files.values() if item.program}
        known.update(part.name for item in spec.files.values() for part in item.components)
        defaults = [name for name, item in spec.framework.programs.items() if item.default]
        for name, item in spec.framework.programs.items():
            path: YamlPath = ("programs", name)
            if item.of is None:
                yield from missing(context, "program", "programs", name, known, ref, path, value=False)
            else:
                yield from missing(context, "program", "programs", item.of, known, ref, (*path, "of"))
            for setting in item.settings:
                yield from missing(
                    context,
                    "configuration key",
                    "config",
                    setting,
                    spec.framework.config,
                    ref,
                    (*path, "settings", setting),
                )
            if name in defaults[1:]:
                yield Hit(ref, (*path, "default"), f"`{defaults[0]}` is the default already", "keep one")


CHECKS: tuple[Check, ...] = (vanishing_guard, program)
