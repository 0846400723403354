"""A log that is away for one look: a watch waits, says so once, and goes on."""

import json
import os
import warnings
from pathlib import Path

import pytest
from rlmetrics.health import watching
from rlmetrics.health.watching import follow

AT = "trl[GRPOTrainer]==1.16.0"


def rows(first: int, last: int, kl: float) -> str:
    """Return some lines of a log."""
    return "".join(json.dumps({"step": step, "kl": kl, "loss": 0.1}) + "\n" for step in range(first, last))


def test_a_log_that_goes_before_its_first_row_is_read_is_waited_for(tmp_path, monkeypatch):
    """It was recognised, and is gone when it is opened."""
    path, away = tmp_path / "run.jsonl", tmp_path / "away"
    path.write_text(rows(0, 5, float("nan")))
    recognise = watching._unit

    def recognised(place: Path):
        found = recognise(place)
        if not away.exists():
            path.rename(away)
        return found

    def back(_: float) -> None:
        if not path.exists():
            away.rename(path)
            away.touch()

    monkeypatch.setattr(watching, "_unit", recognised)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        news = list(follow(path, at=AT, interval=1.0, idle=3.0, sleep=back))

    assert news[0].finding.level == "error"
    assert sum("waiting for it" in str(warning.message) for warning in said) == 1


@pytest.mark.parametrize("instead", ["nothing", "folder", "pipe", "dangling"])
@pytest.mark.parametrize("times", [1, 3])
def test_whatever_stands_in_its_place_is_waited_out(tmp_path, instead, times):
    """Nothing, a folder, a pipe, a link that leads nowhere: each is said once for each time that it is there."""
    path, away = tmp_path / "run.jsonl", tmp_path / "away"
    path.write_text(rows(0, 5, 0.001))
    looks = 0

    def moved(_: float) -> None:
        nonlocal looks
        looks += 1
        if looks > 6 * times:
            if looks == 6 * times + 1:
                with path.open("a") as file:
                    file.write(rows(5, 9, float("nan")))
        elif looks % 6 == 1:
            path.rename(away)
            if instead == "folder":
                path.mkdir()
            elif instead == "pipe":
                os.mkfifo(path)
            elif instead == "dangling":
                path.symlink_to("nowhere")
        elif looks % 6 == 4:
            if path.is_dir():
                path.rmdir()
            path.unlink(missing_ok=True)
            away.rename(path)

    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        news = list(follow(path, at=AT, interval=1.0, idle=20.0, sleep=moved))

    assert any(item.finding.level == "error" for item in news)
    assert sum("waiting for" in str(warning.message) for warning in said) == times
