"""How records look in an interactive session and in a notebook."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from rlmetrics.functional import REGISTRY
from rlmetrics.names import map_names, resolve
from rlmetrics.translate import Translator

OLD, NEW = "trl[PPOTrainer]==0.11.4", "trl[PPOTrainer]==0.18.2"


class Balanced(HTMLParser):
    """Collects text, and fails on a tag that is closed before it was opened."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: object) -> None:
        """Take down a tag."""
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Check it against the last one that is open."""
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        """Take down the text."""
        self.text += f"{data}\n"


def _records() -> list[object]:
    translator = Translator(OLD, NEW)
    return [
        translator.key("ppo/policy/approxkl"),
        translator.key("ppo/mean_scores"),
        translator.key("no/such/key<b>"),
        REGISTRY["policy/clip_fraction"],
        REGISTRY["kl/old/k2"],
        resolve("ppo/policy/approxkl", OLD)[0],
        resolve("no/such/key<b>", OLD)[0],
        map_names(OLD, NEW),
    ]


@pytest.mark.parametrize("record", _records(), ids=lambda record: type(record).__name__)
def test_a_record_is_a_line_of_80_characters_and_a_table_of_html(record):
    """One line in a session; in a notebook a table whose tags are closed and whose texts are escaped."""
    line = repr(record)
    page = Balanced()
    page.feed(record._repr_html_())

    assert line.startswith(type(record).__name__)
    assert len(line) <= 80
    assert "\n" not in line
    assert page.open == []
    assert "<b>" not in record._repr_html_().replace("<caption><b>", "")


def test_a_translation_says_what_becomes_of_a_key():
    """The counterpart and the relation stand in the line, what differs in the table."""
    found = Translator(OLD, NEW).key("ppo/policy/approxkl")

    assert "'ppo/policy/approxkl' -> 'policy/approxkl_avg', approximate" in repr(found)
    assert all(item.what in found._repr_html_() for item in found.differs_by)
