"""Items of rows of W&B drawn at random, and a run written record by record."""

import string

from hypothesis import strategies as st
from rlmetrics.logs.kinds.wandb.transactions import Writer
from rlmetrics.translate import Translator
from wandb_frames import Record

PPO = "trl[PPOTrainer]==0.7.10"
TRANSLATOR = Translator(PPO, "canonical")
KNOWN = ["objective/kl", "ppo/policy/approxkl", "ppo/loss/value", "ppo/returns/mean", "tokens/queries_len_mean"]
NAMES = (st.sampled_from(KNOWN) | st.text(max_size=12) | st.text("ab\x01\x82", min_size=120, max_size=140)).filter(
    lambda name: not name.startswith("_") and TRANSLATOR.key(name).output not in KNOWN
)
TEXTS = st.text(max_size=20) | st.sampled_from(
    ["NaN", "-Infinity", "9" * 400, '"\x82\x01"', "1e-05", "\x12\x01a\x82\x01"]
)


@st.composite
def items(draw):
    """Items of one row: names under either field, some with paths into a dict."""
    found = []
    for name in draw(st.lists(NAMES, unique_by=lambda name: TRANSLATOR.key(name).output, max_size=6)):
        path = draw(st.lists(st.text(string.ascii_lowercase, max_size=3), max_size=2))
        text = draw(TEXTS)
        by_key = draw(st.booleans()) and name and not path
        found.append({"key": name, "value_json": text} if by_key else {"nested_key": [name, *path], "value_json": text})
    return found


def write_run(path, *parts):
    """Write a run of records with these parts, and return its file."""
    with path.open("wb") as file:
        writer = Writer(file)
        for number, part in enumerate(parts, start=1):
            writer.write(Record(num=number, **part).SerializeToString())
    return path
