"""Templates: keys with placeholders."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rlmetrics.names import NamesError, open_view
from rlmetrics.names.lookup.resolving import resolve_in
from rlmetrics.names.meanings.view import FrameworkView
from rlmetrics.names.tables.templates import CONSTRAINED, LITERAL, OPEN, Template

VALIDATION = Template(
    "val-core/{data_source}/{variable}/mean@{n}",
    {"data_source": "[^/@]+(?:/[^/@]+){0,3}", "variable": "[^/@]+", "n": "[1-9][0-9]{0,4}"},
)


def test_a_value_may_contain_slashes_where_its_pattern_allows_it():
    """The data source takes what the other placeholders leave."""
    values = {"data_source": "lighteval/MATH", "variable": "acc", "n": "4"}
    assert values == VALIDATION.parse("val-core/lighteval/MATH/acc/mean@4")
    assert VALIDATION.parse("val-core/lighteval/MATH/acc/mean@04") is None
    assert VALIDATION.parse("x/val-core/lighteval/MATH/acc/mean@4") is None
    assert VALIDATION.parse("val-core/lighteval/MATH/acc/mean@4\n") is None


def test_classes_are_ordered_by_how_specific_they_are():
    """A literal beats a constrained template, and that an open one."""
    assert LITERAL < CONSTRAINED < OPEN
    literal, constrained = Template("a/b", {}), Template("a/{x}", {"x": "[a-z]"})
    anything = Template("{x}", {"x": ".+"}, is_open=True)
    assert [literal.rank, constrained.rank, anything.rank] == [LITERAL, CONSTRAINED, OPEN]


def test_a_placeholder_that_occurs_twice_has_one_value():
    """Both places must agree."""
    template = Template("{x}/of/{x}", {"x": "[a-z]+"})
    assert template.parse("a/of/a") == {"x": "a"}
    assert template.parse("a/of/b") is None


def test_filling_in_keeps_what_is_unbound_and_refuses_what_does_not_fit():
    """A part of the values gives a part of the name."""
    assert VALIDATION.format({"variable": "acc"}) == "val-core/{data_source}/acc/mean@{n}"
    with pytest.raises(NamesError, match="must match"):
        VALIDATION.format({"n": "0"})


_SEGMENT = st.text(alphabet="abcXYZ019_-. ", min_size=1, max_size=6)


@given(
    source=st.lists(_SEGMENT, min_size=1, max_size=4).map("/".join),
    variable=_SEGMENT,
    n=st.integers(1, 99999).map(str),
)
def test_parsing_undoes_filling_in(source, variable, n):
    """For constrained templates whatever the values are."""
    values = {"data_source": source, "variable": variable, "n": n}
    assert values == VALIDATION.parse(VALIDATION.format(values))


@given(st.text(alphabet="ab/{}.+*?()[]\\^$|", max_size=12).filter(lambda text: "{" not in text))
def test_literal_text_is_never_a_pattern(text):
    """Characters with a meaning in regular expressions stand for themselves."""
    template = Template(text + "{x}", {"x": "[0-9]"})
    assert template.parse(text + "7") == {"x": "7"}
    assert template.parse(text + "x") is None


@pytest.mark.parametrize("source", ["verl==0.9.1", "verl==0.6.1", "trl==1.16.0", "trl==0.18.2", "trl==0.11.4"])
def test_every_template_that_is_listed_resolves(source):
    """A template as `keys` prints it stands for itself, also where its placeholders take numbers or patterns only."""
    view = open_view(source)
    assert isinstance(view, FrameworkView)
    listed = [(label, key) for label, part in view.components.items() for key in part.keys if "{" in key]
    lost = [
        (label, key)
        for label, key in listed
        if (label, key) not in {(item.component, item.template) for item in resolve_in(view, [key])}
    ]

    assert len(listed) > 5
    assert lost == []


@pytest.mark.parametrize("release", ["0.9.2", "0.9.9"])
def test_a_key_of_evaluation_is_known_by_the_name_in_the_code(release):
    """OpenRLHF's loggers put `eval/` in front; without it the name is not one that a reward function chose."""
    view = open_view(f"openrlhf[PPOTrainer]=={release}")
    [bare] = view.find("eval_gsm8k_pass1")
    [logged] = view.find("eval/eval_gsm8k_pass1")
    assert (bare.entry.key, bare.entry.metric, bare.values) == (
        logged.entry.key,
        "validation/mean",
        {"datasource": "gsm8k"},
    )
    [own] = view.find("eval_of_my_own")
    assert own.entry.metric == "group/user_metric"
