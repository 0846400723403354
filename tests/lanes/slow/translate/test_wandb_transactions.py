"""W&B's run files: round trips through a second reader, torn ends, damage."""

from hypothesis import given, settings
from hypothesis import strategies as st
from rlmetrics.logs.kinds.wandb.transactions import FILE_HEADER, Tail, records
from translate.wandb_framing import SIZES, framed


@settings(max_examples=80, deadline=None)
@given(SIZES, st.data())
def test_any_cut_keeps_the_whole_records(tmp_path_factory, sizes, data):
    """A file that ends anywhere gives the records before that, and tells how many bytes are left over."""
    messages, content = framed(sizes)
    cut = data.draw(st.integers(len(FILE_HEADER), len(content)))
    path = tmp_path_factory.mktemp("torn") / "run.wandb"
    path.write_bytes(content[:cut])
    tail = Tail()

    found = [record for _, record in records(path, tail)]

    ends = [len(framed(sizes[:number])[1]) for number in range(len(sizes) + 1)]
    whole = sum(end <= cut for end in ends) - 1
    assert messages[:whole] == found
    assert 0 <= tail.torn <= cut - ends[whole]
    assert tail.torn or cut - ends[whole] < 7
