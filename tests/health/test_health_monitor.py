"""The monitor: what it finds in a row, that it never raises, and that its memory does not grow."""

import copy
import json
import math
import multiprocessing
import os
import pickle
import threading

import pytest
from health_simulator import simulate, spelled
from rlmetrics.health import Monitor

GRPO, VERL, PPO = "trl[GRPOTrainer]==1.16.0", "verl==0.9.1", "trl[PPOTrainer]==0.11.4"


def verdict(rows, source, **options):
    """Return which rules warn, and from which step on."""
    monitor = Monitor(source, **options)
    for row in rows:
        monitor.observe(None, row)
    assert monitor.faults == 0, monitor.fault
    return {(item.rule, item.cause, item.level) for item in monitor.findings() if item.level != "info"}


def findings(rows, source):
    """Return the findings of each row by its step."""
    monitor = Monitor(source)
    return {row["step"]: monitor.observe(None, row) for row in rows}


def healthy(source, steps=60):
    """Return a healthy run as a source spells it."""
    return spelled(simulate("grpo", "healthy", 3, steps).rows, source)


@pytest.mark.parametrize("lost", [math.nan, math.inf, -math.inf, "NaN", "Infinity", "-inf", "nan", None])
@pytest.mark.parametrize(("source", "key"), [(GRPO, "grad_norm"), (VERL, "actor/grad_norm"), (VERL, "actor/pg_loss")])
def test_a_lost_number_is_found_in_its_row(source, key, lost):
    """NaN, infinities, their names as text, and null after numbers are an error at the row in which they stand."""
    rows = healthy(source)
    rows[30][key] = lost
    if key == "actor/pg_loss":
        rows[30]["actor/grad_norm"] = lost  # as the gradient of such a loss is

    found = findings(rows, source)

    assert [item for step in range(1, 31) for item in found[step] if item.cause == "non_finite"] == []
    (item,) = [item for item in found[31] if item.cause == "non_finite" and item.key == key]
    assert (item.level, item.onset_step) == ("error", 31)


@pytest.mark.parametrize(("count", "level"), [(1, "info"), (3, "info"), (5, "warning")])
def test_a_lost_loss_beside_a_gradient_is_a_remark(count, level):
    """Weights that are not finite give no gradient norm that is: the run is not broken, even where it ends so."""
    rows = healthy(GRPO)[: 20 + count]
    for row in rows[20:]:
        row["loss"] = math.nan

    found = [item for items in findings(rows, GRPO).values() for item in items if item.cause == "non_finite"]

    assert {item.rule for item in found} == {"steps-skipped"}
    assert (found[-1].level, found[-1].key, found[-1].onset_step) == (level, "loss", 21)


def test_the_norm_of_an_earlier_step_proves_nothing():
    """After an overflow DeepSpeed shows the norm of an earlier step once more: the loss is lost."""
    rows = healthy(GRPO)[:21]
    rows[20] |= {"loss": math.nan, "grad_norm": rows[19]["grad_norm"]}

    found = [item for item in findings(rows, GRPO)[21] if item.cause == "non_finite"]

    assert [(item.rule, item.level) for item in found] == [("loss-non-finite", "error")]


def test_a_loss_of_zero_beside_a_lost_gradient_is_a_lost_loss():
    """Transformers logs 0.0 for a NaN loss; the gradient of the same row tells."""
    rows = healthy(GRPO)
    rows[30].update({"loss": 0.0, "grad_norm": math.nan})

    found = {item.key: item for item in findings(rows, GRPO)[31]}

    assert set(found) == {"loss", "grad_norm"}
    assert "logged as 0.0" in found["loss"].message


def test_a_key_that_vanishes_is_found_in_its_row():
    """A logger that drops NaN leaves a row without its key; two that vanish together are an error."""
    rows = healthy(VERL)
    for row in rows[30:]:
        del row["actor/grad_norm"], row["actor/pg_loss"]

    found = findings(rows, VERL)

    assert [item for step in range(1, 31) for item in found[step] if item.cause == "non_finite"] == []
    assert {(item.key, item.level) for item in found[31]} == {("actor/grad_norm", "error"), ("actor/pg_loss", "error")}


def test_rows_of_another_kind_are_no_lost_keys():
    """Rows of evaluation between those of training, and a summary at the end, lack nothing."""
    rows = healthy(GRPO)
    mixed = []
    for row in rows:
        mixed.append(row)
        if row["step"] % 10 == 0:
            mixed.append({"step": row["step"], "eval_reward": 0.4, "eval_loss": 0.1})
    mixed.append({"step": 60, "train_runtime": 12.0, "train_loss": 0.1})

    assert set() == verdict(mixed, GRPO)


def test_columns_that_are_empty_in_most_rows_are_no_lost_numbers():
    """A table with null for what a row did not log holds no NaN."""
    rows = [{**row, "eval_reward": 0.4 if row["step"] % 10 == 0 else None} for row in healthy(GRPO)]

    assert set() == verdict(rows, GRPO)


SICK = [
    ("entropy_collapse", "entropy_collapse"),
    ("kl_explosion", "kl_explosion"),
    ("zero_advantage", "no_learning_signal"),
]


@pytest.mark.parametrize(("scenario", "cause"), SICK)
@pytest.mark.parametrize("source", [GRPO, VERL])
def test_the_verdict_does_not_depend_on_how_a_run_is_logged(scenario, cause, source):
    """Sorted keys, prefixes, thinned rows, evaluation between rows, and partial rows change no cause."""
    run = simulate("grpo", scenario, 5, 600, 200)
    plain = spelled(run.rows, source)
    sorted_keys = [dict(sorted(row.items())) for row in plain]
    thinned = plain[9::10]
    prefixed = [{key if key == "step" else f"train/{key}": value for key, value in row.items()} for row in plain]
    halves = [
        {"step": row["step"], **dict(part)}
        for row in plain
        for items in [[item for item in row.items() if item[0] != "step"]]
        for part in (items[::2], items[1::2])
    ]
    between = [item for row in plain for item in (row, {"step": row["step"], "val-core/x/reward/mean@1": 0.5})]

    logged = {"plain": plain, "sorted": sorted_keys, "thinned": thinned, "halves": halves, "between": between}
    if source == GRPO:
        logged["prefixed"] = prefixed
    causes = {name: {item[1] for item in verdict(rows, source)} for name, rows in logged.items()}

    assert dict.fromkeys(logged, True) == {name: cause in found for name, found in causes.items()}


def test_a_resumed_run_is_no_alarm():
    """Steps that are repeated after a crash are judged and noted, and alarm nobody."""
    rows = healthy(GRPO, 120)
    resumed = [*rows[:80], *rows[50:]]
    monitor = Monitor(GRPO)
    for row in resumed:
        monitor.observe(None, row)

    report = monitor.report()

    assert [item for item in report.findings if item.level != "info"] == []
    assert any("goes back from step 80 to 51: taken as resumed" in note for note in report.notes)


def test_timers_that_are_logged_late_are_no_resumed_run():
    """Rows that hold nothing but times of parts of a step may lie before others; the run does not go back."""
    rows = []
    for row in healthy(GRPO):
        late = row["step"] - 3
        rows.append(row)
        rows += [{"step": late + part, "profiling/Time taken: GRPOTrainer.part": 0.1} for part in (1, 2)]
    monitor = Monitor(GRPO)
    for row in rows:
        monitor.observe(None, row)

    report = monitor.report()

    assert (monitor.run.axis.falls, monitor.run.axis.resumed, report.steps) == (0, [], (1, 60))
    assert [item for item in report.findings if item.level != "info"] == []


def test_an_error_in_the_monitor_does_not_reach_training():
    """A value that raises when it is looked at is counted, not raised."""

    class Bad:
        def __float__(self):
            raise MemoryError

    class Worse(dict):
        def values(self):
            raise RuntimeError("no")

    monitor = Monitor(GRPO)
    assert monitor.observe(1, {"loss": Bad()}) == []
    assert monitor.observe(2, Worse(loss=1)) == []
    assert monitor.faults >= 1


def test_rows_that_no_source_explains_do_not_wait_for_ever():
    """Where the source cannot be inferred, a few rows wait and not all of them."""
    monitor = Monitor()
    for step in range(100):
        monitor.observe(step, {"one": 1.0, f"two {step}": 2.0})

    assert monitor.rows == 100


@pytest.mark.parametrize("cut", [1, 37, 90, 150])
def test_a_monitor_goes_on_where_it_was_saved(cut):
    """A state that went through JSON gives the findings that an uninterrupted run gives."""
    rows = spelled(simulate("grpo", "entropy_collapse", 2).rows, GRPO)
    whole = Monitor(GRPO)
    for row in rows:
        whole.observe(None, row)
    first, second = Monitor(GRPO), Monitor(GRPO)
    for row in rows[:cut]:
        first.observe(None, row)

    second.load_state_dict(json.loads(json.dumps(first.state_dict())))
    for row in rows[cut:]:
        second.observe(None, row)

    assert whole.findings() == second.findings()
    assert whole.report().diagnoses == second.report().diagnoses


def test_threads_may_share_a_monitor():
    """Rows from several threads are all taken, without a fault."""
    monitor = Monitor(GRPO)
    rows = healthy(GRPO, 200)

    def feed(part):
        for row in part:
            monitor.observe(None, row)

    threads = [threading.Thread(target=feed, args=(rows[start::4],)) for start in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert (monitor.rows, monitor.faults) == (200, 0)


def grpo_row(step, kl):
    """Return a row of GRPO's or RLOO's, which log the same keys."""
    row = dict.fromkeys(("completions/mean_length", "completions/min_length", "completions/max_length"), 12.0)
    row |= {"loss": 0.01, "grad_norm": 0.3, "learning_rate": 1e-6, "num_tokens": 100.0 * step, "kl": kl, "step": step}
    row |= {"reward": 0.4 + 0.1 * (step % 3), "reward_std": 0.2, "frac_reward_zero_std": 0.1, "entropy": 0.6}
    return row | dict.fromkeys(("clip_ratio/low_mean", "clip_ratio/high_mean", "clip_ratio/region_mean"), 0.0)


def test_three_rows_do_not_decide_what_a_number_is_that_later_rows_tell():
    """A healthy log-ratio of RLOO's is below 0 now and then; three rows above it do not make it GRPO's divergence."""
    kls = [0.01, 0.02, 0.01] + [0.03 * (-1) ** step for step in range(60)]
    monitor = Monitor()
    for step, kl in enumerate(kls[:30], start=1):
        monitor.observe(step, grpo_row(step, kl))
    resumed = Monitor()
    resumed.load_state_dict(json.loads(json.dumps(monitor.state_dict())))
    for step, kl in enumerate(kls[30:], start=31):
        resumed.observe(step, grpo_row(step, kl))

    assert [item.rule for item in (*monitor.findings(), *resumed.findings()) if item.key == "kl"] == []
    assert "(or RLOOTrainer)" in " ".join(monitor.report().notes)


def test_rows_that_are_whole_tell_a_trainer_by_what_they_lack():
    """The first rows of SFT hold nothing that DPO does not log, and lack what it logs always."""
    monitor = Monitor()
    for step in range(1, 4):
        monitor.observe(
            step,
            {"loss": 2.0, "grad_norm": 1.0, "learning_rate": 1e-5, "entropy": 1.9, "step": step}
            | {"num_tokens": 100.0 * step, "mean_token_accuracy": 0.6, "epoch": 0.1 * step},
        )
    assert str(monitor.at).startswith("trl[SFTTrainer]==")


def test_the_source_is_inferred_from_the_first_rows():
    """Without a source the first rows tell, and nothing of them is lost."""
    rows = healthy(GRPO)
    rows[1]["grad_norm"] = math.nan
    monitor = Monitor()
    for row in rows:
        monitor.observe(None, row)

    assert monitor.at is not None
    assert monitor.at.startswith("trl[GRPOTrainer]")
    assert {(item.rule, item.onset_step) for item in monitor.findings()} == {("steps-skipped", 2)}


def test_what_the_release_makes_constant_is_expected():
    """A value that the release documents as constant is no finding."""
    monitor = Monitor(PPO, {"ppo_epochs": 1, "batch_size": 8, "mini_batch_size": 8})
    rows = spelled(simulate("ppo", "one_iteration", 1).rows, PPO)
    for row in rows:
        monitor.observe(None, row)

    assert [item for item in monitor.findings() if item.level != "info"] == []


def test_a_known_fault_of_a_release_is_not_blamed_on_the_run():
    """In verl 0.7 losses are added up over updates; a bound on such a number is not judged, and the report says why."""
    monitor = Monitor("verl==0.7.0", {"actor_rollout_ref.actor.updates_per_batch": 8})
    for step in range(1, 120):
        monitor.observe(step, {"actor/kl_loss": 4.0, "critic/score/mean": 0.2, "actor/pg_loss": 0.1})
    report = monitor.report()

    assert [item for item in report.findings if item.rule == "kl-drastic"] == []
    (state,) = [item for item in report.not_judged if item.rule == "kl-drastic"]
    assert state.state == "explained_by_release"


def test_a_report_says_what_was_not_judged_and_how_to_turn_it_on():
    """Every rule is found, passed or left out with a reason; GRPO's divergence names its condition."""
    monitor = Monitor(GRPO)
    for row in healthy(GRPO):
        monitor.observe(None, {key: value for key, value in row.items() if key != "kl"})
    report = monitor.report()

    seen = {item.rule for item in report.findings} | {item.rule for item in report.not_judged} | set(report.passed)
    assert {rule.id for rule in monitor.run.curves.rules.rules} == seen
    (kl,) = [item for item in report.not_judged if item.rule == "kl-explosion"]
    assert (kl.state, kl.how) == ("not_logged", "logged only if beta != 0")
    assert {item.state for item in report.not_judged} == {"not_logged", "not_applicable", "not_ready"}


def test_keys_of_no_use_hide_none_that_matter():
    """Twelve thousand norms of single parameters come before the loss, which is judged; the report tells of them."""
    norms = {f"norms/layers.{number // 9}.{number % 9}.weight": 0.1 for number in range(12_000)}
    rows = healthy(GRPO)
    rows[30]["loss"] = rows[30]["grad_norm"] = math.nan

    monitor = Monitor(GRPO)
    found = [item for row in rows for item in monitor.observe(None, {**norms, **row})]

    assert {("loss", 31), ("grad_norm", 31)} <= {(item.key, item.onset_step) for item in found}
    assert any("4,000 keys" in note for note in monitor.report().notes)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda monitor: pickle.loads(pickle.dumps(monitor))])
def test_a_copy_judges_on_by_itself(copied):
    """A copy of a monitor, as launchers that pickle trainers make one, finds what the original finds."""
    rows = spelled(simulate("grpo", "entropy_collapse", 2).rows, GRPO)
    whole = Monitor(GRPO, {"max_steps": 500})
    for row in rows[:70]:
        whole.observe(None, row)

    other = copied(whole)
    for monitor in (whole, other):
        for row in rows[70:]:
            monitor.observe(None, row)

    assert other.report().findings == whole.report().findings != []
    assert other.run.curves.config == {"max_steps": 500}


@pytest.mark.parametrize(
    ("state", "what"),
    [
        ({}, "no whole state"),
        ({"at": VERL, "rows": 1}, "the state is of a run of verl==0.9.1"),
        ({"at": GRPO, "rows": 1, "axis": {}}, "no whole state"),
        ({"at": None, "rows": "x"}, "no whole state"),
    ],
)
def test_a_state_of_something_else_is_refused_and_nothing_of_it_taken(state, what):
    """A state of another source, or half of one, is one ValueError; the monitor goes on as it was."""
    monitor = Monitor(GRPO)
    monitor.observe(1, {"loss": 0.5, "kl": 0.1})

    with pytest.raises(ValueError, match=what):
        monitor.load_state_dict(state)

    assert monitor.rows == 1
    assert [item.rule for item in monitor.observe(2, {"loss": math.nan, "kl": 0.1})] == ["loss-non-finite"]


def test_a_fork_while_others_observe_does_not_lock_the_child():
    """A process that is forked while a thread is within a bare monitor can observe at once."""
    monitor, stop = Monitor(GRPO), threading.Event()

    def observe():
        while not stop.is_set():
            monitor.observe(None, {"loss": 0.5, "kl": 0.1, "reward": 1.0})

    thread = threading.Thread(target=observe)
    thread.start()
    context = multiprocessing.get_context("fork")
    try:
        for _ in range(10):
            child = context.Process(target=lambda: os._exit(7 if monitor.observe(None, {"loss": 0.5}) == [] else 1))
            child.start()
            child.join(20)
            assert child.exitcode == 7
    finally:
        stop.set()
        thread.join()
