"""Facts without proof: what locks say of the anchors that facts name, read without any package."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from ...locks.lock_check import LockOf, check_component
from ...locks.lock_facts import LockFacts
from ...locks.lock_text import lock_for_facts, read_lock
from ...locks.of_spec import components_of
from ...meaning.overridden import of_base
from ..lint_check import Check, Hit, check
from ..unlocked import is_unlocked, lock_folder

if TYPE_CHECKING:
    from pathlib import Path

    from ...locks.lock import Lock
    from ...locks.lock_facts import KnownDefault
    from ..context import Context

__all__ = ["CHECKS"]


@check(
    "unproven",
    "warning",
    what="A record or fact with anchors of which none is found in some release of its range, an anchor that is found "
    "in none of these releases, or one that was never found.",
    fix="add a statement with `rlmetrics anchor add`, name another anchor, or change the range",
    whole=True,
    metrics=False,
)
def unproven(context: Context) -> Iterator[Hit]:
    spec = context.spec
    for framework in spec.frameworks:
        folder = spec.home(framework) / "locks" / framework
        if not folder.is_dir():
            continue  # an overlay may describe a framework of its own, which nobody keeps locks of
        order = [item.release for item in spec.frameworks[framework].framework.releases]
        for stem, component in components_of(spec, framework).items():
            if of_base(stem):
                continue  # the locks of the framework that this one derives from prove it
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
    what="A stated default of a configuration key that its class, as the locks have it from the source of a release, "
    "has in another way.",
    fix="end the range before that release: the locks have what holds from then on",
    whole=True,
    metrics=False,
)
def default_differs(context: Context) -> Iterator[Hit]:
    for ref, name, index, value, known, release in _stated_defaults(context):
        # A default of None stands for one that the constructor fills in.
        if known.value is not None and not _same(known.value, value):
            said = f", says {known.symbol}" if known.symbol else ""
            message = f"the default of `{name}` is {known.value!r} in {release}{said}"
            yield Hit(ref, ("config", name, "defaults", index), message)


@check(
    "default-repeated",
    "error",
    what="A stated default that the locks have in some release of its range: they are the source, and what is said "
    "twice goes apart.",
    fix="take that release out of the range; delete the default if none is left",
    whole=True,
    metrics=False,
)
def default_repeated(context: Context) -> Iterator[Hit]:
    for ref, name, index, value, known, release in _stated_defaults(context):
        if _same(known.value, value):
            message = f"the locks have the default of `{name}` in {release}"
            yield Hit(ref, ("config", name, "defaults", index), message)


def _stated_defaults(context: Context) -> Iterator[tuple[str, str, int, object, KnownDefault, str]]:
    """Yield each stated default with each one that the locks have meanwhile, and the first release of both."""
    for framework, spec in context.spec.frameworks.items():
        written = replace(spec, files=spec.stated)
        facts = LockFacts(written, context.spec.home(framework) / "locks" / framework)
        for stem, file in spec.stated.items():
            for name, key in file.config.items():
                known = facts.defaults(stem, name, key) if key.defaults else []
                for index, default in enumerate(key.defaults):
                    covered = facts.scope.bits(default.releases or "..")
                    for item in known:
                        both = facts.scope.releases.sort(facts.scope.releases.of_bits(covered & item.releases))
                        if both:
                            yield f"frameworks/{framework}/{stem}", name, index, default.value, item, both[0]


def _same(one: object, other: object) -> bool:
    return (one, isinstance(one, bool)) == (other, isinstance(other, bool))


@check(
    "anchor-repeated",
    "error",
    what="An anchor that a file declares and that its lock has.",
    fix="delete it: the lock is the source, which `rlmetrics anchor add` keeps",
    whole=True,
    metrics=False,
)
def anchor_repeated(context: Context) -> Iterator[Hit]:
    for framework, spec in context.spec.frameworks.items():
        written = replace(spec, files=spec.stated)
        facts = LockFacts(written, context.spec.home(framework) / "locks" / framework)
        for stem, file in spec.stated.items():
            known = facts.anchors(stem) if file.anchors else {}
            for entry in file.anchors:
                for name in (part.strip() for part in entry.split(",")):
                    if name in known:
                        yield Hit(f"frameworks/{framework}/{stem}", ("anchors", entry), f"the lock has `{name}`")


def _reader(folder: Path, own: str, stem: str) -> LockOf:
    @cache
    def lock_of(package: str) -> Lock:
        path = folder / f"{stem}.lock" if package == own else folder / package / f"{stem}.lock"
        return lock_for_facts(path, stem)

    return lock_of


@check(
    "undated-package",
    "error",
    what="A release of another package that locks know and that has no date: nobody can tell which releases of the "
    "framework ran with it.",
    fix="write its date, as the package index has it, under `beside`",
    whole=True,
    metrics=False,
)
def undated_package(context: Context) -> Iterator[Hit]:
    for name, framework in context.spec.frameworks.items():
        folder = context.spec.home(name) / "locks" / name
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


@check(
    "missing-lock",
    "error",
    what="A file that names anchors, none of which it declares, and of which there is no lock; or one that derives "
    "from another framework's, whose lock would say which methods it replaces. One finding for all locks.",
    fix="bring the lock back, or write it with `rlmetrics release add PACKAGE==RELEASE`",
    metrics=False,
)
def missing_lock(context: Context) -> Iterator[Hit]:
    for name, framework in context.spec.frameworks.items():
        folder = lock_folder(context, name)
        scopes = [scope for scope in context.files.values() if scope.framework == name]
        if _without_locks(folder):
            if any(is_unlocked(context, scope) for scope in scopes):
                message = f"there is no lock of `{name}`, and its files name anchors that only locks have"
                yield Hit(f"frameworks/{name}/framework", ("framework",), message)
            continue
        for scope in scopes:
            is_derived = framework.base is not None and bool(scope.file.components)
            lacks = is_derived and not (folder / f"{scope.stem}.lock").is_file()
            if lacks or is_unlocked(context, scope):
                message = f"there is no `{name}/{scope.stem}.lock`, so that nothing proves what the file says"
                yield Hit(scope.ref, ("components",) if scope.file.components else ("metrics",), message)


def _without_locks(folder: Path) -> bool:
    return not any(folder.glob("*.lock"))


@check(
    "unproven-framework",
    "warning",
    what="A framework of which no file names an anchor, or of which there is no lock: nothing shows that any of its "
    "releases logs what is said.",
    fix="read it with `rlmetrics release add PACKAGE==RELEASE`, which writes the lock, and name anchors with "
    "`rlmetrics anchor add`",
    whole=True,
    metrics=False,
)
def unproven_framework(context: Context) -> Iterator[Hit]:
    spec = context.spec
    for name, framework in spec.frameworks.items():
        if _without_locks(lock_folder(context, name)) and any(
            scope.framework == name and is_unlocked(context, scope) for scope in context.files.values()
        ):
            continue  # that its locks are missing is an error of its own
        lacking = []
        if not any(file.anchors for file in framework.files.values()):
            lacking.append("no anchor")
        if _without_locks(lock_folder(context, name)):
            lacking.append("no lock")
        if lacking:
            message = f"nothing proves what `{name}` logs: it has {' and '.join(lacking)}"
            yield Hit(f"frameworks/{name}/framework", ("framework",), message)


CHECKS: tuple[Check, ...] = (
    unproven,
    default_differs,
    default_repeated,
    anchor_repeated,
    undated_package,
    missing_lock,
    unproven_framework,
)
