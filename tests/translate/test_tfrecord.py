"""Record files and their checksums: round trips, and agreement with TensorBoard's own code."""

import struct
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rlmetrics.logs.kinds.tensorboard import crc32c, tfrecord
from rlmetrics.logs.kinds.tensorboard.crc32c import masked, masked_many
from rlmetrics.logs.kinds.tensorboard.scalar_events import head_of, heads_in
from rlmetrics.logs.kinds.tensorboard.tfrecord import Batch, Extent, batches, frame
from rlmetrics.translate import InputError
from tensorboard.compat.tensorflow_stub.pywrap_tensorflow import PyRecordReader_New, masked_crc32c
from tracker_messages import Event, Summary

MESSAGES = st.lists(st.binary(max_size=3000) | st.binary(max_size=40), max_size=12)


def _framed(messages):
    return frame([b""] * len(messages), list(range(len(messages))), messages)


def _read(path, extent):
    return [
        batch.buffer[start:end]
        for batch in batches(path, extent)
        for start, end in zip(batch.starts, batch.ends, strict=True)
    ]


@settings(max_examples=100, deadline=None)
@given(MESSAGES)
def test_checksums_are_those_of_tensorboard(messages):
    """Short and long messages, one by one or in a batch, have the checksum that TensorBoard computes."""
    joined = b"".join(messages)
    ends = [sum(map(len, messages[: number + 1])) for number in range(len(messages))]

    expected = [masked_crc32c(message) for message in messages]

    assert masked_many(joined, [0, *ends[:-1]][: len(ends)], ends).tolist() == expected
    assert [masked(message) for message in messages] == expected


@pytest.mark.parametrize("hidden", [{}, {"google_crc32c": None}])
def test_checksums_need_no_compiled_library(monkeypatch, hidden):
    """Without one they are the same: the published value of nine digits, masked."""
    for name, module in hidden.items():
        monkeypatch.setitem(sys.modules, name, module)
    for kept in (crc32c._crc, crc32c.masked):
        kept.cache_clear()
    crc = 0xE3069283
    expected = ((crc >> 15 | crc << 17 & 0xFFFFFFFF) + 0xA282EAD8) & 0xFFFFFFFF

    assert [expected, expected] == [masked(b"123456789"), masked_many(b"x123456789", [1], [10])[0]]
    crc32c._crc.cache_clear()


@settings(max_examples=60, deadline=None)
@given(MESSAGES, st.sampled_from([64, 1 << 20]))
def test_what_is_framed_is_read_back(tmp_path_factory, messages, chunk):
    """Ours and TensorBoard's reader find the messages that were framed, however the file is cut into chunks."""
    path = tmp_path_factory.mktemp("records") / "file"
    path.write_bytes(_framed(messages))
    extent = Extent()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tfrecord, "_CHUNK", chunk)
        found = _read(path, extent)

    reader = PyRecordReader_New(str(path))
    theirs = []
    for _ in messages:
        reader.GetNext()
        theirs.append(reader.record())
    assert messages == found == theirs
    assert Extent(path.stat().st_size, 0) == extent


@settings(max_examples=60, deadline=None)
@given(st.lists(st.binary(min_size=1, max_size=50), min_size=1, max_size=5), st.data())
def test_any_cut_keeps_the_whole_records(tmp_path_factory, messages, data):
    """A file that ends anywhere gives the records before that, and tells how many bytes are left over."""
    whole = _framed(messages)
    cut = data.draw(st.integers(0, len(whole)))
    path = tmp_path_factory.mktemp("torn") / "file"
    path.write_bytes(whole[:cut])
    extent = Extent()

    found = _read(path, extent)

    assert messages[: len(found)] == found
    assert len(_framed(found)) == extent.whole
    assert cut - len(_framed(found)) == extent.torn
    assert len(found) == len(messages) or extent.torn < 16 + len(messages[len(found)])


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=200))
def test_arbitrary_bytes_are_refused_or_torn(tmp_path_factory, content):
    """Bytes of any kind give records with right checksums, or one error; never anything else."""
    path = tmp_path_factory.mktemp("any") / "file"
    path.write_bytes(content)
    message = "is damaged"
    found = []
    try:
        found = _read(path, Extent())
    except InputError as error:
        message = str(error)

    assert "is damaged" in message
    assert content.startswith(_framed(found))


@given(st.text(min_size=1), st.integers(0, 2**62), st.floats(width=32, allow_nan=False), st.floats(min_value=1))
def test_the_head_of_a_number_tells_its_tag(tag, step, number, wall_time):
    """For any tag and step, what stands between the step and the number is the head that the tag has."""
    event = Event(wall_time=wall_time, step=step, summary=Summary(value=[Summary.Value(tag=tag, simple_value=number)]))
    content = event.SerializeToString()

    assert heads_in(Batch(content, [0], [len(content)])) == [head_of(tag)]
    assert struct.pack("<f", number) == content[-4:]
