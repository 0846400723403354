"""``rlmetrics diff KEY`` between two states of a framework's source: did what proves a key change, and by whom?"""

from __future__ import annotations

import re
from collections.abc import Sequence

from rlmetrics.lazy_typing import TYPE_CHECKING, Any
from rlmetrics.names.tables.user_errors import NamesError
from rlmetrics.wording.voice import later, phrase

if TYPE_CHECKING:
    import argparse

    from rlmetrics.codegen.locks.key_proofs import ProofChange, ProvingSymbol
    from rlmetrics.codegen.locks.source_trees import Commit
    from rlmetrics.names.meanings.component import ComponentView
    from rlmetrics.names.tables.key_records import Evidence
    from rlmetrics.names.tables.tables import Tables

__all__ = ["is_place", "run_places"]

_PLACE = re.compile(r"\s*([^@\s]+?)\s*@\s*(\S.*?)\s*")
_MOST_LINES = 12
_MOST_COMMITS = 5
_WIDTH = 80
_TOUCHED = ("changed", "gone", "new")
_SIGNS = {"changed": "!", "gone": "!", "new": "!", "elsewhere": "≈", "same": "=", "absent": "="}
_SAID = {
    "changed": later("changed, and what proves the key depends on it"),
    "gone": later("no longer there"),
    "new": later("only in the newer one"),
    "elsewhere": later("changed elsewhere in it"),
    "same": later("unchanged"),
    "absent": later("in neither"),
}


def is_place(source: str) -> bool:
    """Tell whether a source names source code, as in ``trl[grpo]@./trl`` or ``trl[grpo]@./clone@main``."""
    return _PLACE.fullmatch(source) is not None


def run_places(args: argparse.Namespace, tables: Tables) -> int:
    """Tell of each key whether what proves it changed from one state of the source to the other.

    Raises:
        NamesError: A side names no source code, the sides differ in their framework, or no key is asked about.
        PackageError: A place can't be read.
    """
    from rlmetrics.codegen.locks.key_proofs import proof_changes
    from rlmetrics.codegen.locks.source_trees import open_tree
    from rlmetrics.names.meanings.view import FrameworkView, open_view
    from rlmetrics.wording.terminal import printed

    from .options import config_of
    from .output import json_text

    source, places = _asked(args)
    view = open_view(source, config=config_of(args), spec=tables)
    assert isinstance(view, FrameworkView)
    name = _imported(tables, view.source.framework)
    old, new = (open_tree(place, name, str(view.source.release)) for place in places)
    answers: list[dict[str, Any]] = []
    blocks: list[str] = []
    for key in args.keys:
        match = next(iter(view.find(key)), None)
        if match is None:
            msg = f"{view.source} does not log `{key}`; rlmetrics resolve {key} says who does"
            raise NamesError(msg)
        component = view.components[match.entry.component]
        places_of_key = [place for place in view.evidence(match.entry) if place.note is None]
        changes = proof_changes(old, new, _symbols(places_of_key, view.source.framework, component))
        answers.append(_as_json(key, component.label, places, changes))
        who = f"{tables.title(view.source.framework)} {component.label}"
        blocks.append(printed(_lines(key, who, places, changes, full=args.full), keys=[key]))
    print(json_text(answers) if args.json else "\n\n".join(blocks))
    return 0


def _asked(args: argparse.Namespace) -> tuple[str, tuple[str, str]]:
    """Return the source whose records say what proves a key, and the two places."""
    sides = [(text, _PLACE.fullmatch(text)) for text in (args.from_, args.to)]
    for text, found in sides:
        if found is None:
            msg = f"{text!r} names no source code; write both sides as FRAMEWORK[COMPONENT]@PLACE, with a folder, "
            msg += "a wheel or CLONE@REF, such as trl[grpo]@./clone@main"
            raise NamesError(msg)
    if not args.keys:
        msg = "which key? source code is compared key by key: rlmetrics diff KEY --from SOURCE@PLACE --to SOURCE@PLACE"
        raise NamesError(msg)
    (old, old_place), (new, new_place) = (found.groups() for _, found in sides if found is not None)
    if old.partition("==")[0].lower() != new.partition("==")[0].lower():
        msg = f"{old!r} and {new!r} differ; both sides are states of one framework's source"
        raise NamesError(msg)
    return new if "==" in new else old, (old_place, new_place)


def _imported(tables: Tables, framework: str) -> str:
    """Return the name by which a framework's package is imported."""
    package = str(tables.head(framework)["package"])
    return str(tables.audit.get(framework, {}).get("imports") or package.replace("-", "_"))


def _symbols(places: Sequence[Evidence], framework: str, component: ComponentView) -> list[ProvingSymbol]:
    """Return the symbols that prove a key, each with the statements of it that do."""
    from rlmetrics.codegen.locks.anchor_marks import Mark
    from rlmetrics.codegen.locks.key_proofs import ProvingSymbol
    from rlmetrics.codegen.locks.ledger import Ledger
    from rlmetrics.names.tables.overlays import find_spec

    ledger = Ledger(find_spec() / "locks" / framework, framework)
    stems = [component.stem, *component.table.component(component.stem).extends]
    found: dict[tuple[str, str], dict[Mark, None]] = {}
    for place in places:
        marks = found.setdefault((place.path, place.symbol), {})
        for stem in stems:
            known = [mark for mark in ledger.lock(stem).marks(place.shows) if mark.symbol == place.symbol]
            marks.update(dict.fromkeys(known))
            if known:
                break
    return [ProvingSymbol(path, name, tuple(marks)) for (path, name), marks in found.items()]


def _lines(key: str, who: str, places: tuple[str, str], changes: Sequence[ProofChange], *, full: bool) -> list[str]:
    from rlmetrics.wording.terminal import wrapped

    touched = [change for change in changes if change.fate in _TOUCHED]
    kind = later("`{key}` of {who}: nothing that proves it changed between {old} and {new}.")
    if touched:
        kind = later(
            "`{key}` of {who}: what proves it changed between {old} and {new}, in {names}. Read it: the key may mean "
            "something else."
        )
    names = ", ".join(change.symbol.name for change in touched)
    lines = wrapped(phrase(kind, key=key, who=who, old=places[0], new=places[1], names=names))
    for change in changes:
        if change.fate == "absent" and not full:
            continue
        lines += ["", *wrapped(f"{_SIGNS[change.fate]} {change.symbol.name}: {phrase(_SAID[change.fate])}", hanging=2)]
        lines.append(f"  {change.symbol.path}")
        lines += [f"  {commit.id} {commit.date} {commit.subject}"[:_WIDTH] for commit in _some(change.commits, full)]
        if change.fate in _TOUCHED or full:
            shown = change.diff if full else change.diff[:_MOST_LINES]
            lines += [f"    {line}"[: None if full else _WIDTH] for line in shown]
            more = len(change.diff) - len(shown)
            lines += [f"    {phrase('{count} more lines: --full', count=more)}"] if more else []
    return lines


def _some(commits: Sequence[Commit], full: bool) -> Sequence[Commit]:
    return commits if full else commits[:_MOST_COMMITS]


def _as_json(key: str, component: str, places: tuple[str, str], changes: Sequence[ProofChange]) -> dict[str, Any]:
    proofs = [
        {
            "path": change.symbol.path,
            "symbol": change.symbol.name,
            "change": change.fate,
            "diff": list(change.diff),
            "commits": [
                {"commit": commit.id, "date": commit.date, "subject": commit.subject} for commit in change.commits
            ],
        }
        for change in changes
    ]
    touched = any(change.fate in _TOUCHED for change in changes)
    return {
        "key": key,
        "component": component,
        "from": places[0],
        "to": places[1],
        "touched": touched,
        "proofs": proofs,
    }
