"""The index of metrics, frameworks and releases."""

from __future__ import annotations

from rlmetrics.names import coverage, keys, releases


def test_the_index_agrees_with_what_each_release_logs():
    """Metric by metric and release by release, over the whole spec."""
    listed = {
        (item.framework, item.component, release, item.metric) for item in coverage() for release in item.releases
    }
    for info in releases("verl"):
        for component in info.components:
            logged = {entry.metric for entry in keys(f"verl[{component}]=={info.release}") if entry.metric is not None}
            assert logged <= {row[3] for row in listed if row[:3] == ("verl", component, info.release)}
