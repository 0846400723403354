"""JSON with places: what is read agrees with Python's own reader, and a change touches nothing else."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rlmetrics.logs.jsontree import Array, Document, JsonLiteral, Object, Text, TreeError

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def plain(node):
    """Return what a tree says, as Python's reader would."""
    if isinstance(node, Object):
        return {name.value: plain(value) for name, value in node.members}
    if isinstance(node, Array):
        return [plain(item) for item in node.items]
    return node.value if isinstance(node, Text) else json.loads(node.text)


def texts(node):
    """Return every string of a tree, names included."""
    if isinstance(node, Object):
        return [text for name, value in node.members for text in (name, *texts(value))]
    if isinstance(node, Array):
        return [text for item in node.items for text in texts(item)]
    return [node] if isinstance(node, Text) else []


@given(VALUES, st.booleans(), st.sampled_from([None, 0, 3]))
def test_the_tree_says_what_the_text_says(value, ascii_only, indent):
    """Any JSON is read as Python's reader reads it, NaN and Infinity included; spans cut out exactly the values."""
    document = Document(json.dumps(value, ensure_ascii=ascii_only, indent=indent))
    tree = document.parse()

    assert repr(json.loads(document.text)) == repr(plain(tree))
    for text in texts(tree):
        assert text.value == json.loads(document.text[text.start : text.end])
    assert document.text == document.changed()


@given(VALUES, st.text(), st.integers(0, 3), st.booleans(), st.data())
def test_a_change_within_nested_texts_touches_nothing_else(value, new, depth, ascii_only, data):
    """JSON in a string in a string …: one string is replaced, and everything else says what it said before."""
    inner = json.dumps({"value": value, "name": "old"}, ensure_ascii=data.draw(st.booleans()))
    text = inner
    for _ in range(depth):
        text = json.dumps({"spec": text, "é": "\ud83d\ude00/"}, ensure_ascii=ascii_only).replace("/", "\\/")
    outer = document = Document(text)
    tree: Any
    for _ in range(depth):
        tree = document.parse()
        document = document.inner(tree.get("spec"))
    assert inner == document.text
    tree = document.parse()
    name = tree.get("name")
    document.put(name, new)

    changed = outer.changed()
    start, end = name.start, name.end
    level = document
    while level.parent is not None:
        start, end = level.offsets[start], level.offsets[end]
        level = level.parent
    assert outer.text[:start] == changed[:start]
    assert outer.text[end:] == changed[len(changed) - (len(outer.text) - end) :]
    for _ in range(depth):
        changed = json.loads(changed)["spec"]
    assert repr({"value": json.loads(inner)["value"], "name": new}) == repr(json.loads(changed))


def test_elements_and_members_are_replaced_dropped_and_added():
    """The space between elements stays where it can, and its first example is used for what is added."""
    document = Document('{"a": ["x",  "y",\n "z"], "m": {"k": 1.0,  "l": [1e400]}}')
    tree: Any = document.parse()
    document.put_all(tree.get("a").items, [['"x"'], ['"1"', '"2"'], ['"z"']])
    document.put_all(tree.get("m").members, [[], ['"new": [1e400]']])

    assert document.changed() == '{"a": ["x",  "1",  "2",\n "z"], "m": {"new": [1e400]}}'
    assert JsonLiteral("1.0", 36, 39) == tree.get("m").get("k")


@pytest.mark.parametrize(
    ("text", "offset"),
    [
        ("", 0),
        ("[1, 2", 5),
        ('{"a": 1,}', 8),
        ('{"a" 1}', 5),
        ('{"a": "x\n"}', 6),
        ("[01]", 2),
        ("[1] 2", 4),
        ('{"a": 1, "a": 2}', 9),
        ("[" * 300, 201),
        ('["\\x"]', 1),
    ],
)
def test_what_is_no_json_is_told_with_its_place(text, offset):
    """Cut-off text, stray commas, control characters, names given twice and absurd nesting have an offset."""
    with pytest.raises(TreeError) as caught:
        Document(text).parse()

    assert offset == caught.value.offset
