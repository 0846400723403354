"""Tables, through the real command line: the header is translated, the body only where a value changes."""

import csv

from hypothesis import given, settings
from hypothesis import strategies as st
from rlmetrics.translate import translate_file

GRPO = "trl[GRPOTrainer]==0.18.2"


@given(rows=st.lists(st.lists(st.floats() | st.text('ab,"\n ', max_size=4), min_size=3, max_size=3), max_size=5))
@settings(deadline=None, max_examples=40)
def test_tables_survive_there_and_back(tmp_path_factory, rows):
    """To canonical names and back every byte is the same, whatever the cells hold."""
    folder = tmp_path_factory.mktemp("table")
    path, there, back = (folder / name for name in ("in.csv", "there.csv", "back.csv"))
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([["reward", "kl", "note"], *rows])

    report = translate_file(path, source=GRPO, target="canonical", output=there)
    translate_file(there, source="canonical", target=GRPO, output=back, kind="csv")

    assert path.read_bytes() == back.read_bytes()
    assert len(rows) == report.records
