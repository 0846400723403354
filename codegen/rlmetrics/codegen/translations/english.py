"""The English sentences of the spec that readers see, by the file that holds their translations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rlmetrics.names.differences.entry_contrast import STEADY

from .record_sentences import record_sentences

if TYPE_CHECKING:
    from ..model import HealthFile, Signatures, SpecReading
    from ..spec import Spec

__all__ = ["english_sentences"]


def english_sentences(spec: Spec) -> dict[str, dict[str, str]]:
    """Return every sentence of the spec that is shown to readers.

    Args:
        spec: The spec.

    Returns:
        For each file below ``texts/<language>``, such as ``metrics/kl``, the sentences with what each of them is. White
        space is one space.
    """
    sentences: dict[str, dict[str, str]] = {}
    for name, family in spec.families.items():
        briefs = {_plain(metric.brief): f"brief of {metric_id}" for metric_id, metric in family.metrics.items()}
        about = {_plain(family.title): f"title of {name}", _plain(family.description): f"description of {name}"}
        sentences[f"metrics/{name}"] = {**about, **briefs}
    for name, family in spec.families.items():
        described = family.metrics.items()
        sentences[f"descriptions/{name}"] = {
            _plain(one.description): f"description of {metric}" for metric, one in described
        }
    sentences["health"] = {_plain(text): what for file in spec.health.values() for text, what in _of_health(file)}
    sentences["signatures"] = {_plain(text): what for text, what in _of_signatures(spec.signatures) if text is not None}
    sentences["definitions"] = {_plain(text): what for text, what in _of_definitions(spec)}
    sentences["facets"] = dict(_of_identities(spec))
    sentences["values"] = {_plain(text): what for text, what in _of_values(spec)}
    sentences["inputs"] = {_plain(one.brief): f"input {name}" for name, one in spec.inputs.items()}
    return {**sentences, **record_sentences(spec)}


def _of_definitions(spec: Spec) -> Iterator[tuple[str, str]]:
    """Yield what stands beside the brief of a metric, but for its description, and what derived frameworks are."""
    for name, item in spec.frameworks.items():
        if item.base is not None:
            yield item.framework.brief, f"brief of {name}"
    for name, metric in spec.metrics.items():
        yield from ((friend.why, f"why {friend.metric} is not {name}") for friend in metric.false_friends)
        for key, variant in metric.variants.items():
            yield variant.brief, f"variant {key} of {name}"
            yield key.replace("_", " "), f"name of a variant of {name}"
            yield from (
                (one.brief, f"parameter {at} of {key} of {name}") for at, one in (variant.parameters or {}).items()
            )
        yield from ((parameter.brief, f"parameter {key} of {name}") for key, parameter in metric.parameters.items())
        if metric.crucial is not None:
            yield metric.crucial.why, f"why {name} is crucial"
        if metric.measured is not None:
            yield metric.measured, f"what {name} measures"


def _of_readings(spec: Spec) -> Iterator[tuple[str, str]]:
    """Yield what certain values tell, wherever the spec says it."""
    told: list[tuple[str, SpecReading]] = []
    for name, metric in spec.metrics.items():
        told += ((name, reading) for reading in metric.reads)
    for name, trait in spec.signatures.traits.items():
        told += ((name, reading) for reading in trait.reads)
    for _, _, file in spec.component_files():
        for name, _, record in file.records():
            told += ((name, reading) for said in (record, *record.facts) for reading in said.reads)
    for name, reading in told:
        texts = (reading.says, reading.why, reading.worry, reading.watch)
        yield from ((text, f"value of {name}") for text in texts if text is not None)


def _of_shaping(spec: Spec) -> Iterator[tuple[str, str]]:
    """Yield what one sees of settings that move curves."""
    for _, _, file in spec.component_files():
        for name, shaping in file.shaping.items():
            texts = (shaping.says, shaping.switched_off, shaping.settled)
            yield from ((text, f"what {name} does") for text in texts if text is not None)


def _of_values(spec: Spec) -> Iterator[tuple[str, str]]:
    """Yield what is said of values: what they tell, what moves them, and on which axis they are drawn."""
    yield from _of_readings(spec)
    yield from _of_shaping(spec)
    for _, _, file in spec.component_files():
        yield from ((report.says, f"number {report.number}") for report in file.reports)
        axes = [text for tracking in file.tracking for text in (tracking.x_axis, tracking.in_training) if text]
        axes += [piece.axis for _, _, record in file.records() for piece in (record, *record.facts) if piece.axis]
        for axis in axes:
            for text in " ".join(axis.split()).removesuffix(".").split(". "):
                yield f"{text}.", f"x-axis of {file.title}"


def _of_identities(spec: Spec) -> Iterator[tuple[str, str]]:
    """Yield the words that tell metrics apart, as they stand in prose."""
    for facet in ("quantity", "of", "predicate", "estimator", "extent", "statistic", "distributions"):
        for metric in spec.metrics.values():
            value = getattr(metric.identity, facet)
            for word in value if isinstance(value, list) else [value] if value is not None else []:
                yield word.replace("_", " "), facet


def _plain(text: str) -> str:
    return " ".join(text.split())


def _of_health(file: HealthFile) -> Iterator[tuple[str, str]]:
    yield file.title, "title"
    yield file.brief, "brief"
    for rule in file.rules:
        yield from ((getattr(rule, part), f"{part} of {rule.id}") for part in ("title", "message", "advice"))
        if rule.remark is not None:
            yield rule.remark.title, f"title of the remark of {rule.id}"
            yield rule.remark.message, f"remark of {rule.id}"
    for diagnosis in file.diagnoses:
        yield from ((getattr(diagnosis, part), f"{part} of {diagnosis.id}") for part in ("title", "message"))
        yield from ((check, f"check of {diagnosis.id}") for check in diagnosis.checks)


def _of_signatures(signatures: Signatures) -> Iterator[tuple[str | None, str]]:
    yield signatures.snapshot_vanishes_when, "when two policies are one"
    yield STEADY, "when two steps are one"
    for level, text in signatures.levels.items():
        yield text.brief, f"brief of {level}"
        yield text.vanishes_when, f"when {level} does not show"
        yield text.parts, f"parts of {level}"
        yield text.whole, f"whole of {level}"
    for operation, said in signatures.operations.items():
        yield said, f"operation {operation}"
    for name, population in signatures.populations.items():
        yield population.brief, f"brief of {name}"
        yield population.words, f"words of {name}"
    for name, left in signatures.without.items():
        yield left.brief, f"brief of {name}"
    yield from _of_words(signatures)
    for name, trait in signatures.traits.items():
        for part in ("brief", "otherwise", "what", "correction", "vanishes_when"):
            yield getattr(trait, part), f"{part} of {name}"


def _of_words(signatures: Signatures) -> Iterator[tuple[str, str]]:
    words = signatures.words
    for part in ("operations", "policies", "snapshots", "moments", "extents", "estimators", "statistics"):
        yield from ((text, f"word for {name}") for name, text in getattr(words, part).items())
