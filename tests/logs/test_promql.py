"""Names in PromQL: what is a metric, and what is a function, a label, a keyword or text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rlmetrics.logs.kinds.grafana.promql import PromqlError, quote, selectors, tokens


@pytest.mark.parametrize(
    ("expression", "names"),
    [
        ("up", ["up"]),
        ('sum by (a, b) (x{c="d", e=~"f.*"}) / on (g) group_left (h) y', ["x", "y"]),
        ("sum(x) without (a) > bool 3", ["x"]),
        ("rate(x[5m]) offset 1h30m # y", ["x"]),
        ("max_over_time(rate(a:b:c[5m:30s])[1h:])", ["a:b:c"]),
        ('histogram_quantile(0.95, sum(rate(x_bucket{job="a{b}"}[$__rate_interval])) by (le))', ["x_bucket"]),
        ('label_replace(x, "dst", "$1", "src", "(.*)")', ["x"]),
        ('{"x/y@1", job="z"} and {__name__="w"} or {"__name__"="v"}', ["x/y@1", "w", "v"]),
        ("{'it\\'s'} + {`back\\slash`}", ["it's", "back\\slash"]),
        ('label_values(x{a="b"}, c)', ["x"]),
        ("label_values(c)", []),
        ("query_result(topk(5, x))", ["x"]),
        ("x @ start() - y @ 1609746000", ["x", "y"]),
        ("prefix_$metric + ${other} + [[third]]_total + x", ["x"]),
        ("inf + NaN + -1e-3 + 0x1F * 5", []),
        ('count_values without (a) ("v", x)', ["x"]),
        ('x{a="y"} unless ignoring (b) z{b!="c",}', ["x", "z"]),
    ],
)
def test_metrics_are_told_from_everything_else(expression, names):
    """Functions, aggregations, labels, durations, texts and comments name no metric."""
    found = selectors(expression)

    assert names == [selector.name for selector in found if not selector.is_regex]
    for selector in found:
        start, end = selector.at
        assert selector.start <= start < end <= selector.end
        assert selector.name in (expression[start:end], *_meant(expression[start:end]))


def _meant(text):
    return [text[1:-1].replace("\\'", "'")]


def test_what_may_follow_a_selector():
    """A range, an offset and the first argument of label_values take a selector and no expression."""
    kinds = {
        s.name: (s.is_instant, s.is_series) for s in selectors("a + b[5m] + c offset 5m + label_values(d, e) + f @ 3")
    }

    assert kinds == {
        "a": (True, False),
        "b": (False, False),
        "c": (False, False),
        "d": (False, True),
        "f": (False, False),
    }


def test_regular_expressions_for_names_are_told_apart():
    """``=~``, ``!~`` and ``!=`` name no single metric."""
    found = selectors('{__name__=~"a.*", x="y"} or {__name__!="b"} or {"c"}')

    assert [(selector.name, selector.is_regex) for selector in found] == [("a.*", True), ("b", True), ("c", False)]


@pytest.mark.parametrize("expression", ['x{a="b}', "sum(x", "x)", "{a", "x{(}", "x \\ y"])
def test_what_does_not_end_is_an_error(expression):
    """Open texts and brackets, and characters of no language, are refused."""
    with pytest.raises(PromqlError):
        selectors(expression)


@given(st.text(alphabet="abc_:059. \t\n\"'`\\#$(){}[],=~!@+-*/<>é", max_size=40))
def test_tokens_are_the_text(text):
    """Whatever is read, nothing is lost, and nothing but the documented error is raised."""
    try:
        assert text == "".join(token.text for token in tokens(text))
        selectors(text)
    except PromqlError:
        pass


@given(st.text(min_size=1), st.sampled_from(['"a"', "'a'", "`a`"]))
def test_a_quoted_name_reads_back(name, like):
    """Whatever a name holds, it is read back as it was."""
    (selector,) = selectors("{" + quote(name, like) + "}")

    assert name == selector.name


METRICS = ["m_one", "m:two", "by_three", "offset_four"]
LABELS = st.sampled_from(["", '{a="m_one"}', '{b=~"m_one|x", c!="}"}', "{ }"])


def _binary(inner):
    operators = st.sampled_from(
        [" + ", "/", " and on (m_one) ", " or ", " > bool ", " * ignoring(a) group_left(m_one) "]
    )
    return st.tuples(inner, operators, inner).map(lambda parts: [*parts[0], parts[1], *parts[2]])


def _call(inner):
    heads = st.sampled_from(["sum(", "avg by (m_one) (", "topk(5, ", "(", "-(", "clamp_min ( "])
    return st.tuples(heads, inner).map(lambda parts: [parts[0], *parts[1], ")"])


def _ranged(metric):
    return metric.map(lambda parts: ["rate(", *parts, "[5m] offset 1h) # m_one\n"])


PLAIN = st.tuples(st.sampled_from(METRICS), LABELS).map(lambda parts: [("metric", parts[0]), parts[1]])
EXPRESSIONS = st.recursive(
    PLAIN | _ranged(PLAIN) | st.just(["1e3"]), lambda inner: _binary(inner) | _call(inner), max_leaves=8
)


@given(EXPRESSIONS)
def test_every_metric_of_a_generated_expression_is_found(parts):
    """Expressions put together from known parts: exactly their metrics are found, each at its place."""
    text, expected = "", []
    for part in parts:
        if isinstance(part, tuple):
            expected.append((part[1], len(text)))
            text += part[1]
        else:
            text += part

    assert [(selector.name, selector.at[0]) for selector in selectors(text)] == expected
