"""What keys mean, what they are called elsewhere, and what changed between releases.

Everything here runs on the standard library and the generated tables. Sources are written like requirements:
``trl[GRPOTrainer]==1.16.0``, ``verl==0.9.1``, or ``canonical`` for the spec's own names.

Names are imported when they are first used, so that a question loads only what answers it.
"""

from __future__ import annotations

# Not from typing, which takes longer to import than most answers.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from .answers import Defect, Documented, KeyInfo, ReleaseInfo, Resolution
    from .asking import resolve
    from .covering import Coverage, coverage
    from .differing import diff
    from .diffs import ChangedKey, DiffResult, ListedKey, RenamedKey
    from .errors import FallbackWarning, NamesError, UserError
    from .inference import Candidate, Clues, SourceAnswer, SourceEvidence, find_source, infer_source
    from .listing import keys, releases
    from .loading import load_tables
    from .mapping import KeyTranslation, NameMap, map_names
    from .protocol import Match, View
    from .records import (
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
    from .relations import Relation, relate
    from .showing import Shown, Spelling, show
    from .source import Source, parse_source
    from .tables import Tables
    from .view import open_view, open_views

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
    "answers": ("Defect", "Documented", "KeyInfo", "ReleaseInfo", "Resolution"),
    "asking": ("resolve",),
    "covering": ("Coverage", "coverage"),
    "differing": ("diff",),
    "diffs": ("ChangedKey", "DiffResult", "ListedKey", "RenamedKey"),
    "errors": ("FallbackWarning", "NamesError", "UserError"),
    "inference": ("Candidate", "Clues", "SourceAnswer", "SourceEvidence", "find_source", "infer_source"),
    "listing": ("keys", "releases"),
    "mapping": ("KeyTranslation", "NameMap", "map_names"),
    "protocol": ("Match", "View"),
    "relations": ("Relation", "relate"),
    "showing": ("Shown", "Spelling", "show"),
    "source": ("Source", "parse_source"),
    "tables": ("Tables",),
    "loading": ("load_tables",),
    "view": ("open_view", "open_views"),
}
_HOME = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> object:
    """Import a public name from its module."""
    if name not in __all__:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    from importlib import import_module

    value = getattr(import_module(f".{_HOME.get(name, 'records')}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
