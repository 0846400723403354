"""The commands about names: every format, every exit code."""

from __future__ import annotations

from rlmetrics.names import keys


def test_resolve_lists_the_meanings_of_a_key_without_a_source(call, document, overlay):
    """Each class that logs it, with its releases; that is an answer and no error."""
    (found,) = document("resolve", "train/our/approx_kl", "--spec", str(overlay))
    assert (found["source"], found["metric"]) == ("trl[PrivateTrainer]==1.16.0", "kl/old/k2")
    assert (found["releases"], found["matched"]) == (["1.16.0"], "shown")
    listed = document("resolve", "clip_ratio/region_mean")
    assert {"GRPOTrainer", "RLOOTrainer"} <= {item["component"] for item in listed}
    code, out, err = call("resolve", "clip_ratio/region_mean")
    assert (code, err) == (0, "")
    assert "`clip_ratio/region_mean` has 2 meanings, both in TRL" in out


def test_show_works_for_every_metric(call):
    """Whatever fields it has."""
    listed = sorted({item.metric for item in keys("canonical") if item.metric is not None})
    for metric in listed:
        code, out, err = call("show", metric)
        assert (code, err) == (0, "")
        assert " ".join(out.split()).startswith(f"{metric}: ")
