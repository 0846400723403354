"""Sizes of differences that were measured with other formulas, or on other batches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...sizes import sizes_lock
from ..lint_check import Check, Hit, check

if TYPE_CHECKING:
    from ..context import Context

__all__ = ["CHECKS"]


@check(
    "stale-size",
    "warning",
    what="A formula that is another one than when the sizes of its differences were measured, which are left out of "
    "the tables until they are measured again; or sizes that were measured by other code.",
    fix="measure again with `rlmetrics generate --sizes`, which takes some minutes and needs torch",
    whole=True,
)
def stale_size(context: Context) -> Iterator[Hit]:
    spec = context.spec
    measured = sizes_lock.read(spec.root)
    if measured is None:
        return
    if measured.code != sizes_lock.code_digest():
        yield Hit("spec", (), f"spec/{sizes_lock.FILE} was measured by other code than that of now")
    from ...tables.metrics_table import texts_of

    for function in sizes_lock.stale(measured, {name: texts_of(metric) for name, metric in spec.metrics.items()}):
        metric = function.partition("@")[0]
        if metric in spec.metrics:
            yield Hit(
                f"metrics/{spec.family_of[metric]}",
                ("metrics", metric),
                f"the sizes of the differences of `{function}` were measured with another formula",
            )
        else:
            yield Hit("spec", (), f"spec/{sizes_lock.FILE} has sizes of `{function}`, which is no metric any more")


CHECKS: tuple[Check, ...] = (stale_size,)
