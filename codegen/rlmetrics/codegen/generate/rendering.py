"""From the spec to all outputs, or to all findings that stand in the way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from ..cache import keeping, kept
from ..findings import has_errors, sort
from ..lint import Context, check_spec
from ..loader import read
from ..output.store import MARKER, Output, Rendered
from ..tables import Definitions
from ..tables import render as render_tables
from . import functional, fused, meaning_lines, part, ready_answers, reference_pages, schema, suite_modules
from .functions import ComputeFunction, resolve


def render(root: Path, overlays: Sequence[Path], cache: Path | None = None) -> Rendered:
    """Render everything that the spec of a checkout generates.

    Args:
        root: The checkout.
        overlays: Folders with further YAML.
        cache: A folder that keeps answers that were put together, and tables that take long.

    Returns:
        The outputs; where the spec has errors, all of them in place of the outputs.
    """
    with keeping(cache):
        return _rendered(root, overlays, cache)


def _rendered(root: Path, overlays: Sequence[Path], cache: Path | None) -> Rendered:
    spec, unread = read(root / "spec", overlays)
    if spec is None:
        return Rendered(findings=tuple(unread))
    context = Context(spec)
    # Warnings are the linter's business: they neither stop nor change what is generated.
    findings = sort([*unread, *check_spec(spec, context, errors_only=True)])
    if has_errors(findings):
        return Rendered(findings=tuple(findings))
    functions, findings = resolve(spec, context.definitions.programs)
    if findings:
        return Rendered(findings=tuple(findings))
    return Rendered(tuple(_outputs(context, functions, cache)))


def _outputs(
    context: Context, functions: Mapping[str, Sequence[ComputeFunction]], cache: Path | None
) -> Iterator[Output]:
    spec, definitions, logging = context.spec, context.definitions, context.logging
    same = (definitions.digest,)
    yield from part.emit()
    # Most edits change a text, or a metric. What is made without any is made of the spec without them, and kept.
    logged = kept("logged_keys", (logging.digest,), lambda: list(reference_pages.logged_keys(logging.spec)))
    yield from functional.emit(spec, functions, logged)
    yield from fused.emit(spec, functions)
    yield from suite_modules.emit(functions)
    yield from reference_pages.emit(spec, functions, logged)
    yield from schema.emit(spec)
    yield from kept("meaning_lines", same, lambda: list(meaning_lines.emit(definitions.spec)))
    parts = Definitions(definitions.spec, definitions.digest, logging.spec, logging.digest)
    tables = render_tables(spec, cache, parts)
    for path, text in tables.items():
        yield Output(path, text, _source_of(text))
    yield from ready_answers.emit(tables, cache)


def _source_of(text: str) -> str:
    """Return the source that a generated file names in its head."""
    head = text[:400]
    return head.partition(MARKER)[2].partition(". ")[0] if MARKER in head else "spec"
