"""What holds for every kind of log: values, unknown names, look-alikes, conversions, collisions, round trips, tears."""

import random
import re
import sqlite3
from contextlib import closing

import pytest
from logs import LOGS
from rlmetrics.logs.kinds import KINDS
from rlmetrics.translate import InputError, translate_file
from rlmetrics.translate.rewriting import REWRITERS
from translate.every_kind import EXACT, FLIPPED, ROWS, contents, translate

VERL, DPO, PPO = "verl==0.9.1", "trl[OnlineDPOTrainer]==0.18.2", "trl[PPOTrainer]==0.7.10"


@pytest.fixture(params=LOGS)
def log(request):
    """Each kind of log in turn."""
    return LOGS[request.param]


def _alike(log, first, second):
    """Rows are equal, as spelled or as numbers."""
    if log.keeps_text:
        return first == second
    return [{k: repr(float(v)) for k, v in row.items()} for row in first] == [
        {k: repr(float(v)) for k, v in row.items()} for row in second
    ]


def test_what_is_read_is_written():
    """For every kind that is recognised there is what writes a copy, and for no other."""
    assert REWRITERS.keys() == KINDS.keys()


def test_names_change_and_values_stay(log, tmp_path):
    """Each value is what it was, under the new name; rows are counted, nothing is lost."""
    new, report = translate(log, tmp_path, ROWS, VERL, "canonical")

    assert _alike(log, [{EXACT.get(key, key): value for key, value in row.items()} for row in ROWS], new)
    assert {old: how["to"] for old, how in report.translated.items()} == EXACT
    assert {how["relation"] for how in report.translated.values()} == {"exact"}
    assert (report.kind, report.lost.records, report.lost.bytes) == (log.kind, 0, 0)
    assert report.records in {len(ROWS), len(ROWS) * len(ROWS[0])}


def test_there_and_back_gives_the_original(log, tmp_path):
    """Over exact relations, and over one that is subtracted from one, each value returns to its name."""
    for number, (rows, source) in enumerate(((ROWS, VERL), ([{FLIPPED: "0.25", "epoch": "0.5"}], DPO))):
        folder = tmp_path / str(number)
        folder.mkdir()
        there, _ = translate(log, folder, rows, source, "canonical")
        back = folder / "back"
        translate_file(folder / f"out-{log.name}", source="canonical", target=source, output=back, kind=log.kind)

        assert set(there[0]).isdisjoint(set(rows[0]) - {"mine/own"})
        assert [{k: float(v) for k, v in row.items()} for row in rows] == [
            {k: float(v) for k, v in row.items()} for row in log.read(back)
        ]


@pytest.mark.parametrize("name", [name for name, log in LOGS.items() if log.keeps_text])
def test_what_is_not_finite_is_converted_as_arithmetic_says(name, tmp_path):
    """NaN stays, an infinity subtracted from one is the other; both come back."""
    log = LOGS[name]
    numbers = (
        ["nan", "inf", "-inf"]
        if "console" in log.kind or log.kind == "step-dicts"
        else ["NaN", "Infinity", "-Infinity"]
    )

    rows = [{FLIPPED: number, "epoch": "0.5"} for number in numbers]

    new, _ = translate(log, tmp_path, rows, DPO, "canonical")
    translate_file(
        tmp_path / f"out-{log.name}", source="canonical", target=DPO, output=tmp_path / "back", kind=log.kind
    )

    assert [row["length/truncated_fraction"] for row in new] == [numbers[0], numbers[2], numbers[1]]
    assert rows == log.read(tmp_path / "back")


def test_known_conversions_convert_values(log, tmp_path):
    """A share of the opposite is subtracted from one, and the report says so; other values keep their spelling."""
    rows = [{FLIPPED: value, "epoch": "0.50"} for value in ("0.25", "1.0", "-3.5")]

    new, report = translate(log, tmp_path, rows, DPO, "canonical")

    assert [float(row["length/truncated_fraction"]) for row in new] == [0.75, 0.0, 4.5]
    assert report.translated[FLIPPED]["transform"] == {"scale": -1.0, "offset": 1.0}
    assert _alike(log, [{"progress/epoch": "0.50"}] * 3, [{"progress/epoch": row["progress/epoch"]} for row in new])


def test_unknown_names_are_kept_and_listed(log, tmp_path):
    """What the source doesn't define stays, or is dropped or refused on request."""
    new, report = translate(log, tmp_path, ROWS, VERL, "canonical")
    assert ["0.5"] * len(ROWS) == [row["mine/own"] for row in new]
    assert report.unknown == ["mine/own"]

    path = tmp_path / log.name
    translate_file(path, source=VERL, target="canonical", output=tmp_path / "less", kind=log.kind, unknown="drop")
    assert all("mine/own" not in row for row in log.read(tmp_path / "less"))
    with pytest.raises(InputError, match=rf"^{re.escape(str(path))}.*: mine/own: not a key of verl"):
        translate_file(path, source=VERL, target="canonical", output=tmp_path / "no", kind=log.kind, unknown="error")
    assert not (tmp_path / "no").exists()


def test_look_alikes_are_never_translated(log, tmp_path):
    """The clip ratio of lengths is a relative of the truncated fraction, not the same: it keeps its name."""
    rows = [{**row, "response_length/clip_ratio": "0.25"} for row in ROWS]

    new, report = translate(log, tmp_path, rows, VERL, "canonical")

    assert all(row["response_length/clip_ratio"] == "0.25" for row in new)
    assert report.unchanged == ["response_length/clip_ratio"]


def test_a_name_that_means_something_else_is_set_aside(log, tmp_path):
    """The target's own ``reward_std`` is another quantity, so the old one may not stand under its name."""
    rows = [{"reward_std": "0.25", "reward": "1.5"}]

    new, report = translate(log, tmp_path, rows, "trl[GRPOTrainer]==0.18.2", "trl[GRPOTrainer]==1.16.0")

    assert [{key: float(value) for key, value in row.items()} for row in new] == [
        {"untranslated/trl-0.18.2/reward_std": 0.25, "reward": 1.5}
    ]
    assert report.set_aside == {"reward_std": "untranslated/trl-0.18.2/reward_std"}


@pytest.mark.parametrize("second", ["0.5", "0.75"])
def test_two_old_names_of_one_new_name(log, tmp_path, second):
    """Equal values are written once; if they differ anywhere, nobody can tell which is right: both are set aside."""
    names = "env/reward_mean", "ppo/mean_scores"
    rows = [dict.fromkeys(names, "0.25"), dict(zip(names, ("0.5", second), strict=True))]

    new, report = translate(log, tmp_path, rows, PPO, "canonical")

    last = {key: float(value) for key, value in new[-1].items()}
    if second == "0.5":
        assert (last, report.exit_code) == ({"reward/score/mean": 0.5}, 0)
        assert report.duplicates == {"env/reward_mean": "reward/score/mean"}
    else:
        assert last == {f"untranslated/trl-0.7.10/{names[0]}": 0.5, f"untranslated/trl-0.7.10/{names[1]}": 0.75}
        assert (report.exit_code, list(report.collisions)) == (1, ["reward/score/mean"])


RIVALS = "env/reward_mean", "ppo/mean_scores"
ASIDE = {name: f"untranslated/trl-0.7.10/{name}" for name in RIVALS}


@pytest.mark.parametrize("odd", [0, 1, 4])
def test_a_collision_is_judged_by_run(log, tmp_path, odd):
    """One row in which they differ sets both aside in all rows: no series is torn apart, wherever that row is."""
    rows = [
        {RIVALS[0]: "0.5", RIVALS[1]: "0.5" if step != odd else "0.75", "objective/kl": "0.25"} for step in range(5)
    ]

    new, report = translate(log, tmp_path, rows, PPO, "canonical")

    assert [{*ASIDE.values(), "kl/old_reference_sum/k1"}] * 5 == [set(row) for row in new]
    assert (report.exit_code, report.collisions) == (1, {"reward/score/mean": list(RIVALS)})
    assert report.set_aside == ASIDE
    for old, now in zip(rows, new, strict=True):
        assert [float(old[name]) for name in RIVALS] == [float(now[ASIDE[name]]) for name in RIVALS]


@pytest.mark.parametrize("name", ["run.jsonl", "trainer_state.json", "verl.log", "hf.log", "project.db", "run-a.wandb"])
@pytest.mark.parametrize("meet", [False, True])
def test_names_that_take_turns(name, tmp_path, meet):
    """Series that never meet may be anything: both are set aside. If they are equal where they meet, they are one."""
    log = LOGS[name]
    rows = [{RIVALS[step % 2]: repr(0.5 + step), "objective/kl": "0.25"} for step in range(4)]
    rows += [{**dict.fromkeys(RIVALS, "7.5"), "objective/kl": "0.25"}] if meet else []

    new, report = translate(log, tmp_path, rows, PPO, "canonical")

    if meet:
        assert [float(row["reward/score/mean"]) for row in new] == [0.5, 1.5, 2.5, 3.5, 7.5]
        assert (report.collisions, report.exit_code) == ({}, 0)
    else:
        assert [{ASIDE[RIVALS[step % 2]]} for step in range(4)] == [
            set(row) - {"kl/old_reference_sum/k1"} for row in new
        ]
        assert report.collisions == {"reward/score/mean": list(RIVALS)}


def test_runs_of_one_database_are_judged_apart(tmp_path):
    """A collision in one run sets nothing aside in another."""
    log = LOGS["project.db"]
    rows = [{RIVALS[0]: "0.5", RIVALS[1]: "0.5"}, {RIVALS[0]: "0.5", RIVALS[1]: "0.75"}]
    log.write(tmp_path / log.name, rows)
    with closing(sqlite3.connect(tmp_path / log.name)) as database, database:
        database.execute("UPDATE metrics SET run_name = 'run' || step")

    report = translate_file(tmp_path / log.name, source=PPO, target="canonical", output=tmp_path / "out.db")

    assert [set(row) for row in log.read(tmp_path / "out.db")] == [{"reward/score/mean"}, set(ASIDE.values())]
    assert (report.exit_code, report.records) == (1, 2)


def test_both_keeps_the_old_names_of_a_collision(log, tmp_path):
    """With ``--both`` the old curves are whole, also those that are set aside because others claim their new name."""
    rows = [dict(zip(RIVALS, values, strict=True)) for values in (("0.5", "0.5"), ("0.5", "0.75"))]

    new, report = translate(log, tmp_path, rows, PPO, "canonical", both=True)

    for was, now in zip(rows, new, strict=True):
        for name, value in was.items():
            assert float(value) == float(now[name]) == float(now[ASIDE[name]])
    assert report.set_aside == ASIDE


def test_both_names_on_request(log, tmp_path):
    """``--both`` writes each value under the old and the new name, and only once where they are the same."""
    new, _ = translate(log, tmp_path, ROWS, VERL, "canonical", both=True)

    for was, now in zip(ROWS, new, strict=True):
        assert set(now) == {*EXACT, *EXACT.values(), "mine/own"}
        for key, value in was.items():
            assert float(value) == float(now[key]) == float(now[EXACT.get(key, key)])


def test_only_strict_relations_on_request(log, tmp_path):
    """``--strict`` leaves approximate counterparts alone."""
    rows = [{**row, "actor/ppo_kl": "0.125"} for row in ROWS]

    loose, _ = translate(log, tmp_path, rows, VERL, "canonical")
    translate_file(
        tmp_path / log.name, source=VERL, target="canonical", output=tmp_path / "strict", kind=log.kind, strict=True
    )
    strict = log.read(tmp_path / "strict")

    assert "kl/old/k1" in loose[0]
    assert "actor/ppo_kl" in strict[0]
    assert set(EXACT.values()) <= set(strict[0])


ODD = {
    "NaN": "NaN",
    "infinite": "-Infinity",
    "large": "123456789012345678901234567890",
    "huge": "1" + "0" * 5000,
    "list of huge": "[1" + "0" * 5000 + ", 1.50e-03, {}]",
    "exact": "1.50e-03",
    "tiny": "-0.0",
    "text": '"ünï ☃ \\ud83d\\ude00"',
    "long": '"' + "x" * 10_000_000 + '"',
}


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("name", ["run.jsonl", "verl.jsonl", "trainer_state.json", "rows.json", "project.db"])
def test_odd_values_of_json_stay_byte_for_byte(name, odd, tmp_path):
    """Not finite, beyond every integer type, oddly spelled, not ASCII, ten megabytes: the same bytes come out."""
    log = LOGS[name]
    rows = [{**ROWS[0], "actor/entropy": ODD[odd], "mine/odd": ODD[odd]}]
    path, out = tmp_path / name, tmp_path / "out"
    log.write(path, rows)

    report = translate_file(path, source=VERL, target="canonical", output=out, kind=log.kind)

    expected = _text(path)
    for old, how in report.translated.items():
        expected = expected.replace(f'"{old}":'.encode(), f'"{how["to"]}":'.encode())
    assert "actor/entropy" in report.translated
    assert _text(out) == expected


def _text(path):
    if path.read_bytes().startswith(b"SQLite"):
        with closing(sqlite3.connect(path)) as database:
            return database.execute("SELECT metrics FROM metrics").fetchone()[0]
    return path.read_bytes()


@pytest.mark.parametrize("odd", [value.strip('"') for value in ODD.values()], ids=list(ODD))
def test_odd_cells_of_tables_stay_byte_for_byte(odd, tmp_path):
    """The body of a table is not even looked at."""
    path, out = tmp_path / "run.csv", tmp_path / "out.csv"
    LOGS["run.csv"].write(path, [{**ROWS[0], "actor/entropy": odd}])

    translate_file(path, source=VERL, target="canonical", output=out)

    assert path.read_bytes().partition(b"\n")[2] == out.read_bytes().partition(b"\n")[2]


@pytest.mark.parametrize(
    "odd", ["nan", "-inf", "1e-06", "1" + "0" * 400, "np.float64(0.25)", "np.float32(nan)", "-0.0"]
)
@pytest.mark.parametrize("name", ["verl.log", "hf.log"])
def test_odd_values_of_consoles_stay_as_printed(name, odd, tmp_path):
    """What Python and NumPy print is copied, among ten megabytes of other output."""
    log = LOGS[name]
    path, out = tmp_path / name, tmp_path / "out.log"
    log.write(path, [{**ROWS[0], "actor/entropy": odd}])
    noise = b"x" * 10_000_000 + "ünï\n".encode()
    path.write_bytes(noise + path.read_bytes())

    translate_file(path, source=VERL, target="canonical", output=out, kind=log.kind)

    assert out.read_bytes().startswith(noise)
    out.write_bytes(out.read_bytes().removeprefix(noise))
    assert odd == log.read(out)[0]["entropy/old_policy"]


def test_damage_gives_output_or_one_clear_error(log, tmp_path):
    """Whatever bytes are wrong, in a header or a value: a report, or one line that names the file, and no leftover."""
    path, out = tmp_path / log.name, tmp_path / "out"
    log.write(path, ROWS)
    file = path if path.is_file() else max(contents(path), key=lambda found: found.stat().st_size)
    whole, dice = file.read_bytes(), random.Random(log.name)
    for _ in range(12):
        damaged = bytearray(whole)
        for _ in range(dice.choice((1, 3, 20))):
            damaged[dice.randrange(dice.choice((min(100, len(whole)), len(whole))))] = dice.randrange(256)
        file.write_bytes(damaged)
        message = str(path)
        try:
            translate_file(path, source=VERL, target="canonical", output=out, kind=log.kind, force=True)
        except InputError as error:
            message = str(error)
        assert message.startswith(str(path))
        assert "\n" not in message
        assert damaged == file.read_bytes()
        assert {log.name} <= {found.name for found in tmp_path.iterdir()} <= {log.name, "out"}
