"""The counts in the README are those of the spec."""

import json
from pathlib import Path

from rlmetrics.names import coverage, open_view, releases

ROOT = Path(__file__).resolve().parent.parent
EVIDENCE = ROOT / "tests" / "fixtures" / "extractions" / "evidence.json"


def _sentences() -> str:
    described = releases()
    placed = {
        (info.framework, component, info.release, entry.key)
        for info in described
        for component in info.components
        for entry in open_view(f"{info.framework}[{component}]=={info.release}").entries()
        if entry.mode == "train"
    }
    keys = {(framework, key) for framework, _, _, key in placed}
    components = {(framework, component) for framework, component, _, _ in placed}
    metrics = {item.metric for item in coverage()}
    evidence = json.loads(EVIDENCE.read_text(encoding="utf-8")).values()
    records = sum(item["records"] for item in evidence)
    verified = sum(item["verified_in_first_and_last_release"] for item in evidence)
    foreign = sum(item["of_other_packages"] for item in evidence)
    counts = {name: sum(info.framework == name for info in described) for name in ("trl", "verl")}
    return (
        f"The spec knows {len(metrics):,} metrics. {counts['trl']} releases of TRL and {counts['verl']} of verl spell "
        f"them in {len(keys):,} keys and templates of {len(components)} trainers and components: {len(placed):,} of "
        f"(component, release, key). {records:,} records say so and cite the source; for {verified:,} of them the "
        "auditor found the cited lines to hold in the first and the last release of the record, and "
        f"{foreign:,} more cite other packages, such as transformers."
    )


def test_the_readme_counts_what_the_spec_holds():
    """Metrics, keys, releases and records with verified evidence; the message of a failure is what to write."""
    wanted = _sentences()
    text = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    assert wanted in text, f"write in README.md: {wanted}"
