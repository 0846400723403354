"""The page "My run is sick": every rule and every diagnosis of the spec, found from what somebody sees."""

from __future__ import annotations

import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from rlmetrics.codegen.site.sick import sections, sick
from rlmetrics.codegen.site.site import Site
from rlmetrics.codegen.site.symptoms import SYMPTOMS
from rlmetrics.codegen.site.value_page import VALUES, values
from rlmetrics.health.rules import Rules
from rlmetrics.names import load_tables

TABLES = load_tables()
NOTHING: Any = None
SITE = Site(NOTHING, {}, TABLES)
RULES = Rules(TABLES)
ROOT = Path(__file__).parents[2]
VOID = {"br", "hr", "img", "meta", "link", "input", "wbr"}


class Reader(HTMLParser):
    """Reads ids, links, code, headings and texts, and sees that elements are closed."""

    def __init__(self, html):
        super().__init__()
        self.ids, self.links, self.code, self.texts, self._open = [], [], [], [], []
        self.feed(html)
        assert not self._open

    def handle_starttag(self, tag, attrs):
        """Take a start tag."""
        given = dict(attrs)
        self.ids += [given["id"]] if "id" in given else []
        self.links += [given["href"]] if "href" in given else []
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag):
        """Take an end tag, which must be that of the innermost element."""
        assert self._open.pop() == tag

    def handle_data(self, data):
        """Take a text."""
        self.texts.append(data)
        if self._open and self._open[-1] == "code":
            self.code.append(data)


@pytest.fixture(scope="module")
def page():
    """The page."""
    found: Any
    (found,) = sick(SITE)
    return found


@pytest.fixture(scope="module")
def read(page):
    """The page, read."""
    return Reader(page.body)


def test_every_rule_and_every_diagnosis_stands_there_once(read):
    """Each with its title and a place of its own, so that other pages can link to it."""
    told = Counter(read.ids)
    text = " ".join(" ".join(read.texts).split())
    for rule in RULES.rules:
        assert told[rule.id] == 1
        assert rule.title.replace("`", "") in text
    for diagnosis in RULES.diagnoses:
        assert told[diagnosis.id] == 1
        assert all(" ".join(check.split()).replace("`", "") in text for check in diagnosis.checks)
    assert max(told.values()) == 1


def test_every_rule_is_named_by_one_symptom():
    """None is left to the symptom of its cause, and none that is gone is named."""
    named = Counter(rule for symptom in SYMPTOMS for rule in symptom.rules)
    assert set(named) == {rule.id for rule in RULES.rules}
    assert max(named.values()) == 1


def test_every_symptom_leads_to_something_to_do():
    """A diagnosis of its own, one that it follows from, or the advice of its rules."""
    for section in sections(TABLES):
        assert section.own or section.others, section.symptom.id


def test_what_a_symptom_follows_from_is_what_the_spec_says():
    """Diagnoses that one of its rules makes, then those that explain one, each time upstream first."""
    for section in sections(TABLES):
        rules = set(section.symptom.rules)
        places = [(not rules & {*one.all_of, *one.any_of}, one.rank) for one in section.others]
        assert places == sorted(places)
        for one in (*section.own, *section.others):
            assert rules & {*one.all_of, *one.any_of, *one.explains}


def test_links_lead_somewhere(page, read):
    """Places on the page exist, pages of metrics are those of metrics, and the guide is there."""
    for href in read.links:
        if href.startswith("#"):
            assert href[1:] in read.ids
        elif href.startswith("../m/"):
            assert href.removeprefix("../m/").strip("/") in TABLES.metrics
        else:
            assert href in ("../health/", "values/")
    assert (ROOT / "docs" / "health.md").is_file()
    assert page.path == "sick"


def test_symptoms_come_first(page):
    """The list of symptoms stands before the first heading below the title, and each leads to its section."""
    head, _, rest = page.body.partition("</nav>")
    assert head.count("<h2") == 0
    assert re.findall(r'href="#([^"]+)"', head) == [symptom.id for symptom in SYMPTOMS]
    assert re.findall(r'<h2 id="([^"]+)"', rest) == [symptom.id for symptom in SYMPTOMS]
    assert "rlmetrics check RUN" in head


def test_keys_are_logged_ones(read):
    """What stands in code is a command, or a key that some release logs."""
    for code in read.code:
        assert code.startswith("rlmetrics ") or TABLES.meant_by(code), code


def test_the_page_is_small_and_needs_no_script(page):
    """Below 62 kB, and HTML alone."""
    assert len(page.markdown("x").encode()) < 62_000
    assert "<script" not in page.body


def test_values_are_told_as_sentences():
    """Every reading of the spec, with the value that it is about in front."""
    found: Any
    (found,) = values(SITE)
    read = Reader(found.body)
    assert found.path == VALUES
    text = " ".join(" ".join(read.texts).split())
    assert "0 means that no token was clipped: all ratios stayed within the clip range" in text
    assert "A value below 0 is possible: this estimate is a mean log-ratio (k1)" in text
    assert "A value from 0.6931 to 0.6932 is ln 2" in text
    assert "{value}" not in found.body
    rows = sum(len(TABLES.texts[metric].get("reads", ())) for metric in TABLES.metrics)
    assert found.body.count("<dd") == rows > 80
    assert all(href.removeprefix("../../m/").strip("/") in TABLES.metrics for href in read.links)
