"""``rlmetrics audit`` on small source trees: what is extracted, what counts as a gap, and what a draft looks like."""

import json
import zipfile

import pytest
import yaml
from audit.wheels import read
from rlmetrics.cli import main
from rlmetrics.codegen.model import ComponentFile

TRAINER = """
from collections import defaultdict


class BaseTrainer:
    def log(self, logs):
        metrics = {key: sum(values) / len(values) for key, values in self._metrics["train"].items()}
        logs.update(metrics)
        super().log(logs)


class NovelTrainer(BaseTrainer):
    def __init__(self, names):
        self._metrics = {"train": defaultdict(list), "eval": defaultdict(list)}
        self.names = names
        self.beta = 0.0

    def compute_loss(self, batch):
        mode = "train" if self.model.training else "eval"
        for name in ("low", "high"):
            self._metrics[mode][f"clip/{name}"].append(batch[name].mean().item())
        for index, name in enumerate(self.names):
            self._metrics[mode][f"rewards/{name}/mean"].append(batch["rewards"][:, index].mean().item())
        if self.beta != 0.0:
            self._metrics[mode]["kl"].append(batch["kl"].mean().item())
"""


@pytest.fixture
def tree(tmp_path):
    """An unpacked package with one trainer that logs in the ways of TRL."""
    package = tmp_path / "src" / "trl" / "trainer"
    package.mkdir(parents=True)
    (package.parent / "__init__.py").write_text("")
    (package / "__init__.py").write_text("")
    (package / "novel_trainer.py").write_text(TRAINER)
    return tmp_path / "src"


def test_keys_are_followed_from_where_they_are_written_to_the_tracker(tree):
    """Literals, loops over literals, f-strings and guarded writes come out with component, place and symbol."""
    path = "trl/trainer/novel_trainer.py"

    found = {key.key: key for key in read("trl", "1.16.0", {path: TRAINER}).keys if key.component == "NovelTrainer"}

    assert {"clip/low", "clip/high", "kl"} <= set(found)
    assert any(key.startswith("rewards/{") and key.endswith("}/mean") for key in found)
    line = next(number for number, text in enumerate(TRAINER.splitlines(), start=1) if '["kl"]' in text)
    assert (found["kl"].path, found["kl"].line, found["kl"].symbol) == (path, line, "NovelTrainer.compute_loss")


@pytest.mark.parametrize("packed", [False, True])
def test_trees_and_wheels_give_the_same_report(tree, tmp_path, capsys, packed):
    """An unpacked tree and a wheel of it are read alike; what the spec does not describe is listed apart."""
    option = ["--source", str(tree)]
    if packed:
        wheel = tmp_path / "trl-1.16.0-py3-none-any.whl"
        with zipfile.ZipFile(wheel, "w") as archive:
            for path in tree.rglob("*.py"):
                archive.write(path, path.relative_to(tree))
        option = ["--wheel", str(wheel)]

    main(["audit", "trl[NovelTrainer]==1.16.0", *option, "--json"])

    report = json.loads(capsys.readouterr().out)
    assert {"extracted", "matched", "missing", "stale", "evidence_broken", "not_understood"} <= set(report)
    assert list(report["undescribed"]) == ["NovelTrainer"]
    assert report["undescribed"]["NovelTrainer"] >= 4


def test_a_literal_key_is_missing_although_users_may_log_under_any_name(tmp_path, capsys):
    """Rewards may log names of their own in this trainer; a new literal of the package is reported all the same."""
    package = tmp_path / "trl" / "trainer"
    package.mkdir(parents=True)
    (package / "grpo_trainer.py").write_text(TRAINER.replace("NovelTrainer", "GRPOTrainer"))

    code = main(["audit", "trl[GRPOTrainer]==1.16.0", "--source", str(tmp_path), "--json"])

    missing = {gap["key"] for gap in json.loads(capsys.readouterr().out)["missing"]}
    assert code == 1
    assert {"clip/low", "clip/high"} <= missing
    assert "kl" not in missing


@pytest.mark.parametrize("source", ["trl[grpo]==1.16.0", "grpo==1.16.0", "grpo"])
def test_a_trainer_may_be_called_in_short(tmp_path, capsys, source):
    """As in every other command: without its framework where one alone has it, and without a release."""
    package = tmp_path / "trl" / "trainer"
    package.mkdir(parents=True)
    (package / "grpo_trainer.py").write_text(TRAINER.replace("NovelTrainer", "GRPOTrainer"))

    main(["audit", source, "--source", str(tmp_path), "--json"])

    report = json.loads(capsys.readouterr().out)
    assert report["described"] == ["GRPOTrainer"]
    assert report["extracted"] >= 4


def test_a_value_that_a_tracker_is_given_by_name_is_found():
    """MLflow's and TensorBoard's calls name one metric: a literal is a key, and an unknown name is reported."""
    path = "trl/trainer/novel_trainer.py"
    given = """
        mlflow.log_metric("by_mlflow", 1.0)
        self.writer.add_scalar(tag="by_tensorboard", scalar_value=1.0)
        self.writer.add_scalar(elsewhere(), 1.0)
"""
    text = "import mlflow\nfrom other import elsewhere\n" + TRAINER.rstrip() + given

    found = read("trl", "1.16.0", {path: text})
    assert {"by_mlflow", "by_tensorboard"} <= {key.key for key in found.keys}
    assert "a tracker call whose key is not known" in {place.reason for place in found.unclear}


def test_ways_around_a_tracker_are_found():
    """The state's history, callbacks, W&B's summary and items set by a call hold keys; unknown ones are told."""
    path = "trl/trainer/novel_trainer.py"
    given = """
        self.state.log_history.append({"by_history": 1.0})
        self.callback_handler.on_log(self.args, self.state, self.control, {"by_callback": 1.0})
        wandb.run.summary["by_summary"] = 1.0
        wandb.summary.update({"by_update": 1.0})
        gathered = {}
        gathered.__setitem__("by_method", 1.0)
        operator.setitem(gathered, "by_operator", 1.0)
        self.log(gathered)
        wandb.run.summary[elsewhere()] = 1.0
        self.state.log_history.append(elsewhere())
        add = gathered["by_alias"].append
        add(1.0)
"""
    text = "import operator\nimport wandb\nfrom other import elsewhere\n" + TRAINER.rstrip() + given

    found = read("trl", "1.16.0", {path: text})

    wanted = {"by_history", "by_callback", "by_summary", "by_update", "by_method", "by_operator"}
    assert wanted <= {key.key for key in found.keys}
    reasons = [place.reason for place in found.unclear]
    assert "a tracker call whose key is not known" in reasons
    assert "a tracker call whose dict is not known" in reasons
    assert "a method that writes metrics, under another name" in reasons


def test_pairs_whose_names_are_not_known_are_reported():
    """A dict that takes up ``zip(names, values)`` of names from elsewhere may hold any key, and the audit says so."""
    path = "trl/trainer/novel_trainer.py"
    text = "from other import names, values\n" + TRAINER.rstrip() + "\n"
    text += "        gathered = {}\n        gathered.update(zip(names, values))\n        self.log(gathered)\n"

    found = read("trl", "1.16.0", {path: text})

    assert any("zip(names, values)" in place.text for place in found.unclear)


def test_a_described_component_that_lost_its_keys_is_a_gap(tree, capsys):
    """If the release doesn't log what the spec says, the exit code is 1 and the keys and broken lines are listed."""
    code = main(["audit", "trl[GRPOTrainer]==1.16.0", "--source", str(tree), "--json"])

    report = json.loads(capsys.readouterr().out)
    assert code == 1
    assert "reward_std" in {item["key"] for item in report["stale"]}
    assert "the release has no such file" in {item["problem"] for item in report["evidence_broken"]}


def test_a_draft_is_valid_but_for_what_a_person_must_say(tree, tmp_path, capsys):
    """The draft fits the model; each metric is left to do, so that the linter refuses it until it has a meaning."""
    draft = tmp_path / "novel_trainer.yaml"

    main(["audit", "trl[NovelTrainer]==1.16.0", "--source", str(tree), "--draft", str(draft)])

    file = ComponentFile.model_validate(yaml.load(draft.read_text(), Loader=yaml.CSafeLoader))
    assert [component.name for component in file.components] == ["NovelTrainer"]
    records = {key: record for key, _, record in file.records()}
    assert {record.metric for record in records.values()} == {"TODO/metric"}
    assert {"clip/low", "clip/high", "kl"} <= records.keys()
    assert records["kl"].at


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["trl=="], "write FRAMEWORK==RELEASE"),
        (["tlr==1.0.0"], "did you mean trl?"),
        (["trl==1.16.0", "--source", "/nowhere"], "can't be read (No such file or directory)"),
        (["trl==1.16.0", "--wheel", "/nowhere.whl"], "can't be read (No such file or directory)"),
    ],
)
def test_bad_input_gives_one_line(arguments, message, capsys):
    """What a user can get wrong ends with exit code 2 and one line."""
    code = main(["audit", *arguments])

    captured = capsys.readouterr()
    assert (code, captured.out, captured.err.count("\n")) == (2, "", 1)
    assert message in captured.err
