"""The findings that reading a spec can give, for the documentation."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["LOAD_CHECKS", "LoadCheck"]


class LoadCheck(NamedTuple):
    """A kind of finding: its id, what it finds, and what to do about it. All are errors, and none can be allowed."""

    id: str
    what: str
    fix: str


LOAD_CHECKS: tuple[LoadCheck, ...] = (
    LoadCheck("missing-file", "A file that a spec or a framework must have.", "add it"),
    LoadCheck("stray-file", "A YAML file where nothing reads it.", "move it where it belongs, or remove it"),
    LoadCheck("unreadable-file", "A file or folder that cannot be opened, or is no ordinary one.", "make it readable"),
    LoadCheck(
        "file-name", "A family, framework or tracker named otherwise than its file or folder.", "make them agree"
    ),
    LoadCheck("yaml-encoding", "A file that is not UTF-8.", "save it as UTF-8"),
    LoadCheck("yaml-empty", "A file without content.", "write its fields or delete it"),
    LoadCheck("yaml-syntax", "Text that is not YAML.", "check the indentation and the quotes"),
    LoadCheck("yaml-tab", "A line that is indented with a tab.", "indent with spaces"),
    LoadCheck("yaml-depth", "Nesting deeper than the spec can need.", "flatten it"),
    LoadCheck("yaml-alias", "An anchor that contains itself, or aliases that blow the data up.", "write the data out"),
    LoadCheck("yaml-duplicate-key", "A key that stands twice in one mapping.", "keep one of the two"),
    LoadCheck("yaml-merge-key", "A merge key, which hides where a field comes from.", "write the fields out"),
    LoadCheck("yaml-tag", "An explicit tag such as !!str.", "remove it and quote text instead"),
    LoadCheck("yaml-key", "A key that is not text.", "quote it"),
    LoadCheck(
        "yaml-ambiguous", "A plain word that YAML 1.1 and 1.2 read differently: yes, off, 012, 1:30.", "quote it"
    ),
    LoadCheck("unknown-field", "A field that its place does not have.", "correct it, or prefix it with `x-`"),
    LoadCheck("missing-field", "A field that must be there.", "add it"),
    LoadCheck(
        "wrong-type",
        "A value of the wrong type, such as a release that is read as a number.",
        "write or quote it as the type says",
    ),
    LoadCheck("wrong-value", "A value that is not allowed at its place.", "use one of the allowed values"),
    LoadCheck("duplicate-metric", "A canonical name that two families define.", "keep one of the two"),
    LoadCheck("unknown-group", "A group of facts or a kind of tracking that nobody defines.", "define it"),
    LoadCheck("unknown-record", "A record or setting that is `like` one that there is not.", "name a file that has it"),
    LoadCheck("unknown-keys", "Keys with `*` that no key is like.", "correct or remove it"),
    LoadCheck("group-cycle", "A group that names itself, be it through others.", "write out what it stands for"),
    LoadCheck(
        "unused-group",
        "A group, or a guard, profile or tracking of framework.yaml, that nothing refers to.",
        "remove it",
    ),
    LoadCheck("overlay-conflict", "An overlay that redefines a meaning.", "give it a name of its own"),
)
