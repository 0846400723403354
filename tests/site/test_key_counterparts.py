"""Pages of keys and metrics: what other frameworks have, which key a row of a strip is, and commands that run."""

from __future__ import annotations

import re
import shlex
from html import unescape

from rlmetrics.cli import main
from rlmetrics.codegen.site.key import page_of
from rlmetrics.codegen.site.key_facts import KeyFacts
from rlmetrics.codegen.site.lives import lives_of
from rlmetrics.codegen.site.metric_page import make
from rlmetrics.codegen.site.page import Page
from site_pages import outline, strips, the_site

_WHO = re.compile(r'<div class="rlm-who">(.*?)</div>', re.DOTALL)


def page_of_key(framework: str, key: str) -> Page:
    """The page of a key."""
    site = the_site()
    return page_of(KeyFacts(site, framework, key, lives_of(site.tables).by_key[framework, key]))


def test_frameworks_without_the_kind_share_one_box() -> None:
    """However many there are, that they log nothing of the kind is said once above and once below."""
    text = " ".join(outline(page_of_key("trl", "win_rate_completions").body).text.split())
    others = [row["title"] for name, row in the_site().tables.frameworks.items() if name != "trl"]
    names = f"{', '.join(others[:-1])} and {others[-1]}"
    assert text.count("Nothing of this kind is logged there.") == 1
    assert f"In {names}" in text
    assert f"{names} log nothing of this kind." in text


def test_the_command_on_a_page_runs(capsys) -> None:
    """It can be copied as it stands, quotes and options included."""
    body = page_of_key("trl", "objective/kl").body
    commands = [unescape(text) for text in re.findall(r"<code>(rlmetrics map .*?)</code>", body)]
    assert commands
    assert main(shlex.split(commands[0])[1:]) == 0
    assert "have a close counterpart" in " ".join(capsys.readouterr().out.split())


def test_the_strip_of_a_metric_names_the_keys() -> None:
    """Each row says under which name its trainer logs the metric, with the last release of an older name."""
    pages = {page.path: page for page in make(the_site()) if isinstance(page, Page)}
    body = pages["m/kl/old/k2"].body
    rows = [re.sub(r"<wbr>", "", row) for row in _WHO.findall(body)]
    ppo = "".join(row for row in rows if row.startswith("PPOTrainer"))
    assert "<code>policy/approxkl_avg</code>" in ppo
    assert "<code>ppo/policy/approxkl</code><small>until 0.11.4</small>" in ppo
    assert all("<code>" in row for row in rows)
    key = page_of_key("trl", "policy/approxkl_avg").body
    assert not any("<code>" in row for row in _WHO.findall(key))


def test_what_all_strips_say_is_not_in_the_page() -> None:
    """The words of the script, which are the same on thousands of pages, stand in the file that all of them load."""
    page = page_of_key("trl", "win_rate_completions")
    for data in strips(page).values():
        assert "words" not in data
    assert "Page Up and Page Down" not in page.body
