"""How large differences are, as relations tell it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from names.small_spec import small_spec
from names.test_names_relations import PLAIN
from rlmetrics.cli.main import main
from rlmetrics.codegen.tables import build
from rlmetrics.names import Entry, Tables, Typical, load_tables, relate
from rlmetrics.wording.size_words import spanned_words, typical_words

SIZES = {
    "kl/old/k2": {
        "level:rank mean/pool": [0.5, 3.0, "%", "higher"],
        "level:micro_batch mean/pool": [1.0, 6.0, "%"],
        "metric:kl/old/k1": [1.0, 9.0, "%"],
    },
    "kl/old/k2@padded": {"trait:padding_counted": [28.0, 66.0, "%", "lower"]},
}


@pytest.fixture(scope="module")
def sized() -> Tables:
    """The tables of the small spec, with some sizes."""
    data = build(small_spec())
    return Tables(lambda table: {"SIZES": SIZES} if table == "sizes" else data[table].data)


def _typical(source: Entry, target: Entry, tables: Tables) -> dict[str, Typical | None]:
    found: Any = relate(source, target, tables).differs_by
    return {difference.about: difference.typical for difference in found}


def _entry(**signature: Any) -> Entry:
    return PLAIN._replace(signature=replace(PLAIN.signature, **signature))


def test_a_difference_of_a_level_has_the_size_of_its_two_operations(sized):
    """The range is that of the level and of both operations; one side is told from the target."""
    assert _typical(_entry(), _entry(reduction={"rank": "mean"}), sized) == {
        "level:rank": Typical(0.5, 3.0, "%", "higher")
    }


def test_the_side_turns_with_the_direction_of_translation(sized):
    """What is higher than the pooled number has the pooled number below it."""
    assert _typical(_entry(reduction={"rank": "mean"}), _entry(), sized) == {
        "level:rank": Typical(0.5, 3.0, "%", "lower")
    }
    assert _typical(_entry(reduction={"micro_batch": "mean"}), _entry(), sized) == {
        "level:micro_batch": Typical(1.0, 6.0, "%")
    }


def test_operations_that_were_not_compared_have_no_size(sized):
    """A sum is not a mean."""
    assert _typical(_entry(), _entry(reduction={"rank": "sum"}), sized) == {"level:rank": None}


def test_a_trait_has_a_size_only_where_the_code_computes_what_was_measured(sized):
    """What padding holds is known where a variant of the formula says it, and nowhere else."""
    padded = {"population": "response_positions", "traits": ("padding_counted",)}
    assert _typical(_entry(), _entry(**padded, reproduced_by="padded"), sized) == {
        "trait:padding_counted": Typical(28.0, 66.0, "%", "lower")
    }
    assert _typical(_entry(**padded, reproduced_by="padded"), _entry(), sized) == {
        "trait:padding_counted": Typical(28.0, 66.0, "%", "higher")
    }
    assert _typical(_entry(), _entry(**padded), sized) == {"trait:padding_counted": None}


def test_a_spec_of_which_nothing_was_measured_has_no_sizes(tables):
    """Tables without sizes answer all else."""
    assert _typical(_entry(), _entry(reduction={"rank": "mean"}), tables) == {"level:rank": None}


def test_every_size_of_the_tables_is_of_a_known_function_and_part():
    """Names in the table are those that lookups ask for; ranges are not turned round."""
    tables = load_tables()
    levels, traits = tables.signatures["LEVELS"], tables.signatures["TRAITS"]
    for function, sizes in tables.sizes.items():
        metric, _, variant = function.partition("@")
        assert not variant or variant in tables.metrics[metric]["variants"], function
        for about, (low, high, unit, *direction) in sizes.items():
            kind, name = about.split(" ")[0].split(":")
            assert name in {"level": levels, "trait": traits, "metric": tables.metrics}[kind], about
            assert 0 <= low <= high, (function, about)
            assert unit in ("%", tables.metrics[metric]["unit"])
            assert direction in ([], ["higher"], ["lower"])


def test_map_tells_sizes_as_json(capsys):
    """A row between two releases says how much padding takes away from the KL divergence."""
    main(["map", "--from", "trl[PPOTrainer]==0.7.10", "--to", "trl[PPOTrainer]==0.18.2", "--json"])
    rows = {row["from"]: row for row in json.loads(capsys.readouterr().out)}
    differs = {each["about"]: each for each in rows["ppo/policy/approxkl"]["differs_by"]}
    typical = differs["trait:padding_counted"]["typical"]
    assert (typical["unit"], typical["direction"]) == ("%", "lower")
    assert 0 < typical["low"] < typical["high"] < 100


@pytest.mark.parametrize(
    ("typical", "words"),
    [
        (None, None),
        (Typical(28.0, 66.0, "%", "lower"), "28–66 % lower on reference batches"),
        (Typical(0.0, 6.9, "%"), "up to 6.9 % on reference batches"),
        (Typical(0.0, 0.0, "%"), "no difference on reference batches"),
        (Typical(0.001, 0.02, "1"), "0.001–0.02 on reference batches"),
        (Typical(4e-06, 4e-06, "nat"), "4e-06 nat on reference batches"),
    ],
)
def test_sizes_in_words_say_where_they_hold(typical, words):
    """A range, its unit, which side, and always the batches."""
    assert words == typical_words(typical)


def test_keys_that_share_a_difference_share_a_range():
    """The range covers all of them, and a side is told where all agree."""
    lower, higher = Typical(28.0, 66.0, "%", "lower"), Typical(1.0, 30.0, "%", "higher")
    assert spanned_words([lower, Typical(10.0, 20.0, "%", "lower")]) == "10–66 % lower on reference batches"
    assert spanned_words([lower, higher]) == "1–66 % on reference batches"


def test_a_shared_range_says_whom_it_is_of():
    """Keys without a share of the number are not covered by one."""
    one, other = Typical(1.0, 3.0, "%"), Typical(0.001, 0.02, "nat")
    assert spanned_words([one, None, other]) == "1–3 % on reference batches, 1 of 3 keys"
    assert spanned_words([other]) == "0.001–0.02 nat on reference batches"
    assert spanned_words([other, Typical(1.0, 2.0, "token")]) is None
    assert spanned_words([None, None]) is None
    assert spanned_words([]) is None
