"""Which metrics are logged where, for the index of metrics, frameworks and releases."""

from __future__ import annotations

from functools import partial

from ..inheritance import applied_records
from ..releases import Releases
from ..spec import Spec

__all__ = ["coverage"]


def coverage(spec: Spec) -> dict[str, dict[str, dict[str, str]]]:
    """Return metric → framework → component → the releases that log it, as text."""
    found: dict[str, dict[str, dict[str, str]]] = {metric: {} for metric in spec.metrics}
    for name, framework in spec.frameworks.items():
        order = Releases(tuple(release.release for release in framework.framework.releases))
        logged: dict[str, dict[str, set[str]]] = {}
        for stem, file in framework.files.items():
            for part in file.components:
                expand = partial(order.expand)
                for record in applied_records(framework.files, stem, expand(part.releases), expand):
                    emission = record.emission
                    profile = framework.files[record.stem].profiles.get(emission.profile or "")
                    metrics = {emission.metric, *(variant.metric for variant in emission.variants)}
                    metrics |= {profile.metric} if profile is not None and emission.metric is None else set()
                    for metric in metrics - {None}:
                        logged.setdefault(str(metric), {}).setdefault(part.name, set()).update(record.releases)
        for metric, components in logged.items():
            if metric in found:
                found[metric][name] = {component: order.text(covered) for component, covered in components.items()}
    return found
