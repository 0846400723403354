"""Whatever a log holds, questions about it have an answer."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import lru_cache

from hypothesis import given, settings
from hypothesis import strategies as st
from names.small_spec import small_tables
from rlmetrics.names import NameMap, NamesError, View, infer_source, map_names, open_view, parse_source
from rlmetrics.names.inference import Clues, find_source
from rlmetrics.names.lookup.resolving import resolve_in

SOURCES = [
    "alpha[OldTrainer]==0.2.0",
    "alpha[NewTrainer]==1.0.0",
    "alpha==1.0.0",
    "beta==0.1",
    "beta==0.5",
    "canonical",
]


@lru_cache(maxsize=16)
def _view(at: str) -> View:
    return open_view(at, spec=small_tables())


@lru_cache(maxsize=64)
def _map(source: str, target: str) -> NameMap:
    return map_names(source, target, spec=small_tables())


def _known_keys() -> list[str]:
    return sorted({entry.key for at in SOURCES for entry in _view(at).entries()})


KEYS = st.one_of(
    st.text(max_size=30),
    st.sampled_from(_known_keys()),
    st.builds(
        lambda key, value, prefix: prefix + key.replace("{", "").replace("}", value),
        st.sampled_from(_known_keys()),
        st.text(alphabet="a/@_1.-", max_size=8),
        st.sampled_from(["", "train/", "eval/", "eval_", "monitor_", "train/train/"]),
    ),
)


@given(st.sampled_from(SOURCES), st.lists(KEYS, max_size=4))
def test_every_key_has_an_answer(at, names):
    """At least one record for each key, in order, with a metric or with a reason."""
    found = resolve_in(_view(at), names)
    assert list(dict.fromkeys(names)) == list(dict.fromkeys(item.key for item in found))
    assert all(item.metric is not None or item.reason for item in found)


@given(st.sampled_from(SOURCES), st.sampled_from(SOURCES), KEYS)
def test_a_translated_key_means_the_same_over_there(source, target, key):
    """The target logs the name, and it measures the same metric in the same mode."""
    names = _map(source, target)
    found = names.translate(key)
    if found.target is None:
        assert found.row is None or found.row.relation in ("related", "none") or found.note
        return
    meaning = next(iter(names.to_view.find(found.target)), None)
    assert meaning is not None
    assert found.row is not None
    assert (found.metric, found.row.mode) == (meaning.entry.metric, meaning.entry.mode)


def _refusal(question: Callable[[], object]) -> str | None:
    """Return why a question is refused, or None if it has an answer."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            question()
        except NamesError as error:
            return str(error)
    return None


@settings(max_examples=50)
@given(st.lists(KEYS, max_size=4))
def test_a_source_is_found_or_refused(names):
    """What is found is a source that knows one of the keys, below what all begin with; a refusal is one line."""
    tables = small_tables()
    refusal = _refusal(lambda: infer_source(names, spec=tables))
    assert refusal is None or "\n" not in refusal
    if refusal is None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            view = open_view(infer_source(names, spec=tables), spec=tables)
            prefix = find_source(Clues(tuple(names)), spec=tables).prefix or ""
        assert any(view.find(name.removeprefix(prefix)) for name in names)


@given(st.text(alphabet="alphbet[]=NewTriOld.0123456789 +dvgitcnorm", max_size=30))
def test_any_text_is_a_source_or_an_error_on_one_line(text):
    """With whatever brackets and versions."""
    refusal = _refusal(lambda: parse_source(text, small_tables()))
    assert refusal is None or (refusal and "\n" not in refusal)
