"""What the reference pages and the generated functions say."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections import Counter
from importlib import import_module
from pathlib import Path

import pytest
import yaml
from generate_support import environment, make_checkout, rlmetrics
from rlmetrics.codegen.generate.functions import resolve
from rlmetrics.codegen.generate.markdown import cell, markdown
from rlmetrics.codegen.generate.pages import emit
from rlmetrics.codegen.lint import Context
from rlmetrics.codegen.loader import read

PROJECT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a checkout in which everything was generated."""
    root = make_checkout(tmp_path_factory.mktemp("pages") / "checkout")
    assert rlmetrics(root, "generate").returncode == 0
    return root


@pytest.fixture(scope="module")
def section(root: Path) -> str:
    """Return what the page of the family says about one metric."""
    page = (root / "docs/reference/kl.md").read_text()
    return page[page.index("## kl/old/k1 ") : page.index("## kl/old/clipped")]


def test_documentation_build_writes_the_pages_of_a_fresh_clone(tmp_path: Path) -> None:
    """``mkdocs build`` with the project's own settings, but for its guides, brings pages that a clone does not have."""
    clone = make_checkout(tmp_path / "clone")
    hook = "codegen/rlmetrics/codegen/site/mkdocs_hook.py"
    (clone / hook).parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(PROJECT / hook, clone / hook)
    settings = yaml.safe_load((PROJECT / "mkdocs.yml").read_text())
    del settings["nav"]
    (clone / "mkdocs.yml").write_text(yaml.safe_dump(settings))
    shutil.copytree(PROJECT / "docs" / "theme", clone / "docs" / "theme")
    (clone / "docs" / "index.md").write_text("[The reference](reference/index.md)\n")

    result = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet"],
        cwd=clone,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )

    assert 0 == result.returncode, result.stdout + result.stderr
    assert "kl/old/k1" in (clone / "site" / "reference" / "kl" / "index.html").read_text()


def test_section_has_what_a_reader_asks(section: str) -> None:
    """Formula, population, aliases, call, rules with sources and look-alikes are there."""
    for expected in (
        "<math",
        "- Population: Every response token.",
        "- Also called: `policykl`",
        "rlmetrics.functional.kl_old_k1(logprobs, old_logprobs, mask)",
        "rlmetrics.functional.kl_old_k1_padded(logprobs, old_logprobs, mask)",
        "Judged by: [The policy moves too far](health.md#kl-drastic).",
        "- [`kl/old/clipped`](#kl-old-clipped): That one is bounded.",
        "References: [Schulman 2020, Approximating KL Divergence](<http://joschu.net/blog/kl-approx.html>)",
    ):
        assert expected in section


def test_a_key_that_always_means_one_of_several_metrics_says_when(root: Path) -> None:
    """Each metric is offered under its own guard, none of them as what holds otherwise."""
    page = (root / "docs/reference/kl.md").read_text()
    rows = [line for line in page.splitlines() if line.startswith("| `policy/distance`")]
    assert [
        "| `policy/distance` | if `beta > 1` | Trainer 1.0 to 1.2 |",
        "| `policy/distance` | if `not (beta > 1)` | Trainer 1.0 to 1.2 |",
    ] == rows


def test_spellings_say_who_logs_it_and_how(section: str) -> None:
    """Each key stands with its component, releases and condition, and with how that code departs, and where it does."""
    for expected in (
        "| Logged as | When | In Demo by |",
        "| `policy/kl` | always | Trainer 1.0, 1.1 |",
        "|  | `beta != 0` | Trainer 1.2 |",
        "Stands in `demo/trainer.py`.",
        "    - `policy/kl` of Trainer: with the policy being updated; over micro-batches and ranks: unweighted mean",
        "    - `policy/kl` of Trainer 1.0, 1.1: over every response position, padding included; padding positions",
        " are part of the mean; reproduced by the variant `padded`",
        "    - if `beta > 1`: `policy/kl` of Trainer 1.2: logged value = `1 / beta` × metric",
        "    - `policy/kl` of Trainer 1.2: documented: The distance from the reference model. The code: The distance",
    ):
        assert expected in section


def test_no_page_of_the_real_spec_is_large_or_repeats_itself() -> None:
    """Every reference page is below 400 kB, and no row of a table of keys and no long remark stands on it twice."""
    spec, _ = read(PROJECT / "spec", [])
    assert spec is not None
    functions, _ = resolve(spec, Context(spec).programs)

    pages = {output.path: output.text for output in emit(spec, functions)}

    assert {} == {path: len(text) for path, text in pages.items() if len(text.encode()) > 400_000}
    families = [text for path, text in pages.items() if Path(path).stem in spec.families]
    assert len(spec.families) == len(families)
    for text in families:
        for section in text.split("\n## "):
            rows = [line for line in section.splitlines() if line.startswith("| ")]
            assert [] == [row for row, count in Counter(rows).items() if count > 1]
        remarks = [line for line in text.splitlines() if line.startswith("    - ") and "- also [" not in line]
        assert [] == [remark for remark, count in Counter(remarks).items() if count > 1 and len(remark) > 150]


def test_measured_metric_has_no_function(root: Path) -> None:
    """A metric that is measured says so in place of a formula."""
    page = (root / "docs/reference/return.md").read_text()
    section = page[page.index("## return/wait") :]

    assert "Measured, not computed from tensors: Wall time of the reward call on the main process." in section
    assert "rlmetrics.functional" not in section


def test_page_of_metrics_without_a_function(root: Path) -> None:
    """Exactly the metrics that are measured are listed, each with what is measured in its place."""
    page = (root / "docs/reference/not_computed.md").read_text()

    assert re.search(r"^1 of \d+ metrics have no compute function", page, re.MULTILINE)
    link, measured = "[`return/wait`](return.md#return-wait)", "Wall time of the reward call on the main process."
    wanted = f"| {link} | a clock reads it | {measured} |  |"
    assert [wanted] == [line for line in page.splitlines() if line.startswith("| [")]


def test_text_shows_as_it_is_written(root: Path) -> None:
    """Characters that Markdown reads as markup come through as themselves."""
    page = (root / "docs/reference/kl.md").read_text()
    paragraph = next(line for line in page.splitlines() if line.startswith('It says "how far"'))

    html = import_module("markdown").markdown(paragraph)

    text = re.sub(r"</?(p|code)>", "", html).replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", '"')
    assert text.startswith('It says "how far" an update moved the policy, in C:\\paths and code alike, with')
    assert text.endswith("with | and * and <tags> and {braces} left as they are.")


def test_links_between_pages_lead_somewhere(root: Path) -> None:
    """Every link to a metric names a heading that exists."""
    pages = {path.name: path.read_text() for path in (root / "docs/reference").glob("*.md")}
    links = [
        (page or name, fragment)
        for name, text in pages.items()
        for page, fragment in re.findall(r"\]\((\w+\.md)?(?:#([\w/-]+))?\)", text)
    ]

    assert len(links) > 8
    for page, fragment in links:
        assert page in pages
        assert not fragment or f"{{ #{fragment} }}" in pages[page]


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
    assert expected == markdown(text)


def test_cells_of_tables_escape_bars_in_code() -> None:
    """A bar would end the cell even inside code."""
    assert r"`a \| b`" == cell("`a | b`")


def test_function_reads_like_hand_written_code(root: Path) -> None:
    """The function with a parameter and named steps comes out exactly like this."""
    module = (root / "generated/rlmetrics/functional/kl.py").read_text()
    start = module.index("def _kl_old_clipped_update")

    expected = """\
def _kl_old_clipped_update(logprobs: Tensor, old_logprobs: Tensor, mask: Tensor, *, limit: float) -> Tensor:
    check(logprobs=logprobs, old_logprobs=old_logprobs, mask=mask)
    check_numbers("kl/old/clipped", limit=limit)
    mask = mask.bool()
    logprobs = ops.masked(logprobs, mask)
    old_logprobs = ops.masked(old_logprobs, mask)
    log_ratio = old_logprobs - logprobs
    bounded = torch.clamp(log_ratio, -limit, limit)
    bounded_sum = ops.total(bounded, mask)
    token_count = ops.count(mask)
    return pack([bounded_sum, token_count])


def _kl_old_clipped_finalize(state: Tensor) -> Tensor:
    bounded_sum, token_count = state.unbind()
    return bounded_sum / token_count
"""
    assert expected == module[start : start + len(expected)]
