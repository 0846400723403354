"""What lies beside the logs of a run says which release wrote them: model cards, and the arguments that were saved."""

import json
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from rlmetrics.cli import main
from rlmetrics.logs.kinds import KINDS

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures" / "runs"
STATE = FIXTURES / "trl-0.18.2-grpo.trainer_state.json"
CARD = """---
base_model: tiny
---
# Model Card for tiny

This model was trained with GRPO.

### Framework versions

- TRL: {}
- Transformers: 4.52.4
"""


@pytest.fixture
def state(tmp_path):
    """The state in a checkpoint, as the trainer saves it."""
    folder = tmp_path / "out" / "checkpoint-4"
    folder.mkdir(parents=True)
    return Path(shutil.copy(STATE, folder / "trainer_state.json"))


@pytest.fixture
def judged(tmp_path, capsys):
    """Translate without a source, and return the source that was found, or what was said."""

    def run(path):
        code = main(["translate", str(path), "--to", "canonical", "-o", str(tmp_path / "new"), "--force", "--json"])
        captured = capsys.readouterr()
        return json.loads(captured.out)["from"] if code < 2 else captured.err

    return run


@pytest.mark.parametrize("level", [0, 1])
@pytest.mark.parametrize("whole", [False, True])
def test_the_model_card_of_a_run_decides(state, judged, level, whole):
    """TRL writes it where the model goes: beside the state, or beside the checkpoints."""
    path = state.parents[1] if whole else state
    assert judged(path) == "trl[GRPOTrainer]==0.18.0..0.19.1"

    (state.parents[level] / "README.md").write_text(CARD.format("0.18.2"))

    assert judged(path) == "trl[GRPOTrainer]==0.18.2"


def test_a_card_that_does_not_fit_the_names_says_nothing(state, judged):
    """It may be that of another run into the same folder."""
    alone = judged(state)

    (state.parent / "README.md").write_text(CARD.format("0.7.10"))

    assert alone == judged(state)


@pytest.mark.parametrize(("release", "answering"), [("0.18.99", "0.18.2"), ("0.19.0.dev0", "0.19.0")])
def test_a_card_of_a_release_that_is_not_described_narrows_too(state, judged, release, answering):
    """The nearest older release answers for it, and for a development version the one that it led to."""
    (state.parent / "README.md").write_text(CARD.format(release))

    assert judged(state) == f"trl[GRPOTrainer]=={answering}"


def test_other_texts_are_no_cards(state, judged):
    """A release that stands elsewhere in a text is not that of the run."""
    alone = judged(state)

    (state.parent / "README.md").write_text("We compare with\n\n- TRL: 0.18.2\n- Transformers: 4.52.4\n")

    assert alone == judged(state)


def test_saved_arguments_narrow_the_releases(state, judged):
    """Later releases have arguments that were not saved; nothing of the pickle is executed."""
    names = KINDS["wandb"].open(FIXTURES / "wandb" / "0.31.0-trl-0.18.2-grpo").argument_names()[None]
    assert judged(state) == "trl[GRPOTrainer]==0.18.0..0.19.1"

    torch.save(SimpleNamespace(**dict.fromkeys(names), trap=_Trap(state.parent)), state.parent / "training_args.bin")

    assert judged(state) == "trl[GRPOTrainer]==0.18.0..0.18.2"
    assert not (state.parent / "trapped").exists()


def test_all_states_of_one_run_are_judged_together(state, tmp_path, capsys):
    """Its last state and the dumped history continue what the checkpoints hold: the arguments saved there decide."""
    out = state.parents[1]
    names = KINDS["wandb"].open(FIXTURES / "wandb" / "0.31.0-trl-0.18.2-grpo").argument_names()[None]
    torch.save(SimpleNamespace(**dict.fromkeys(names)), state.parent / "training_args.bin")
    shutil.copy(state, out / "trainer_state.json")
    (out / "log_history.json").write_text(json.dumps(json.loads(state.read_text())["log_history"]))

    assert main(["translate", str(out), "--to", "verl==0.9.1", "-o", str(tmp_path / "new"), "--json"]) == 0

    report = json.loads(capsys.readouterr().out)
    assert len(report["files"]) == 3
    assert {file["from"] for file in report["files"]} == {"trl[GRPOTrainer]==0.18.0..0.18.2"}


class _Trap:
    """Leaves a file if it is unpickled."""

    def __init__(self, folder):
        self.folder = folder

    def __reduce__(self):
        return Path.touch, (self.folder / "trapped",)


@pytest.mark.parametrize("content", [b"", b"PK\3\4 torn", b"x" * 100])
def test_damaged_arguments_say_nothing(state, judged, content):
    """They are an aid, not the input."""
    alone = judged(state)

    (state.parent / "training_args.bin").write_bytes(content)

    assert alone == judged(state)


def test_what_one_run_says_is_not_taken_for_another(tmp_path, capsys):
    """Two runs of one trainer lie side by side: only the one with a card is certain, the records in its folder too."""
    folder, new = tmp_path / "runs", tmp_path / "new"
    for name in ("said", "silent"):
        (folder / name).mkdir(parents=True)
        shutil.copy(STATE, folder / name / "trainer_state.json")
    shutil.copy(FIXTURES / "trl-0.18.2-grpo.jsonl", folder / "said" / "log.jsonl")
    (folder / "said" / "README.md").write_text(CARD.format("0.18.2"))

    assert main(["translate", str(folder), "--to", "canonical", "-o", str(new), "--json"]) == 1

    report = json.loads(capsys.readouterr().out)
    assert {(Path(file["path"]).parent.name, file["from"]) for file in report["files"]} == {
        ("said", "trl[GRPOTrainer]==0.18.2"),
        ("silent", "trl[GRPOTrainer]==0.18.0..0.19.1"),
    }
    assert report["undecided"]
    assert {file.name for file in (new / "said").iterdir()} == {"trainer_state.json", "log.jsonl", "README.md"}
