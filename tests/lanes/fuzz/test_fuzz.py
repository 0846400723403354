"""Every reader, fuzzed with the same inputs each time, and every input that was ever found to be worth keeping.

Fresh inputs are for ``python tests/programs/fuzz/fuzzing.py``: whether these tests pass depends on the code alone.
"""

import warnings

import pytest
from programs.fuzz.fuzzing import GUESSED, WAYS, Fuzzer, judge, same_translators
from programs.fuzz.readers import READERS
from rlmetrics.logs.kinds import KINDS

INPUTS = 2000
"""How many each reader is given."""
SECONDS = 300
"""Of processor time, after which a reader is so slow that something is wrong with it."""


def test_every_kind_has_a_reader_that_is_fuzzed() -> None:
    """What is recognised as a log or a dashboard is fuzzed."""
    assert {reader.kind for reader in READERS.values() if reader.kind} == set(KINDS)


@pytest.mark.parametrize("name", READERS)
def test_changed_inputs_are_translated_or_refused_in_one_line(name):
    """Nothing else may happen, nothing is left behind, and what is written can be read and is the same each time."""
    tried, found = Fuzzer(READERS[name], seed=0).run(SECONDS, most=INPUTS)

    assert tried == INPUTS
    assert {str(finding): content for content, finding in found} == {}


@pytest.mark.parametrize("name", [name for name, reader in READERS.items() if reader.corpus])
def test_inputs_that_were_found_before(name, tmp_path):
    """What once ended in a traceback or a message of several lines is translated or refused, in every way."""
    reader = READERS[name]

    with same_translators(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        answers = [
            judge(reader, path.read_bytes(), way, tmp_path) for path in reader.corpus for way in (*WAYS, GUESSED)
        ]

    assert all(answers)
