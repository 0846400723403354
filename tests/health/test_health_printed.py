"""Numbers that were printed with so many decimals: what reads as 0 is small, and no rule of exactly 0 holds."""

import json
import math
import random

import pytest
from rlmetrics.cli.main import main

KEYS = ("actor/lr", "actor/pg_loss", "actor/grad_norm", "actor/entropy_loss", "critic/score/mean", "critic/score/max")


def rows(*, dead, steps=90):
    """Return a run of verl: one that learns at 1e-6, or one whose learning rate and loss are exactly 0."""
    noise = random.Random(5)
    for step in range(1, steps + 1):
        rate, loss = (0.0, 0.0) if dead else (1e-6, noise.gauss(0, 0.0001))
        norm = 0.0 if dead else 0.2 * math.exp(noise.gauss(0, 0.2))
        score = 0.25 + (0.0 if dead else 0.003 * step) + 0.02 * noise.gauss(0, 1)
        yield dict(zip(KEYS, (rate, loss, norm, 0.4 + 0.01 * noise.gauss(0, 1), score, 1.0), strict=True))


def console(path, those, spelled):
    """Write a console of verl with numbers as they are spelled."""
    lines = [
        f"step:{step} - " + " - ".join(f"{key}:{spelled(value)}" for key, value in row.items())
        for step, row in enumerate(those, start=1)
    ]
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize("decimals", [2, 3, 6])
def test_zeros_that_were_rounded_are_no_zeros(decimals, tmp_path, capsys):
    """A healthy run whose learning rate and loss print as 0.000 is healthy, and the report says what 0.000 is."""
    path = console(tmp_path / "run.log", rows(dead=False), lambda value: f"{value:.{decimals}f}")

    code = main(["check", str(path), "--at", "verl==0.4.0"])

    text = " ".join(capsys.readouterr().out.split())
    assert code == 0
    assert text.startswith("Nothing is wrong")
    assert f"{0:.{decimals}f} is below {0.5 * 10**-decimals:.{decimals + 1}f}" in text


def test_zeros_that_are_exact_are_found(tmp_path, capsys):
    """The same keys with numbers in full: a run whose gradient is exactly 0 is an error."""
    path = console(tmp_path / "run.log", rows(dead=True), repr)

    code = main(["check", str(path), "--at", "verl==0.5.0"])

    assert code == 1
    assert "not exactly 0" not in capsys.readouterr().out


def test_numbers_that_are_nan_have_any_number_of_decimals(tmp_path, capsys):
    """A run of 0.2 that broke is told from a recent one by its three decimals, although much of it is nan."""
    broken = {"actor/entropy_loss": "nan", "actor/pg_loss": "nan", "actor/ppo_kl": "nan", "actor/grad_norm": "nan"}
    whole = dict.fromkeys(("response_length/mean", "response_length/max", "global_seqlen/mean"), 257)
    whole |= {"mfu/actor": 0.04, "actor/lr": 0, "critic/score/mean": -1, "critic/score/max": -1}
    whole["response_length/clip_ratio"] = 1
    spelled = [*broken.items(), *((key, f"{value:.3f}") for key, value in whole.items())]
    fields = [f"{key}:{text}" for key, text in spelled]
    path = tmp_path / "run.log"
    path.write_text(f"(main_task pid=7) step:83 - {' - '.join(fields)}\n")

    code = main(["check", str(path), "--json"])

    report = json.loads(capsys.readouterr().out)
    assert code == 1
    assert report["at"] == "verl==0.2.0.post2"
    assert report["diagnoses"][0]["cause"] == "non_finite"
