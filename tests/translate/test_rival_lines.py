"""JSON lines in which several keys claim one name: what the whole run says decides, however the file is read."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st
from rlmetrics.translate import Translator, translate_file

SOURCE, TARGET = "trl[PPOTrainer]==0.11.4", "canonical"
NEAREST_FIRST = [["ppo/mean_scores", "env/reward_mean"], ["ppo/std_scores", "env/reward_std"]]
PLAIN = {key: Translator(SOURCE, TARGET).key(key).output for key in ("objective/kl", "mine")}
KEYS = [*PLAIN, *NEAREST_FIRST[0], *NEAREST_FIRST[1]]
SPELLED = st.sampled_from(["1", "1.0", "0.5", "5e-1", "NaN", "2.5", "null", '"a"', "[1, 2]", "true"])
SEPARATORS = st.sampled_from([", ", ",", " ,  "])
ROWS = st.lists(
    st.lists(st.tuples(st.sampled_from(KEYS), SPELLED), unique_by=lambda member: member[0], min_size=1),
    min_size=1,
    max_size=6,
)


def same(first, second):
    """Tell whether two values are one; NaN is NaN, and True is not 1."""
    return repr(first) == repr(second) or (first == second and bool not in {type(first), type(second)})


def expected(rows):
    """Return what the rule makes of rows: one name where keys meet and are equal wherever they do, else two."""
    aside = set()
    for pair in NEAREST_FIRST:
        met = [[row[key] for key in pair] for row in rows if all(key in row for key in pair)]
        both = all(any(key in row for row in rows) for key in pair)
        if both and (not met or not all(same(*values) for values in met)):
            aside.update(pair)
    names = dict(PLAIN)
    for pair in NEAREST_FIRST:
        for key in pair:
            names[key] = (
                f"untranslated/trl-0.11.4/{key}" if key in aside else Translator(SOURCE, TARGET).key(key).output
            )
    return [
        {
            names[key]: value
            for key, value in row.items()
            if key in aside or not any(key == pair[1] and pair[0] in row for pair in NEAREST_FIRST)
        }
        for row in rows
    ]


@settings(max_examples=100, deadline=None)
@given(rows=ROWS, separator=SEPARATORS, repeats=st.integers(1, 3))
def test_the_whole_run_decides_who_gets_a_name(rows, separator, repeats, tmp_path_factory):
    """Late differences, keys that never meet and other spellings of a number give what the rule gives."""
    path = tmp_path_factory.mktemp("run") / "run.jsonl"
    rows = [[("objective/kl", "0.5")], *rows]
    lines = [separator.join(f'"{key}": {text}' for key, text in row) for row in rows for _ in range(repeats)]
    path.write_text("".join(f"{{{line}}}\n" for line in lines))
    read = [dict(json.loads(f"{{{line}}}")) for line in lines]

    report = translate_file(path, source=SOURCE, target=TARGET, output=path.with_name("out"), force=True)

    written = [json.loads(line) for line in path.with_name("out").read_text().splitlines()]
    assert [list(map(repr, row.items())) for row in written] == [list(map(repr, row.items())) for row in expected(read)]
    assert report.records == len(lines)


def test_a_report_says_in_how_many_rows_keys_were_equal_and_where_not(tmp_path):
    """Equal keys are counted over the run; of those that differ the first row is told with its step and values."""
    path = tmp_path / "run.jsonl"
    rows = [{"step": at, "ppo/mean_scores": 1.0, "env/reward_mean": 1.0, "ppo/std_scores": 0.5} for at in range(40)]
    for at, row in enumerate(rows):
        row["env/reward_std"] = 0.25 if at >= 30 else 0.5
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))

    report = translate_file(path, source=SOURCE, target=TARGET, output=tmp_path / "out", force=True)

    assert report.equal == {"env/reward_mean": {"key": "ppo/mean_scores", "rows": 40, "of": 40}}
    (where,) = report.differing.values()
    assert (where["row"], where["step"]) == (31, 30.0)
    assert where["values"] == {"ppo/std_scores": 0.5, "env/reward_std": 0.25}
