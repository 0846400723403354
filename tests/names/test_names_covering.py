"""The index of metrics, frameworks and releases."""

from __future__ import annotations

import pytest
from rlmetrics.names import NamesError, coverage


def test_every_metric_is_listed_with_the_components_that_log_it(tables):
    """One record for each metric and component; a metric that nothing logs is listed too."""
    found = {(item.metric, item.component): item for item in coverage(spec=tables)}
    assert set(tables.metrics) == {metric for metric, _ in found}
    item = found["kl/old/k2", "NewTrainer"]
    assert (
        item.releases,
        item.spans,
        item.keys,
    ) == (("0.3.0", "0.4.1", "1.0.0"), "0.3.0, 0.4.1..1.0.0", ("approxkl_avg",))
    assert all((item.framework is None) == (not item.releases) for item in found.values())


def test_one_framework_can_be_asked_for(tables):
    """Only metrics that it logs; an unknown one is told with those that are known."""
    assert {item.framework for item in coverage("beta", spec=tables)} == {"beta"}
    with pytest.raises(NamesError, match="unknown framework 'gamma'"):
        coverage("gamma", spec=tables)
