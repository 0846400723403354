"""``rlmetrics map`` at a glance: by severity, differences told once, one key, one program on each side."""

from __future__ import annotations

import json
from typing import Any

import pytest
from rlmetrics.cli import main
from rlmetrics.names import NamesError, keys, map_names
from rlmetrics.names.mapping.programs import paired
from rlmetrics.names.meanings.view import open_views
from rlmetrics.wording.terminal import symbol

GRPO, VERL = "trl[GRPOTrainer]==1.16.0", "verl==0.9.1"
PAIRS = [
    (GRPO, VERL),
    (VERL, GRPO),
    ("trl[PPOTrainer]==0.7.10", "trl[PPOTrainer]==0.18.2"),
    ("trl[GRPOTrainer]==0.18.2", GRPO),
    ("verl==0.5.0", VERL),
    ("trl[SFTTrainer]==1.16.0", VERL),
    ("trl[DPOTrainer]==0.14.0", "trl[DPOTrainer]==1.16.0"),
]


def _printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    assert main(["map", *arguments]) == 0
    return capsys.readouterr().out.splitlines()


@pytest.mark.parametrize("columns", ["80", "160"])
@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_a_table_fits_a_screen(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, source: str, target: str, columns: str
) -> None:
    """At most 75 lines; only a name that is itself too long makes one wider than the terminal."""
    monkeypatch.setenv("COLUMNS", columns)

    lines = _printed(capsys, "--from", source, "--to", target)

    assert len(lines) <= 75
    assert all(len(line) <= int(columns) or "profiling/" in line or len(line.split()) < 4 for line in lines), max(
        lines, key=len
    )


def test_rows_stand_by_severity_with_all_keys_counted(capsys: pytest.CaptureFixture[str]) -> None:
    """The first sentence counts every training key; groups come from the same to nothing."""
    lines = _printed(capsys, "--from", GRPO, "--to", VERL)

    rows = [row for row in map_names(GRPO, VERL).rows if row.mode == "train"]
    text = " ".join(lines).partition(".")[0]
    for severity in ("close", "biased", "look-alike", "none"):
        assert f"{sum(row.severity == severity for row in rows)} " in text
    assert f"of {len(rows)} training keys" in text
    marks = [
        line[0] for line in lines if line[:1] in {symbol(name) for name in ("close", "biased", "look-alike", "none")}
    ]
    assert [symbol(name) for name in ("close", "biased", "look-alike", "none")] == marks


def test_full_lists_every_row(capsys: pytest.CaptureFixture[str]) -> None:
    """With --full each key of training and of evaluation is there, with everything that differs."""
    lines = _printed(capsys, "--from", "trl[DPOTrainer]==0.29.0", "--to", "trl[DPOTrainer]==1.16.0", "--full")

    text = "\n".join(lines)
    for row in map_names("trl[DPOTrainer]==0.29.0", "trl[DPOTrainer]==1.16.0").rows:
        assert row.from_ in text
    assert not any("--full" in line for line in lines)


def test_one_key_tells_all_that_differs_and_when_it_is_gone(capsys: pytest.CaptureFixture[str]) -> None:
    """Each difference with its mark; the setting that decides it with its value; those that do not show marked so."""
    lines = _printed(capsys, "kl", "--from", GRPO, "--to", VERL)

    text = " ".join(" ".join(lines).split())
    assert text.startswith(f"≈ kl ({GRPO}) is close to actor/kl_loss ({VERL}).")
    assert "same if logging_steps == 1 (10)" in text
    row = next(row for row in map_names(GRPO, VERL).rows if row.from_ == "kl")
    assert sum(item.applies is False for item in row.differs_by) == text.count("(so here)") > 0


def test_configuration_changes_what_applies(capsys: pytest.CaptureFixture[str]) -> None:
    """A reference that follows the policy makes kl biased; a log every step ends the average over steps."""

    def kl(*config: str) -> dict[str, Any]:
        given = [item for pair in config for item in ("--config", pair)]
        assert main(["map", "kl", "--from", GRPO, "--to", VERL, "--json", *given]) == 0
        [row] = json.loads(capsys.readouterr().out)
        return dict(row)

    assert kl()["severity"] == "close"
    assert kl("sync_ref_model=true")["severity"] == "biased"
    shows = {item["what"]: item["applies"] for item in kl()["differs_by"]}
    logged = {item["what"]: item["applies"] for item in kl("logging_steps=1")["differs_by"]}
    [window] = [what for what in shows if what.startswith("steps between two logs")]
    assert (shows[window], logged[window]) == (True, False)


def test_an_unknown_key_names_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 2 and one line."""
    assert main(["map", "completions/mean_lenght", "--from", GRPO, "--to", VERL]) == 2
    assert "completions/mean_length" in capsys.readouterr().err


def test_a_target_is_one_program(capsys: pytest.CaptureFixture[str]) -> None:
    """GRPO's tokens are not those of verl's supervised trainer; --program and the source's own choose others."""
    supervised = {item.key for item in keys("verl[sft]==0.9.1")}

    def targets(source: str, program: str | None = None) -> set[str | None]:
        return {row.to for row in map_names(source, VERL, program=program).rows}

    assert targets(GRPO).isdisjoint(supervised)
    assert targets(GRPO, program="sft") <= {None, *supervised}
    assert targets("trl[SFTTrainer]==1.16.0") <= {None, *supervised}
    assert "train/loss" in {row.from_ for row in map_names(VERL, VERL, program="all").rows}
    assert "train/loss" not in {row.from_ for row in map_names(VERL, VERL).rows}
    with pytest.raises(NamesError, match="did you mean fully_async"):
        map_names(GRPO, VERL, program="fully_asynch")
    assert "--program main_ppo_v0" in " ".join(_printed(capsys, "--from", GRPO, "--to", VERL))


def test_a_program_has_its_own_settings() -> None:
    """Without trainer.use_v1 verl 0.9.1 logs other keys by default; what --config says goes before."""
    logged = {
        program: {row.from_ for row in map_names(VERL, "canonical", program=program).rows if row.to}
        for program in ("reinforcement learning", "main_ppo_v0", "fully_async")
    }
    assert "response_length/clip_ratio" in logged["main_ppo_v0"] - logged["reinforcement learning"]
    assert any(key.startswith("fully_async/") for key in logged["fully_async"] - logged["main_ppo_v0"])
    first, second = open_views([VERL, "canonical"])

    def runs_v1(program: str, **config: str) -> bool | None:
        side = paired(first, second, program, config)[0].circumstances("actor")
        return None if side is None else side.settings.holds("trainer.use_v1")

    assert runs_v1("reinforcement learning") is True
    assert runs_v1("main_ppo_v0") is False
    assert runs_v1("main_ppo_v0", **{"trainer.use_v1": "true"}) is True


@pytest.mark.parametrize(
    ("trainer", "target", "counterpart"),
    [
        ("llamafactory[CustomTrainer]==0.9.5", "verl==0.9.1", {"loss": "train/loss"}),
        ("llamafactory[CustomTrainer]==0.9.5", "ms-swift==4.6.0", {"loss": "loss"}),
        ("trl[IterativeSFTTrainer]==0.21.0", "verl==0.9.1", {"loss": "train/loss"}),
    ],
)
def test_a_trainer_is_paired_with_the_program_that_minimises_the_same(
    trainer: str, target: str, counterpart: dict[str, str]
) -> None:
    """Also one that does what no task of the other framework is called, such as pre-training."""
    rows = {row.from_: row.to for row in map_names(trainer, target).rows}
    assert {key: rows[key] for key in counterpart} == counterpart


def test_a_step_that_is_logged_on_its_own_is_not_called_pooled() -> None:
    """Each step of verl is logged: nothing is put together there, also in JSON."""
    table = map_names("trl[RLOOTrainer]==1.12.0", "verl==0.9.0")
    (row,) = [row for row in table.rows if row.from_ == "grad_norm"]
    (steps,) = [item.what for item in row.differs_by if item.about == "level:window"]

    assert steps == "steps between two logs: only the last part in the source, one step in the target"


def test_a_reason_says_of_which_of_two_look_alikes_it_is() -> None:
    """What only the look-alike's entry tells is about the key that is asked for, and names it."""
    rows = {row.from_: row for row in map_names("verl==0.9.1", GRPO).rows}

    related = {item.to: item.short for item in rows["actor/ppo_kl"].related}
    assert related["sampling/sampling_logp_difference/mean"] == (
        "of actor/ppo_kl: that measures the update, between two states of the trainer"
    )
    assert not [item for row in rows.values() for item in row.related if (item.short or "").startswith("here: ")]
