"""``%rl`` in a real IPython shell."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell


@pytest.fixture
def shell() -> Any:
    """A shell in which the extension is loaded, as a notebook loads it."""
    shell = InteractiveShell.instance()
    shell.run_line_magic("load_ext", "rlmetrics")
    return shell


def test_a_key_is_explained_without_a_command(shell: Any) -> None:
    """``%rl KEY`` and ``%rl KEY=VALUE`` ask what they mean."""
    answer = shell.run_line_magic("rl", "kl --at 'trl[GRPOTrainer]==1.16.0'")
    assert "k3" in repr(answer)
    assert "reference policy" in answer._repr_html_()
    assert answer.code == 0
    assert "symptom" in repr(shell.run_line_magic("rl", "loss=0.0 --at 'trl[GRPOTrainer]==1.16.0'"))


def test_a_run_is_a_table_of_findings(shell: Any, tmp_path: Path) -> None:
    """The notebook shows each finding in a row, and names from files as text."""
    path = tmp_path / "a <b>.jsonl"
    rows = [{"step": i, "loss": 0.1, "reward": 0.5, "grad_norm": 0.5 if i < 60 else "NaN"} for i in range(1, 81)]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    answer = shell.run_line_magic("rl", f"check '{path}' --at 'trl[GRPOTrainer]==1.16.0'")
    page = answer._repr_html_()
    assert answer.code == 1
    assert "<table>" in page
    assert "grad_norm" in page
    assert "a &lt;b&gt;.jsonl" in page
    assert "<b>.jsonl" not in page


def test_a_map_and_keys_are_tables(shell: Any) -> None:
    """Each key is a row."""
    page = shell.run_line_magic("rl", "map --from 'trl[grpo]==1.16.0' --to verl==0.9.1 kl")._repr_html_()
    assert "<table>" in page
    assert "actor/kl_loss" in page
    page = shell.run_line_magic("rl", "keys --at 'trl[RewardTrainer]==1.16.0'")._repr_html_()
    assert page.count("<tr>") > 10


def test_what_is_refused_says_why(shell: Any) -> None:
    """An error is one line, in a notebook as well, and never a traceback."""
    for line in ("check /nowhere.jsonl", "keys --at nothing", "diff"):
        answer = shell.run_line_magic("rl", line)
        assert answer.code == 2
        assert len(repr(answer).splitlines()) == 1
        assert "rlmetrics" in answer._repr_html_()


def test_without_words_it_shows_the_help(shell: Any) -> None:
    """``%rl`` alone says what there is."""
    assert "resolve" in repr(shell.run_line_magic("rl", ""))


def test_a_quote_without_its_partner_is_part_of_the_name(shell: Any) -> None:
    """It is asked for as it stands."""
    assert "No described release logs" in repr(shell.run_line_magic("rl", "resolve kl'"))
