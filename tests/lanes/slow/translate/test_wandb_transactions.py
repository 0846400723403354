"""W&B's run files: round trips through a second reader, torn ends, damage."""

import io

from hypothesis import given, settings
from hypothesis import strategies as st
from rlmetrics.translate.kinds.wandb.transactions import FILE_HEADER, Tail, Writer, records

SIZES = st.lists(st.integers(1, 200) | st.integers(32_700, 32_800) | st.integers(65_400, 66_000), max_size=6)


def _written(sizes):
    messages = [bytes((number + place) % 251 for place in range(size)) for number, size in enumerate(sizes)]
    file = io.BytesIO()
    writer = Writer(file)
    for message in messages:
        writer.write(message)
    return messages, file.getvalue()


@settings(max_examples=80, deadline=None)
@given(SIZES, st.data())
def test_any_cut_keeps_the_whole_records(tmp_path_factory, sizes, data):
    """A file that ends anywhere gives the records before that, and tells how many bytes are left over."""
    messages, content = _written(sizes)
    cut = data.draw(st.integers(len(FILE_HEADER), len(content)))
    path = tmp_path_factory.mktemp("torn") / "run.wandb"
    path.write_bytes(content[:cut])
    tail = Tail()

    found = [record for _, record in records(path, tail)]

    ends = [len(_written(sizes[:number])[1]) for number in range(len(sizes) + 1)]
    whole = sum(end <= cut for end in ends) - 1
    assert messages[:whole] == found
    assert 0 <= tail.torn <= cut - ends[whole]
    assert tail.torn or cut - ends[whole] < 7
