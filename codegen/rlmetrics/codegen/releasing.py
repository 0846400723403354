"""Adds a release: extends the locks of a framework and lists what a person has to edit or read."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from rlmetrics.names.tables.user_errors import UserError

from .audit.extract import Extraction, extract, without_collection
from .cache import FOLDER, Shelf
from .locks.component_lock import LockedComponent
from .locks.dates_lock import FILE as FILE_OF_DATES
from .locks.dates_lock import add_date
from .locks.extend import extend
from .locks.fetch import CACHE, open_release
from .locks.fingerprint import digest
from .locks.ledger import SHARED, Ledger
from .locks.of_spec import components_of
from .locks.packages import Package
from .locks.pending import Pending
from .locks.release_news import News, ReleaseStep, news
from .locks.settings_census import note_settings
from .meaning.overridden import of_base
from .model.audit_settings import AuditSettings
from .model.framework import Release

if TYPE_CHECKING:
    from .loader.document import YamlPath
    from .spec import Spec

NOTHING = "nothing"
"""What the first release of a framework is compared with."""

__all__ = ["Added", "add", "confirm", "keys_of", "pending_path", "with_release"]


@dataclass(frozen=True)
class Added:
    """What adding a release found.

    Attributes:
        release: The release.
        before: The release that it was compared with.
        news: All that is new.
        pending: The items with their names and answers.
        package: The release's sources.
    """

    release: str
    before: str
    news: News
    pending: Pending
    package: Package


def add(
    spec: Spec,
    framework: str,
    release: str,
    place: Path | None = None,
    *,
    cache: Path = CACHE,
    base: Path | None = None,
    dry: bool = False,
) -> Added:
    """Extend the locks of a framework by a release, and find what is new in it.

    Args:
        spec: The spec.
        framework: The framework.
        release: The release: the newest one, one that is newer than all, or an older one, which is compared with the
            one after it.
        place: Its wheel or source folder; fetched if left out.
        cache: Where fetched archives lie.
        base: A source folder to compare with; the release before, if left out.
        dry: Write nothing.

    Raises:
        UserError: If the release lies between others and is not listed, is older than the newest and has been added
            before, another one has open items, or a package can't be read.
    """
    root = spec.home(framework)
    known = [item.release for item in spec.frameworks[framework].framework.releases]
    path = pending_path(root, framework)
    pending = Pending.read(path)
    if pending is not None and pending.release != release and not dry:
        msg = f"{framework} {pending.release} has {len(pending.open)} open items; close them before {release} is added"
        raise UserError(msg)
    order = known if release in known else _placed(framework, release, known)
    ledger = Ledger(root / "locks" / framework, spec.frameworks[framework].framework.imported)
    # Without a list, what there was to read of a release that the locks know has been read.
    is_closed = pending is None and release in known and release in ledger.lock(SHARED).releases
    if is_closed and release != known[-1]:
        msg = (
            f"{framework} {release} is older than {known[-1]} and has been added; `anchor add` locks more of it, "
            "`release replay` adds releases again one after the other"
        )
        raise UserError(msg)
    model = spec.frameworks[framework].framework
    new = open_release(model.package, release, place, cache, of=model)
    # Going backwards, what is known is the release after it.
    place_in = order.index(release)
    beside = order[place_in - 1 : place_in] if place_in == len(order) - 1 else order[place_in + 1 : place_in + 2]
    if beside:
        old = open_release(model.package, beside[0], base, cache, of=model)
    else:
        old = Package(new.name, NOTHING, {}, listed=new.listed)
    if base is not None:
        old = Package(old.name, old.release, old.texts, listed=old.listed)
    spec = with_release(spec, framework, release)
    components = components_of(spec, framework)
    note_settings(ledger, new, model.settings)
    extraction = _extraction(spec.root.parent / FOLDER, framework, new, model.audit)
    with without_collection():
        step = _extended(extraction, old, new, components, ledger, backwards=place_in < len(order) - 1)
        for lock in (ledger.lock(SHARED), *step.locks.values()):
            lock.releases.sort(key=order.index)
        step = replace(step, locate=_locator(spec, framework))
        new_items = news(step)
    if old.release == NOTHING:
        # All code is new then; what it logs is what there is to do.
        new_items = replace(new_items, items=tuple(item for item in new_items.items if item.tier != "read"))
    answers = (pending or Pending(release, ())).updated(new_items.items, _confirmed(ledger, release))
    if is_closed:
        answers = answers.closed("it was read when the release was added")
    if not dry:
        if release not in known:
            day = release_date(place, new, cache)
            if (ledger.folder / FILE_OF_DATES).is_file():
                add_date(ledger.folder, model.package, release, day)
            else:
                list_release(root / "frameworks" / framework / "framework.yaml", release, day, first=place_in == 0)
        ledger.save()
        answers.write(path)
    return Added(release, old.release, new_items, answers, new)


def _locator(spec: Spec, framework: str) -> Callable[[str, YamlPath], str]:
    def locate(stem: str, path: YamlPath) -> str:
        location = spec.locate(f"frameworks/{framework}/{stem}", path)
        return f"{location.file}:{location.line}"

    return locate


def _confirmed(ledger: Ledger, release: str) -> dict[str, str]:
    """Return what people said of the changes of a release, by change."""
    return {token: why[0] for (_, token), why in ledger.lock(SHARED).at("confirmed", release).items()}


def _extended(
    extraction: Extraction,
    old: Package,
    new: Package,
    components: Mapping[str, LockedComponent],
    ledger: Ledger,
    *,
    backwards: bool = False,
) -> ReleaseStep:
    """Extend every lock that knows the release before, or whose component begins now.

    Going backwards, what does not cover the release begins after it, and there is nothing to say of it.
    """
    common = ledger.lock(SHARED)
    common.forget(new.release)
    if new.release not in common.releases:
        common.releases.append(new.release)
    locks = {}
    for stem, component in components.items():
        if of_base(stem):
            continue  # the locks of the framework that this one derives from have it
        lock = ledger.lock(stem)
        if new.release not in component.covered() and (backwards or old.release not in lock.releases):
            continue
        extend(lock, new, component, keys_of(extraction, component))
        locks[stem] = lock
    for text in new.requirements:
        common.put("requires", "", re.split(r"[^\w.-]", text, maxsplit=1)[0], text, new.release)
    described = {
        stem: frozenset(key for key, releases in components[stem].keys.items() if new.release in releases)
        for stem in locks
    }
    written = _written(extraction, [components[stem] for stem in locks])
    taken = [component for stem, component in components.items() if of_base(stem)]
    return ReleaseStep(old, new, [components[stem] for stem in locks], locks, common, described, written, base=taken)


def _extraction(folder: Path, framework: str, package: Package, settings: AuditSettings) -> Extraction:
    """Return what a release logs: kept from the last time, since a release is added again after every few edits."""
    shelf = Shelf(folder, "extraction")
    texts = [f"{path}\0{text}" for path, text in sorted(package.texts.items())]
    made_from = framework, package.release, digest([*texts, settings.model_dump_json()])
    kept = shelf.load()
    if isinstance(kept, tuple) and kept[0] == made_from and isinstance(kept[1], Extraction):
        return kept[1]
    extraction = extract(framework, package.release, package.texts, settings)
    shelf.keep((made_from, extraction))
    return extraction


def _written(
    extraction: Extraction, components: Sequence[LockedComponent]
) -> dict[tuple[str, str], tuple[str, int, str]]:
    """Return, by stem and key, a place that writes it."""
    stems = {item.name: component.stem for component in components for item in component.classes}
    return {
        (stems[key.component], key.key): (key.path, key.line, key.symbol)
        for key in extraction.keys
        if key.component in stems
    }


def keys_of(extraction: Extraction, component: LockedComponent) -> dict[str, list[str]]:
    """Return the keys of a component's classes in a release, each with the places that write it."""
    names = {item.name for item in component.classes}
    keys: dict[str, set[str]] = {}
    for key in extraction.keys:
        if key.component in names:
            keys.setdefault(key.key, set()).add(f"{key.path} {key.symbol}")
    return {key: sorted(places) for key, places in sorted(keys.items())}


def confirm(root: Path, framework: str, name: str, why: str) -> Pending:
    """Note why an item changes no meaning.

    Args:
        root: The folder ``spec``, or the overlay that adds the framework.
        framework: The framework whose release has the item.
        name: Such as ``r1``.
        why: What was read.

    Raises:
        PendingError: See :meth:`Pending.confirmed`.
    """
    path = pending_path(root, framework)
    pending = Pending.read(path) or Pending("no release", ())
    answered = pending.confirmed(name, why)
    entry = next(entry for entry in answered.entries if entry.id == name)
    ledger = Ledger(root / "locks" / framework, framework)
    common = ledger.lock(SHARED)
    for releases in common.tables.get(("confirmed", ""), {}).get(entry.token, {}).values():
        releases.discard(answered.release)
    common.put("confirmed", "", entry.token, " ".join(why.split()), answered.release)
    ledger.save()
    answered.write(path)
    return answered


def pending_path(root: Path, framework: str) -> Path:
    """Return where the list of open items of a framework lies."""
    return root / "locks" / framework / "news.json"


def with_release(spec: Spec, framework: str, release: str) -> Spec:
    """Return the spec as it is once its framework lists a release."""
    framework_spec = spec.frameworks[framework]
    if any(item.release == release for item in framework_spec.framework.releases):
        return spec
    known = framework_spec.framework.releases
    listed = [Release(release=release, date=date.today().isoformat())]
    order = _placed(framework, release, [item.release for item in known])
    releases = [*listed, *known] if known and order[0] == release else [*known, *listed]
    extended = replace(framework_spec, framework=framework_spec.framework.model_copy(update={"releases": releases}))
    return replace(spec, frameworks={**spec.frameworks, framework: extended})


def _placed(framework: str, release: str, known: Sequence[str]) -> list[str]:
    """Return the releases of a framework with one more, before or behind all others.

    Raises:
        UserError: It lies between others, so that only its row in the framework's file can say where.
    """
    if not known or _numbers(release) > _numbers(known[-1]):
        return [*known, release]
    if _numbers(release) < _numbers(known[0]):
        return [release, *known]
    msg = f"{framework} {release} lies between {known[0]} and {known[-1]}; list it in framework.yaml first"
    raise UserError(msg)


def _numbers(release: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", release)))


def list_release(path: Path, release: str, day: str, *, first: bool = False) -> None:
    """Add a row to ``releases:`` of a framework's file, behind the others or before them."""
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    rows = [number for number, line in enumerate(lines) if re.match(r"\s+- \{release: ", line)]
    written = release if re.fullmatch(r"\d+(\.\d+){2,}.*", release) else f"'{release}'"
    indent = re.match(r"\s+", lines[rows[-1]])
    lines.insert(
        rows[0] if first else rows[-1] + 1, f"{indent[0] if indent else '  '}- {{release: {written}, date: '{day}'}}\n"
    )
    path.write_text("".join(lines), encoding="utf-8")


def release_date(place: Path | None, package: Package, cache: Path) -> str:
    """Return the day on which a wheel was built; today, where there is none."""
    from .locks.fetch import archive_of

    archive = place if place is not None and place.is_file() else archive_of(package.listed, package.release, cache)
    if archive is not None and archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            newest = max((info.date_time for info in wheel.infolist()), default=(1980, 1, 1, 0, 0, 0))
        if newest[0] > 2000:
            return date(*newest[:3]).isoformat()
    return date.today().isoformat()


def first_changed(package: Package, symbols: Sequence[tuple[str, str]]) -> list[tuple[str, int]]:
    """Return the path and first line of symbols in a release, for annotations."""
    lines: list[tuple[str, int]] = []
    for path, name in symbols:
        module = package.module(path)
        symbol = module.symbols.get(name) if module else None
        lines.append((path, symbol.statements[0].first if symbol else 1))
    return lines
