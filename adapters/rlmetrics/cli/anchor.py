"""``rlmetrics anchor``: takes a statement of a release into an anchor, and drops anchors that nothing names."""

from __future__ import annotations

import argparse
from collections.abc import Mapping

from rlmetrics.lazy_typing import TYPE_CHECKING

from .checkout import SOURCE, archives, load_spec
from .options import add_json, add_spec
from .output import json_text

if TYPE_CHECKING:
    from rlmetrics.codegen.locks.component_lock import LockedComponent
    from rlmetrics.codegen.spec import Spec

__all__ = ["add", "run"]


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser(
        "anchor",
        help="say which statement of the source code proves a fact",
        description="Let an anchor of the spec stand for a statement, whose fingerprint and lines go to the locks.",
        epilog="Exit codes: 0 done; 2 bad usage or input, nothing written.",
    )
    actions = parser.add_subparsers(dest="action", metavar="add|drop", required=True)
    taking = actions.add_parser("add", help="take a statement")
    taking.add_argument("name", metavar="NAME", help="the anchor, as `at:` of a record or fact names it")
    taking.add_argument(
        "source", metavar="SOURCE", help="such as trl==1.16.0, transformers==5.23.0 or trl[grpo_trainer]==1.16.0"
    )
    taking.add_argument("place", metavar="PATH:LINE", help="such as trl/trainer/grpo_trainer.py:3100")
    archives(taking)
    add_spec(taking)
    add_json(taking)
    dropping = actions.add_parser("drop", help="drop the anchors that no record or fact names")
    add_json(dropping)


def run(args: argparse.Namespace) -> int:
    """Run the command.

    Returns:
        0.
    """
    return _drop(args) if args.action == "drop" else _take(args)


def _drop(args: argparse.Namespace) -> int:
    from rlmetrics.codegen.locks.anchoring import drop_unnamed
    from rlmetrics.codegen.locks.ledger import Ledger
    from rlmetrics.codegen.locks.of_spec import components_of

    root, spec = load_spec(args)
    dropped: list[tuple[str, str, str]] = []
    for framework, item in spec.frameworks.items():
        ledger = Ledger(root / "locks" / framework, item.framework.package)
        unnamed = drop_unnamed(ledger, components_of(spec, framework))
        dropped.extend((framework, stem, name) for stem, name in unnamed)
        ledger.save([stem for stem, _ in unnamed])
    if args.json:
        print(json_text([{"framework": each[0], "file": each[1], "anchor": each[2]} for each in dropped]))
        return 0
    for framework, stem, name in dropped:
        print(f"{framework}/{stem}: {name}")
    print(f"{len(dropped)} anchors dropped")
    return 0


def _take(args: argparse.Namespace) -> int:
    from rlmetrics.codegen.locks.anchoring import add_anchor
    from rlmetrics.codegen.locks.fetch import open_release
    from rlmetrics.codegen.locks.ledger import Ledger
    from rlmetrics.codegen.locks.of_spec import components_of
    from rlmetrics.codegen.locks.settings_census import note_settings
    from rlmetrics.names.tables.user_errors import UserError

    match = SOURCE.fullmatch(args.source)
    path, colon, line = args.place.rpartition(":")
    if match is None or not colon or not line.isdigit():
        msg = f"{args.source} {args.place}: write PACKAGE==RELEASE PATH:LINE, such as trl==1.16.0 trl/core.py:12"
        raise UserError(msg)
    package, stem, release = match.groups()
    _, spec = load_spec(args)
    framework = package if package in spec.frameworks else _framework(spec, args.name, stem)
    components = components_of(spec, framework)
    only = _stem(components, stem)
    model = spec.frameworks[framework].framework
    own = package in (framework, model.package, model.imported)
    listed = model.package if own else package
    source = open_release(listed, release, args.wheel or args.folder, args.cache, of=model if own else None)
    ledger = Ledger(spec.home(framework) / "locks" / framework, model.imported)
    taken = add_anchor(ledger, components, args.name, source, path, int(line), only, args.cache)
    note_settings(ledger, source, model.settings)
    written = ledger.save()
    if args.json:
        print(json_text({"anchor": args.name, "components": taken.stems, "symbol": taken.mark.symbol,
                         "fingerprint": taken.mark.fingerprint, "path": taken.path, "line": taken.line,
                         "releases": taken.releases, "not_seen": taken.unseen}))  # fmt: skip
        return 0
    print(f"{args.name}: {taken.mark.symbol}, {taken.path}:{taken.line}  {taken.text}")
    print(f"found in {len(taken.releases)} releases, {taken.releases[0]} to {taken.releases[-1]}; "
          f"{len(written)} locks written")  # fmt: skip
    if taken.unseen:
        print(f"not looked at, since their archives are not in {args.cache}: {', '.join(taken.unseen[:6])}"
              + (f" and {len(taken.unseen) - 6} more" if len(taken.unseen) > 6 else ""))  # fmt: skip
    return 0


def _framework(spec: Spec, name: str, stem: str | None) -> str:
    """Return the framework one of whose files names the anchor, which stands in another package."""
    from rlmetrics.codegen.locks.of_spec import components_of
    from rlmetrics.names.tables.user_errors import UserError

    for framework in spec.frameworks:
        components = components_of(spec, framework)
        if any(stem in (None, other) and name in item.cited() for other, item in components.items()):
            return framework
    msg = f"nothing names an anchor {name}; add it to `at:` of the record or fact that the statement proves first"
    raise UserError(msg)


def _stem(components: Mapping[str, LockedComponent], written: str | None) -> str | None:
    from rlmetrics.names.tables.user_errors import UserError

    if written is None or written in components:
        return written
    for stem, component in components.items():
        if any(item.name == written for item in component.classes):
            return stem
    msg = f"no component {written}; name a class or a file such as {next(iter(components))}"
    raise UserError(msg)
