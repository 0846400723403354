"""One module for each topic of checks. A new topic is a module that defines ``CHECKS``, and its name here."""

from __future__ import annotations

from ..check import Check
from . import (
    bounds,
    chinese,
    defaults,
    examples,
    facts,
    formulas,
    guards,
    health,
    metrics,
    names,
    proofs,
    readings,
    records,
    references,
    releases,
    shaping,
    similar,
    sizes,
    suites,
    templates,
    texts,
    translations,
    undescribed,
    unused,
    vanishing,
)

__all__ = ["CHECKS"]

CHECKS: tuple[Check, ...] = tuple(
    check
    for topic in (
        references,
        unused,
        metrics,
        formulas,
        texts,
        names,
        records,
        releases,
        guards,
        defaults,
        vanishing,
        shaping,
        facts,
        proofs,
        templates,
        undescribed,
        suites,
        bounds,
        examples,
        similar,
        readings,
        sizes,
        health,
        translations,
        chinese,
    )
    for check in topic.CHECKS
)
"""Every check of the spec, in the order in which the page of checks shows them."""
