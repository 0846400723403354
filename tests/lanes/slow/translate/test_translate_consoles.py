"""Logs of consoles, through the real command line: names change within records, every other byte stays."""

from hypothesis import given, settings
from hypothesis import strategies as st
from rlmetrics.translate import translate_file

VERL = "verl==0.9.1"
GRPO = "trl[GRPOTrainer]==0.18.2"


NAMES = ["actor/pg_loss", "actor/ppo_kl", "critic/score/mean", "val-core/a b - c/d:e/acc/mean@1", "my/own:1"]


@given(
    rows=st.lists(
        st.dictionaries(st.sampled_from(NAMES), st.floats() | st.integers(), min_size=1), min_size=1, max_size=4
    ),
    noise=st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=20),
)
@settings(deadline=None, max_examples=40)
def test_verl_lines_survive_there_and_back(tmp_path_factory, rows, noise):
    """What verl prints is read whole, names with separators included: to canonical names and back is the identity."""
    folder = tmp_path_factory.mktemp("console")
    path, there, back = (folder / name for name in ("in.log", "there.log", "back.log"))
    lines = [" - ".join([f"step:{i}", *(f"{k}:{v!r}" for k, v in row.items())]) for i, row in enumerate(rows)]
    lines.append("step:9 - actor/pg_loss:1")
    path.write_text("".join(f"{line}\n{noise.replace('step:', '')}\n" for line in lines), encoding="utf-8")

    report = translate_file(path, kind="verl-console", source=VERL, target="canonical", output=there)
    translate_file(there, kind="verl-console", source="canonical", target=VERL, output=back)

    assert path.read_bytes() == back.read_bytes()
    assert len(rows) + 1 == report.records
    assert "actor/ppo_kl" not in there.read_text(encoding="utf-8").replace(noise, "")


@given(row=st.dictionaries(st.sampled_from(["reward", "kl", "it's", 'q"t', "b\\s", "loss"]), st.floats(), min_size=1))
@settings(deadline=None, max_examples=40)
def test_printed_dicts_survive_there_and_back(tmp_path_factory, row):
    """What Python prints for a dict of floats is read whole, quotes in names included."""
    folder = tmp_path_factory.mktemp("console")
    path, there, back = (folder / name for name in ("in.log", "there.log", "back.log"))
    path.write_text(f"50%|#  |\r{ ({**row, 'epoch': 1.0})!r}\n", newline="")

    report = translate_file(path, kind="hf-console", source=GRPO, target="canonical", output=there)
    translate_file(there, kind="hf-console", source="canonical", target=GRPO, output=back)

    assert path.read_bytes() == back.read_bytes()
    assert report.records == 1
