"""The meaning of every key is what it was before the spec was written as facts, but for listed corrections."""

from __future__ import annotations

from meaning.frozen import compare, components, corrections, is_listed
from names.real_spec import real_spec
from rlmetrics.codegen.model import Fact
from rlmetrics.codegen.tables import build
from rlmetrics.names import Tables

SAMPLE = 12
"""Configurations of a key that are tried here; ``python tests/meaning/frozen.py`` tries all."""


def test_a_range_that_ends_one_release_early_is_noticed() -> None:
    """A planted change of one fact by one release is told with the key and the release."""
    spec = real_spec()
    file = spec.frameworks["trl"].files["grpo_trainer"]
    kl = file.keys["kl"]
    assert not isinstance(kl, list)
    index, fact = next((i, f) for i, f in enumerate(kl.facts) if f.releases == "..0.15.2" and f.traits and not f.when)
    changed = [*kl.facts]
    changed[index] = Fact.model_validate({**fact.model_dump(exclude_unset=True), "releases": "..0.15.1"})
    planted = file.model_copy(update={"keys": {**file.keys, "kl": kl.model_copy(update={"facts": changed})}})
    framework = spec.frameworks["trl"]
    files = {**framework.files, "grpo_trainer": planted}
    other = spec.__class__(
        **{**vars(spec), "frameworks": {**spec.frameworks, "trl": type(framework)(framework.framework, files)}}
    )
    data = build(other)
    listed = corrections()
    differences = compare("trl/grpo_trainer", Tables(lambda name: data[name].data), most=SAMPLE)
    found = next(item for item in differences if not is_listed(item, listed))
    assert (found.key, found.releases) == ("kl", ("0.15.2",))
    assert "trait" in found.fields


def test_every_listed_correction_is_one() -> None:
    """A correction that no difference needs any more is removed from the list."""
    left = set(corrections())
    for component in components():
        for item in compare(component, most=SAMPLE) if left else ():
            left = {correction for correction in left if not correction.explains(item)}
    assert set() == left
