"""One key of one release, as the command line tells it."""

from __future__ import annotations

import re

import pytest
from rlmetrics.answers.resolved import resolved_lines, resolved_links
from rlmetrics.answers.value_answer import judge_row, parse_row, value_lines
from rlmetrics.cli.main import main
from rlmetrics.names.lookup.resolving import resolve_in
from rlmetrics.names.meanings.view import FrameworkView, open_view
from rlmetrics.names.tables.loading import load_tables
from rlmetrics.wording.otherwise_words import otherwise_texts
from rlmetrics.wording.terminal import labelled

LABELS = ("formula", "averaged", "trust", "healthy", "logged", "changed", "source", "compute")
EXAMPLES = [
    ("policy/approxkl_avg", "trl[PPOTrainer]==0.12.2"),
    ("loss", "trl[GRPOTrainer]==0.16.1"),
    ("kl", "trl[GRPOTrainer]==1.16.0"),
    ("rewards/acc/mean", "trl[GRPOTrainer]==1.16.0"),
    ("eval_reward", "trl[GRPOTrainer]==1.16.0"),
    ("rewards/margins", "trl[DPOTrainer]==0.20.0"),
    ("actor/ppo_kl", "verl==0.9.1"),
    ("actor/kl_loss", "verl==0.9.1"),
    ("val-core/gsm8k/reward/mean@4", "verl==0.9.1"),
]


@pytest.fixture(autouse=True)
def _columns(monkeypatch):
    """A terminal of 80 columns."""
    monkeypatch.setenv("COLUMNS", "80")


def answered(key, at, *, full=False, **config):
    """The lines about a key."""
    view = open_view(at, config=config)
    return resolved_lines(view, resolve_in(view, [key])[0], full=full)


def part(lines, label):
    """The text beside a label."""
    start = next(index for index, line in enumerate(lines) if line.startswith(f"{label} "))
    found = [lines[start][10:]]
    for line in lines[start + 1 :]:
        if not line.startswith(" " * 10):
            break
        found.append(line.strip())
    return " ".join(found)


@pytest.mark.parametrize(("key", "at"), EXAMPLES)
def test_an_answer_has_its_parts_in_80_columns(key, at):
    """Whatever the key: a template, an evaluation key, one of verl."""
    lines = answered(key, at)
    assert max(map(len, lines)) <= 80
    assert len(lines) <= 44
    assert lines[0].strip() == lines[0] != ""
    for label in LABELS:
        if label == "healthy" and not any(line.startswith("healthy") for line in lines):
            continue
        assert part(lines, label)


def test_the_first_sentence_says_over_what():
    """Where that is not the metric's usual population."""
    text = " ".join(answered("policy/approxkl_avg", "trl[PPOTrainer]==0.12.2")[:3])
    assert "half the mean squared log-ratio" in text
    assert "padding" in text


def test_what_biases_a_number_stands_right_after_the_sentence():
    """In words, with when it is gone; a number that only minor things touch is close."""
    lines = answered("policy/approxkl_avg", "trl[PPOTrainer]==0.12.2")
    assert lines.index("") + 1 == next(index for index, line in enumerate(lines) if line.startswith("trust"))
    assert part(lines, "trust").startswith("! biased. Padding is in the mean (same if no response is padded)")
    assert part(answered("loss", "trl[GRPOTrainer]==0.16.1"), "trust").startswith("≈ close")


def test_settings_decide_what_biases():
    """What cannot show by default neither biases nor is told, until the setting is given."""
    at = "trl[GRPOTrainer]==0.16.1"
    assert "reference that moves" not in part(answered("loss", at), "trust")
    assert "reference that moves" in part(answered("loss", at, sync_ref_model="true"), "trust")


def test_a_key_that_is_off_says_what_turns_it_on():
    """With the default in brackets, as the framework writes the setting."""
    lines = answered("kl", "trl[GRPOTrainer]==1.16.0")
    assert "Not logged by default: needs beta != 0 (0.0)." in " ".join(lines[:2])
    assert "only if beta != 0 (0.0)" in part(lines, "logged")
    assert part(answered("kl", "trl[GRPOTrainer]==0.18.2"), "logged").partition(";")[0] == "by default"
    assert "yes with these settings" in part(answered("kl", "trl[GRPOTrainer]==1.16.0", beta=0.1), "logged")


def test_a_long_guard_is_cut_down_to_what_decides():
    """Of verl's condition only the setting that is off is told."""
    logged = part(answered("actor/kl_loss", "verl==0.9.1"), "logged")
    assert "actor_rollout_ref.actor.use_kl_loss (off by default)" in logged
    assert "distillation" not in logged


def test_settings_that_change_a_key_are_those_of_its_release():
    """Each with what it does, those that do the same together; what does nothing there is not told."""

    def settings(at, **config):
        text = "\n".join(answered("policy/approxkl_avg", at, full=True, **config))
        return text.partition("Settings that change it")[2].partition("\n\n")[0]

    assert settings("trl[PPOTrainer]==0.12.2").count("no longer: sampling goes on after the end-of-sequence token") == 1
    for told in ('stop_token = "eos"', "stop_token_id set"):
        assert told in settings("trl[PPOTrainer]==0.12.2")
    # Micro-batches that are never filled count since 0.17.0, and only with several mini-batches.
    for at, count, is_told in (("0.12.2", 4, False), ("0.18.0", 1, False), ("0.18.0", 4, True)):
        told = settings(f"trl[PPOTrainer]=={at}", num_mini_batches=count)
        assert is_told == ("gradient_accumulation_steps" in told)


def test_the_last_and_the_next_change_are_told():
    """And where nothing follows, that."""
    changed = part(answered("policy/approxkl_avg", "trl[PPOTrainer]==0.12.2"), "changed")
    assert "0.12.0" in changed
    assert "was ppo/policy/approxkl" in changed
    assert "no change of meaning up to 1.12.0, the last release with PPOTrainer" in changed
    assert "default of beta 0.04 -> 0.0" in part(answered("kl", "trl[GRPOTrainer]==0.18.2"), "changed")


def test_the_source_is_that_of_the_release_and_a_link():
    """Path once, further lines behind it; the link leads to the tag. A release without a tag links no source."""
    at = "trl[PPOTrainer]==0.12.2"
    view = open_view(at)
    (found,) = resolve_in(view, ["policy/approxkl_avg"])
    assert re.match(r"trl/trainer/ppo_trainer\.py:\d+ :\d+", part(resolved_lines(view, found), "source"))
    links = resolved_links(view, found)
    assert "https://github.com/huggingface/trl/blob/v0.12.2/trl/trainer/ppo_trainer.py#L517" in links.values()
    assert {line.release for line in found.evidence} == {"0.12.2"}
    untagged = open_view("trl[PPOv2Trainer]==0.9.2")
    (found,) = resolve_in(untagged, ["policy/approxkl_avg"])
    assert part(resolved_lines(untagged, found), "source")
    assert not [link for link in resolved_links(untagged, found).values() if "/blob/" in link]


def test_installation_comes_last():
    """A release that fails with some transformers says so after all that is about the number."""
    lines = answered("loss", "trl[GRPOTrainer]==0.16.1")
    release = next(index for index, line in enumerate(lines) if line.startswith("release"))
    assert "transformers 5.3 or newer" in part(lines, "release")
    assert release > next(index for index, line in enumerate(lines) if line.startswith("compute"))


def test_notes_on_given_settings_come_first():
    """Who asks with beta set reads what beta does."""
    assert "beta" in " ".join(answered("loss", "trl[GRPOTrainer]==1.16.0", beta=0.04)[:4])


@pytest.mark.parametrize(("key", "at"), EXAMPLES)
def test_full_leaves_nothing_out(key, at):
    """Every note, every place in the source and every trait by name."""
    view = open_view(at)
    (found,) = resolve_in(view, [key])
    text = " ".join(" ".join(resolved_lines(view, found, full=True)).split())
    for note in found.notes:
        assert " ".join(note.split()).rstrip(".") in text
    assert found.signature is not None
    for trait in found.signature.traits:
        assert trait in text or trait in str(view.tables.signatures["POPULATIONS"])
    for place in found.evidence:
        assert f":{place.line}" in text
    assert f"revision {found.rev}" in text


def test_the_specs_own_names_have_no_release():
    """Formula, health and function, and nothing about sources."""
    lines = answered("kl/old/k2", "canonical")
    assert {line.split()[0] for line in lines if re.match(r"[a-z]+ {2,}", line)} == {
        "formula",
        "healthy",
        "reads",
        "unlike",
        "compute",
    }


@pytest.mark.parametrize("at", ["trl[GRPOTrainer]==1.16.0", "trl[PPOTrainer]==0.4.2", "verl==0.5.0", "verl==0.9.1"])
def test_every_key_of_a_release_is_answered(at):
    """Short and narrow, whatever is known of it; keys are never cut."""
    view = open_view(at)
    for key in dict.fromkeys(entry.key for entry in view.entries() if "{" not in entry.key):
        for found in resolve_in(view, [key]):
            lines = resolved_lines(view, found)
            assert lines[0]
            assert all(len(line) <= 80 or len(max(line.split(), key=len)) > 40 for line in lines)


@pytest.mark.parametrize(
    ("config", "first", "last"),
    [
        ((), "verl/trainer/ppo/v1/trainer_base.py", "verl/trainer/ppo/ray_trainer.py"),
        (
            ("--config", "trainer.use_v1=false"),
            "verl/trainer/ppo/ray_trainer.py",
            "verl/trainer/ppo/v1/trainer_base.py",
        ),
    ],
)
def test_source_lines_of_the_program_that_runs_come_first(capsys, config, first, last):
    """The V1 trainer by default, the legacy one where it is asked for; what runs neither way comes last."""
    main(["resolve", "timing_s/adv", "--at", "verl==0.9.1", "--full", *config])

    said = capsys.readouterr().out
    assert said.index(first) < said.index(last)
    assert said.index(last) < said.index("verl/experimental/") or config


def test_no_default_key_cites_only_a_program_that_does_not_run():
    """Where a program that does not run by default is cited, the one that runs is cited, too."""
    view = open_view("verl==0.9.1")
    assert isinstance(view, FrameworkView)
    cited = {
        entry.key: view.evidence(entry)
        for component in view.components.values()
        for entry in component.entries()
        if entry.logged and entry.condition is None
    }

    assert [key for key, places in cited.items() if places and all(place.program for place in places)] == []
    assert [key for key, places in cited.items() if places and places[0].program] == []


NEWEST = [f"{name}=={load_tables().framework(name).releases.names[-1]}" for name in load_tables().frameworks]


@pytest.mark.parametrize("at", [*NEWEST, "trl[DPOTrainer]==0.27.0", "trl[PPOTrainer]==0.7.0", "verl==0.7.1"])
def test_what_other_settings_give_is_told_in_a_screen_or_two(at):
    """Each metric is named, each setting that alone decides once, and no case asks for what holds already."""
    view = open_view(at)
    assert isinstance(view, FrameworkView)
    for entry in view.entries():
        config = view.components[entry.component].config
        texts = otherwise_texts(entry.alternatives, entry.metric, config)
        assert len(labelled("otherwise", texts)) <= 64
        assert len(texts) == len(set(texts))
        told = " ".join(texts)
        assert all(str(case.metric) in told for case in entry.alternatives if case.metric != entry.metric)
        alone = re.findall(
            r"^if ([\w.]+)(?: \([^()]*\))? = ((?!.* (?:and|or) \w).*)", "\n".join(texts), flags=re.MULTILINE
        )
        assert len(alone) == len({name for name, _ in alone}), texts


@pytest.mark.parametrize("at", [*NEWEST, "trl[PPOTrainer]==0.7.0", "trl[GRPOTrainer]==0.22.0", "verl==0.7.1"])
def test_of_a_variant_the_variant_is_told(at):
    """Its name and what it does, its formula, and its own sentence where the metric alone has no function."""
    view = open_view(at)
    assert isinstance(view, FrameworkView)
    for entry in view.entries():
        variant, metric = entry.signature.reproduced_by, str(entry.metric)
        if variant is None or "{" in entry.key:
            continue
        found = next(item for item in resolve_in(view, [entry.key]) if item.component == entry.component)
        row, words = view.tables.metrics[metric], view.tables.texts[metric]["variants"][variant]
        judged = [item for item in judge_row(view, parse_row(f"{entry.key}=1")) if item.found == found]
        answers = [resolved_lines(view, found, full=True), *([value_lines(judged)] if judged else [])]
        whole = [" ".join(" ".join(lines).split()) for lines in answers]
        for told in whole:
            assert " ".join(str(words.get("formula", "")).split()).replace(" ** ", "**") in told
            if "function" not in row:
                assert row["variants"][variant].partition(".")[0] in told
                assert str(row["brief"]).rstrip(".") not in told
        assert f"{metric}@{variant} (revision" in whole[0]
        assert row["variants"][variant].rstrip(".") in whole[0]
