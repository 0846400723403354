"""Records in W&B's framing, of sizes at which its blocks end."""

import io

from hypothesis import strategies as st
from rlmetrics.logs.kinds.wandb.transactions import Writer

SIZES = st.lists(st.integers(1, 200) | st.integers(32_700, 32_800) | st.integers(65_400, 66_000), max_size=6)


def framed(sizes: list[int]) -> tuple[list[bytes], bytes]:
    """Return messages of these sizes, and the file that holds them."""
    messages = [bytes((number + place) % 251 for place in range(size)) for number, size in enumerate(sizes)]
    file = io.BytesIO()
    writer = Writer(file)
    for message in messages:
        writer.write(message)
    return messages, file.getvalue()
