"""The translator in the page answers as the command line does, in a real browser."""

from __future__ import annotations

import gzip
import json
import shutil
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from folders import FIXTURES, RUNS
from names.derived_logs import ROWS
from playwright.sync_api import Page
from rlmetrics.codegen.site.lives import lives_of
from rlmetrics.codegen.site.page_links import key_page
from rlmetrics.codegen.site.translating.writing import FOLDER
from rlmetrics.codegen.site.translator_page import SENTENCES
from rlmetrics.codegen.translations import interface_sentences
from rlmetrics.logs.decimals import convert_decimal, spelled
from rlmetrics.logs.kinds import KINDS
from rlmetrics.names import Clues, find_source
from rlmetrics.names.tables.tables import Tables
from rlmetrics.translate import translate_file
from translator_cases import drawn, expected, name_of
from translator_site import ROOT, catalog_of

CASES, SEED = 2000, 2019
LOGS = sorted(path.name for path in RUNS.iterdir() if path.suffix in (".jsonl", ".json", ".csv", ".log"))
ROUTES = (
    ("trl-0.7.10-ppo1_wandb.jsonl", "trl[PPOTrainer]==0.7.10", "trl[PPOTrainer]==0.18.2"),
    ("trl-0.12.2-ppo.trainer_state.json", "trl[PPOTrainer]==0.12.2", "canonical"),
    ("trl-0.18.2-ppo.jsonl", "trl[PPOTrainer]==0.18.2", "trl[PPOTrainer]==0.7.10"),
    ("trl-0.18.2-grpo.jsonl", "trl[GRPOTrainer]==0.18.2", "verl==0.9.1"),
    ("trl-0.18.2-grpo.console.log", "trl[GRPOTrainer]==0.18.2", "trl[GRPOTrainer]==1.16.0"),
    ("trl-0.18.2-grpo.wandb-export.csv", "trl[GRPOTrainer]==0.18.2", "trl[GRPOTrainer]==1.16.0"),
    ("trl-0.18.2-grpo.wandb-api.csv", "trl[GRPOTrainer]==0.18.2", "verl==0.9.1"),
    ("trl-1.16.0-dpo.trainer_state.json", "trl[DPOTrainer]==1.16.0", "canonical"),
    ("trl-1.16.0-grpo.console.log", "trl[GRPOTrainer]==1.16.0", "verl==0.9.1"),
    ("verl-0.5.0.console.log", "verl==0.5.0", "verl==0.9.1"),
    ("verl-0.9.1-ray.console.log", "verl==0.9.1", "trl[GRPOTrainer]==1.16.0"),
    ("verl-0.9.1-tracking.jsonl", "verl==0.9.1", "canonical"),
    ("verl-0.9.1-sft.jsonl", "verl[sft]==0.9.1", "trl[SFTTrainer]==1.16.0"),
)
ANSWER = """async (pairs) => {
  const T = window.rlmetricsTranslator;
  const guarded = (made) => {
    try {
      return made();
    } catch (error) {
      if (!(error instanceof T.NamesError)) throw error;
      return { error: Boolean(error.message) };
    }
  };
  const told = (move) => ({
    target: move.target, output: move.output, relation: move.relation, severity: move.severity, metric: move.metric,
    translated: move.translated, needs: move.needs, order: move.order, related: move.related.map((item) => item.key),
    differences: move.differences.map((item) => [item.grade, item.applies, item.vanishes]),
    transform: move.transform && [move.transform.scale, move.transform.offset], note: move.notes.join("; ") || null,
  });
  const answered = [];
  for (const { source, target, keys } of pairs) {
    const map = await T.mapBetween(source, target).catch((error) => guarded(() => { throw error; }));
    if (map.error === undefined) await T.prepare(map, keys);
    answered.push(keys.map((key) => (map.error === undefined ? guarded(() => told(map.move(key))) : map)));
  }
  return answered;
}"""
WRITE = """async ([given, name, source, target]) => {
  const T = window.rlmetricsTranslator;
  const map = await T.mapBetween(T.parseSource(source), T.parseSource(target));
  const doc = T.read(given, name);
  await T.prepare(map, T.namesIn(doc));
  const run = new T.Run(map, doc.rows);
  const text = doc.write(run);
  const told = { collisions: Object.fromEntries(run.collisions), duplicates: Object.fromEntries(run.duplicates) };
  return { text, ...told };
}"""
DETECT = """async ([text, name]) => {
  const T = window.rlmetricsTranslator;
  const doc = T.read(text, name);
  const keys = T.namesIn(doc);
  const found = await T.detect(keys, doc.whole);
  const said = (item) => T.sourceName(T.candidateSource(item));
  return { keys, whole: doc.whole, best: found.best.map(said), groups: found.groups.map(([first]) => said(first)),
    chosen: found.chosen && said(found.chosen) };
}"""
SHOWN = """async ([pairs, catalog]) => {
  const T = window.rlmetricsTranslator;
  const told = (map, run) => {
    const { rows, causes } = T.tableOf(run.moves, map, "../");
    return [...rows, ...causes].map((element) => element.outerHTML).join("");
  };
  const answered = [];
  for (const { source, target, keys } of pairs) {
    T.words = {};
    try {
      const map = await T.mapBetween(source, target);
      await T.prepare(map, keys);
      const run = new T.Run(map, [new Map(keys.map((key) => [key, "1"]))]);
      const own = told(map, run);
      T.words = catalog;
      answered.push([own, told(map, run)]);
    } catch (error) {
      if (!(error instanceof T.NamesError)) throw error;
    }
  }
  return answered;
}"""


def test_2000_drawn_cases_are_answered_as_on_the_command_line(translator: Page, tables: Tables) -> None:
    """Target, relation, severity, differences, look-alikes and notes of drawn keys are those of `Translator`."""
    pairs = drawn(tables, CASES, SEED)
    answered: list[list[dict[str, Any]]] = translator.evaluate(ANSWER, pairs)
    wrong: list[str] = []
    for pair, answers in zip(pairs, answered, strict=True):
        for key, here, there in zip(pair["keys"], answers, expected(pair, tables), strict=True):
            unlike = {
                name: (here.get(name), there.get(name)) for name in here | there if here.get(name) != there.get(name)
            }
            if unlike:
                wrong.append(f"{key} of {name_of(pair['source'])} to {name_of(pair['target'])}: {json.dumps(unlike)}")
    assert not wrong, f"{len(wrong)} of {CASES}:\n" + "\n".join(wrong[:20])


@pytest.mark.parametrize("framework", ["ms-swift", "llamafactory"])
def test_trainers_are_paired_as_on_the_command_line(translator: Page, tables: Tables, framework: str) -> None:
    """Each trainer of a framework finds the program of verl that it finds there, or none, by task and by its loss."""
    table, verl = tables.framework(framework), tables.framework("verl").releases.names[-1]
    target = {"framework": "verl", "release": verl, "component": None, "program": None}
    trainers = [(name, table.releases.expand(ranges)[-1]) for name, _, ranges, _ in table.components]
    sources = [{**target, "framework": framework, "release": at, "component": name} for name, at in trainers]
    pairs = [{"source": source, "target": target, "keys": ["loss", "grad_norm"]} for source in sources]

    answered = translator.evaluate(ANSWER, pairs)

    assert len(pairs) >= 5
    for pair, answers in zip(pairs, answered, strict=True):
        told = [{name: answer.get(name) for name in ("target", "error")} for answer in answers]
        assert told == [{name: one.get(name) for name in ("target", "error")} for one in expected(pair, tables)]


@pytest.mark.parametrize(("name", "source", "target"), ROUTES)
def test_a_recorded_run_is_written_as_on_the_command_line(
    translator: Page, tmp_path: Path, name: str, source: str, target: str
) -> None:
    """The text of a log is, character by character, the file that the command line writes, and names collide alike."""
    output = tmp_path / "out"
    report = translate_file(RUNS / name, target=target, source=source, output=output)
    made = translator.evaluate(WRITE, [(RUNS / name).read_text(), name, source, target])
    assert made["text"] == output.read_text()
    assert {new: sorted(keys) for new, keys in made["collisions"].items()} == {
        new: sorted(keys) for new, keys in report.collisions.items()
    }
    assert made["duplicates"] == report.duplicates


@pytest.mark.parametrize("name", LOGS)
def test_the_trainer_of_a_recorded_run_is_among_those_offered(translator: Page, tables: Tables, name: str) -> None:
    """The page offers those that log the most of the keys; what the command line takes a run for is one of them."""
    found = translator.evaluate(DETECT, [(RUNS / name).read_text(), name])
    kinds = [kind for kind in KINDS.values() if kind.recognises(RUNS / name)]
    if kinds:
        assert set(found["keys"]) >= set(kinds[0].open(RUNS / name).names())
    answer = find_source(Clues(tuple(found["keys"]), whole=found["whole"]), tables)
    assert answer.candidates[0].name in {source.partition("==")[0] for source in found["best"]}


@pytest.mark.parametrize("name", ROWS)
def test_a_log_of_a_derived_framework_is_told_from_one_of_its_base(translator: Page, name: str) -> None:
    """By the keys that are its own; without them it is the base's."""
    script = "async (keys) => (await rlmetricsTranslator.detect(keys, true)).best.map(({ framework }) => framework)"
    assert set(translator.evaluate(script, [*ROWS[name]])) == {name.partition("[")[0]}
    assert set(translator.evaluate(script, ["kl", "completions/mean_length", "reward", "num_tokens"])) == {"trl"}


def test_values_are_converted_digit_by_digit_as_on_the_command_line(translator: Page, translator_place: Path) -> None:
    """By every scale and offset that any facts have, numbers become what `convert_decimal` makes of them."""
    transforms = sorted(
        {
            (relation[2], relation[3])
            for path in (translator_place.parents[1] / FOLDER).rglob("*.facts.js")
            for relation in _data(path)["relations"]
            if len(relation) > 2
        }
    )
    numbers = [
        "0",
        "-0.0",
        "1",
        "0.1",
        "-3.25",
        "195",
        "1.95e-07",
        "1e22",
        "123456789.123456789",
        "5e-324",
        "0.30000000000000004",
    ]
    cases = [(number, scale, offset) for scale, offset in transforms for number in numbers]
    made = translator.evaluate(
        "(cases) => cases.map(([text, scale, offset]) => rlmetricsTranslator.convert(text, { scale, offset }, 'json'))",
        cases,
    )
    assert len(transforms) > 10
    assert made == [spelled(convert_decimal(Decimal(text), scale, offset)) for text, scale, offset in cases]


def _data(path: Path) -> dict[str, Any]:
    """Return what a script of data says."""
    text = path.read_text()
    found: dict[str, Any] = json.loads(text[text.index(",") + 1 : text.rindex(")")])
    return found


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_file_is_small(request: pytest.FixtureRequest, language: str) -> None:
    """No file of data, nor of words for it, is over 45 kB compressed."""
    place: Path = request.getfixturevalue({"en": "translator_place", "zh": "chinese_translator_place"}[language])
    folder = place.parents[1] / FOLDER
    sizes = {path.name: len(gzip.compress(path.read_bytes())) for path in folder.rglob("*.js")}
    assert any(name.endswith(".words.js") for name in sizes) == (language != "en")
    assert {name: size for name, size in sizes.items() if size > 45_000} == {}


def test_a_visitor_has_every_word_of_his_language_that_he_needs(chinese_translator: Page, tables: Tables) -> None:
    """With the words that lie beside the facts of 400 drawn keys, as much is in Chinese as with all that there are."""
    catalog = catalog_of("zh")
    shown = chinese_translator.evaluate(SHOWN, [drawn(tables, 400, SEED + 2), catalog])
    assert [own for own, _ in shown] == [whole for _, whole in shown]
    text = "".join(own for own, _ in shown)
    assert sum(words in text for words in catalog.values() if len(words) > 8) > 20


@pytest.mark.parametrize(
    ("name", "source", "target"),
    [
        ("trl-0.18.2-grpo.view.json", "trl[GRPOTrainer]==0.18.2", "trl[GRPOTrainer]==0.14.0"),
        ("trl-0.7.10-ppo.workspace.json", "trl[PPOTrainer]==0.7.10", "trl[PPOTrainer]==0.18.2"),
        ("verl-0.9.1.grafana.json", "verl==0.9.1", "trl[GRPOTrainer]==1.16.0"),
        ("verl-0.9.1.report.json", "verl==0.9.1", "trl[GRPOTrainer]==1.16.0"),
    ],
)
def test_a_dashboard_gets_the_names_that_the_command_line_gives_it(
    translator: Page, tmp_path: Path, name: str, source: str, target: str
) -> None:
    """Each text of a dashboard becomes what the command line makes of it, but for regular expressions, which stay."""
    board = FIXTURES / "dashboards" / name
    translate_file(board, target=target, source=source, output=tmp_path / "out")
    made = translator.evaluate(WRITE, [board.read_text(), name, source, target])["text"]
    before, here, there = (
        _texts(json.loads(text)) for text in (board.read_text(), made, (tmp_path / "out").read_text())
    )
    changed = [(old, new) for old, new in zip(before, there, strict=True) if old != new]
    assert len([old for old, new in changed if ".*" not in old]) > 0
    wrong = [
        (old, new, wanted)
        for old, new, wanted in zip(before, here, there, strict=True)
        if new != wanted and not (old == new and ".*" in old)
    ]
    assert wrong == [], "\n".join(map(str, wrong))


def _texts(node: Any) -> list[str]:
    """Return every text of a JSON value, names of members included; one that is JSON itself is read, too."""
    if isinstance(node, str):
        return _texts(json.loads(node)) if node.startswith('{"section') else [node]
    if isinstance(node, dict):
        return [text for name, value in node.items() for text in (name, *_texts(value))]
    return [text for item in node for text in _texts(item)] if isinstance(node, list) else []


def test_panels_in_yaml_get_new_names(translator: Page) -> None:
    """Names in a list and behind a key are replaced, with their quotes; comments, titles and other words stay."""
    lines = (
        "panels:",
        "  - title: KL  # approxkl",
        "    metrics:",
        "      - ppo/policy/approxkl # one",
        "      - 'objective/kl'",
        "    y: ppo/policy/clipfrac",
    )
    text = "\n".join(lines)
    made = translator.evaluate(WRITE, [text, "", "trl[PPOTrainer]==0.7.10", "trl[PPOTrainer]==0.18.2"])["text"]
    wanted = text.replace("ppo/policy/approxkl", "policy/approxkl_avg").replace(
        "ppo/policy/clipfrac", "policy/clipfrac_avg"
    )
    assert made == wanted


def test_a_mirrored_metric_swaps_minimum_and_maximum(translator: Page, tmp_path: Path) -> None:
    """What counts the opposite has its smallest value where the other has its largest, as on the command line."""
    key = "val/contain_eos_token"
    text = f"Step,a - {key},a - {key}__MIN,a - {key}__MAX\n1,0.5,0.25,1\n2,,NaN,0.125\n"
    place, places = tmp_path / "chart.csv", ["trl[OnlineDPOTrainer]==0.18.2", "canonical"]
    place.write_text(text)
    translate_file(place, source=places[0], target=places[1], output=tmp_path / "out.csv")

    made = translator.evaluate(WRITE, [text, "chart.csv", *places])["text"]
    assert "length/truncated_fraction__MAX,a - length/truncated_fraction__MIN" in made
    assert made == (tmp_path / "out.csv").read_text()


def test_pasted_texts_are_read(translator: Page) -> None:
    """Keys, a row of JSON, a Python dict, a step of verl, and a header become the same with other names."""
    pairs = [
        ("ppo/policy/approxkl\n\n  ppo/policy/clipfrac\n", "policy/approxkl_avg\n\n  policy/clipfrac_avg\n"),
        ('{"ppo/policy/approxkl": 0.10, "step": 3}', '{"policy/approxkl_avg": 0.10, "step": 3}'),
        ("{'ppo/policy/approxkl': 0.10, 'mine': 1.0}", "{'policy/approxkl_avg': 0.10, 'mine': 1.0}"),
        ("step:1 - ppo/policy/approxkl:0.100 - x:1", "step:1 - policy/approxkl_avg:0.100 - x:1"),
        ("step,ppo/policy/approxkl,ppo/policy/clipfrac", "step,policy/approxkl_avg,policy/clipfrac_avg"),
        ('["ppo/policy/approxkl", "mine"]', '["policy/approxkl_avg", "mine"]'),
    ]
    places = ["", "trl[PPOTrainer]==0.7.10", "trl[PPOTrainer]==0.18.2"]
    made = [translator.evaluate(WRITE, [text, *places])["text"] for text, _ in pairs]
    assert [text.rstrip("\n") for text in made] == [wanted.rstrip("\n") for _, wanted in pairs]


def test_keys_that_claim_one_name_are_set_aside_unless_their_values_are_equal(translator: Page) -> None:
    """With different values both are set aside and told; with equal ones the first stays and the other is told."""
    source, target = "trl[PPOTrainer]==0.7.10", "trl[PPOTrainer]==0.18.2"
    keys = ["env/reward_mean", "ppo/mean_scores"]
    apart = translator.evaluate(WRITE, [json.dumps(dict(zip(keys, (0.1, 0.2), strict=True))), "", source, target])
    equal = translator.evaluate(WRITE, [json.dumps(dict(zip(keys, (0.1, 0.1), strict=True))), "", source, target])
    assert [sorted(found) for found in apart["collisions"].values()] == [keys]
    assert all(name.startswith("untranslated/trl-0.7.10/") for name in json.loads(apart["text"]))
    assert equal["collisions"] == {}
    assert len(equal["duplicates"]) == 1
    assert len(json.loads(equal["text"])) == 1


def test_links_to_keys_lead_where_their_pages_are(translator: Page, translator_place: Path, tables: Tables) -> None:
    """The scripts give every key the address of its page, and every key has one."""
    pages = lives_of(tables).by_key
    keys = {
        (path.parent.name, entry[0])
        for path in (translator_place.parents[1] / FOLDER).glob("*/*.js")
        if path.parent.name in tables.frameworks and not path.name.endswith(".facts.js")
        for entry in _data(path)["entries"]
    }
    assert keys <= pages.keys()
    of_swift = {"framework": "ms-swift"}, {"key": "kl"}
    script = "([view, entry]) => rlmetricsTranslator.keyPage(view, entry)"
    assert translator.evaluate(script, [*of_swift]) == "ms-swift/"
    linked = translator.evaluate(
        "(keys) => keys.map(([framework, key]) => rlmetricsTranslator.keyPage({ framework }, { key }))", sorted(keys)
    )
    assert linked == [f"{key_page(framework, key)}/" for framework, key in sorted(keys)]


def test_every_sentence_of_the_scripts_can_be_translated(tmp_path: Path) -> None:
    """What the scripts say is what the page hands them in its language, no more and no less."""
    shutil.copytree(ROOT / "docs" / "assets" / "translator", tmp_path / "docs" / "assets")
    assert interface_sentences(tmp_path).keys() == set(SENTENCES)
