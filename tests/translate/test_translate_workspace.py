"""Specs of W&B workspaces and reports, through the real command line, loaded again by W&B's own package."""

import json
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from json_changes import changes
from logs import kind_name
from rlmetrics.translate import Report, Translator
from rlmetrics.translate.rewriting.wandb_workspace_rewriter import rewrite
from workspaces import panels_of, spec_with

# W&B's package tells type checkers less than it makes at run time.
REPORTS: Any = import_module("wandb_workspaces.reports.v2.interface")
REPORT_MODELS: Any = import_module("wandb_workspaces.reports.v2.internal")
WORKSPACES: Any = import_module("wandb_workspaces.workspaces")
WORKSPACE_MODELS: Any = import_module("wandb_workspaces.workspaces.internal")

DASHBOARDS = Path(__file__).parents[1] / "fixtures" / "dashboards"
PPO = DASHBOARDS / "trl-0.7.10-ppo.workspace.json"
GRPO = DASHBOARDS / "trl-0.18.2-grpo.view.json"
REPORT = DASHBOARDS / "verl-0.9.1.report.json"
OLD_PPO, NEW_PPO = "trl[PPOTrainer]==0.7.10", "trl[PPOTrainer]==0.18.2"
OLD_VERL, NEW_VERL = "verl==0.1", "verl==0.9.1"


def test_every_place_of_a_workspace_is_rewritten_and_nothing_else(translated):
    """Metrics, expressions, legends, regexes, axes, columns, filters, order and column lists follow; prose stays."""
    code, text, report = translated(PPO, OLD_PPO, NEW_PPO)

    panels = "/section/panelBankConfig/sections/0/panels"
    runs = "/section/runSets/0"
    scores = "summary:ppo/mean_scores", "summary:objective/scores"
    regex = "^ppo/policy/.*|^(?:policy/entropy_avg|policy/approxkl_avg|policy/clipfrac_avg)$"
    expected = {
        f"{panels}/0/config/metrics/1": ("ppo/policy/approxkl", "policy/approxkl_avg"),
        f"{panels}/1/config/metrics/0": ("env/reward_mean", "objective/scores"),
        f"{panels}/1/config/expressions/0": (
            "${env/reward_mean} - ${env/reward_std}",
            "${objective/scores} - ${env/reward_std}",
        ),
        f"{panels}/1/config/legendTemplate": (
            "${run:displayName} ${summary:ppo/mean_scores}",
            "${run:displayName} ${summary:objective/scores}",
        ),
        f"{panels}/2/config/metrics/0": ("summary_metrics.ppo/mean_scores", "summary_metrics.objective/scores"),
        f"{panels}/3/config/metrics/0": ("ppo/loss/policy", "loss/policy_avg"),
        f"{panels}/3/config/metrics/1": ("ppo/loss/value", "loss/value_avg"),
        f"{panels}/3/config/expressions/0": (
            "${ppo/loss/policy}+${ppo/loss/value}",
            "${loss/policy_avg}+${loss/value_avg}",
        ),
        f"{panels}/4/config/metricRegex": ("^ppo/policy/.*", regex),
        f"{panels}/5/config/yAxis": scores,
        f"{panels}/6/config/columns/1/accessor": scores,
        f"{panels}/7/config/targetKey": ("ppo/mean_scores", "objective/scores"),
        f"{runs}/runFeed/columnVisible/{scores[0]}": (scores[0], None),
        f"{runs}/runFeed/columnVisible/{scores[1]}": (None, scores[1]),
        f"{runs}/runFeed/columnPinned/{scores[0]}": (scores[0], None),
        f"{runs}/runFeed/columnPinned/{scores[1]}": (None, scores[1]),
        f"{runs}/runFeed/columnOrder/1": scores,
        f"{runs}/filters/filters/0/key/name": ("ppo/mean_scores", "objective/scores"),
        f"{runs}/sort/keys/0/key/name": ("ppo/mean_scores", "objective/scores"),
    }
    old = json.loads(PPO.read_bytes())
    assert (code, report["kind"]) == (0, "wandb-workspace")
    assert changes(old, json.loads(text)) == expected
    assert {"ppo/policy/approxkl", "env/reward_mean", "ppo/mean_scores", "ppo/loss/policy", "ppo/loss/value"} <= set(
        report["translated"]
    )
    assert report["unchanged"] == ["env/reward_std", "game_log"]
    assert report["unknown"] == ["ppo/total_steps"]
    place = (
        re.escape(f"{PPO}:") + r"218:18: a text mentions ppo/policy/approxkl \(now policy/approxkl_avg\): left as it is"
    )
    assert any(re.fullmatch(place, note) for note in report["notes"])
    assert any("widened" in note for note in report["notes"])


def test_wandbs_package_loads_the_translated_workspace(translated):
    """``Workspace._from_model`` takes it, and what its models write is what was translated."""
    _, text, _ = translated(PPO, OLD_PPO, NEW_PPO)

    spec = WORKSPACE_MODELS.WorkspaceViewspec.model_validate_json(text)
    view = WORKSPACE_MODELS.View(entity="e", project="p", display_name="d", name="nw-x-v", id="", spec=spec)
    workspace = WORKSPACES.Workspace._from_model(view)

    assert json.loads(text) == json.loads(spec.model_dump_json(by_alias=True, exclude_none=True))
    assert [metric.name for metric in workspace.sections[0].panels[0].y] == ["objective/kl", "policy/approxkl_avg"]
    assert "objective/scores" in text
    assert workspace.runset_settings.order[0].item.name == "objective/scores"


def test_a_view_holds_its_spec_as_text(translated):
    """As the server returns it: the string is rewritten in place, and all around it stays byte for byte."""
    code, text, report = translated(GRPO, "trl[GRPOTrainer]==0.18.2", NEW_VERL)

    old = GRPO.read_text(encoding="utf-8")
    start = old.index('"spec": "') + len('"spec": "')
    assert code == 0
    assert old[:start] == text[:start]
    assert old[-3:] == text[-3:]
    spec = json.loads(json.loads(text)["spec"])
    assert spec["section"]["settings"]["xAxis"] == "training/global_step"
    assert panels_of(json.dumps(spec))[0]["metrics"] == ["critic/score/mean", "eval/reward"]
    assert all(":6:" in note or note.startswith("the target is reinforcement learning") for note in report["notes"])


def test_reports_are_rewritten_wherever_panels_stand(translated):
    """Panel grids, run sets, custom charts with their queries, tables and fields follow; columns and prose stay."""
    code, text, report = translated(REPORT, NEW_VERL, "canonical")

    grid = "/blocks/3/metadata"
    panels = f"{grid}/panelBankSectionConfig/panels"
    found = changes(json.loads(REPORT.read_bytes()), json.loads(text))
    query = "/config/userQuery/queryFields/0/fields/0"
    step, score = ("training/global_step", "progress/global_step"), ("critic/score/mean", "reward/score/mean")
    assert code == 0
    assert {
        f"{grid}/runSets/0/filters/filters/0/key/name": score,
        f"{panels}/4{query}/args/0/value": ("val/generations", "validation/generations"),
        f"{panels}/5{query}/value/0": score,
        f"{panels}/5{query}/value/1": step,
        f"{panels}/5/config/fieldSettings/x": step,
        f"{panels}/5/config/fieldSettings/y": score,
        f"{panels}/0/config/xAxis": step,
        f"{panels}/2/config/metrics/0": (
            "summary_metrics.val-core/openai/gsm8k/reward/mean@1",
            "summary_metrics.validation/mean/openai/gsm8k/reward/1",
        ),
    }.items() <= found.items()
    assert len(found) == 17
    assert sum("a text mentions critic/score/mean" in note for note in report["notes"]) == 2
    loaded = REPORTS.Report._from_model(
        REPORT_MODELS.ReportViewspec.model_validate({"spec": json.loads(text), "project": {"name": "p"}})
    )
    drawn = next(block for block in loaded.blocks if hasattr(block, "panels")).panels[0]
    assert [metric.name for metric in drawn.y] == ["reward/score/mean", "reward/score/max", "reward/score/min"]


def test_translating_commutes_with_wandbs_models(tmp_path):
    """Rewriting what the models write gives what the models write of the rewritten report."""

    def written(text):
        spec = REPORT_MODELS.Spec.model_validate_json(text)
        return json.loads(spec.model_dump_json(by_alias=True, exclude_none=True))

    def renamed(text):
        return rewrite(text, tmp_path, Translator(NEW_VERL, "canonical"), Report("", "", ""))

    text = REPORT.read_text(encoding="utf-8")
    assert written(renamed(text)) == json.loads(renamed(json.dumps(written(text))))


def test_both_names_stand_in_one_panel(translated):
    """Lists, expressions and maps get the new name and keep the old one; where only one can stand, that is said."""
    board = spec_with(
        (
            "Run History Line Plot",
            {
                "xAxis": "critic/kl_coeff",
                "metrics": ["timing/ref", "critic/kl_coeff", "mine"],
                "expressions": ["${timing/ref}*2", "${mine}"],
                "overrideSeriesTitles": {"run1:timing/ref": "reference", "run1:mine": "m"},
            },
        )
    )

    code, text, report = translated(board, OLD_VERL, NEW_VERL, "--both")

    new = "actor/reward_kl_penalty_coeff"
    assert code == 0
    assert panels_of(text) == [
        {
            "xAxis": new,
            "metrics": ["timing_s/ref", "timing/ref", new, "critic/kl_coeff", "mine"],
            "expressions": ["${timing_s/ref}*2", "${timing/ref}*2", "${mine}"],
            "overrideSeriesTitles": {
                "run1:timing_s/ref": "reference",
                "run1:timing/ref": "reference",
                "run1:mine": "m",
            },
        }
    ]
    assert any("only one name can stand here: critic/kl_coeff is replaced" in note for note in report["notes"])
    assert report["unknown"] == ["mine"]


def test_names_with_another_meaning_are_set_aside(translated):
    """What the target calls by the same name for something else is shown under the name that translated runs have."""
    old = "critic/advantages/max"
    board = spec_with(("Scalar Chart", {"metrics": [old, "critic/kl_coeff"], "expressions": [f"${{{old}}}"]}))
    for options in ([], ["--both"]):
        code, text, report = translated(board, OLD_VERL, NEW_VERL, *options)

        aside = f"untranslated/verl-0.1/{old}"
        assert code == 0
        assert aside == panels_of(text)[0]["metrics"][0]
        assert old not in panels_of(text)[0]["metrics"]
        assert panels_of(text)[0]["expressions"] == [f"${{{aside}}}"]
        assert report["set_aside"] == {old: aside}


def test_two_names_that_become_one_stand_once(translated):
    """A list has the new name once; a map with different settings for both sets both aside, and the exit code is 1."""
    old = ["ppo/mean_scores", "env/reward_mean"]
    board = spec_with(
        ("Scalar Chart", {"metrics": old}), ("Scalar Chart", {"overrideColors": {f"r:{n}": n for n in old}})
    )

    code, text, report = translated(board, OLD_PPO, NEW_PPO)

    aside = "r:untranslated/trl-0.7.10/"
    assert code == 1
    assert panels_of(text) == [
        {"metrics": ["objective/scores"]},
        {"overrideColors": {aside + name: name for name in old}},
    ]
    assert {new: sorted(olds, reverse=True) for new, olds in report["collisions"].items()} == {"objective/scores": old}


def test_names_with_a_part_before_or_after_them_are_read(translated):
    """Summaries by statistic, keys of runs and groups with colons, and configuration that is called like a metric."""
    board = spec_with(
        (
            "Scatter Plot",
            {
                "xAxis": "summary:timing/ref.min",
                "yAxis": "config:timing/ref",
                "metrics": ["summary_metrics.timing/ref", "timing/ref.max", "timing/ref"],
                "overrideColors": {"lr: 1e-5:timing/ref": 1, "run:mine:x": 2},
                "legendTemplate": "${config:timing/ref} ${summary:timing/ref.last} ${run:name} ${timing/ref",
            },
        )
    )

    _, text, _ = translated(board, OLD_VERL, NEW_VERL)

    assert panels_of(text) == [
        {
            "xAxis": "summary:timing_s/ref.min",
            "yAxis": "config:timing/ref",
            "metrics": ["summary_metrics.timing_s/ref", "timing_s/ref.max", "timing_s/ref"],
            "overrideColors": {"lr: 1e-5:timing_s/ref": 1, "run:mine:x": 2},
            "legendTemplate": "${config:timing/ref} ${summary:timing_s/ref.last} ${run:name} ${timing/ref",
        }
    ]


def test_unknown_names_are_kept_dropped_or_refused(translated):
    """Names of the source's users are kept by default; W&B's own axes and systems metrics are never unknown."""
    board = spec_with(("Scalar Chart", {"xAxis": "_step", "metrics": ["mine", "timing/ref", "system/gpu.0.gpu"]}))

    for mode, expected in (
        ("keep", ["mine", "timing_s/ref", "system/gpu.0.gpu"]),
        ("drop", ["timing_s/ref", "system/gpu.0.gpu"]),
    ):
        code, text, report = translated(board, OLD_VERL, NEW_VERL, "--unknown", mode)
        assert (code, report["unknown"]) == (0, ["mine"])
        assert panels_of(text) == [{"xAxis": "_step", "metrics": expected}]
    code, text, error = translated(board, OLD_VERL, NEW_VERL, "--unknown", "error")
    assert (code, text) == (2, None)
    assert "board.json: mine: not a key of verl==0.1" in error


def test_strict_crosses_only_exact_and_affine(translated):
    """Approximate counterparts stay under their old name, or aside if that means something else."""
    _, text, report = translated(PPO, OLD_PPO, NEW_PPO, "--strict")

    assert {old: how["relation"] for old, how in report["translated"].items()} == {"ppo/mean_scores": "exact"}
    assert '"untranslated/trl-0.7.10/objective/kl"' in text
    assert '"ppo/policy/approxkl"' in text


def test_bytes_outside_the_names_stay(translated):
    """Fields nobody knows, escapes, huge integers, NaN, odd spaces and line ends are copied as they are."""
    config = (
        '{"metrics" : [ "timing\\/ref" ,\r\n  "caf\\u00e9/\\ud83d\\ude00"],'
        '"new": [1e400, -0.0, 123456789012345678901234567890, NaN, -Infinity, 1.10]}'
    )
    old = (
        '\ufeff{ "section" :\t{"panelBankConfig":{"sections":[{"panels":[{"viewType":"X","config":'
        f'{config}}}]}}]}},"customRunColors":{{}}, "later": {{"ö": "\\u2028"}}}}}}\r\n'
    )

    code, text, report = translated(old, OLD_VERL, NEW_VERL)

    assert code == 0
    assert old.replace('"timing\\/ref"', '"timing_s/ref"') == text
    assert report["unknown"] == ["café/😀"]


def test_names_that_need_escapes_are_spelled_like_the_text_around_them(translated):
    """A name within a string within a string is escaped twice, in ASCII where the file is."""
    board = {"spec": json.dumps(spec_with(("X", {"metrics": ["timing/ref", 'quo"te/é']})))}

    _, text, _ = translated(json.dumps(board), OLD_VERL, NEW_VERL)

    assert json.dumps(board).replace("timing/ref", "timing_s/ref") == text


def test_what_the_app_writes_for_itself_is_only_reported(translated):
    """The maps of overrides are opaque: names in them are told with their place."""
    board = spec_with(("X", {"metrics": ["timing/ref"]}))
    board["section"]["panelBankConfig"]["panelConfigOverrides"] = {"timing/ref": {"a": ["p:timing/values"]}}

    _, text, report = translated(board, OLD_VERL, NEW_VERL)

    assert (
        board["section"]["panelBankConfig"]["panelConfigOverrides"]
        == json.loads(text)["section"]["panelBankConfig"]["panelConfigOverrides"]
    )
    notes = " ".join(report["notes"])
    assert "mentions timing/ref (now timing_s/ref)" in notes
    assert "mentions timing/values (now timing_s/values)" in notes


@pytest.mark.parametrize(
    ("text", "place", "what"),
    [
        ('{"section":\n {"panelBankConfig": [}}', "2:23", "found '}' where a value should stand"),
        ('{"x": 1,\n "spec": "{\\"section\\": {]"}', "2:26", "the spec is not JSON"),
        ('{"metrics": ["timing/ref"]}', "1:1", "holds no spec"),
    ],
)
def test_broken_files_are_told_with_their_place(translated, text, place, what):
    """One line with file, line and column, also within the string that holds the spec; nothing is written."""
    code, written, error = translated(text, OLD_VERL, NEW_VERL, "--kind", "wandb-workspace")

    assert (code, written) == (2, None)
    assert len(error.splitlines()) == 1
    assert f"board.json:{place}: " in error
    assert what in error


def test_a_broken_file_need_not_be_named_to_be_told(translated):
    """Without ``--kind``, what no kind recognises because it is broken is told with its place as well."""
    text = PPO.read_text(encoding="utf-8")
    for broken, place in (
        (text[:2000], text[:2000].count("\n") + 1),
        (text.replace('"panels": [', '"panels": [,', 1), 33),
    ):
        code, written, error = translated(broken, OLD_PPO, NEW_PPO)

        assert (code, written) == (2, None)
        assert f"board.json:{place}:" in error
        assert "not JSON" in error


def test_workspaces_are_recognised_and_their_source_inferred(translated, tmp_path):
    """Views, specs and reports are told from other JSON; names that one release alone has decide the source."""
    assert [kind_name(path) for path in (PPO, GRPO, REPORT)] == ["wandb-workspace"] * 3
    other = tmp_path / "sweep.json"
    other.write_text('{"metric": {"name": "train/kl"}, "panels": ["train/kl"]}')
    assert kind_name(other) == "config"

    code, text, report = translated(
        spec_with(("X", {"metrics": ["actor/lr(1e-4)", "critic/kl_coeff"]})), "auto", NEW_VERL
    )
    assert (code, report["from"].partition("=")[0].partition("[")[0]) == (0, "verl")
    assert panels_of(text)[0]["metrics"] == ["actor/lr", "actor/reward_kl_penalty_coeff"]
    code, text, report = translated(PPO, "auto", NEW_VERL)
    assert (code, report["from"].partition("==")[0]) == (0, "trl[PPOTrainer]")
    assert translated(PPO, OLD_PPO, NEW_VERL)[1] == text
    code, text, error = translated(GRPO, "auto", "canonical")
    assert (code, error["undecided"].keys() <= error["set_aside"].keys()) == (1, True)


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("source", [PPO, GRPO, REPORT])
def test_specs_are_recognised_however_they_are_written(source, indent, tmp_path):
    """Dense or indented, as an object or as a string, or as a string in a string: it is a workspace."""
    document = json.loads(source.read_text(encoding="utf-8"))
    spec = document["spec"] if isinstance(document, dict) and "spec" in document else document
    text = json.dumps(json.loads(spec) if isinstance(spec, str) else spec, indent=indent)
    path = tmp_path / "view.json"
    for _ in range(3):
        path.write_text(text, encoding="utf-8")
        assert kind_name(path) == "wandb-workspace"
        text = json.dumps([{"name": "a", "spec": text}], indent=indent)
