"""What keys mean, what they are called elsewhere, and what changed between releases.

Everything here runs on the standard library and the generated tables. Sources are written like requirements:
``trl[GRPOTrainer]==1.16.0``, ``verl==0.9.1``, or ``canonical`` for the spec's own names.

Names are imported when they are first used, so that a question loads only what answers it.
"""

from __future__ import annotations

# Not from typing, which takes longer to import than most answers.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from .differences.relations import Relation, relate
    from .inference import Candidate, Clues, SourceAnswer, SourceEvidence, find_source, infer_source
    from .lookup.asking import resolve
    from .lookup.listing import keys, releases
    from .lookup.lookup_records import Defect, Documented, KeyInfo, ReleaseInfo, Resolution
    from .lookup.metric_summary import Shown, Spelling, show
    from .mapping.mapping import KeyTranslation, NameMap, map_names
    from .meanings.protocol import Match, View
    from .meanings.view import open_view, open_views
    from .sources.metric_coverage import Coverage, coverage
    from .sources.source import Source, parse_source
    from .tables.key_records import (
        Alternative,
        Difference,
        Entry,
        Evidence,
        Fallback,
        LookAlike,
        MapRow,
        Signature,
        Transform,
        Typical,
    )
    from .tables.loading import load_tables
    from .tables.tables import Tables
    from .tables.user_errors import FallbackWarning, NamesError, UserError
    from .upgrades.diff_records import ChangedKey, DiffResult, ListedKey, RenamedKey
    from .upgrades.release_differences import diff

__all__ = [
    "Alternative",
    "Candidate",
    "ChangedKey",
    "Clues",
    "Coverage",
    "Defect",
    "DiffResult",
    "Difference",
    "Documented",
    "Entry",
    "Evidence",
    "Fallback",
    "FallbackWarning",
    "KeyInfo",
    "KeyTranslation",
    "ListedKey",
    "LookAlike",
    "MapRow",
    "Match",
    "NameMap",
    "NamesError",
    "Relation",
    "ReleaseInfo",
    "RenamedKey",
    "Resolution",
    "Shown",
    "Signature",
    "Source",
    "SourceAnswer",
    "SourceEvidence",
    "Spelling",
    "Tables",
    "Transform",
    "Typical",
    "UserError",
    "View",
    "coverage",
    "diff",
    "find_source",
    "infer_source",
    "keys",
    "load_tables",
    "map_names",
    "open_view",
    "open_views",
    "parse_source",
    "relate",
    "releases",
    "resolve",
    "show",
]

_MODULES = {
    "lookup.lookup_records": ("Defect", "Documented", "KeyInfo", "ReleaseInfo", "Resolution"),
    "lookup.asking": ("resolve",),
    "sources.metric_coverage": ("Coverage", "coverage"),
    "upgrades.release_differences": ("diff",),
    "upgrades.diff_records": ("ChangedKey", "DiffResult", "ListedKey", "RenamedKey"),
    "tables.user_errors": ("FallbackWarning", "NamesError", "UserError"),
    "inference": ("Candidate", "Clues", "SourceAnswer", "SourceEvidence", "find_source", "infer_source"),
    "lookup.listing": ("keys", "releases"),
    "mapping.mapping": ("KeyTranslation", "NameMap", "map_names"),
    "meanings.protocol": ("Match", "View"),
    "differences.relations": ("Relation", "relate"),
    "lookup.metric_summary": ("Shown", "Spelling", "show"),
    "sources.source": ("Source", "parse_source"),
    "tables.tables": ("Tables",),
    "tables.loading": ("load_tables",),
    "meanings.view": ("open_view", "open_views"),
}
_HOME = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> object:
    """Import a public name from its module."""
    if name not in __all__:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    value = getattr(__import__(f"{__name__}.{_HOME.get(name, 'tables.key_records')}", fromlist=[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
