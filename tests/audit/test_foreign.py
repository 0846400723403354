"""Lines of other packages, such as transformers, that the spec cites: recorded as they were found, none broken."""

from __future__ import annotations

import json

import pytest
from audit.every_release import FOLDER
from rlmetrics.codegen.audit.foreign import ForeignCitation, foreign_citations, problems_in
from rlmetrics.names.tables import load_tables

SOURCE = """
class Trainer:
    def log(self, logs, split):
        logs["loss"] = 1.0


        # far from the line above

        logs[f"{split}_runtime"] = 2.0


def other():
    pass
"""


def test_every_citation_of_another_package_was_reopened_and_holds() -> None:
    """What the spec cites is what was checked, release by release; ``record --foreign`` checks it again."""
    recorded: dict[str, dict[str, str | None]] = json.loads((FOLDER / "foreign.json").read_text(encoding="utf-8"))
    cited: dict[str, set[str]] = {}
    for item in foreign_citations(load_tables()):
        cited.setdefault(f"{item.package}=={item.release}", set()).add(str(item))
    assert cited == {release: set(found) for release, found in recorded.items()}
    assert {} == {
        place: problem for found in recorded.values() for place, problem in found.items() if problem is not None
    }


@pytest.mark.parametrize(
    ("line", "symbol", "key", "problem"),
    [
        (4, "Trainer.log", "loss", None),
        (9, "Trainer.log", "train_runtime", None),
        (9, "Trainer.log", "loss", "the key is not within 3 lines"),
        (4, "Trainer.log", "train_runtime", "the key is not within 3 lines"),
        (9, "Trainer.train", "train_runtime", "Trainer.train does not enclose the line, but Trainer.log does"),
        (12, "Trainer.log", "", "Trainer.log does not enclose the line, but other does"),
        (30, "Trainer.log", "loss", "the file has 13 lines"),
    ],
)
def test_a_citation_is_reopened(line: int, symbol: str, key: str, problem: str | None) -> None:
    """The function must enclose the line, and a key must stand there, be it as text with gaps."""
    item = ForeignCitation("p", "1", "p/trainer.py", line, symbol, "key" if key else "value", key, (key,))
    assert [problem] == list(problems_in({"p/trainer.py": SOURCE}, [item]).values())


def test_a_file_that_is_not_there_is_told() -> None:
    """Paths change between releases."""
    item = ForeignCitation("p", "1", "p/gone.py", 1, "f", "key", "loss", ("loss",))
    assert ["the release has no such file"] == list(problems_in({}, [item]).values())
