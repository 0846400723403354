"""The names of all settings of every release, from the locks; read only where a setting is given that nothing names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..locks.ledger import Ledger
from ..locks.settings_census import OPEN, SETTINGS
from ..meaning import scope_of
from .data import Table

if TYPE_CHECKING:
    from ..model import Framework
    from ..spec import Spec

__all__ = ["settings_tables"]


def settings_tables(spec: Spec) -> dict[str, Table]:
    """Return a table for each framework whose settings are known.

    ``NAMES`` holds ranges of releases, joined by spaces, to the names of the settings that these have; those of other
    packages, which any release may have, stand under an empty text. ``OPEN`` holds the sections that users fill.
    """
    tables: dict[str, Table] = {}
    for name, framework in spec.frameworks.items():
        scope = scope_of(framework)
        ledger = Ledger(spec.home(name) / "locks" / name, framework.framework.imported)
        named: dict[str, set[str]] = {"": _inherited(ledger, framework.framework)}
        sections: set[str] = set()
        for setting, said in _settings(ledger, None).items():
            known = scope.releases.among(release for releases in said.values() for release in releases)
            if known and setting not in named[""]:
                named.setdefault(" ".join(scope.releases.ranges(scope.releases.bits(known))), set()).add(setting)
            if OPEN in said:
                sections.add(setting)
        data = {ranges: sorted(names) for ranges, names in sorted(named.items()) if names}
        if data:
            tables[f"settings/{name}"] = Table(
                f"spec/locks/{name}/{SETTINGS}.lock", {"NAMES": data, "OPEN": sorted(sections)}
            )
    return tables


def _settings(ledger: Ledger, package: str | None) -> dict[str, dict[str, set[str]]]:
    if not ledger.path(SETTINGS, package).is_file():
        return {}
    return {
        name: said for _, table in ledger.lock(SETTINGS, package).subjects("settings") for name, said in table.items()
    }


def _inherited(ledger: Ledger, head: Framework) -> set[str]:
    packages = head.settings.inherited if head.settings else {}
    return {name for package in packages for name in _settings(ledger, package)}
