"""What a new release brings that a person has to edit or read."""

from __future__ import annotations

import re
from ast import literal_eval
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from .anchor_marks import Mark, places_of, symbol_for
from .component_lock import Claim, LockedComponent, StatedDefault
from .fingerprint import digest
from .key_renames import renamed
from .news_items import Item, Kind, News, ReleaseStep, keys_of
from .packages import Package
from .reading_list import names_only, read
from .similar import most_similar, text_of
from .symbol_changes import changed_places, successors
from .symbols import Symbol

__all__ = ["Item", "News", "ReleaseStep", "news"]


def news(step: ReleaseStep) -> News:
    """Return what is new in a release, see :class:`News`."""
    standing, moved, lost = _anchor_counts(step)
    edit = [*_lost(step), *_structure(step), *_keys(step), *_requirements(step)]
    defaults = list(_defaults(step))
    edit += [item for item in defaults if item.tier == "edit"]
    code, watched = read(step)
    settings = [item for item in defaults if item.tier == "read"]
    return News(standing, moved, lost, (*edit, *settings, *code), tuple(names_only(step, watched)))


# Anchors.


def _needed(step: ReleaseStep, component: LockedComponent) -> dict[str, set[str]]:
    """Return the anchors of the framework's own package that claims of the new release name, with the claims' keys."""
    needed: dict[str, set[str]] = {}
    for name, claim in component.needed(step.new.release):
        anchor = component.anchors.get(name)
        if anchor is not None and anchor.package == component.package:
            needed.setdefault(name, set()).update(claim.keys)
    return needed


def _anchor_counts(step: ReleaseStep) -> tuple[int, int, int]:
    seen: dict[tuple[object, ...], tuple[bool, bool]] = {}
    for component in step.components:
        lock = step.locks[component.stem]
        for name in _needed(step, component):
            here, before = lock.places(name, step.new.release), lock.places(name, step.old.release)
            if here or before:
                seen[component.stem, name] = (bool(here), bool(here) and here != before)
    standing = sum(here for here, _ in seen.values())
    return standing, sum(moved for _, moved in seen.values()), len(seen) - standing


def _lost(step: ReleaseStep) -> Iterator[Item]:
    groups: dict[tuple[Mark, ...], list[tuple[LockedComponent, str, set[str]]]] = {}
    for component in step.components:
        lock = step.locks[component.stem]
        for name, keys in _needed(step, component).items():
            before = tuple(item.mark for item in lock.found(name, step.old.release))
            if before and not lock.found(name, step.new.release):
                groups.setdefault(before, []).append((component, name, keys))
    for marks, uses in groups.items():
        names = list(dict.fromkeys(name for _, name, _ in uses))
        depending = keys_of((component, keys) for component, _, keys in uses)
        symbol = marks[0].symbol
        near = step.locks[uses[0][0].stem].near(names[0])
        diff, hints = _proposal(step, marks[0], names[0], near)
        hints = (*hints, *_said_at(step, uses))
        yield Item(
            "anchor lost",
            f"{', '.join(names)} in {symbol} -> {len(depending)} key{'s' * (len(depending) != 1)}",
            f"lost {' '.join(sorted({component.stem + ':' + name for component, name, _ in uses}))}",
            tuple(sorted({component.stem for component, _, _ in uses})),
            depending,
            tuple((path, symbol) for path in near[:1]),
            diff,
            hints,
        )


def _proposal(step: ReleaseStep, mark: Mark, name: str, near: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the lost statement and the one that may stand for it now, with the command that takes it."""
    old = symbol_for(step.old, mark.symbol, near)
    places = places_of(old, mark) if old else ()
    if old is None or not places:
        return (), ()
    old_lines = step.old.texts[old.path].splitlines()
    text = text_of(old, places[0], old_lines)
    shown = [f"- {old.path}:{old.statements[places[0]].first}  {text}"]
    best = _same_elsewhere(step, mark, old) or _similar(step.new, mark, near, text, old)
    if best is None:
        return tuple(shown), ()
    symbol, place, how = best
    line = symbol.statements[place].first
    shown.append(
        f"+ {symbol.path}:{line}  {text_of(symbol, place, step.new.texts[symbol.path].splitlines())}   ({how})"
    )
    return tuple(shown), (f"rlmetrics anchor add {name} {step.new.name}=={step.new.release} {symbol.path}:{line}",)


def _said_at(step: ReleaseStep, uses: Sequence[tuple[LockedComponent, str, set[str]]]) -> Iterator[str]:
    """Yield where to say what holds from now on, if the statement means something else."""
    for component, name, _ in uses[:3]:
        claims = [claim for other, claim in component.needed(step.new.release) if other == name]
        if claims and claims[0].keys:
            fact = f"- {{releases: {step.new.release}.., …, at: [{name}]}}"
            place = step.locate(component.stem, _record_of(claims[0]))
            yield f"another meaning? add to `facts:` at {place}   {fact}"


def _record_of(claim: Claim) -> tuple[str | int, ...]:
    """Return the place of the record that a claim belongs to; its own, if it is about several."""
    return claim.path[: claim.path.index("facts")] if "facts" in claim.path else claim.path


def _same_elsewhere(step: ReleaseStep, mark: Mark, old: Symbol) -> tuple[Symbol, int, str] | None:
    """Return the same statement where it did not stand before."""
    module = step.new.module(old.path)
    nearby = module.symbols.values() if module else ()
    everywhere = (symbol for symbols in step.new.by_name.values() for symbol in symbols)
    for symbols in (nearby, everywhere):
        candidates = [
            (symbol, symbol.places[mark.fingerprint])
            for symbol in symbols
            if mark.fingerprint in symbol.places and not _stood_in(step.old, mark, symbol)
        ]
        if len(candidates) == 1 and len(candidates[0][1]) == 1:
            return candidates[0][0], candidates[0][1][0], f"the same in {candidates[0][0].name}"
    return None


def _stood_in(package: Package, mark: Mark, symbol: Symbol) -> bool:
    module = package.module(symbol.path)
    before = module.symbols.get(symbol.name) if module else None
    return before is not None and mark.fingerprint in before.places


def _similar(
    package: Package, mark: Mark, near: Sequence[str], text: str, old: Symbol
) -> tuple[Symbol, int, str] | None:
    """Return the most similar statement that is new in the symbol; what stands in its place may be less alike."""
    symbol = symbol_for(package, mark.symbol, near)
    if symbol is None:
        return None
    lines = package.texts[symbol.path].splitlines()
    kept = set(range(len(symbol.statements))) - changed_places(symbol, old)
    instead = successors(old, symbol, places_of(old, mark)[0])
    others = set(range(len(symbol.statements))) - set(instead)
    match = most_similar(text, symbol, lines, kept) or most_similar(text, symbol, lines, others, 0.3)
    return (symbol, match.place, "similar") if match else None


# Components, keys, defaults, requirements.


def _structure(step: ReleaseStep) -> Iterator[Item]:
    for component in step.components:
        for item in component.classes:
            if step.old.release not in item.releases:
                continue
            name = item.name.rpartition(".")[2]
            before = step.old.class_named(item.module, name)
            if before is not None and step.new.class_named(item.module, name) is None:
                where = [symbol.path for symbol in step.new.named(name)]
                text = f"{item.name} is no longer in {item.module}" + (f", but in {', '.join(where)}" if where else "")
                token = f"component {item.name} {item.module}"
                yield Item("component", text, token, (component.stem,), tuple(sorted(component.keys)))


def _keys(step: ReleaseStep) -> Iterator[Item]:
    appeared: dict[str, list[LockedComponent]] = {}
    vanished: dict[str, list[LockedComponent]] = {}
    moved: dict[tuple[str, str], list[LockedComponent]] = {}
    for component in step.components:
        lock = step.locks[component.stem]
        before = {name: places for (_, name), places in lock.at("keys", step.old.release).items()}
        after = {name: places for (_, name), places in lock.at("keys", step.new.release).items()}
        described = step.described.get(component.stem, frozenset())
        known = described | {key for key in after if step.is_described(component.stem, key)}
        for key in sorted({*before, *after}):
            if key not in before and key not in known:
                appeared.setdefault(key, []).append(component)
            elif key not in after and key in described:
                vanished.setdefault(key, []).append(component)
            elif key in before and key in after and before[key] != after[key]:
                gone, come = set(before[key]) - set(after[key]), set(after[key]) - set(before[key])
                if {place.split(" ")[1] for place in gone} != {place.split(" ")[1] for place in come}:
                    text = " -> ".join(", ".join(sorted(part)) or "nowhere else" for part in (gone, come))
                    moved.setdefault((key, text), []).append(component)
    for pair in list(renamed(step, appeared, vanished)):
        owners = [*vanished.pop(pair.old), *appeared.pop(pair.new)]
        what = f"{pair.old} -> {pair.new} of {_titles({owner.stem: owner for owner in owners}.values())}"
        item = _key_item("renamed key", pair.new, what, owners, step)
        yield replace(item, diff=(f"- {pair.before}", f"+ {pair.after}"), hints=(pair.hint,))
    for key, owners in appeared.items():
        item = _key_item("new key", key, f"{key} of {_titles(owners)}", owners, step)
        yield replace(item, hints=_draft(step, _base(owners), key))
    for key, owners in vanished.items():
        yield _key_item("lost key", key, f"{key} of {_titles(owners)} is not written any more", owners, step)
    for (key, text), owners in moved.items():
        yield _key_item("moved key", key, f"{key} of {_titles(owners)}: {text}", owners, step)


def _base(owners: Sequence[LockedComponent]) -> LockedComponent:
    """Return the component that most of the others extend."""
    extended = [stem for owner in owners for stem in owner.extends]
    return max(owners, key=lambda owner: extended.count(owner.stem))


def _draft(step: ReleaseStep, component: LockedComponent, key: str) -> tuple[str, ...]:
    """Return the record and the anchor that a new key needs, and the command that takes the statement."""
    place = step.written.get((component.stem, key))
    if place is None:
        return ()
    path, line, symbol = place
    name = re.sub(r"[^a-z0-9]+", ".", key.lower()).strip(".")
    return (
        f"keys:     {key}: {{releases: {step.new.release}.., metric: …, at: [{name}]}}",
        f"anchors:  {name}: {symbol}   (both in {component.stem}.yaml)",
        f"rlmetrics anchor add {name} {step.new.name}=={step.new.release} {path}:{line}",
    )


def _key_item(kind: Kind, key: str, what: str, owners: Sequence[LockedComponent], step: ReleaseStep) -> Item:
    stems = tuple(sorted({component.stem for component in owners}))
    places: set[str] = set()
    for stem in stems:
        rows = step.locks[stem].tables.get(("keys", ""), {}).get(key, {})
        places.update(place for place, releases in rows.items() if releases & {step.old.release, step.new.release})
    symbols = tuple((path, name) for path, _, name in (place.partition(" ") for place in sorted(places)))
    return Item(kind, what, f"{kind} {key} {' '.join(stems)} {digest([what])}", stems, (key,), symbols)


def _titles(owners: Iterable[LockedComponent]) -> str:
    names = [component.classes[-1].name if component.classes else component.stem for component in owners]
    return ", ".join(names) if len(names) < 4 else f"{', '.join(names[:2])} and {len(names) - 2} others"


def _defaults(step: ReleaseStep) -> Iterator[Item]:
    groups: dict[tuple[str, str, str], list[tuple[LockedComponent, str]]] = {}
    for component in step.components:
        lock = step.locks[component.stem]
        before, after = lock.at("defaults", step.old.release), lock.at("defaults", step.new.release)
        classes = {subject for subject, _ in before} & {subject for subject, _ in after}
        for subject, name in sorted({*before, *after}):
            if subject not in classes:
                continue
            old, new = before.get((subject, name), ("",))[0], after.get((subject, name), ("",))[0]
            if old != new:
                said = f"new field, {new}" if not old else f"gone, was {old}" if not new else f"{old} -> {new}"
                groups.setdefault((f"{name} {said}", name, new), []).append((component, subject))
    for (text, name, new), uses in groups.items():
        stems = tuple(sorted({component.stem for component, _ in uses}))
        subjects = sorted({subject for _, subject in uses})
        known = [default for component, _ in uses for default in component.defaults.get(name, ())]
        here = list(dict.fromkeys(item for item in known if item.written and step.new.release in item.releases))
        wrong = [default for default in here if not _agrees(default, new)]
        left_to_locks = any(not default.written for default in known)
        if (here and not wrong) or (known and not here and not new and not left_to_locks):
            continue  # the spec says it
        told = "the locks take over: what does it change by default?" if left_to_locks else "the spec does not describe"
        yield Item(
            "default" if wrong else "setting",
            f"{text} ({', '.join(subjects)})" + ("" if wrong else f", which {told}"),
            f"default {text} {' '.join(subjects)}",
            stems,
            hints=tuple(_ended(step, default) for default in wrong),
        )


def _agrees(default: StatedDefault, text: str) -> bool:
    """Tell whether a default is what the source has; an expression, which a run evaluates, agrees with anything."""
    if not text:
        return False
    try:
        value = literal_eval(text)
    except (ValueError, SyntaxError):
        return True
    return value is None or (value, type(value) is bool) == (default.value, type(default.value) is bool)


def _ended(step: ReleaseStep, default: StatedDefault) -> str:
    """Return the entry to change, as it should be; what holds from then on is in the locks."""
    start = default.ranges.partition("..")[0]
    last = step.old.release
    ended = last if start == last else f"{start}..{last}"
    return f"{step.locate(default.stem, default.path)}: end it,   releases: {ended}"


def _requirements(step: ReleaseStep) -> Iterator[Item]:
    gone = sorted(set(step.old.requirements) - set(step.new.requirements))
    come = sorted(set(step.new.requirements) - set(step.old.requirements))
    if gone or come:
        names = sorted({re.split(r"[^\w.-]", text, maxsplit=1)[0] for text in (*gone, *come)})
        text = ", ".join(names[:5]) + (f" and {len(names) - 5} others" if len(names) > 5 else "")
        diff = (*(f"- {text}" for text in gone), *(f"+ {text}" for text in come))
        yield Item("requirement", text, f"requirement {digest(diff)}", (), diff=diff)
