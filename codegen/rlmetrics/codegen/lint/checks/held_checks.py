"""What can be executed of a meaning: what traits do, and what formulas hold already."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..lint_check import Check, Hit, check

if TYPE_CHECKING:
    from ...loader import YamlPath
    from ..context import Context

__all__ = ["CHECKS"]

_WITHIN = ("token", "sequence")
"""Levels whose reduction a formula can do itself."""


@check(
    "trait-undone",
    "info",
    what="A trait of which nothing says what a code with it does, so that no number with it is computed exactly.",
    fix="say `does`: given, held, unseen, or actions by name",
)
def trait_undone(context: Context) -> Iterator[Hit]:
    for name, trait in context.spec.signatures.traits.items():
        if trait.does is None:
            yield Hit("signatures", ("traits", name), f"nothing says what a code with `{name}` does")


@check(
    "unknown-held",
    "error",
    what="A formula that holds what is neither a trait nor a level inside of a batch.",
    fix="name a trait of signatures.yaml, token or sequence",
    whole=True,
)
def unknown_held(context: Context) -> Iterator[Hit]:
    known = {*context.spec.signatures.traits, *_WITHIN}
    for name, metric in context.spec.metrics.items():
        ref = f"metrics/{context.spec.family_of[name]}"
        stated: list[tuple[YamlPath, list[str]]] = [((), metric.holds)]
        stated += [(("variants", variant), item.holds) for variant, item in metric.variants.items()]
        for place, holds in stated:
            for index, held in enumerate(holds):
                if held not in known:
                    message = f"`{name}` holds `{held}`, which is neither a trait nor a level"
                    yield Hit(ref, ("metrics", name, *place, "holds", index), message, value=True)


@check(
    "unnamed-variant",
    "info",
    what="A variant of a formula that no record or fact names, so that no key is computed by it.",
    fix="name it with `reproduced_by` where it gives the number that is logged, mark it as `same`, or remove it",
    whole=True,
)
def unnamed_variant(context: Context) -> Iterator[Hit]:
    named: set[tuple[str, str]] = set()
    for component in context.components:
        for item in component.resolved:
            said = [piece.says for piece in (item.record, *item.facts)]
            metrics = {each["metric"] for each in said if "metric" in each}
            named.update(
                (metric, each["reproduced_by"]) for metric in metrics for each in said if "reproduced_by" in each
            )
    for name, metric in context.spec.metrics.items():
        for variant, formula in metric.variants.items():
            if not formula.same and (name, variant) not in named:
                where = f"metrics/{context.spec.family_of[name]}", ("metrics", name, "variants", variant)
                yield Hit(*where, f"no record names the variant `{variant}` of `{name}`")


CHECKS: tuple[Check, ...] = (trait_undone, unknown_held, unnamed_variant)
