"""Facts without proof: what locks say of the anchors that facts name, read without any package."""

from __future__ import annotations

from ast import literal_eval
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from rlmetrics.names.tables.versions import RangeError, Releases

from ...locks.lock import Kind
from ...locks.lock_check import LockOf, check_component
from ...locks.lock_text import read_lock
from ...locks.of_spec import components_of
from ..lint_check import Check, Hit, check

if TYPE_CHECKING:
    from pathlib import Path

    from ...locks.lock import Lock
    from ...model import Default, Ranges
    from ..context import Context

__all__ = ["CHECKS"]


@check(
    "unproven",
    "warning",
    what="A record or fact with anchors of which none is found in some release of its range, an anchor that is found "
    "in none of these releases, or one that was never found.",
    fix="add a statement with `rlmetrics anchor add`, name another anchor, or change the range",
    whole=True,
)
def unproven(context: Context) -> Iterator[Hit]:
    spec = context.spec
    for framework in spec.frameworks:
        folder = spec.root / "locks" / framework
        if not folder.is_dir():
            continue  # an overlay may describe a framework of its own, which nobody keeps locks of
        order = [item.release for item in spec.frameworks[framework].framework.releases]
        for stem, component in components_of(spec, framework).items():
            lock_of = _reader(folder, component.package, stem)
            for problem in check_component(component, lock_of, order):
                if problem.id in ("unknown-anchor", "unused-anchor"):
                    continue  # other checks tell these, also where there is no lock
                ref = f"frameworks/{framework}/{stem}"
                path = (
                    problem.claim.path
                    if problem.claim
                    else ("anchors", _entry(spec.frameworks[framework].files[stem].anchors, problem.anchor))
                )
                yield Hit(ref, path, problem.message, problem.fix)


@check(
    "default-differs",
    "error",
    what="A configuration key whose default, as its class has it in the source of a release, is another one.",
    fix="end the range before that release and add the default that holds from then on",
    whole=True,
)
def default_differs(context: Context) -> Iterator[Hit]:
    spec = context.spec
    for framework in spec.frameworks:
        folder = spec.root / "locks" / framework
        package = spec.frameworks[framework].framework.package
        releases = Releases([(item.release, item.date) for item in spec.frameworks[framework].framework.releases])
        for stem, file in spec.frameworks[framework].files.items():
            if not any(default.symbol for key in file.config.values() for default in key.defaults):
                continue
            lock = _reader(folder, package, stem)(package)
            for name, key in file.config.items():
                for index, default in enumerate(key.defaults):
                    wrong = _other_default(lock, name, default, releases)
                    if wrong is not None:
                        path = ("config", name, "defaults", index)
                        yield Hit(f"frameworks/{framework}/{stem}", path, wrong)


def _other_default(lock: Lock, name: str, default: Default, releases: Releases) -> str | None:
    row = lock.tables.get(("defaults", default.symbol or ""), {}).get(name, {})
    covered = frozenset(releases.names) if default.releases is None else _expanded(releases, default.releases)
    for text, held in row.items():
        try:
            value = literal_eval(text)
        except ValueError:
            continue  # an expression, which only a run evaluates
        wrong = releases.sort(covered & held)
        # A default of None stands for one that the constructor fills in.
        if wrong and value is not None and (value, type(value) is bool) != (default.value, type(default.value) is bool):
            return f"the default of `{name}` is {text} in {wrong[0]}, says {default.symbol}"
    return None


def _expanded(releases: Releases, ranges: Ranges) -> frozenset[str]:
    try:
        return releases.checked(ranges)
    except RangeError:
        return frozenset()  # another check tells it


_ANCHORS: tuple[Kind, ...] = ("anchors", "defaults")


def _reader(folder: Path, own: str, stem: str) -> LockOf:
    @cache
    def lock_of(package: str) -> Lock:
        path = folder / f"{stem}.lock" if package == own else folder / package / f"{stem}.lock"
        text = path.read_text(encoding="utf-8") if path.is_file() else ""
        return read_lock(text, path.as_posix(), stem, _ANCHORS)

    return lock_of


@check(
    "undated-package",
    "error",
    what="A release of another package that locks know and that has no date: nobody can tell which releases of the "
    "framework ran with it.",
    fix="write its date, as the package index has it, under `beside`",
    whole=True,
)
def undated_package(context: Context) -> Iterator[Hit]:
    for name, framework in context.spec.frameworks.items():
        folder = context.spec.root / "locks" / name
        for package, dates in framework.framework.beside.items():
            known = {
                release
                for lock in sorted((folder / package).glob("*.lock"))
                for release in read_lock(lock.read_text(encoding="utf-8"), lock.as_posix(), lock.stem).releases
            }
            for release in sorted(known - dates.keys()):
                message = f"`{package}` {release}, which locks know, has no date"
                yield Hit(f"frameworks/{name}/framework", ("beside", package), message)


def _entry(anchors: dict[str, str], name: str) -> str:
    return next(names for names in anchors if name in (part.strip() for part in names.split(",")))


CHECKS: tuple[Check, ...] = (unproven, default_differs, undated_package)
