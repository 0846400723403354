"""The translator in the page answers as the command line does."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright
from rlmetrics.codegen.site.translating.writing import scripts
from rlmetrics.names.tables import Tables, load_tables

from translator_cases import drawn, expected, name_of

ROOT = Path(__file__).parents[2]
SCRIPTS = ROOT / "docs" / "assets" / "translator"
CASES, SEED = 2000, 2019
MODULES = ("data", "names", "views", "ranking", "lookalikes", "mapping", "programs", "detection")


@pytest.fixture(scope="module")
def tables() -> Tables:
    return load_tables()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, tables: Tables) -> Path:
    """A folder with a page that has the scripts and the data."""
    root = tmp_path_factory.mktemp("site")
    shutil.copytree(SCRIPTS, root / "translator")
    for name, text in scripts(tables).items():
        place = root / "data" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    loaded = "".join(f'<script src="translator/{name}.js"></script>' for name in MODULES)
    set_up = '<script>rlmetricsTranslator.data = {folder: "data/", version: "1"}</script>'
    (root / "index.html").write_text(f"<!doctype html><meta charset=utf-8>{loaded}{set_up}", encoding="utf-8")
    return root


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=shutil.which("chromium"))
        yield chromium
        chromium.close()


@pytest.fixture
def page(browser: Browser, folder: Path) -> Iterator[Page]:
    """A page opened from a folder, without any server."""
    opened = browser.new_page()
    opened.goto((folder / "index.html").as_uri())
    yield opened
    opened.close()


ANSWER = """async (pairs) => {
  const T = window.rlmetricsTranslator;
  const answered = [];
  for (const { source, target, keys } of pairs) {
    let map;
    try {
      map = await T.mapBetween(source, target);
      await T.prepare(map, keys);
    } catch (error) {
      if (!(error instanceof T.NamesError)) throw error;
      answered.push(keys.map(() => ({ error: Boolean(error.message) })));
      continue;
    }
    answered.push(keys.map((key) => {
      try {
        const move = map.move(key);
        const { target, output, relation, severity, metric, translated, needs, order, transform } = move;
        return { target, output, relation, severity, metric, translated, needs, order,
          related: move.related.map((item) => item.key),
          differences: move.differences.map((item) => [item.grade, item.applies, item.vanishes]),
          transform: transform && [transform.scale, transform.offset],
          note: move.notes.join("; ") || null };
      } catch (error) {
        if (!(error instanceof T.NamesError)) throw error;
        return { error: Boolean(error.message) };
      }
    }));
  }
  return answered;
}"""


def test_2000_drawn_cases_are_answered_as_on_the_command_line(page: Page, tables: Tables) -> None:
    """Target, relation, severity, differences, look-alikes and notes of drawn keys are those of `Translator`."""
    pairs = drawn(tables, CASES, SEED)
    answered: list[list[dict[str, Any]]] = page.evaluate(ANSWER, pairs)
    wrong: list[str] = []
    for pair, answers in zip(pairs, answered, strict=True):
        for key, here, there in zip(pair["keys"], answers, expected(pair, tables), strict=True):
            unlike = {name: (here.get(name), there.get(name)) for name in here | there if here.get(name) != there.get(name)}
            if unlike:
                wrong.append(f"{key} of {name_of(pair['source'])} to {name_of(pair['target'])}: {json.dumps(unlike)}")
    assert not wrong, f"{len(wrong)} of {CASES}:\n" + "\n".join(wrong[:20])
