"""W&B's run files: round trips through a second reader, torn ends, damage."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from rlmetrics.logs.kinds.wandb.transactions import FILE_HEADER, Tail, records
from rlmetrics.translate import InputError
from translate.wandb_framing import SIZES, framed
from wandb_frames import payloads


@settings(max_examples=80, deadline=None)
@given(SIZES)
@example([32768 - 7 - 7])
@example([32768 - 7 - 7 - 7, 1])
@example([32768 - 7 - 7 - 6, 1])
@example([32768 - 7 - 7 - 14, 1])
@example([32768 - 7 - 7 - 13, 100])
def test_what_is_written_is_read_back(tmp_path_factory, sizes):
    """Records of any length, also at the edges of blocks, come back from both readers."""
    messages, content = framed(sizes)
    path = tmp_path_factory.mktemp("run") / "run.wandb"
    path.write_bytes(content)
    tail = Tail()

    assert messages == payloads(content)
    assert messages == [record for _, record in records(path, tail)]
    assert Tail(0) == tail


@pytest.mark.parametrize("place", [7, 10, 12, 13, 30, 40_000])
def test_damage_is_told_with_its_offset(tmp_path, place):
    """A flipped bit in a checksum, a length, a kind or the data is found, and the message says where."""
    _, content = framed([100, 100, 70_000, 5])
    damaged = bytearray(content)
    damaged[place] ^= 0x04
    path = tmp_path / "run.wandb"
    path.write_bytes(bytes(damaged))

    with pytest.raises(InputError, match=r"the chunk at byte (7|32768) is damaged: .*head -c"):
        list(records(path, Tail()))


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=100))
def test_arbitrary_bytes_are_refused_or_torn(tmp_path_factory, content):
    """Whatever follows the header, there is a whole record with a right checksum, a torn end, or one error."""
    path = tmp_path_factory.mktemp("any") / "run.wandb"
    path.write_bytes(FILE_HEADER + content)
    message, found = "is damaged", []
    try:
        found = [record for _, record in records(path, Tail())]
    except InputError as error:
        message = str(error)

    assert "is damaged" in message
    assert sum(map(len, found)) <= len(content)


def test_a_block_may_end_in_seven_zeros(tmp_path):
    """W&B's Go writer begins no record where only the head of a chunk would fit."""
    first, content = framed([32768 - 7 - 7 - 7])
    _, second = framed([5])
    path = tmp_path / "run.wandb"
    path.write_bytes(content + b"\0" * 7 + second[len(FILE_HEADER) :])

    assert [record for _, record in records(path, Tail())] == [*first, bytes(range(5))]


def test_another_file_is_refused(tmp_path):
    """A file that doesn't begin with W&B's mark is no run."""
    path = tmp_path / "run.wandb"
    path.write_bytes(b"{}\n")

    with pytest.raises(InputError, match="does not begin as a run"):
        list(records(path, Tail()))
