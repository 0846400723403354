"""Whether the spec lacks something that a release has: its one scope is recall, of keys and of anchors.

Keys are extracted from the source, each with the place where it is written, and held against the records; anchors are
looked up where the locks say that they stand. Defaults of configuration keys are recalled by the locks themselves
(`rlmetrics.codegen.locks.dataclass_defaults`). What a key means, when it is logged and how it is reduced, a person
reads there.
"""

from __future__ import annotations

from .extract import ExtractedKey, Extraction, extract

__all__ = ["ExtractedKey", "Extraction", "extract"]
