"""The package of compute functions as a whole: lazy, complete, compilable."""

from __future__ import annotations

import inspect
import pickle
import pydoc

import pytest
from functional.compiled import check_compiled
from metric_inputs import make_inputs, make_parameters
from metric_selection import BY_FAMILY, COMPILED, REPRESENTATIVES
from rlmetrics import functional
from rlmetrics.functional import REGISTRY
from rlmetrics.state import MetricFunction


def test_every_function_is_reachable() -> None:
    """Every entry's function is an attribute of the package, and exported."""
    names = {REGISTRY[key].function.__name__ for key in REGISTRY}

    assert len(REGISTRY) == len(names)
    assert set(functional.__all__) == {"REGISTRY", "as_logged", *names}
    for name in names:
        assert callable(getattr(functional, name))


def test_listing_shows_what_people_look_for_first() -> None:
    """``dir`` has about three hundred functions and no variant; ``help`` begins with them by topic."""
    names = {REGISTRY[key].function.__name__: key for key in REGISTRY}
    first = [name for name in dir(functional) if name in names]

    assert 250 <= len(first) <= 350
    assert [name for name in first if "@" in names[name]] == []
    assert {"kl_old_k1", "policy_clip_fraction", "entropy_policy", "reward_total_mean"} <= set(first)
    shown = pydoc.plain(pydoc.render_doc(functional)).partition("PACKAGE CONTENTS")[0]
    topic = shown.partition("- KL divergence: ")[2].partition("    - ")[0].replace(",", " ").split()
    assert sorted(topic) == [name for name in first if names[name].startswith("kl/")]


def test_unknown_names() -> None:
    """Unknown attributes and ids raise the usual errors; an id that looks like a known one is helped."""
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = functional.nothing  # type: ignore[attr-defined]
    with pytest.raises(KeyError, match=r"did you mean .*kl/old/k1"):
        _ = REGISTRY["kl/old/k9"]


@pytest.mark.parametrize("family", list(BY_FAMILY))
def test_entries_match_their_functions(family: str) -> None:
    """The registry's facts agree with the function: argument names, defaults, documentation."""
    for key in BY_FAMILY[family]:
        _assert_entry_matches(REGISTRY[key])


def _assert_entry_matches(metric: MetricFunction) -> None:
    arguments = inspect.signature(metric.function).parameters.values()
    keywords = {one.name: one.default for one in arguments if one.kind is one.KEYWORD_ONLY}

    assert [name for name, _, _ in metric.inputs] == [one.name for one in arguments if one.name not in keywords]
    assert list(metric.parameters) == list(keywords)
    defaults = {name: value for name, value in keywords.items() if value is not inspect.Parameter.empty}
    assert {name: value for name, value in metric.parameters.items() if value is not None} == defaults
    for section in ("Args:", "Returns:", "Raises:"):
        assert section in (metric.function.__doc__ or "")
    assert metric is pickle.loads(pickle.dumps(metric))


@pytest.mark.parametrize("key", REPRESENTATIVES[:8])
def test_compiles_to_one_graph(key: str) -> None:
    """``torch.compile(fullgraph=True)`` traces the function without a break, and the result stays the same."""
    check_compiled(key)


@pytest.mark.parametrize("family", list(BY_FAMILY))
def test_never_waits_for_the_device(family: str) -> None:
    """Functions run on tensors without data, so nothing in them depends on a value or copies one to the host."""
    for key in set(BY_FAMILY[family]).intersection(COMPILED):
        metric = REGISTRY[key]
        inputs = {name: value.to("meta") for name, value in make_inputs(metric, 0).items()}

        result = metric.function(**inputs, **make_parameters(metric, 0))

        assert result.device.type == "meta", key
