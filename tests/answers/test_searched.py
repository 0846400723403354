"""Names and words that nothing is called by itself: found as the site's search finds them."""

import pytest
from rlmetrics.cli import main


@pytest.mark.parametrize(
    ("words", "metric"),
    [
        (["clip_fraction"], "policy/clip_fraction"),
        (["explained", "variance"], "value/explained_variance"),
        (["explained variance"], "value/explained_variance"),
        (["response", "length", "mean"], "length/response/mean"),
    ],
)
def test_show_takes_words(words, metric, capsys):
    """What is found first is shown, and it is said that nothing has just that name."""
    assert main(["show", *words]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert f"Nothing is called just `{' '.join(words)}`" in out
    assert f"{metric}: " in out


def test_names_are_shown_as_before(capsys):
    """A metric, an alias and a key need no search."""
    for name in ("kl/old/k2", "approx_kl"):
        assert main(["show", name]) == 0
        assert "Nothing is called" not in capsys.readouterr().out


def test_what_is_misspelt_is_not_guessed(capsys):
    """One line names what is near, as before."""
    assert main(["show", "approxxkl"]) == 2
    assert "did you mean" in capsys.readouterr().err


def test_resolve_lists_what_a_name_may_mean(capsys):
    """A name that only frameworks without a description use stands beside what is described here."""
    assert main(["resolve", "clip_fraction"]) == 0
    out = capsys.readouterr().out
    assert "Stable-Baselines3 PPO calls" in out
    assert "Found by name:" in out
    assert "  policy/clip_fraction " in out
