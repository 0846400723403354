"""The table of one framework: releases, configuration, components, and what they log."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .data import Places, Row, Table, row, source

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

__all__ = ["framework_tables"]


def framework_tables(name: str, spec: FrameworkSpec) -> dict[str, Table]:
    """Return the tables of a framework: one for its components, and one for each file that says what they log."""
    framework, folder, places = spec.framework, f"frameworks/{name}", Places()
    index: dict[str, Any] = {
        "RELEASES": [(release.release, release.date) for release in framework.releases],
        "CONFIG": _config(framework.config, places),
        "PLACEHOLDERS": _placeholders(framework.placeholders),
        "COMPONENTS": [
            (component.name, stem, _ranges(component.releases), component.module)
            for stem, file in spec.files.items()
            for component in file.components
        ],
    }
    files = {
        f"{folder}/{stem}": Table(f"spec/{folder}/{stem}.yaml", _file(file, places))
        for stem, file in spec.files.items()
    }
    return {f"{folder}/framework": Table(f"spec/{folder}", {**index, "PLACES": places.places}), **files}


def _file(file: ComponentFile, places: Places) -> Row:
    return row(
        title=file.title,
        brief=file.brief,
        program=file.program,
        extends=file.extends,
        modes=file.modes,
        eval_prefix=file.eval_prefix,
        tracking=[_tracking(item, places) for item in file.tracking],
        config=_config(file.config, places),
        placeholders=_placeholders(file.placeholders),
        profiles={
            name: row(releases=_ranges(item.releases), brief=item.brief, **_fields(item))
            for name, item in file.profiles.items()
        },
        omits=[
            row(
                key=item.key,
                releases=_ranges(item.releases),
                modes=item.modes,
                evidence=places.evidence(item.evidence),
            )
            for item in file.omits
        ],
        amends=[
            row(
                keys=item.keys,
                releases=_ranges(item.releases),
                modes=item.modes,
                traits=item.traits,
                note=item.note,
                constant_when=item.constant_when,
                when=item.when,
                drops=item.drops,
                fails=item.fails,
                evidence=places.evidence(item.evidence),
            )
            for item in file.amends
        ],
        emissions=[_emission(item, places) for item in file.emissions],
        unlogged=[_unlogged(item) for item in file.unlogged],
    )


def _emission(item: Emission, places: Places) -> Row:
    return row(
        key=item.key,
        releases=_ranges(item.releases),
        modes=item.modes,
        profile=item.profile,
        **_fields(item),
        kind=item.kind,
        when=item.when,
        condition=item.condition,
        logged_by_default=item.logged_by_default,
        logged_by=None if item.logged_by == "framework" else item.logged_by,
        bind=item.bind,
        exhaustive=item.exhaustive or None,
        variants=[_variant(variant, places) for variant in item.variants],
        documented=[_documented(entry) for entry in item.documented],
        note=item.note,
        route=item.route,
        evidence=places.evidence(item.evidence),
    )


def _variant(item: Variant, places: Places) -> Row:
    return row(
        name=item.name, when=item.when, profile=item.profile, **_fields(item), evidence=places.evidence(item.evidence)
    )


def _fields(item: SignatureFields) -> dict[str, Any]:
    return {
        "metric": item.metric,
        "population": item.population,
        "snapshot": item.snapshot,
        "reduction": item.reduction,
        "span": item.span,
        "lag": item.lag,
        "scale": item.scale,
        "offset": item.offset,
        "traits": item.traits,
        "constant_when": item.constant_when,
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


def _tracking(item: Tracking, places: Places) -> Row:
    return row(
        releases=_ranges(item.releases),
        route=item.route,
        enable=item.enable,
        x_axis=item.x_axis,
        sources=[source(entry) for entry in item.sources],
        evidence=places.evidence(item.evidence),
    )


def _config(config: Mapping[str, ConfigKey], places: Places) -> dict[str, Row]:
    return {
        name: row(
            type=key.type,
            brief=key.brief,
            choices=key.choices,
            defaults=[
                (_ranges(default.releases) or (), default.value, places.evidence(default.evidence))
                for default in key.defaults
            ],
        )
        for name, key in config.items()
    }


def _placeholders(placeholders: Mapping[str, Placeholder]) -> dict[str, Row]:
    return {
        name: row(brief=item.brief, pattern=item.pattern, examples=item.examples, open=item.open or None)
        for name, item in placeholders.items()
    }


def _ranges(ranges: Ranges | None) -> list[str] | None:
    return [ranges] if isinstance(ranges, str) else ranges
