"""The page of the ten numbers: what stands on it is what the spec, the functions and the suites say."""

import re
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest
from rlmetrics import suites
from rlmetrics.codegen.generate.functions import resolve
from rlmetrics.codegen.lint import Context
from rlmetrics.codegen.loader import read
from rlmetrics.codegen.site.elsewhere_names import ELSEWHERE
from rlmetrics.codegen.site.page import Page
from rlmetrics.codegen.site.site import Site
from rlmetrics.codegen.site.ten_numbers import ten_numbers
from rlmetrics.codegen.site.texts import Texts
from rlmetrics.functional._index import METRIC_OF
from rlmetrics.names import keys, load_tables
from rlmetrics.wording.step_numbers import TEN_NUMBERS

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def site():
    """What pages are made from."""
    spec, _ = read(ROOT / "spec")
    assert spec is not None
    functions, _ = resolve(spec, Context(spec).programs)
    return Site(spec, functions, load_tables())


@pytest.fixture(scope="module")
def body(site):
    """The page in English."""
    (page,) = ten_numbers(site)
    assert isinstance(page, Page)
    return page.body


def sections(body):
    """Return the text of each number by its place."""
    parts = re.split(r'<h2 id="number-(\d+)">', body.partition('<h2 id="read-from">')[0])[1:]
    return {int(number): unescape(part) for number, part in zip(parts[::2], parts[1::2], strict=True)}


def test_there_are_ten_of_metrics_that_the_spec_has(site, body):
    """Each of the ten is a metric of the spec, and has a part of the page."""
    assert len(TEN_NUMBERS) == 10
    assert {metric for number in TEN_NUMBERS for metric in number.metrics} <= {*site.tables.metrics}
    assert [*sections(body)] == [*range(1, 11)]


@pytest.mark.parametrize(
    "source",
    ["trl[GRPOTrainer]==1.16.0", "trl[PPOTrainer]==1.12.0", "verl[actor]==0.9.1", "openrlhf[PPOTrainer]==0.11.2"],
)
def test_every_key_of_the_ten_stands_in_its_place(body, source):
    """What a release logs of a number is named with what it measures, and links to the key's page."""
    told = sections(body)
    logged = {key.key: key.metric for key in keys(source) if key.mode == "train"}

    found = 0
    for place, number in enumerate(TEN_NUMBERS, start=1):
        for key, metric in logged.items():
            if metric in number.metrics:
                found += 1
                assert f'<code>{key}</code></a> <span class="rlm-mute">{metric}</span>' in told[place]
    assert found >= 5


def test_names_elsewhere_are_of_metrics_and_lead_to_a_line(site, body):
    """Each name of an implementation that is not described is one of the ten, and leads to the line that logs it."""
    ten = {metric for number in TEN_NUMBERS for metric in number.metrics}
    for one in ELSEWHERE:
        assert {name.metric for name in one.names} <= ten
        for name in one.names:
            address = f"{one.address}{name.path or one.path}#L{name.line}"
            assert f'<a href="{address}"><code>{name.name}</code></a>' in body


def test_functions_and_suites_are_there_as_named(body):
    """Every function of the page is one of the package, and each suite computes one of them."""
    told = sections(body)
    assert {*re.findall(r"<code>F\.(\w+)</code>", body)} <= {*METRIC_OF}
    for part in told.values():
        named = {METRIC_OF[name].partition("@")[0] for name in re.findall(r"<code>F\.(\w+)</code>", part)}
        for suite in re.findall(r"(?:PPO|GRPO)Suite", part):
            assert named & {metric.partition("@")[0] for metric in getattr(suites, suite)().metrics}


def test_it_is_all_there_in_chinese(site):
    """No sentence of the page lacks its translation."""
    texts = Texts("zh", site.spec.texts["zh"].catalog())
    assert len([*ten_numbers(replace(site, texts=texts))]) == 1

    assert texts.missing == set()
