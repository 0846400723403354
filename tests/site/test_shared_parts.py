"""What is the same on every page of the site stands once, and pages look as if it stood on each."""

import ast
import posixpath
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mkdocs.commands.build import build
from mkdocs.config import load_config
from rlmetrics.codegen.site.shared_parts_hook import SHARED, squeezed

ROOT = Path(__file__).parents[2]
HREF = re.compile(r'href="([^"]*)"')


def built(folder, *, hook):
    """Build a small site with the theme of the real one: two pages in the navigation, and one that is not."""
    docs = folder / "docs"
    (docs / "k" / "x").mkdir(parents=True)
    (docs / "index.md").write_text("# Home\n\nText.\n")
    (docs / "guide.md").write_text("# Guide\n\n## Part\n\nText.\n")
    (docs / "k" / "x" / "one.md").write_text("---\nhide: [toc]\n---\n\n# One\n\n```text\na\n\n  b\n```\n")
    hooks = f"hooks: [{ROOT}/codegen/rlmetrics/codegen/site/shared_parts_hook.py]\n" if hook else ""
    (folder / "mkdocs.yml").write_text(
        "site_name: small\nnav: [index.md, {Guides: [guide.md]}]\nnot_in_nav: /k/\nplugins: []\n"
        f"theme: {{name: material, custom_dir: {ROOT}/docs/theme, font: false}}\n{hooks}"
    )
    build(load_config(str(folder / "mkdocs.yml")))
    return folder / "site"


@pytest.fixture(scope="module")
def sites(tmp_path_factory):
    """The site with the hook, and without."""
    return built(tmp_path_factory.mktemp("once"), hook=True), built(tmp_path_factory.mktemp("each"), hook=False)


def written(script, base):
    """Return what a script puts into a page."""
    (literal,) = re.findall(r"'beforebegin',(.*?)\.replaceAll", script)
    return ast.literal_eval(literal).replace('"./', f'"{base}/').replace('"."', f'"{base}"')


def lines_of(html):
    """Return the lines of a page that are not empty, with addresses of folders written in one way."""
    return [line.replace('../."', '.."') for line in html.split("\n") if line.strip()]


def navigation_of(html):
    """Return the navigation of a page, without what only lays out its source."""
    found = re.search(r'<nav class="md-nav md-nav--primary".*?</nav>\s*(?=</div>)', html, re.DOTALL)
    return re.sub(r">\s+|\s+<", lambda space: space[0].strip(), found[0]) if found else None


def test_the_script_puts_there_what_stood_there(sites):
    """The navigation from the script is that of the page as it was, with addresses that lead to the same pages."""
    once, each = sites
    page = (once / "k/x/one/index.html").read_text(encoding="utf-8")
    before = navigation_of((each / "k/x/one/index.html").read_text(encoding="utf-8")) or ""
    (base,) = re.findall(rf'<script src="(.*)/{SHARED["navigation"]}" data-base="(.*)">', page)
    script = (once / SHARED["navigation"]).read_text(encoding="utf-8")

    assert base == ("../../..", "../../..")
    assert navigation_of(page) is None
    put = navigation_of(f"{written(script, base[1])}</div>") or ""
    page_at = "/k/x/one/"
    addresses = [
        [posixpath.normpath(posixpath.join(page_at, one)) for one in HREF.findall(html)] for html in (put, before)
    ]
    assert addresses[0] == addresses[1] == ["/", "/", "/guide"]
    assert HREF.sub("", put) == HREF.sub("", before)


@pytest.mark.parametrize("part", ["header", "footer"])
def test_header_and_footer_are_put_there_as_they_were(sites, part):
    """But for what the script fills in: the title of the page, and the way to the other language."""
    once, each = sites
    page = (once / "k/x/one/index.html").read_text(encoding="utf-8")
    element = re.compile(rf"<{part}.*?</{part}>", re.DOTALL)
    before = squeezed(element.findall((each / "k/x/one/index.html").read_text(encoding="utf-8"))[0])
    put = element.findall(written((once / SHARED[part]).read_text(encoding="utf-8"), "../../.."))[0]

    assert not element.findall(page)
    assert f'{SHARED[part]}" data-base="../../.."' in page
    code = re.compile(r"<script>.*?</script>", re.DOTALL)
    for text in ("\nOne\n", 'href="../../../zh/k/x/one/"'):
        before = before.replace(text, "\n" if text.startswith("\n") else 'href=""')
    assert lines_of(put) == lines_of(code.sub("", before))


def test_the_way_to_the_other_language_is_the_pages_own(sites):
    """It stands in the page: the script puts it into the header, and readers without scripts have it as it is."""
    page = (sites[0] / "k/x/one/index.html").read_text(encoding="utf-8")

    assert 'data-other="../../../zh/k/x/one/"' in page
    assert re.search(
        r'<noscript><a href="../../..">small</a>\s*<a class="rlm-language" href="../../../zh/k/x/one/"', page
    )


def test_pages_of_the_navigation_have_it_themselves(sites):
    """Without scripts all pages of the navigation can be reached from each of them."""
    once, each = sites
    for page in ("index.html", "guide/index.html"):
        texts = [(site / page).read_text(encoding="utf-8") for site in (once, each)]
        assert navigation_of(texts[0]) == navigation_of(texts[1]) is not None


def test_nothing_that_is_read_changes(sites):
    """Articles have the same text, code its lines; what the theme brings for its own search is gone."""
    once, each = sites
    articles = [
        re.findall(r"<article.*?</article>", (site / "k/x/one/index.html").read_text(encoding="utf-8"), re.DOTALL)[0]
        for site in sites
    ]
    assert " ".join(re.sub(r"<[^>]+>", " ", articles[0]).split()) == " ".join(
        re.sub(r"<[^>]+>", " ", articles[1]).split()
    )
    assert re.findall(r"<pre.*?</pre>", articles[0], re.DOTALL) == re.findall(r"<pre.*?</pre>", articles[1], re.DOTALL)
    assert not [*once.rglob("*.map"), *once.rglob("lunr*")]
    assert [*each.rglob("*.map")]


@given(st.lists(st.sampled_from(["<p>", "a", " ", "\n", "  ", "<pre>\n  x\n</pre>", "<b>", "\t"]), max_size=30))
def test_squeezing_keeps_words_and_code(parts):
    """White space becomes less and nowhere nothing, and code stays as it is."""
    html = "".join(parts)

    assert squeezed(html).split() == html.split()
    assert re.findall(r"<pre>.*?</pre>", squeezed(html), re.DOTALL) == re.findall(r"<pre>.*?</pre>", html, re.DOTALL)
    assert squeezed(squeezed(html)) == squeezed(html)
