"""The search in a browser: every name finds what it names, also with a typo, by keyboard and by mouse."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from rlmetrics.names import load_tables
from rlmetrics.names.sources.surfaces import route_surfaces, show_template

Open = Callable[..., Page]

# What is found for each of some texts: for each result its names, kind and framework.
FIND = """async ([texts, most]) => {
  const search = new RlmetricsSearch(RLMETRICS_INDEX);
  return texts.map((text) => search.find(text, most).map((one) => [one.entry.name, ...(one.entry.also || [])]));
}"""

# The first entries for one text.
ENTRIES = """([text]) => new RlmetricsSearch(RLMETRICS_INDEX).find(text, 3)
  .map((one) => ({ kind: one.entry.kind, name: one.entry.name, frameworks: one.entry.frameworks }))"""

# Every name of six letters or more, and three ways to mistype it: a letter left out, added, changed or two swapped.
TYPOS = """([names]) => {
  let seed = 20;
  const next = (most) => (seed = (seed * 1103515245 + 12345) % 2147483648, Math.floor(seed / 2147483648 * most));
  const letter = () => "abcdefghijklmnopqrstuvwxyz"[next(26)];
  const ways = [
    (name, at) => name.slice(0, at) + name.slice(at + 1),
    (name, at) => name.slice(0, at) + letter() + name.slice(at),
    (name, at) => name.slice(0, at) + letter() + name.slice(at + 1),
    (name, at) => name.slice(0, at) + (name[at + 1] || "") + name[at] + name.slice(at + 2),
  ];
  const known = new Set(names);
  const long = names.filter((name) => name.replace(/[^a-z]/gi, "").length >= 6);
  return long.flatMap((name) => [0, 1, 2].map(() => [name, ways[next(4)](name, next(name.length))]))
    .filter(([name, typo]) => !known.has(typo));
}"""


@pytest.fixture(scope="module")
def names() -> list[str]:
    """Every metric, alias, key and template."""
    tables = load_tables()
    found = dict.fromkeys(tables.metrics)
    for row in tables.metrics.values():
        found.update(dict.fromkeys(row.get("aliases", ())))
    for framework in tables.frameworks:
        table = tables.framework(framework)
        for _, stem, _, _ in table.components:
            found.update(dict.fromkeys(table.component(stem).spelled))
    return [*found]


@pytest.fixture
def search(opened: Open, served: str) -> Page:
    """The home page with the index loaded."""
    page = opened(f"{served}/")
    page.locator(".rlm-ask input").focus()
    page.wait_for_function("window.RlmetricsSearch && window.RLMETRICS_INDEX")
    return page


def test_every_name_typed_whole_is_first(search: Page, names: list[str]) -> None:
    """A metric, an alias, a key or a template is first, or something else that is spelt the same."""
    found = search.evaluate(FIND, [names, 1])
    assert len(names) > 1800
    assert [name for name, hits in zip(names, found, strict=True) if not hits or name not in hits[0]] == []


def test_a_typo_is_forgiven(search: Page, names: list[str]) -> None:
    """One letter left out, added, changed or swapped: a name is among the first five, or five others are as near."""
    typos = search.evaluate(TYPOS, [names])
    assert len(typos) > 5000
    found = search.evaluate(FIND, [[typo for _, typo in typos], 5])
    # Nobody types the brackets of a placeholder, of which there are pairs.
    missed = [
        (name, typo)
        for (name, typo), hits in zip(typos, found, strict=True)
        if not any(name in hit for hit in hits) and typo.count("{") == typo.count("}")
    ]
    assert [(name, typo) for name, typo in missed if sum(one_edit(typo, other) for other in names) <= 5] == []
    assert len(missed) < 5


def one_edit(typo: str, name: str) -> bool:
    """Whether one letter left out, added, changed or swapped with its neighbour makes a name of a typo."""
    if abs(len(typo) - len(name)) > 1 or typo == name:
        return False
    start = next((at for at, (a, b) in enumerate(zip(typo, name, strict=False)) if a != b), min(len(typo), len(name)))
    left, right = typo[start:], name[start:]
    swapped = right[1:2] + right[:1] + right[2:]
    return left[1:] == right[1:] or left == right[1:] or left[1:] == right or left == swapped


def test_what_trackers_show_finds_the_key(search: Page) -> None:
    """``train/kl`` and whatever else a tracker makes of a name finds that name among the first three."""
    tables = load_tables()
    shown: dict[str, set[str]] = {}
    for framework in tables.frameworks:
        table = tables.framework(framework)
        for stem in dict.fromkeys(stem for _, stem, _, _ in table.components):
            own = table.component(stem)
            routes = tuple(dict.fromkeys(str(row["route"]) for row in own.tracking()))
            for _, rules in route_surfaces(tables, routes):
                for key in own.spelled:
                    if "{" not in key and show_template(key, rules):
                        shown.setdefault(show_template(key, rules), set()).add(key)
    found = search.evaluate(FIND, [[*shown], 3])
    missed = [
        (text, keys)
        for (text, keys), hits in zip(shown.items(), found, strict=True)
        if not any(keys.intersection(hit) for hit in hits)
    ]
    assert len(shown) > 800
    assert missed == []


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("rewards/my_reward/mean", "rewards/{reward_func}/mean"),
        ("val-core/gsm8k/acc/mean@8", "val-core/{data_source}/{variable}/mean@{n}"),
        ("'actor/pg_loss':", "actor/pg_loss"),
        ("actor/pg_loss=0.02", "actor/pg_loss"),
        ("actor/pg_loss:-1.5e-05", "actor/pg_loss"),
        ("what is policy/approxkl_avg in trl 0.12?", "policy/approxkl_avg"),
    ],
)
def test_what_is_pasted_is_understood(search: Page, text: str, name: str) -> None:
    """Filled templates, quoted names, names with their values and names within questions."""
    assert name in search.evaluate(FIND, [[text], 1])[0][0]


@pytest.mark.parametrize(
    ("text", "kind", "name"),
    [
        ("entropy collapse", "symptom", "Entropy: collapses"),
        ("my kl is negative, is that ok", "symptom", "KL divergence: is negative, or not 0 at the start"),
        ("kl divergence", "page", "KL divergence"),
        ("value loss", "metric", "value/loss"),
        ("the frobnicated gradient norm", "metric", "optimizer/gradient_norm"),
    ],
)
def test_a_question_in_words_is_understood(search: Page, text: str, kind: str, name: str) -> None:
    """Symptoms and families are found by their names, metrics by theirs; words that nothing holds do not matter."""
    first = search.evaluate(ENTRIES, [text])[0]
    assert (kind, name) == (first["kind"], first["name"])


@pytest.mark.parametrize(
    ("text", "name"), [("熵", "entropy"), ("奖励一直是0", "reward/score/mean"), ("熵坍缩", "熵：坍缩")]
)
def test_chinese_terms_are_read_as_english_ones(opened: Open, served: str, text: str, name: str) -> None:
    """What is asked in Chinese finds what the same words find in English, among the first three."""
    page = opened(f"{served}/zh/")
    page.locator(".rlm-ask input").focus()
    page.wait_for_function("window.RlmetricsSearch && window.RLMETRICS_INDEX")
    assert name in [hit[0] for hit in page.evaluate(FIND, [[text], 3])[0]]


def test_a_key_of_another_framework_does_not_come_first(search: Page) -> None:
    """Who asks for verl is not led to a name that only TRL logs while names that verl logs hold the words."""
    assert "verl" in search.evaluate(ENTRIES, ["kl in verl 0.5"])[0]["frameworks"]
    assert "policy/approxkl_avg" in search.evaluate(FIND, [["policy/approxkl_avg in verl"], 1])[0][0]


def test_a_typo_is_nearer_than_a_name_without_what_stands_before_it(search: Page) -> None:
    """``actr`` is a misspelt ``actor``; ``myrun`` is somebody's own."""
    typo, own = search.evaluate(FIND, [["actr/entropy", "myrun/entropy"], 1])
    assert {"actor_entropy", "actor/entropy"} & set(typo[0])
    assert "entropy" in own[0]


def test_a_slash_asks_from_every_page(opened: Open, served: str) -> None:
    """It puts the cursor into the box, is not typed, and is typed where text is entered."""
    page = opened(f"{served}/concepts/")
    page.keyboard.press("/")
    box = page.get_by_role("combobox")
    expect(box).to_be_focused()
    expect(box).to_have_value("")
    page.keyboard.type("actor/kl")
    expect(box).to_have_value("actor/kl")


def test_the_keyboard_alone_leads_to_a_page(opened: Open, served: str) -> None:
    """Arrow keys move and say where they are, Escape closes, Enter opens the page of the chosen result."""
    page = opened(f"{served}/concepts/")
    box = page.get_by_role("combobox")
    page.keyboard.press("/")
    page.keyboard.type("entropy")
    options = page.get_by_role("option")
    expect(options.first).to_have_attribute("aria-selected", "true")
    expect(box).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("ArrowDown")
    expect(options.nth(1)).to_have_attribute("aria-selected", "true")
    expect(options.first).to_have_attribute("aria-selected", "false")
    chosen = options.nth(1)
    expect(box).to_have_attribute("aria-activedescendant", chosen.get_attribute("id") or "")
    target = chosen.evaluate("(link) => link.href")
    page.keyboard.press("Escape")
    expect(page.get_by_role("listbox")).to_be_hidden()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("listbox")).to_be_visible()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(page.locator("[aria-selected=true]")).to_have_count(1)
    target = page.locator("[aria-selected=true]").evaluate("(link) => link.href")
    page.keyboard.press("Enter")
    page.wait_for_url(target)


def test_who_types_faster_than_the_index_comes_arrives(opened: Open, served: str) -> None:
    """Enter before anything was shown opens the first result as soon as there is one."""
    page = opened(f"{served}/concepts/")
    page.evaluate(
        """() => {
          const box = document.querySelector("[role=combobox]");
          box.focus();
          box.value = "kl/old/k2";
          box.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true }));
        }"""
    )
    page.wait_for_url("**/m/kl/old/k2/")


def test_a_result_tells_what_it_is(opened: Open, served: str) -> None:
    """Kind, brief, trainers and releases; its release is in the address where one was asked for."""
    page = opened(f"{served}/")
    page.locator(".rlm-ask input").click()
    page.keyboard.type("policy/approxkl_avg trl 0.12.1")
    first = page.get_by_role("option").first
    expect(first).to_contain_text("policy/approxkl_avg")
    expect(first).to_contain_text("TRL key")
    expect(first).to_contain_text("0.9.2 – 1.12.0")
    first.click()
    page.wait_for_url("**/k/trl/policy/approxkl_avg/#at=trl-0.12.1")


def test_it_works_from_a_disk(opened: Open, site: Path) -> None:
    """Without any server: the index is no request, and results and links name files."""
    page = opened((site / "index.html").as_uri())
    page.locator(".rlm-ask input").click()
    page.keyboard.type("kl/old/k2")
    page.get_by_role("option").first.click()
    page.wait_for_url("**/m/kl/old/k2/index.html")
    page.locator(".md-nav--primary a", has_text="Concepts").first.evaluate("(link) => link.click()")
    page.wait_for_url("**/concepts/index.html")


def test_the_box_is_usable_on_a_phone(opened: Open, served: str) -> None:
    """It is seen beside the menu, its list is as wide as the screen, and nothing moves sideways."""
    page = opened(f"{served}/m/kl/old/k2/", 390, 844)
    box = page.locator(".rlm-find input")
    expect(box).to_be_visible()
    box.click()
    page.keyboard.type("entropy")
    listed = page.get_by_role("listbox").bounding_box()
    assert listed is not None
    assert listed["x"] >= 0
    assert 360 <= listed["width"] <= 390
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    page.get_by_role("option").first.click()
    page.wait_for_url("**/k/trl/entropy/")


def test_nothing_is_loaded_before_it_is_asked(opened: Open, served: str) -> None:
    """The index comes with the first focus, once."""
    page = opened(f"{served}/m/kl/old/k2/")
    loaded = "performance.getEntriesByType('resource').filter((one) => one.name.endsWith('generated/search.js')).length"
    assert page.evaluate(loaded) == 0
    page.keyboard.press("/")
    page.keyboard.type("kl")
    expect(page.get_by_role("option").first).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    page.keyboard.type("x")
    assert page.evaluate(loaded) == 1


def test_nothing_found_is_said(opened: Open, served: str) -> None:
    """In the list, and to a screen reader."""
    page = opened(f"{served}/concepts/")
    page.keyboard.press("/")
    page.keyboard.type("zzqqxxyy")
    expect(page.get_by_role("listbox")).to_contain_text("Nothing is called that")
    expect(page.locator(".rlm-find__said").first).to_contain_text("Nothing is called that")
    expect(page.get_by_role("option")).to_have_count(0)
