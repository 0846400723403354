"""Sentences that answers put together are found in another language by their parts."""

from __future__ import annotations

import pytest
from rlmetrics.codegen.model import Glossary, Sentences
from rlmetrics.codegen.spec import LanguageTexts
from rlmetrics.codegen.translations import Catalog

CATALOG = Catalog(
    LanguageTexts(
        Glossary(terms={}, names=["verl"]),
        {
            "signatures": Sentences(
                sentences={
                    "plain mean": "普通均值",
                    "micro-batches": "微批次",
                    "padding is in the mean": "填充计入均值",
                    "no response is padded": "没有响应被填充",
                    "Divide by it.": "除以它。",
                }
            ),
            "interface": Sentences(sentences={"{count} of {total}": "{total} 个中的 {count} 个"}),
            "answers": Sentences(
                sentences={
                    "{operation} over {parts}": "在 {parts} 上取 {operation}",
                    "{what} (until {release})": "{what}（到 {release} 为止）",
                    "no longer: {what}": "不再是：{what}",
                    "{source} logs nothing.": "{source} 什么都不记录。",
                    "{value} when {condition}": "在 {condition} 时为 {value}",
                }
            ),
        },
    )
)


@pytest.mark.parametrize(
    ("english", "chinese"),
    [
        ("padding is in the mean", "填充计入均值"),
        ("Padding is in  the mean.", "填充计入均值。"),
        ("divide by it", "除以它"),
        ("Plain mean over micro-batches.", "在微批次上取普通均值。"),
        ("padding is in the mean (until 0.3.1)", "填充计入均值（到 0.3.1 为止）"),
        ("no longer: plain mean over micro-batches (until 1.0)", "不再是：在微批次上取普通均值（到 1.0 为止）"),
        ("padding is in the mean; plain mean over micro-batches", "填充计入均值；在微批次上取普通均值"),
        ("No response is padded. Divide by it.", "没有响应被填充。除以它。"),
        ("verl 0.9.1 logs nothing.", "verl 0.9.1 什么都不记录。"),
        ("0 when num_iterations == 1 and beta == null", "在 num_iterations == 1 and beta == null 时为 0"),
    ],
)
def test_parts_are_put_together(english: str, chinese: str) -> None:
    """Case, full stops, rows of sentences and known parts, names, numbers or code in a sentence make no difference."""
    assert chinese == CATALOG[english]


@pytest.mark.parametrize(
    "english",
    [
        "padding is not in the mean",
        "plain mean over sessions",
        "no longer: something that nobody translated",
        "padding is in the mean; something else",
        "3 of 4",
        "0 when nothing happens",
    ],
)
def test_what_is_not_known_in_full_is_not_known(english: str) -> None:
    """A sentence of which a part is unknown stays English as a whole; sentences of the interface are no patterns."""
    assert english not in CATALOG
    assert CATALOG.get(english) is None


def test_the_catalog_lists_what_it_was_made_of() -> None:
    """It is a mapping over the sentences of the language."""
    assert 11 == len(CATALOG)
    assert "plain mean" in list(CATALOG)
