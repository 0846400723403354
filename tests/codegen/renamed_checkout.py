"""A checkout with the small spec, and files beside it that name its metrics."""

from __future__ import annotations

from pathlib import Path

from generate_support import make_checkout

PAGE = """\
# kl/old/k1, "kl/old/k1@padded"; not kl/old/k1_more, kl/old/k1/more
from rlmetrics.functional import kl_old_k1, kl_old_k1_padded, kl_old_k1_other
F.kl_old_k1(x)
[link](reference/kl.md#kl-old-k1) [variant](kl.md#kl-old-k1--padded) exact/kl/old/k1
"""


def checkout_that_names_metrics(tmp_path: Path) -> Path:
    """Make a checkout with the small spec, a page and a test that name its metrics."""
    root = make_checkout(tmp_path / "checkout")
    for name in ("docs/page.md", "tests/test_it.py", "adapters/rlmetrics/own.py"):
        (root / name).parent.mkdir(parents=True)
        (root / name).write_text(PAGE)
    return root
