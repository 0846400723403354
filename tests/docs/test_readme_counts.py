"""The counts in the README are those of the spec."""

from collections import Counter

from folders import ROOT
from rlmetrics.codegen.loader import read
from rlmetrics.names import coverage, open_view, releases


def own_release(name: str) -> str:
    """A release of a derived framework without the release of its base: several pairs are one release."""
    return name.partition("+")[0]


def _sentences() -> str:
    described = releases()
    placed = {
        (info.framework, component, own_release(info.release), entry.key)
        for info in described
        for component in info.components
        for entry in open_view(f"{info.framework}[{component}]=={info.release}").entries()
        if entry.mode == "train"
    }
    keys = {(framework, key) for framework, _, _, key in placed}
    components = {(framework, component) for framework, component, _, _ in placed}
    metrics = {item.metric for item in coverage()}
    spec, _ = read(ROOT / "spec", [])
    assert spec is not None
    files = [file for framework in spec.frameworks.values() for file in framework.files.values()]
    records = [record for file in files for _, _, record in file.records()]
    facts = sum(len(record.facts) for record in records) + sum(len(file.shared) for file in files)
    anchors = sum(len(names.split(",")) for file in files for names in file.anchors)
    counts = Counter(framework for framework, _ in {(info.framework, own_release(info.release)) for info in described})
    counts = {info.framework: counts[info.framework] for info in described}
    first, *others = (f"{count} of {spec.frameworks[name].framework.title}" for name, count in counts.items())
    listed = f"{', '.join([first.replace(' of ', ' releases of '), *others[:-1]])} and {others[-1]}"
    return (
        f"The spec knows {len(metrics):,} metrics. {listed} spell them in "
        f"{len(keys):,} keys and templates of {len(components)} trainers and components: {len(placed):,} of "
        f"(component, release, key). {len(records):,} records with {facts:,} "
        f"facts say what each of them means, and {anchors:,} anchors tie these to statements of the source code, whose "
        "lines are known release by release."
    )


def test_the_readme_counts_what_the_spec_holds():
    """Metrics, keys, releases and records, facts and anchors; the message of a failure is what to write."""
    wanted = _sentences()
    text = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    assert wanted in text, f"write in README.md: {wanted}"
