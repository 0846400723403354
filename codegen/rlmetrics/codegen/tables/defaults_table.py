"""Every default of a component's settings in every release, from the locks; only comparing two releases needs them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..locks.ledger import Ledger
from ..meaning import FrameworkScope, scope_of
from .data import Row, Table, row

if TYPE_CHECKING:
    from ..model import Default, Shaping
    from ..spec import Spec

__all__ = ["default_tables"]


def default_tables(spec: Spec) -> dict[str, Table]:
    """Return a table for each component file whose settings have known defaults.

    Each has ``settings``, by name the releases, the default as its framework writes it and the class with it, and
    ``shaping``, what a changed default does to curves; see `rlmetrics.codegen.model.Shaping`.
    """
    tables: dict[str, Table] = {}
    for name, framework in spec.frameworks.items():
        scope = scope_of(framework)
        ledger = Ledger(spec.home(name) / "locks" / name, framework.framework.imported)
        for stem, file in framework.files.items():
            if not file.components:
                continue
            shaping: dict[str, Shaping] = {}
            component = scope.component(stem)
            for part in reversed(component.chain):
                shaping.update(component.files[part].shaping)
            data = row(
                settings=_settings(scope, ledger, stem),
                shaping={setting: _shaping(item) for setting, item in shaping.items()},
            )
            if data:
                tables[f"defaults/{name}/{stem}"] = Table(f"spec/locks/{name}/{stem}.lock", data)
    return tables


def _settings(scope: FrameworkScope, ledger: Ledger, stem: str) -> dict[str, list[Any]]:
    """Return for each setting its defaults: releases, the value as the framework writes it, and the class."""
    if not ledger.path(stem).is_file():
        return {}
    settings: dict[str, list[Any]] = {}
    for symbol, table in ledger.lock(stem).subjects("defaults"):
        for name, values in table.items():
            for value, releases in values.items():
                known = scope.releases.among(releases)
                settings.setdefault(name, []).append((scope.releases.ranges(scope.releases.bits(known)), value, symbol))
    return dict(sorted(settings.items()))


def _shaping(item: Shaping) -> Row:
    return row(
        says=item.says,
        switched_off=item.switched_off,
        settled=item.settled,
        keys=item.keys,
        level=item.level,
        base=[_base(default) for default in item.base],
    )


def _base(default: Default) -> tuple[list[str], str, str | None]:
    """Return the releases of a default, its value as Python writes it, and the class."""
    ranges = [default.releases] if isinstance(default.releases, str) else default.releases or []
    return ranges, repr(default.value), default.symbol
