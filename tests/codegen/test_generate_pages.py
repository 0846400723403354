"""What the reference pages and the generated functions say."""

from __future__ import annotations

import re
from html import unescape
from importlib import import_module
from pathlib import Path

import pytest
from generate_support import make_checkout, rlmetrics
from rlmetrics.codegen.generate.markdown import cell, markdown


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a checkout in which everything was generated."""
    root = make_checkout(tmp_path_factory.mktemp("pages") / "checkout")
    assert rlmetrics(root, "generate").returncode == 0
    return root


@pytest.fixture(scope="module")
def made(root: Path) -> dict[str, str]:
    """Return the pages of the site by address."""
    assert rlmetrics(root, "generate", "--docs").returncode == 0
    docs = root / "docs"
    return {path.relative_to(docs).with_suffix("").as_posix(): path.read_text() for path in docs.rglob("*.md")}


def test_page_of_metrics_without_a_function(root: Path) -> None:
    """Exactly the metrics that are measured are listed, each with what is measured in its place."""
    page = (root / "docs/reference/not_computed.md").read_text()

    assert re.search(r"^1 of \d+ metrics have no compute function", page, re.MULTILINE)
    link, measured = "[`return/wait`](../m/return/wait.md)", "Wall time of the reward call on the main process."
    wanted = f"| {link} | a clock reads it | {measured} |  |"
    assert [line for line in page.splitlines() if line.startswith("| [")] == [wanted]


def test_text_shows_as_it_is_written(made: dict[str, str]) -> None:
    """Characters that Markdown or HTML reads as markup come through as themselves."""
    html = import_module("markdown").markdown(made["m/kl/old/k1"], extensions=["meta"])

    text = unescape(re.sub(r"</?(p|code)>", "", html))
    start = text.index('It says "how far" an update moved the policy, in C:\\paths and code alike, with')
    assert "with | and * and <tags> and {braces} left as they are." in text[start : start + 400]


def test_page_has_what_a_reader_asks(made: dict[str, str]) -> None:
    """Formula, population, aliases, call, variants, rules, look-alikes and sources are on the page of a metric."""
    for expected in (
        "<math",
        "Every response token.",
        "<code>policykl</code>",
        "kl_old_k1(logprobs, old_logprobs, mask)",
        "kl_old_k1_padded(logprobs, old_logprobs, mask)",
        "#kl-drastic",
        "That one is bounded.",
        '<a href="http://joschu.net/blog/kl-approx.html">Schulman 2020, Approximating KL Divergence</a>',
    ):
        assert expected in made["m/kl/old/k1"]


def test_page_says_who_logs_it_and_how(made: dict[str, str]) -> None:
    """Each key stands with its trainer, releases and condition, and with how that code departs."""
    page = made["k/demo/policy/kl"]
    for expected in ("Trainer", "1.0", "1.2", "beta != 0", "Padding positions are part of the mean"):
        assert expected in page


def test_measured_metric_has_no_function(made: dict[str, str]) -> None:
    """A metric that is measured says so in place of a formula."""
    page = made["m/return/wait"]

    assert "Measured, not computed from tensors: Wall time of the reward call on the main process." in page
    assert "rlmetrics.functional" not in page


def test_links_between_pages_lead_somewhere(root: Path, made: dict[str, str]) -> None:
    """Every link of a reference page to a metric names a page that is made."""
    links = [
        link
        for path in (root / "docs/reference").rglob("*.md")
        for link in re.findall(r"\]\((?:\.\./)+(m/[\w/.-]+)\)", path.read_text())
    ]

    assert len(links) > 8
    assert [link for link in links if link.removesuffix(".md") not in made] == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a_b * c", r"a_b \* c"),
        ("_a_ and b_", r"\_a\_ and b\_"),
        ("use `_a_`, not _c_d", r"use `_a_`, not \_c_d"),
        ("a | <b>", "a | &lt;b&gt;"),
    ],
)
def test_markdown_escapes_outside_code(text: str, expected: str) -> None:
    """Markup is escaped in prose and left alone in code."""
    assert markdown(text) == expected


def test_cells_of_tables_escape_bars_in_code() -> None:
    """A bar would end the cell even inside code."""
    assert cell("`a | b`") == r"`a \| b`"


def test_function_reads_like_hand_written_code(root: Path) -> None:
    """The function with a parameter and named steps comes out exactly like this."""
    module = (root / "generated/rlmetrics/functional/kl.py").read_text()
    head, _, rest = module.partition('@METRICS.metric("kl/old/clipped", results.ratio)\n')[2].partition('    """')
    body = rest.partition('    """\n')[2].partition("\n\n\n")[0]

    signature = "(logprobs: Tensor, old_logprobs: Tensor, mask: Tensor, *, limit: float = 0.5) -> Tensor:"
    assert head == f"def kl_old_clipped{signature}\n"
    assert (
        body
        == """\
    log_ratio = old_logprobs - logprobs
    bounded = torch.clamp(log_ratio, -limit, limit)
    return keep.mean(bounded, mask)"""
    )
