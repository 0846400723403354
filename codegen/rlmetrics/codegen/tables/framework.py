"""The table of one framework: releases, configuration, components, and what they log."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from .data import Module, Row, evidence, row, source

if TYPE_CHECKING:
    from ..model import (
        ComponentFile,
        ConfigKey,
        Documented,
        Emission,
        Placeholder,
        Ranges,
        SignatureFields,
        Tracking,
        Unlogged,
        Variant,
    )
    from ..spec import FrameworkSpec

__all__ = ["framework_modules", "package_name"]


def module_name(framework: str) -> str:
    """Return the name of the module that holds a framework's table."""
    return "framework_" + "".join(char if char.isalnum() else "_" for char in framework.lower())


def package_name(framework: str) -> str:
    """Return the package of modules that hold a framework's tables."""
    return f"frameworks.{_identifier(framework)}"


def framework_modules(name: str, spec: FrameworkSpec) -> dict[str, Module]:
    """Return the tables of a framework: one for its components, and one for each file that says what they log."""
    framework, package = spec.framework, package_name(name)
    index: dict[str, Any] = {
        "RELEASES": tuple((release.release, release.date) for release in framework.releases),
        "CONFIG": _config(framework.config),
        "PLACEHOLDERS": _placeholders(framework.placeholders),
        "COMPONENTS": tuple(
            (component.name, stem, _ranges(component.releases), component.module)
            for stem, file in spec.files.items()
            for component in file.components
        ),
        "FILES": {stem: _identifier(stem) for stem in spec.files},
    }
    doc = f"Releases and components of {framework.title}."
    modules = {f"{package}.__init__": Module(doc, f"spec/frameworks/{name}", index)}
    for stem, file in spec.files.items():
        source = f"spec/frameworks/{name}/{stem}.yaml"
        modules[f"{package}.{_identifier(stem)}"] = Module(
            f"What {file.title} of {framework.title} logs.", source, {"FILE": _file(file)}
        )
    return modules


def _identifier(name: str) -> str:
    return "".join(char if char.isalnum() else "_" for char in name.lower())


def _file(file: ComponentFile) -> Row:
    return row(
        title=file.title,
        brief=file.brief,
        program=file.program,
        extends=tuple(file.extends),
        modes=tuple(file.modes),
        eval_prefix=file.eval_prefix,
        tracking=tuple(_tracking(item) for item in file.tracking),
        config=_config(file.config),
        placeholders=_placeholders(file.placeholders),
        profiles=tuple(
            (name, row(releases=_ranges(item.releases), brief=item.brief, **_fields(item)))
            for name, item in file.profiles.items()
        ),
        omits=tuple(
            row(
                key=item.key,
                releases=_ranges(item.releases),
                modes=None if item.modes is None else tuple(item.modes),
                evidence=evidence(item.evidence),
            )
            for item in file.omits
        ),
        emissions=tuple(_emission(item) for item in file.emissions),
        unlogged=tuple(_unlogged(item) for item in file.unlogged),
    )


def _emission(item: Emission) -> Row:
    return row(
        key=item.key,
        releases=_ranges(item.releases),
        modes=None if item.modes is None else tuple(item.modes),
        profile=item.profile,
        **_fields(item),
        kind=item.kind,
        when=item.when,
        condition=item.condition,
        logged_by_default=item.logged_by_default,
        logged_by=None if item.logged_by == "framework" else item.logged_by,
        bind=tuple(item.bind.items()),
        variants=tuple(_variant(variant) for variant in item.variants),
        documented=tuple(_documented(entry) for entry in item.documented),
        note=item.note,
        route=item.route,
        evidence=evidence(item.evidence),
    )


def _variant(item: Variant) -> Row:
    return row(name=item.name, when=item.when, profile=item.profile, **_fields(item), evidence=evidence(item.evidence))


def _fields(item: SignatureFields) -> dict[str, Any]:
    return {
        "metric": item.metric,
        "population": item.population,
        "snapshot": item.snapshot,
        "reduction": tuple(item.reduction.items()),
        "span": item.span,
        "lag": item.lag,
        "scale": item.scale,
        "offset": item.offset,
        "traits": tuple(item.traits),
        "constant_when": tuple(item.constant_when),
        "reproduced_by": item.reproduced_by,
    }


def _documented(item: Documented) -> Row:
    return row(releases=_ranges(item.releases), says=item.says, code=item.code, source=source(item.source))


def _unlogged(item: Unlogged) -> Row:
    return row(
        key=item.key,
        releases=_ranges(item.releases),
        says=item.says,
        instead=item.instead,
        source=source(item.source),
    )


def _tracking(item: Tracking) -> Row:
    return row(
        releases=_ranges(item.releases),
        route=item.route,
        enable=item.enable,
        x_axis=item.x_axis,
        sources=tuple(source(entry) for entry in item.sources),
        evidence=evidence(item.evidence),
    )


def _config(config: Mapping[str, ConfigKey]) -> tuple[tuple[str, Row], ...]:
    return tuple(
        (
            name,
            row(
                type=key.type,
                brief=key.brief,
                choices=tuple(key.choices),
                defaults=tuple(
                    (_ranges(default.releases) or (), default.value, evidence(default.evidence))
                    for default in key.defaults
                ),
            ),
        )
        for name, key in config.items()
    )


def _placeholders(placeholders: Mapping[str, Placeholder]) -> tuple[tuple[str, Row], ...]:
    return tuple(
        (
            name,
            row(brief=item.brief, pattern=item.pattern, examples=tuple(item.examples), open=item.open or None),
        )
        for name, item in placeholders.items()
    )


def _ranges(ranges: Ranges | None) -> tuple[str, ...] | None:
    if ranges is None:
        return None
    items: Iterable[str] = [ranges] if isinstance(ranges, str) else ranges
    return tuple(items)
