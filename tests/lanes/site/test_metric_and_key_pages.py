"""The pages of metrics and keys: what every one of them holds, and what some of them say."""

from __future__ import annotations

import re
from html import unescape
from posixpath import join, normpath

import pytest
from rlmetrics.codegen.site.lives import lives_of
from rlmetrics.codegen.site.page import Page
from rlmetrics.codegen.site.page_links import key_page, metric_page
from rlmetrics.names import map_names
from rlmetrics.names.differences.severity import SEVERITIES
from site_pages import outline, pages, strips, the_site

pytestmark = pytest.mark.xdist_group("keys")

LARGEST = 62_000
"""Bytes of a page's content; indexes, and what stands for many metrics or is logged by most, may be larger."""
LARGER = {"m": 62_000, "m/policy/clip_fraction": 66_000, "k/trl/loss": 70_000}
KL = "m/kl/old/k2"
APPROXKL = "k/trl/policy/approxkl_avg"
ENTROPY = "k/trl/objective/entropy"
_MARK = re.compile(r'<span class="rlm-severity rlm-([\w-]+)"')
_EXAMPLE = re.compile(r'<code id="example">(.*?)</code>', re.S)


def text_of(path: str) -> str:
    """Return a page's text."""
    return outline(pages()[path].body).text


def box(page: Page, title: str) -> str:
    """Return the HTML of one of the three boxes."""
    boxes = re.findall(r"<div><h2>(.*?)</h2>(.*?)</div>\n", page.body, re.S)
    return dict(boxes)[title]


def test_a_new_name_is_told_with_the_trainers_that_gave_it() -> None:
    """RLOOTrainer renamed what PPOTrainer and OnlineDPOTrainer go on logging; ppo/mean_scores is nobody's any more."""
    said = text_of("k/trl/objective/rlhf_reward")
    assert "In RLOOTrainer it is called reward since TRL 0.22.0." in said
    assert "Since TRL" not in said
    assert "Since TRL 0.12.0 it is called objective/scores." in text_of("k/trl/ppo/mean_scores")


def test_every_metric_has_a_page() -> None:
    """Each metric of the spec stands at its address, under its name."""
    made = pages()

    assert {metric_page(metric) for metric in the_site().spec.metrics} <= made.keys()
    assert all(made[metric_page(metric)].title == metric for metric in the_site().spec.metrics)


def test_every_logged_key_has_a_page() -> None:
    """Each key of each framework stands at its address, and no two keys share one."""
    known = {(framework, key) for framework, key in lives_of(the_site().tables).by_key}
    addresses = {key_page(framework, key) for framework, key in known}

    assert len(addresses) == len(known) > 1500
    assert addresses <= pages().keys()


def test_pages_are_small() -> None:
    """No page has more content than fits a quick look, the indexes aside."""
    sizes = {path: len(page.body.encode()) for path, page in pages().items()}

    assert {path: size for path, size in sizes.items() if size > LARGER.get(path, LARGEST)} == {}


def test_pages_are_well_formed() -> None:
    """Elements nest, ids are unique, and no blank line ends the block before its end."""
    wrong = {}
    for path, page in pages().items():
        found = outline(page.body)
        repeated = {name for name in found.ids if found.ids.count(name) > 1}
        block = page.markdown("test").partition('<div class="rlm">')[2]
        if found.wrong or repeated or "\n\n" in block.strip():
            wrong[path] = (found.wrong[:3], repeated)

    assert wrong == {}


def test_links_between_pages_lead_somewhere() -> None:
    """A link from one of these pages to another of them names one that is made, and an id that is there."""
    made = pages()
    ids = {path: set(re.findall(r' id="([^"]+)"', page.body)) for path, page in made.items()}
    dead = set()
    for path, page in made.items():
        for link in outline(page.body).links:
            if re.match(r"[a-z]+:", link) or link.endswith(".js"):
                continue
            address, _, fragment = link.partition("#")
            target = normpath(join(path, address)) if address else path
            if re.match(r"[mk](/|$)", target) and (target not in made or (fragment and fragment not in ids[target])):
                dead.add((path, link))

    assert set() == dead


def test_examples_run() -> None:
    """The program on every page runs as it stands, and gives a tensor of numbers."""
    torch = pytest.importorskip("torch")
    ran = 0
    for path, page in pages().items():
        for code in _EXAMPLE.findall(page.body):
            program, _, call = unescape(code).rpartition("\n")
            names: dict[str, object] = {}
            exec(program, names)
            result = eval(call, names)
            assert isinstance(result, torch.Tensor), path
            assert result.dtype is torch.float64, path
            ran += 1

    assert ran == sum(page.body.count('id="example"') for page in pages().values()) > 400


def test_approximate_kl_is_answered_on_the_first_screen() -> None:
    """What it is in TRL, what in verl, and what is healthy, stands in three boxes."""
    page = pages()[KL]

    assert "below 0.1" in box(page, "Healthy")
    assert "folklore" in box(page, "Healthy")
    trl, verl = box(page, "In TRL"), box(page, "In verl")
    assert "policy/approxkl_avg" in trl
    assert "0.12.0 – 1.12.0" in trl
    assert "padding" in trl
    assert "ppo/policy/approxkl" in trl
    assert _MARK.findall(trl) == ["biased"]
    assert "not logged" in verl
    assert "actor/ppo_kl" in verl
    assert "k1 can be negative" in verl
    assert "<math" in page.body


def test_approximate_kl_has_another_meaning_in_rloo() -> None:
    """The same key is another metric in one trainer, and the strip hatches it."""
    page = pages()[APPROXKL]

    assert "kl/old_sequence/k2" in page.body
    rows = {row["n"]: row for row in strips(page)["trl"]["rows"]}
    assert [piece[2] for piece in rows["RLOOTrainer"]["p"]] == ["≠"]
    assert {piece[2] for name in ("PPOTrainer", "PPOv2Trainer") for piece in rows[name]["p"]} == {"A"}


def test_a_repaired_key_tells_its_meanings_apart() -> None:
    """One spelling with several meanings has a letter for each, and what to do about the faulty one."""
    page = pages()[ENTROPY]
    (row,) = [row for row in strips(page)["trl"]["rows"] if row["n"] == "PPOTrainer"]
    letters = [piece[2] for piece in row["p"]]

    assert len(set(letters)) >= 4
    assert "each padded position adds -1" in text_of(ENTROPY)
    assert "Add the mean number of padded positions per response" in text_of(ENTROPY)


@pytest.mark.parametrize("framework", ["trl", "verl"])
def test_severities_of_the_table_are_those_of_the_map(framework: str) -> None:
    """What a strip says of a key in the newest release is what ``rlmetrics map`` to the canonical names says."""
    table = the_site().tables.framework(framework)
    newest = len(table.releases.names) - 1
    release = table.releases.names[newest]
    told = {
        (row.from_component, row.from_, row.mode): row
        for row in map_names(f"{framework}=={release}", "canonical", program="all").rows
    }
    checked = 0
    for (name, key), lives in lives_of(the_site().tables).by_key.items():
        if name != framework:
            continue
        rows = strips(pages()[key_page(framework, key)])[framework]["rows"]
        for life in lives:
            row = next(row for row in rows if life.component in row["n"].split(", "))
            piece = next((piece for piece in row["p"] if piece[0] <= newest <= piece[1]), None)
            expected = told.get((life.component, key, life.mode))
            assert (piece is None) == (expected is None), (life.component, key)
            if piece is not None and expected is not None:
                assert SEVERITIES[piece[5]] == expected.severity, (life.component, key)
                checked += 1

    assert checked == len(told)
