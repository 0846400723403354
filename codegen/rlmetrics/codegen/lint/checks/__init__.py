"""One module for each topic of checks. A new topic is a module that defines ``CHECKS``, and its name here."""

from __future__ import annotations

from ..lint_check import Check
from . import (
    bound_checks,
    chinese,
    default_checks,
    examples,
    fact_checks,
    formulas,
    framework_checks,
    guard_checks,
    health_checks,
    held_checks,
    judged_checks,
    metric_checks,
    name_checks,
    proof_checks,
    reading_checks,
    record_checks,
    reference_checks,
    release_checks,
    repeated_facts,
    shaping,
    similarity_checks,
    size_checks,
    source_checks,
    suite_checks,
    template_checks,
    text_checks,
    trait_checks,
    translations,
    undescribed_checks,
    unused,
    vanishing,
)

__all__ = ["CHECKS"]

CHECKS: tuple[Check, ...] = tuple(
    check
    for topic in (
        reference_checks,
        unused,
        metric_checks,
        source_checks,
        held_checks,
        formulas,
        text_checks,
        name_checks,
        record_checks,
        framework_checks,
        release_checks,
        guard_checks,
        default_checks,
        vanishing,
        shaping,
        fact_checks,
        repeated_facts,
        trait_checks,
        proof_checks,
        template_checks,
        undescribed_checks,
        suite_checks,
        bound_checks,
        examples,
        similarity_checks,
        reading_checks,
        judged_checks,
        size_checks,
        health_checks,
        translations,
        chinese,
    )
    for check in topic.CHECKS
)
"""Every check of the spec, in the order in which the page of checks shows them."""
