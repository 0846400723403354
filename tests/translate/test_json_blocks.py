"""Lines of JSON that are alike: translated together they are what the thorough way makes of each."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rlmetrics.logs.input_errors import InputError
from rlmetrics.logs.jsonspans import JsonError, members
from rlmetrics.translate import Translator, translate_file
from rlmetrics.translate.json_rows import Rewriter

VERL = ("verl==0.1", "verl==0.9.1")
PPO = ("trl[PPOTrainer]==0.11.4", "canonical")
TRANSLATORS = {pair: Translator(*pair) for pair in (VERL, PPO)}
KEYS = {
    VERL: ["actor/lr(1e-4)", "actor/pg_loss", "critic/lr(1e-4)", "mine", "", ","],
    PPO: ["env/reward_mean", "objective/kl", "ppo/mean_scores", "env/reward_std", "mine", "ppo/std_scores"],
}
TEXTS = st.sampled_from(["mine", "actor/pg_loss", "a", ": ", '": 1, "', "}\n{", "é", "\\", ""])
NUMBERS = st.sampled_from(["1", "0.5", "-2.25e-05", "NaN", "-Infinity", "null", "1.0", "1e2"])
OTHERS = st.sampled_from(["[1, 2]", "[]", "[null,  0.5]", "{}", '["a"]'])
VALUES = NUMBERS | NUMBERS | TEXTS.map(json.dumps) | OTHERS
SEPARATORS = st.sampled_from([(", ", ": "), (",", ":"), (" ,  ", " :\t")])


def spelled(keys, values, separators):
    """Return an object as text."""
    comma, colon = separators
    return "{" + comma.join(f'"{key}"{colon}{value}' for key, value in zip(keys, values, strict=True)) + "}"


def thoroughly(pair, text):
    """Return what the thorough way makes of the object in a text, and of nothing else in it."""
    row = members(text)
    if text[row.end :].strip():
        msg = "more than one object"
        raise JsonError(msg, row.end)
    return text[: row.start] + Rewriter(TRANSLATORS[pair]).members(text, row) + text[row.end :]


def ready(pair, keys, separators):
    """Return a rewriter that has met some keys."""
    rewriter = Rewriter(TRANSLATORS[pair])
    first = spelled(keys, ["0"] * len(keys), separators)
    rewriter.members(first, members(first))
    return rewriter


@settings(max_examples=400, deadline=None)
@given(data=st.data(), pair=st.sampled_from([VERL, PPO]), separators=SEPARATORS, count=st.integers(1, 4))
def test_lines_that_are_taken_together_are_what_they_are_alone(data, pair, separators, count):
    """Whatever they hold: each is translated as it is alone, or none of them is translated together."""
    keys = data.draw(st.lists(st.sampled_from(KEYS[pair]), min_size=1, unique=True))
    rewriter = ready(pair, keys, separators)
    row = [data.draw(VALUES) for _ in keys]
    for _ in range(2):  # what was learned from a block does not mislead the next
        rows = [[data.draw(st.just(value) | VALUES) for value in row] for _ in range(count)]
        if pair == PPO and data.draw(st.booleans()):
            for values in rows:
                for one, other in (("env/reward_mean", "ppo/mean_scores"), ("env/reward_std", "ppo/std_scores")):
                    if one in keys and other in keys:
                        values[keys.index(one)] = values[keys.index(other)]
        lines = [spelled(keys, values, separators) + "\n" for values in rows]
        together = rewriter.lines("".join(lines), count)
        if together is not None:
            assert together == "".join(thoroughly(pair, line) for line in lines)


@settings(max_examples=100, deadline=None)
@given(data=st.data(), pair=st.sampled_from([VERL, PPO]), framed=st.booleans(), count=st.integers(1, 5))
def test_lines_of_numbers_are_taken_together(data, pair, framed, count):
    """Lines of the same keys, with numbers in any spelling and texts in the same places, are quickly done."""
    keys = data.draw(st.lists(st.sampled_from(KEYS[pair][:4]), min_size=1, unique=True))
    is_text = [key not in ("actor/lr(1e-4)", "critic/lr(1e-4)") and data.draw(st.booleans()) for key in keys]
    rewriter = ready(pair, keys, (", ", ": "))
    numbers = st.sampled_from(["1", "0.5", "-2.25e-05", "100"])
    rows = [['"some text"' if text else data.draw(numbers) for text in is_text] for _ in range(count)]
    for values in rows:
        if pair == PPO and {"env/reward_mean", "ppo/mean_scores"} <= set(keys):
            places = keys.index("env/reward_mean"), keys.index("ppo/mean_scores")
            for place in places:
                values[place] = "0.25"
    objects = [spelled(keys, values, (", ", ": ")) for values in rows]
    expected = [thoroughly(pair, text) for text in objects]
    if framed:
        objects = [f'{{"step": {at}, "data": {text}}}' for at, text in enumerate(objects)]
        expected = [f'{{"step": {at}, "data": {text}}}' for at, text in enumerate(expected)]
    together = rewriter.lines("".join(f"{text}\n" for text in objects), count, framed=framed)
    assert together == "".join(f"{text}\n" for text in expected)


@settings(max_examples=600, deadline=None)
@given(data=st.data(), pair=st.sampled_from([VERL, PPO]), framed=st.booleans(), count=st.integers(1, 3))
def test_damaged_lines_are_never_taken_together(data, pair, framed, count):
    """A letter lost, doubled or swapped for one of the syntax: what is no JSON any more is left to the thorough way."""
    keys = KEYS[pair][: data.draw(st.integers(1, 4))]
    rewriter = ready(pair, keys, (", ", ": "))
    values = [data.draw(NUMBERS) for _ in keys]
    body = spelled(keys, values, (", ", ": "))
    text = (f'{{"step": 10, "data": {body}}}\n' if framed else f"{body}\n") * count
    place = data.draw(st.integers(0, len(text) - 1))
    middle = data.draw(st.sampled_from(["", text[place] * 2, "}{", "}\n{", *'":,{}[]\\\n\x01 10a']))
    damaged = text[:place] + middle + text[place + 1 :]
    together = rewriter.lines(damaged, count, framed=framed)
    if together is None:
        return
    lines = damaged.splitlines(keepends=True)
    if framed:
        for line in lines:
            assert list(json.loads(line)) == ["step", "data"]
        bodies = [line[line.index("{", 1) : line.rindex("}")] for line in lines]
        new = [line.replace(old, thoroughly(pair, old)) for line, old in zip(lines, bodies, strict=True)]
    else:
        new = [thoroughly(pair, line) for line in lines] if count > 1 else [thoroughly(pair, damaged)]
    assert together == "".join(new)


def test_a_text_that_is_a_name_stays(tmp_path):
    """A text may be the same as a key, and stand where other lines with as many quotes have a key."""
    path = tmp_path / "run.jsonl"
    rows = [{"actor/pg_loss": "x", "actor/entropy": 1}] * 3 + [
        {"actor/pg_loss": 1, "actor/entropy": "actor/entropy"},
        {"actor/pg_loss": "actor/entropy"},
        {"actor/pg_loss": 1, "actor/entropy": 2},
    ] * 2
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    translate_file(path, source="verl==0.9.1", target="canonical", output=tmp_path / "out")
    names = {"actor/pg_loss": "policy/loss", "actor/entropy": "entropy/old_policy"}
    written = [json.loads(line) for line in (tmp_path / "out").read_text().splitlines()]
    assert written == [{names[key]: value for key, value in row.items()} for row in rows]


@settings(max_examples=60, deadline=None)
@given(
    kinds=st.lists(st.tuples(st.integers(0, 3), st.integers(1, 40)), min_size=1, max_size=12),
    end=st.sampled_from(["\n", "\r\n"]),
    torn=st.booleans(),
)
def test_a_file_of_lines_of_several_kinds_is_translated_line_by_line(kinds, end, torn, tmp_path_factory):
    """However long lines stay alike, each is what the thorough way makes of it, and all are counted."""
    path = tmp_path_factory.mktemp("run") / "run.jsonl"
    made = {
        0: lambda at: f'{{"objective/kl": {at}.5, "mine": {at}}}',
        1: lambda at: f'{{"objective/kl": {at}.5, "mine": "of {at}"}}',
        2: lambda at: f'{{"mine": [{at}, 1], "objective/kl": -{at}e-7}}',
        3: lambda at: " ",
    }
    lines = [made[0](7), *(made[kind](at) for kind, count in kinds for at in range(count))]
    text = "".join(line + end for line in lines)
    path.write_bytes((text + ('{"mine": 1' if torn else "")).encode())

    report = translate_file(path, source=PPO[0], target=PPO[1], output=path.with_name("out"))

    expected = [line if line == " " else thoroughly(PPO, line) for line in lines]
    assert path.with_name("out").read_bytes().decode() == "".join(line + end for line in expected)
    assert report.records == sum(line != " " for line in lines)
    assert report.lost.records == torn


@pytest.mark.parametrize("place", [2, 100, 101, 163, 164])
@pytest.mark.parametrize("damage", ['{"objective/kl": 01.5, "mine": 1}', '{"objective/kl": 1, "mine": 1', "[]"])
def test_a_damaged_line_is_named_wherever_it_stands(place, damage, tmp_path):
    """Its number is told, and nothing is written, however many lines went together before it."""
    path = tmp_path / "run.jsonl"
    lines = [f'{{"objective/kl": {at}.5, "mine": {at}}}\n' for at in range(200)]
    lines[place - 1] = damage + "\n"
    path.write_text("".join(lines))
    with pytest.raises(InputError) as error:
        translate_file(path, source=PPO[0], target=PPO[1], output=tmp_path / "out")
    assert f"{path}:{place}:" in str(error.value)
    assert not (tmp_path / "out").exists()
