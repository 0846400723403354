"""A key in a log proves the settings without which it would not have been logged."""

import itertools

import pytest
from rlmetrics.names import open_view
from rlmetrics.names.differences.severity import unmet
from rlmetrics.names.mapping.mapping import map_names
from rlmetrics.names.meanings.view import FrameworkView
from rlmetrics.names.settings.configuration import UNKNOWN
from rlmetrics.names.settings.implied_settings import proven
from rlmetrics.names.tables.loading import load_tables

CALCULATED = "actor_rollout_ref.rollout.calculate_log_probs"
WEIGHTS = "algorithm.rollout_correction.rollout_is"


def _entry(at, key):
    return next(entry for entry in open_view(at).entries() if entry.key == key)


def test_a_key_proves_the_settings_of_its_condition():
    """What must be set is known, and what must only differ from a value is unknown."""
    found = proven(_entry("verl==0.6.0", "mismatch/mismatch_kl"))
    assert found == {"algorithm.rollout_is_threshold": UNKNOWN, CALCULATED: True}


def test_a_key_that_is_always_logged_proves_nothing():
    """Nor does one of alternatives, of which nobody knows which held."""
    assert proven(_entry("verl==0.6.0", "actor/grad_norm")) == {}
    assert proven(_entry("verl[rollout_correction]==0.7.0", "rollout_corr/kl")) == {}


@pytest.mark.parametrize("name", ["kl", "k3_kl", "training_ppl", "rollout_log_ppl", "log_ppl_diff", "ppl_ratio"])
def test_a_key_that_is_never_logged_blocks_no_rename(name):
    """The actor's keys of verl 0.7.0 are those of a loss that ends with an error."""
    names = map_names("verl==0.6.0", "verl==0.7.0")
    assert names.translate(f"mismatch/mismatch_{name}").target == f"rollout_corr/{name}"


def test_a_key_of_a_setting_that_is_not_made_blocks_no_rename():
    """From 0.7.1 on the loss works, but who did not choose it has the driver's keys."""
    by_default = map_names("verl==0.6.0", "verl==0.7.1")
    assert by_default.translate("mismatch/mismatch_kl").target == "rollout_corr/kl"


def test_no_key_of_the_spec_translates_to_one_that_is_never_logged_beside_one_that_is():
    """Over every pair of neighbouring releases of both frameworks' largest components."""
    tables = load_tables()
    for framework, component in (("verl", "rollout_correction"), ("trl", "GRPOTrainer"), ("trl", "KTOTrainer")):
        table = tables.framework(framework)
        releases = [name for name in table.releases.names if any(c == component for c, _ in table.described(name))]
        for old, new in itertools.pairwise(releases):
            names = map_names(f"{framework}[{component}]=={old}", f"{framework}[{component}]=={new}")
            for row in names.rows:
                target = names.target_of(row)
                if row.metric is not None and target is not None and target.never:
                    others = names.to_view.candidates(row.metric, row.mode)
                    assert all(other.never or other.key == row.from_ for other in others), (row, old, new)


@pytest.mark.parametrize(
    "key",
    [
        f"rollout_corr/rollout_is_{name}"
        for name in ("mean", "max", "min", "std", "eff_sample_size", "ratio_fraction_high", "seq_mean", "seq_std")
    ],
)
@pytest.mark.parametrize("release", ["0.6.1", "0.7.0", "0.7.1", "0.8.0"])
def test_a_given_setting_picks_among_meanings_that_are_not_logged(key, release):
    """Weights of responses stay those of responses where log-probabilities are not calculated."""
    at = f"verl[rollout_correction]=={release}"

    def entry(**settings):
        view = open_view(at, config={WEIGHTS: "sequence", **settings})
        assert isinstance(view, FrameworkView)
        (component,) = view.components.values()
        return component.entry(key, "train")

    assert entry().logged is False
    assert entry().metric == entry(**{CALCULATED: True}).metric


class _Settings:
    def __init__(self, **values):
        self._values = values

    def holds(self, guard):
        return eval(guard, {}, self._values)


@pytest.mark.parametrize(
    ("guard", "missing"),
    [
        ("a and b", ["b"]),
        ("a and (b or c)", ["b or c"]),
        ("b and a or b and c", ["b"]),
        ("b or c", ["b or c"]),
        ("a", []),
        ("a and b or c", ["a and b or c"]),
        ("b and c or b", ["b"]),
    ],
)
def test_what_a_guard_lacks_is_that_of_its_nearest_alternative(guard, missing):
    """With a alone set; where alternatives lack as little, all of them are said."""
    assert unmet(guard, _Settings(a=True, b=False, c=False)) == missing
