"""What became of a key is one answer: resolve, diff, map, translate and Python say the same."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rlmetrics.cli import main
from rlmetrics.names import resolve
from rlmetrics.names.lookup.key_spelling import meant
from rlmetrics.names.mapping.mapping import map_names
from rlmetrics.names.meanings.view import open_view
from rlmetrics.names.tables.loading import load_tables
from rlmetrics.names.tables.templates import placeholders_in
from rlmetrics.names.upgrades.release_differences import diff
from rlmetrics.translate import Translator

ASYNC = "trl[AsyncGRPOTrainer]"


def _steps():
    """Yield every pair of neighbouring releases of every component."""
    tables = load_tables()
    for framework in tables.frameworks:
        table = tables.framework(framework)
        for component in dict.fromkeys(name for name, *_ in table.components):
            releases = [name for name in table.releases.names if any(c == component for c, _ in table.described(name))]
            for old, new in pairwise(releases):
                yield f"{framework}[{component}]=={old}", f"{framework}[{component}]=={new}"


STEPS = list(_steps())
EVENTFUL = [
    (f"{ASYNC}==1.6.0", f"{ASYNC}==1.7.0"),
    ("trl[PPOTrainer]==0.11.4", "trl[PPOTrainer]==0.12.0"),
    ("verl[rollout_correction]==0.6.0", "verl[rollout_correction]==0.6.1"),
    ("verl[actor]==0.7.1", "verl[actor]==0.8.0"),
]


def _agree(old, new):
    names, view = map_names(old, new), open_view(new)
    rows = {(row.from_, row.mode): row for row in names.rows}
    found = diff(old, new, evidence=False)
    translator = Translator(old, new)
    told = [(item.from_, item.mode, item.to, ()) for item in found.renamed]
    told += [(item.key, item.mode, item.instead, item.related) for item in found.removed]
    for key, mode, to, related in told:
        row = rows[key, mode]
        assert (row.to, row.related) == (to, related if to is None else row.related), (key, old, new)
        absent = meant(view, key).absent
        # A name that the new release shows in this form at a tracker is there, not gone.
        if absent is not None and absent.match.entry.key == key and absent.became is not None:
            assert (absent.became.to, absent.became.related) == (to, row.related), (key, old, new)
        if not placeholders_in(key) and not row.unbound:
            assert translator.key(key).target == to, (key, old, new)
    return told


@pytest.mark.parametrize(("old", "new"), EVENTFUL)
def test_commands_agree_where_keys_went(old, new):
    """On releases that dropped or renamed keys."""
    assert _agree(old, new)


@given(st.sampled_from(STEPS))
@settings(max_examples=8, deadline=None)
def test_commands_agree_on_any_step(step):
    """On any release of any component."""
    _agree(*step)


def test_a_name_of_the_users_choice_hides_no_key_that_is_gone(capsys):
    """A data set called nll would log eval_nll_loss, too; the key of earlier releases is what is meant."""
    assert main(["resolve", "eval_nll_loss", "--at", "trl[DPOTrainer]==0.29.0"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert said.startswith("Not logged in 0.29.0 any more. DPOTrainer logged `eval_nll_loss` in 0.9.6..0.28.0.")
    assert "or yours" in said


def test_python_says_what_became_of_a_key():
    """As the command does: the kind, the name that has its meaning, or what is taken for it."""
    (gone,) = resolve("clip_ratio", at=f"{ASYNC}==1.7.0")
    (renamed,) = resolve("ppo/policy/clipfrac", at="trl[PPOTrainer]==0.12.0")

    assert (gone.became, gone.instead, gone.related[0].to) == ("look-alike", None, "clip_ratio/region_mean")
    assert (renamed.became, renamed.instead, renamed.related) == ("renamed", "policy/clipfrac_avg", ())


def test_a_key_that_is_gone_is_told_with_what_is_taken_for_it(capsys):
    """By all three commands: the look-alike counts only the clips that take the gradient away."""
    outputs = []
    for arguments in (
        ["diff", "clip_ratio", "--from", f"{ASYNC}==1.6.0", "--to", f"{ASYNC}==1.7.0"],
        ["map", "clip_ratio", "--from", f"{ASYNC}==1.6.0", "--to", f"{ASYNC}==1.7.0"],
        ["resolve", "clip_ratio", "--at", f"{ASYNC}==1.7.0"],
    ):
        assert main(arguments) == 0
        outputs.append(" ".join(capsys.readouterr().out.split()))

    assert outputs[0].startswith(
        "clip_ratio is gone: not logged any more since 1.7.0. clip_ratio/region_mean is a look"
    )
    for text in outputs:
        assert "clip_ratio/region_mean" in text
        assert "only the tokens on which clipping takes the gradient away" in text.lower()
