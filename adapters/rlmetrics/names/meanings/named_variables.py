"""What holds of one variable of a validation alone, where a key names the variable: ``val-core/…/acc/mean@4``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from rlmetrics.lazy_dataclasses import replace

from ..tables.key_records import Entry, Signature
from ..tables.tables import Tables

__all__ = ["entry_of", "notes_of", "signature_of"]

_VARIABLE = "variable"
_TRAIT = re.compile(r"for the variable (?P<variable>\w+)$")
_NOTE = re.compile(r"The variable (?P<variable>\w+) is ")


def signature_of(signature: Signature, values: Mapping[str, str], tables: Tables) -> Signature:
    """Return a signature without the traits of other variables than the one that a key names."""
    if _VARIABLE not in values or not signature.traits:
        return signature
    of = {name: _TRAIT.search(tables.traits[name]["what"]) for name in signature.traits}
    kept = tuple(name for name, found in of.items() if found is None or found[_VARIABLE] == values[_VARIABLE])
    return signature if len(kept) == len(of) else replace(signature, traits=kept)


def notes_of(notes: Iterable[str], values: Mapping[str, str]) -> tuple[str, ...]:
    """Return notes without those on other variables than the one that a key names."""
    if _VARIABLE not in values:
        return tuple(notes)
    of = {note: _NOTE.match(note) for note in notes}
    return tuple(note for note, found in of.items() if found is None or found[_VARIABLE] == values[_VARIABLE])


def entry_of(entry: Entry, values: Mapping[str, str], tables: Tables) -> Entry:
    """Return an entry as it is for the variable that a key names; the same one if that makes no difference."""
    signature = signature_of(entry.signature, values, tables)
    return entry if signature is entry.signature else entry._replace(signature=signature)
