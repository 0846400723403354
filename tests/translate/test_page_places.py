"""Two commands that write one page: the second replaces nothing that was not there when it began."""

import json
from pathlib import Path

import pytest
from rlmetrics.cli import main
from rlmetrics.translate import placing

OTHERS = "what another program wrote meanwhile"


@pytest.fixture
def overtaken(monkeypatch):
    """Another program puts a page in the place of ours while ours is made."""
    put = placing._put

    def later(new, output, aside):
        output.write_text(OTHERS)
        put(new, output, aside)

    monkeypatch.setattr(placing, "_put", later)


@pytest.mark.usefixtures("overtaken")
@pytest.mark.parametrize(
    "command",
    [
        "check LOG --at verl==0.9.1 --html PAGE",
        "compare LOG LOG --at verl==0.9.1 --html PAGE",
        "plot LOG actor/ppo_kl --at verl==0.9.1 --svg PAGE",
        "open LOG --at verl==0.9.1 -o PAGE",
        "translate LOG --from verl==0.9.1 --to canonical --dry-run --html PAGE",
    ],
)
def test_a_page_replaces_none_that_came_meanwhile(tmp_path, capsys, command):
    """One line says so, and nothing is left beside the page of the other; --force replaces it."""
    log, page = tmp_path / "run.jsonl", tmp_path / "page.html"
    log.write_text("".join(json.dumps({"step": step, "actor/ppo_kl": step / 7}) + "\n" for step in range(9)))
    words = command.replace("LOG", str(log)).replace("PAGE", str(page)).split()

    assert main(words) in {1, 2}

    assert "was written by another program meanwhile" in capsys.readouterr().err
    assert {path.name: path.read_text() for path in Path(tmp_path).iterdir() if path != log} == {page.name: OTHERS}

    assert main([*words, "--force"]) == 0
    assert page.read_text() != OTHERS
