"""From how many points on a rule can find something: what is bad in all rows is found in exactly that row."""

import pytest
from rlmetrics.health.instances import SIBLING, Channel
from rlmetrics.health.judged_keys import KeyMeaning
from rlmetrics.health.rules import Rules
from rlmetrics.names import load_tables

RULES = Rules(load_tables())
SHAPES = {
    "zero": lambda at: 0.0,
    "one": lambda at: 1.0,
    "tiny": lambda at: 1e-7,
    "huge": lambda at: 1e6,
    "deep": lambda at: -1e6,
    "half": lambda at: 0.4,
    "neg": lambda at: -2.0,
    "grow": lambda at: 0.01 * 3.0**at,
    "grows": lambda at: 10.0 ** min(at, 200),
    "climb": lambda at: 1.0 + at,
    "climb100": lambda at: 100.0 * (1 + at),
    "fall": lambda at: -1.0 - 100.0 * at,
    "fall2": lambda at: -2.0 * 1.5**at,
    "bad": lambda at: -2.0 - 0.5 * at,
    "line": lambda at: 1 - 0.02 * at,
    "slide": lambda at: 0.9 - 0.01 * at,
    "curb": lambda at: 0.05 + 0.95 / (1 + (at / 10) ** 2),
    "decay": lambda at: 100.0 * 0.3**at,
    "drop1": lambda at: 100.0 if at < 1 else 0.0,
    "drop2": lambda at: 100.0 if at < 2 else 0.0,
    "drop3": lambda at: 100.0 if at < 3 else 0.0,
    "drop5": lambda at: 100.0 if at < 5 else 0.0,
    "dropt": lambda at: 100.0 if at < 3 else 1e-3,
    "dive": lambda at: -2.0 if at < 1 else -100.0,
    "up.5": lambda at: 0.01 if at < 3 else 0.9,
    "leap1": lambda at: 0.0 if at < 1 else 30.0,
    "leap1s": lambda at: 0.01 if at < 1 else 30.0,
    "leap3": lambda at: 0.01 if at < 3 else 100.0,
    "spikes": lambda at: 1.0 if at < 10 else 1000.0 ** (at - 8),
    "bursts": lambda at: 1.0 if at < 10 or at % 2 else 1000.0 ** (at - 8),
    "zig": lambda at: 0.5 if at < 40 else (-1) ** at * 1e3 * at,
    "seldom": lambda at: None if at % 2 else 1.0,
    "none": lambda at: None,
}
"""Values by the number of the row."""
WORST = {
    "reward-without-number": "x=zero part=seldom",
    "value-loss-spike": "x=grow explained=huge",
    "value-loss-growing": "x=grow explained=drop1 reward=half",
    "explained-variance-negative": "x=deep loss=drop5 reward=leap3",
    "explained-variance-mse-negative": "x=deep loss=fall reward=dive",
    "explained-variance-stays-low": "x=zero loss=none reward=none",
    "critic-constant": "x=zero returns=leap3 spread=zero",
    "entropy-gone": "x=zero norm=bad reward=slide",
    "entropy-collapse": "x=deep reward=zig",
    "surprisal-collapse": "x=deep reward=tiny length=deep",
    "entropy-falling-fast": "x=curb reward=half",
    "entropy-explosion": "x=grow reward=fall2",
    "surprisal-explosion": "x=deep reward=half length=fall2",
    "one-response-left": "x=deep most=up.5 least=dropt spread=drop2 reward=neg",
    "entropy-stuck": "x=zero",
    "advantage-mean-stuck": "x=zero most=climb100 least=fall2 norm=decay",
    "advantages-all-zero": "x=zero least=drop1 reward=deep",
    "rewards-all-equal": "x=zero least=drop1 mean=line",
    "no-reward-spread": "x=one reward=deep norm=climb",
    "reward-spread-gone": "x=zero zero=slide reward=one norm=climb100",
    "reward-stuck-at-minimum": "x=zero spread=one norm=drop5 most=decay loss=grows",
    "reward-never-moves": "x=zero",
    "gradient-norm-vanishing": "x=tiny reward=drop3 rate=one",
    "loss-stuck-at-zero": "x=zero norm=dive spread=half advantage=drop3",
    "learning-rate-zero": "x=zero reward=grows loss=fall",
    "self-distillation-inactive": "x=zero",
    "reward-negative-without-improvement": "x=deep spread=fall",
    "no-supervised-targets": "x=zero accuracy=zero",
    "truncation-high": "x=one reward=dive length=up.5 norm=line",
    "truncation-rising": "x=grow length=bad reward=dive",
    "no-end-tokens": "x=zero",
    "nothing-ends": "x=one",
    "none-counted": "x=spikes norm=zero spread=dropt tied=zero",
    "length-never-varies": "x=zero",
    "length-grows": "x=grow reward=zero",
    "length-exploit": "x=grow reward=climb held=fall2 cut=dropt",
    "length-collapse": "x=deep reward=climb100",
    "step-time-growing": "x=grow length=tiny",
    "throughput-falling": "x=fall",
    "host-memory-leak": "x=grow time=leap1s",
    "implicit-rewards-zero": "x=zero margin=drop3 rejected=deep",
    "no-target-tokens": "x=zero rejected=zero",
    "chosen-logprob-crashes": "x=dive",
    "chosen-reward-falling": "x=deep rejected=drop1 margin=bad",
    "desirable-reward-falling": "x=fall rejected=fall",
    "preference-accuracy-chance": "x=zero margin=half",
    "preference-accuracy-saturated": "x=one",
    "margin-without-accuracy": "x=grow accuracy=decay",
    "preference-margin-negative": "x=deep accuracy=climb100",
    "preference-loss-above-start": "x=one accuracy=up.5 norm=dive",
    "reference-is-another": "x=zero chosen=fall2 rejected=grow clock=climb100",
    "margin-beyond-loss": "x=huge loss=zero",
    "length-normalised-accuracy-chance": "x=zero",
    "preferred-responses-unlikely": "x=deep",
    "log-odds-negative": "x=deep",
    "logprob-gap-is-length": "x=fall rejected=bad accuracy=grow",
    "kl-drastic": "x=one",
    "kl-explosion": "x=grow reward=drop5 held=zig",
    "kl-sum-explosion": "x=huge reward=leap1s length=tiny",
    "kl-jump": "x=grow",
    "reference-far-at-start": "x=one clock=bad",
    "reference-far-at-start-sum": "x=huge clock=neg",
    "kl-slow": "x=zero reward=tiny",
    "reference-kl-negative": "x=deep",
    "reference-kl-not-positive": "x=deep",
    "divergence-below-zero": "x=neg",
    "impossible-divergence": "x=deep",
    "kl-coefficient-rising": "x=grow divergence=drop1",
    "over-optimised": "x=grows reward=slide",
    "reward-falling": "x=fall",
    "reward-plateau": "x=zero spread=zero held=dropt zero=neg",
    "no-improvement": "x=zero spread=tiny",
    "held-out-falls": "x=fall reward=climb100",
    "held-out-falls-behind": "x=zero reward=grows",
    "overfits": "x=grow trained=line",
    "overfits-pairs": "x=leap3 trained=line",
    "component-farmed": "x=grow other=fall total=leap3",
    "win-rate-against-self": "x=zero",
    "rollout-weight-off": "x=zero",
    "effective-sample-low": "x=zero",
    "rollout-weight-spread": "x=huge",
    "rollout-divergence": "x=one",
    "rollout-chi-squared": "x=huge",
    "rollout-veto": "x=one",
    "sampling-mismatch": "x=one weight=zig ratio=tiny clipped=fall",
    "sampling-mismatch-growing": "x=grow",
    "rollout-trainer-decorrelated": "x=zero difference=spikes",
    "rejection-too-much": "x=one divergence=drop2",
    "responses-aborted": "x=one reward=climb100",
    "rollouts-stale": "x=grow update=decay clipped=grows",
    "samples-dropped": "x=grow idle=half",
    "ratio-too-high": "x=huge",
    "ratio-too-low": "x=zero",
    "ratio-hopeless": "x=huge",
    "approx-kl-drastic": "x=one clipped=line norm=drop2 ratio=one reward=none",
    "update-slow": "x=tiny reward=huge",
    "clip-fraction-high": "x=one entropy=grow update=leap1s reward=fall2",
    "cispo-cap-below-one": "x=one",
    "gradient-norm-high": "x=huge update=drop5 clipped=zig reward=half entropy=slide loss=drop5",
    "gradient-spikes": "x=grow loss=huge",
    "loss-spikes": "x=bursts norm=drop3",
    "fluctuation-does-not-shrink": "x=grow",
    "collapse-at-once": "x=decay reward=grow length=zero norm=bad",
    "divergence-at-once": "x=leap1 norm=huge reward=slide",
    "signal-lost-at-once": "x=drop1 reward=drop1 length=neg",
    "supervised-loss-explodes": "x=grows",
}
"""For each rule the curve that it judges, and those beside it, of which it finds something as early as it can."""
GRPO = "trl[GRPOTrainer]==1.16.0"


def armed(rule, shapes):
    """Return the channels of a rule on curves of some shapes, by their names in conditions."""
    metric = rule.metrics[0] if rule.metrics else "held_out"
    mode = "eval" if rule.mode == "held_out" else rule.mode
    channels = {"x": Channel(KeyMeaning("x", metric, mode=mode), [rule])}
    for name, metrics in rule.curves.items():
        beside = metric if metrics == (SIBLING,) else metrics[0]
        channels[name] = Channel(KeyMeaning(name, beside), [])
    return {name: channel for name, channel in channels.items() if shapes.get(name, "none") != "none"}


def first_found(rule, shapes, most):
    """Return in which row a rule finds something first, and what it says of how many it needs before any."""
    channels = armed(rule, shapes)
    own = channels["x"]
    by_metric = {}
    for channel in channels.values():
        by_metric.setdefault(channel.meaning.metric, []).append(channel)
    instance = own.instances[0]
    instance.bind(1, by_metric)
    least, told = None, []
    for at in range(most):
        for name, channel in channels.items():
            value = SHAPES[shapes[name]](at)
            if value is not None:
                channel.series.add(at + 1.0, value)
        if least is None:
            least = instance.least(5000)
        if own.instant or own.series.count >= own.due:
            own.full()
            if instance.complete and instance.judge(at + 1.0, at + 1.0, float):
                return at + 1, least, told
            told.append(instance.ready.reached)
    return None, least, told


def test_there_is_a_worst_curve_for_every_rule():
    """No rule is without one, but for those that judge no curve."""
    assert set(WORST) == {rule.id for rule in RULES.rules if not rule.special}


@pytest.mark.parametrize("name", WORST)
def test_what_is_bad_in_all_rows_is_found_in_the_row_that_is_told(name):
    """The number of points that a rule says it needs is that of which it finds something, not one more or less."""
    shapes = dict(part.split("=") for part in WORST[name].split())

    found, least, told = first_found(RULES.by_id[name], shapes, 1300)

    assert found == least
    assert not any(told)
