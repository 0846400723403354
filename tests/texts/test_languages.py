"""Texts in other languages beside a checkout: guides, sentences of the site, and what every language must have."""

from __future__ import annotations

from pathlib import Path

import pytest
from lint.spec_text import SpecText
from rlmetrics.codegen.linted import linted
from rlmetrics.codegen.loader import load
from rlmetrics.codegen.output.input_digest import digest
from rlmetrics.codegen.tables import build
from rlmetrics.codegen.translations import english_sentences, interface_sentences, sections

ENGLISH = """# Guide

First.

## Losses

`policy/loss` falls.

```bash
# no heading
## none
```

## End

Last.
"""
PAGE = "def page(texts, title):\n    return texts.t('Look  up'), texts.t(title)\n"
TEMPLATE = '<p>{{ t("In {place}", place=place) }}{{ t(title) }}</p>\n'


@pytest.fixture
def checkout(tmp_path: Path) -> SpecText:
    """The base spec with a Chinese glossary, an English guide that names a metric, and a site with three sentences."""
    spec = SpecText(tmp_path / "spec")
    spec.edit("texts/zh/glossary", "", "terms: {}\n")
    for path, text in {
        "docs/concepts.md": ENGLISH,
        "codegen/rlmetrics/codegen/site/page.py": PAGE,
        "codegen/rlmetrics/codegen/templates/site/page.html.j2": TEMPLATE,
        "docs/assets/page.js": 'const title = t("Found \\"it\\"");\n',
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    return spec


def translate(spec: SpecText, made_from: list[str]) -> None:
    """Write the Chinese guide, made from sections with these digests."""
    path = spec.root.parent / "docs" / "zh" / "concepts.md"
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"---\nmade_from: [{', '.join(made_from)}]\n---\n# 指南\n", encoding="utf-8")


def test_sections_end_at_headings_that_are_none_in_code() -> None:
    """A guide falls into its front and its headings of level 2; lines of code are no headings."""
    assert [title for title, _ in sections(ENGLISH)] == ["Guide", "Losses", "End"]


def test_a_changed_section_is_named(checkout: SpecText) -> None:
    """A translation of the guide as it is gives nothing; after an edit the finding names the section and its digest."""
    english = checkout.root.parent / "docs" / "concepts.md"
    translate(checkout, [made for _, made in sections(ENGLISH)])
    assert checkout.findings("stale-guide") == []

    english.write_text(ENGLISH.replace("Last.", "The very last."), encoding="utf-8")

    (finding,) = checkout.findings("stale-guide")
    assert "`End` changed" in finding.message
    assert (finding.location.file, finding.location.line) == ("docs/zh/concepts.md", 2)
    translate(checkout, finding.fix.split("[")[1].split("]")[0].split(", "))
    assert checkout.findings("stale-guide") == []


def test_a_changed_section_is_shown_where_its_translation_begins(checkout: SpecText) -> None:
    """At the heading that stands in the same place among the translation's own, past what does not count."""
    docs = checkout.root.parent / "docs"
    digests = ", ".join(made for _, made in sections(ENGLISH))
    (docs / "zh").mkdir(exist_ok=True)
    translated = f"---\nmade_from: [{digests}]\n---\n\n# 指南\n\n## 损失\n\n一。\n\n## 结尾\n\n二。\n"
    (docs / "zh" / "concepts.md").write_text(translated, encoding="utf-8")
    assert checkout.findings("stale-guide") == []

    (docs / "concepts.md").write_text(ENGLISH.replace("Last.", "The very last."), encoding="utf-8")

    (finding,) = checkout.findings("stale-guide")
    assert (finding.location.file, finding.location.line) == ("docs/zh/concepts.md", 11)


def test_figures_need_no_translation(checkout: SpecText) -> None:
    """A table that a script makes may change without a word to translators; text beside it may not."""
    figures = "<!-- figures: speed -->\n| Time |\n|---|\n| {} s |\n<!-- end -->\n\n"
    english = checkout.root.parent / "docs" / "concepts.md"
    text = ENGLISH.replace("Last.", f"{figures.format(1)}Last.")
    english.write_text(text, encoding="utf-8")
    translate(checkout, [made for _, made in sections(text)])

    english.write_text(text.replace("| 1 s |", "| 2 s |"), encoding="utf-8")
    assert checkout.findings("stale-guide") == []

    english.write_text(text.replace("Last.", "The very last."), encoding="utf-8")
    assert "`End` changed" in checkout.findings("stale-guide")[0].message


def test_a_kept_result_does_not_outlive_a_guide(checkout: SpecText) -> None:
    """Guides stand beside the spec, and still an edit of one is noticed by a run with a cache."""
    translate(checkout, [made for _, made in sections(ENGLISH)])
    assert not [finding for finding in linted(checkout.root.parent) if finding.id == "stale-guide"]

    translate(checkout, [])

    assert [finding for finding in linted(checkout.root.parent) if finding.id == "stale-guide"]


def test_what_every_language_must_have(checkout: SpecText) -> None:
    """Sentences of the interface and briefs of metrics that guides name are errors, other briefs are counted."""
    missing = [finding.message for finding in checkout.findings("missing-must")]

    assert sorted(missing) == [
        '`Found "it"` (docs/assets/page.js) is not translated',
        "`In {place}` (codegen/rlmetrics/codegen/templates/site/page.html.j2) is not translated",
        "`Look up` (codegen/rlmetrics/codegen/site/page.py) is not translated",
        "`Surrogate loss over response tokens.` (brief of policy/loss, which docs/concepts.md names) is not translated",
        "docs/concepts.md is not translated",
    ]
    assert {finding.level for finding in checkout.findings("missing-must")} == {"error"}
    counted = [finding.message for finding in checkout.findings("missing-text")]
    assert "zh: 6 of 7 sentences of metrics are not translated, such as `Policy`" in counted
    assert "zh: 1 of 1 sentences of spans are not translated, such as `The whole update.`" in counted
    assert not [message for message in counted if "interface" in message]


def test_the_interface_is_found_where_it_is_said(checkout: SpecText) -> None:
    """Code, templates and scripts are read; what is no sentence in a call is none."""
    assert set(interface_sentences(checkout.root.parent)) == {"Look up", "In {place}", 'Found "it"'}


def test_a_sentence_that_reaches_the_site_by_a_variable_is_said(checkout: SpecText) -> None:
    """It stands in quotes in the code; one that stands nowhere is stale."""
    page = checkout.root.parent / "codegen/rlmetrics/codegen/site/page.py"
    page.write_text(f"TITLE = (\n    'What '\n    'for'\n)\n{PAGE}", encoding="utf-8")
    checkout.edit("texts/zh/interface", "", "sentences: {What for: 为什么, ¦Why: 为何}\n")

    (found,) = checkout.findings("stale-text")

    assert checkout.marks == [found.location]


def test_a_guide_that_every_language_must_have(checkout: SpecText) -> None:
    """Without its translation it is an error; another guide is none."""
    said = [one.message for one in checkout.findings("missing-must")]
    assert [message for message in said if message.startswith("docs/")] == ["docs/concepts.md is not translated"]
    (checkout.root.parent / "docs" / "health.md").write_text("# Health\n", encoding="utf-8")

    (found,) = [one for one in checkout.findings("missing-must") if one.message == "docs/health.md is not translated"]

    assert found.fix == "write docs/zh/health.md"


def test_what_records_say_is_found_by_kind(checkout: SpecText) -> None:
    """Notes, spans, conditions and what guides say are each in a file of their framework; a condition as a whole."""
    checkout.edit(
        "frameworks/acme/trainer",
        "    documented:\n",
        "    condition: with tools (never before the end)\n    logged_by_default: false\n"
        "    constant_when: [0 without tools]\n    notes: [Not a loss.]\n    documented:\n",
    )

    said = english_sentences(load(checkout.root))

    assert list(said["notes/acme"]) == ["Not a loss."]
    assert list(said["spans/acme"]) == ["The whole update."]
    assert list(said["conditions/acme"]) == ["with tools (never before the end)", "0 without tools"]
    assert list(said["documented/acme"]) == ["The score."]


def test_texts_decide_about_the_tables_of_languages(checkout: SpecText) -> None:
    """A translation is generated, for the command line: the next run must not take what is there for up to date."""
    before = digest(checkout.root.parent)
    checkout.edit("texts/zh/health", "", "sentences: {One: 一}\n")

    assert digest(checkout.root.parent) != before
    table = build(load(checkout.root))["languages/zh"]
    assert table.data["SENTENCES"] == {}
    checkout.edit("texts/zh/health", "One: 一", "One more.: 还有一个。")
    assert build(load(checkout.root))["languages/zh"].data["SENTENCES"] == {"One more.": "还有一个。"}


def test_the_catalog_holds_every_sentence_once(checkout: SpecText) -> None:
    """White space is one space in it, so that a sentence is found however it was folded."""
    checkout.edit("texts/zh/health", "", "sentences:\n  One  sentence.: >-\n    一个\n    句子。\n")
    checkout.edit("texts/zh/interface", "", "sentences: {Look up: 查找}\n")

    assert load(checkout.root).texts["zh"].catalog() == {"One sentence.": "一个 句子。", "Look up": "查找"}
