"""What logged names mean, what they are called elsewhere, and what changed between releases.

Everything here runs on the standard library and the generated tables. Sources are written like requirements:
``trl[GRPOTrainer]==1.16.0``, ``verl==0.9.1``, or ``canonical`` for the spec's own names.
"""

from __future__ import annotations

from .differing import ChangedKey, DiffResult, ListedKey, RenamedKey, diff
from .errors import FallbackWarning, NamesError, UserError
from .inference import Candidate, candidates, infer_source
from .listing import keys, releases
from .mapping import KeyTranslation, NameMap, map_names
from .protocol import Match, View
from .records import (
    Alternative,
    Defect,
    Difference,
    Entry,
    Evidence,
    KeyInfo,
    LookAlike,
    MapRow,
    ReleaseInfo,
    Resolution,
    Signature,
    Transform,
)
from .relations import Relation, relate
from .resolving import resolve
from .showing import Shown, Spelling, show
from .source import Source, parse_source
from .tables import Tables, load_tables
from .view import open_view, open_views

__all__ = [
    "Alternative",
    "Candidate",
    "ChangedKey",
    "Defect",
    "DiffResult",
    "Difference",
    "Entry",
    "Evidence",
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
    "Spelling",
    "Tables",
    "Transform",
    "UserError",
    "View",
    "candidates",
    "diff",
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
