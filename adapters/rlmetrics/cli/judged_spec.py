"""``rlmetrics judge``: hold sentences of the spec against the numbers of reference steps."""

from __future__ import annotations

import argparse
import sys

from rlmetrics.wording.terminal import has_colour

from .checkout import overlays_of, spec_root
from .options import add_spec

__all__ = ["add", "run"]

_EXTRA = ("pydantic", "yaml")


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = subparsers.add_parser(
        "judge",
        help="hold sentences of the spec against reference steps",
        description="Compute what releases log of seeded steps of a run, and hold readings, ranges and constants "
        "of the spec against it. Verdicts are kept in spec/judged.lock, those on an overlay in its own judged.lock; "
        "only what has none yet is judged.",
    )
    parser.add_argument("--again", action="store_true", help="judge every sentence, also one that has a verdict")
    add_spec(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run the command.

    Returns:
        0 if no sentence is refuted, 1 if one is or the spec has errors, 2 if there is no spec to read.
    """
    try:
        from rlmetrics.codegen import excerpts, findings
        from rlmetrics.codegen.judge.spec_judge import judge_spec, refuted
        from rlmetrics.codegen.lint.context import Context
        from rlmetrics.codegen.loader import SpecError, load
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] not in _EXTRA:
            raise
        return _fail(f'needs {error.name}; pip install "rlmetrics[codegen]"')
    overlays = overlays_of(args)
    spec, _ = spec_root(overlays)
    root = spec.parent
    try:
        context = Context(load(spec, overlays))
        done = judge_spec(context, again=args.again)
    except SpecError as error:
        sys.stdout.write(excerpts.render(list(error.findings), root, colour=has_colour(sys.stdout)))
        return 1
    found = refuted(context)
    sys.stdout.write(excerpts.render(found, root, colour=has_colour(sys.stdout)))
    counted = ", ".join(f"{count} {answer}" for answer, count in sorted(done.kept.items()))
    print(f"{done.judged} judged; of all sentences {counted}", file=sys.stderr)
    return 1 if findings.has_errors(found) else 0


def _fail(message: str) -> int:
    print(f"rlmetrics judge: {message}", file=sys.stderr)
    return 2
