"""Pages of the site from the terminal, through the command line as users start it."""

from __future__ import annotations

import io
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from rlmetrics.answers.addresses import configured, links_of, page_of, web_address
from rlmetrics.names import load_tables
from rlmetrics.names.tables.user_errors import UserError
from rlmetrics.wording.terminal import printed

SITE = "https://site.example/rlmetrics"


@pytest.fixture
def browser(tmp_path: Path) -> Path:
    """Return a program that takes the browser's place and keeps the address that it is given."""
    program = tmp_path / "browser"
    program.write_text('#!/bin/sh\nprintf "%s" "$1" > "$(dirname "$0")/opened"\n')
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return program


def run(folder: Path, browser: Path, *arguments: str, site: str = "") -> tuple[int, str, str]:
    """Run the command in a folder; return code, output and what the browser was given."""
    done = subprocess.run(
        [sys.executable, "-m", "rlmetrics.cli", "show", *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env={**os.environ, "BROWSER": str(browser), "RLMETRICS_SITE": site},
    )
    opened = browser.parent / "opened"
    return done.returncode, done.stdout + done.stderr, opened.read_text() if opened.exists() else ""


def test_a_metric_opens_at_the_configured_address(tmp_path: Path, browser: Path) -> None:
    """By its name or an alias; the address is printed, too."""
    code, text, opened = run(tmp_path, browser, "approxkl", "--web", site=f"{SITE}/")
    assert (code, text, opened) == (0, f"{SITE}/m/kl/old/k2/\n", f"{SITE}/m/kl/old/k2/")


def test_a_key_opens_at_its_release(tmp_path: Path, browser: Path) -> None:
    """With a source its page shows that release first."""
    code, text, opened = run(
        tmp_path, browser, "policy/approxkl_avg", "--at", "trl[PPOTrainer]==0.12.2", "--web", site=SITE
    )
    assert (code, opened) == (0, f"{SITE}/k/trl/policy/approxkl_avg/#at=trl-0.12.2")
    assert text == f"{opened}\n"


def test_without_an_address_the_built_site_is_opened(tmp_path: Path, browser: Path) -> None:
    """The one in the checkout around the folder, as a file, since a folder on a disk shows its list of files."""
    (tmp_path / "spec").mkdir()
    (tmp_path / "spec" / "spec.yaml").touch()
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "index.html").touch()
    (tmp_path / "deep").mkdir()
    code, _, opened = run(tmp_path / "deep", browser, "kl/old/k2", "--web")
    assert (code, opened) == (0, f"{(tmp_path / 'site').as_uri()}/m/kl/old/k2/index.html")


def test_without_any_site_it_says_what_to_do(tmp_path: Path, browser: Path) -> None:
    """In one line, and nothing is opened; no address is invented."""
    code, text, opened = run(tmp_path, browser, "kl/old/k2", "--web")
    assert (code, opened, len(text.splitlines())) == (2, "", 1)
    assert "RLMETRICS_SITE" in text
    assert "mkdocs build" in text


def test_what_is_no_address_is_refused(tmp_path: Path, browser: Path) -> None:
    """A folder without a site, or a name without a scheme."""
    code, text, opened = run(tmp_path, browser, "kl/old/k2", "--web", site="docs.example")
    assert (code, opened) == (2, "")
    assert "RLMETRICS_SITE=docs.example" in text
    with pytest.raises(UserError):
        configured({"RLMETRICS_SITE": str(tmp_path)})


def test_every_name_of_a_page_is_quoted() -> None:
    """Keys with brackets and at signs lead to the address that is written for them, on the web and on a disk."""
    tables = load_tables()
    page, release = page_of("val-core/{data_source}/{variable}/mean@{n}", None, ["validation/mean"], tables)
    assert (page, release) == ("k/verl/val-core/_data_source_/_variable_/mean-_n_", None)
    assert web_address("file:///s", page) == f"file:///s/{page}/index.html"
    assert web_address(SITE, page) == f"{SITE}/{page}/"


class Terminal(io.StringIO):
    """A stream that says that it is a terminal."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        """Say so."""
        return True


def test_metrics_are_links_once_there_is_an_address(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each where it is named, never inside the address of another; without an address nothing is a link."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("FORCE_HYPERLINK", "1")
    tables = load_tables()
    lines = ["kl/old/k2: a divergence", "near it stands policy/loss, and not xpolicy/loss"]
    monkeypatch.delenv("RLMETRICS_SITE", raising=False)
    assert links_of(lines, tables) == {}
    monkeypatch.setenv("RLMETRICS_SITE", SITE)
    links = links_of(lines, tables)
    assert links.keys() == {"kl/old/k2", "policy/loss"}
    text = printed(lines, keys=["kl/old/k2"], links={**links, "old/k2": "https://elsewhere"}, stream=Terminal())
    assert f"\x1b]8;;{SITE}/m/kl/old/k2/\x1b\\kl/old/k2\x1b]8;;\x1b\\" in text
    assert text.count(SITE) == 2
    assert "elsewhere" not in text


@pytest.mark.parametrize(
    ("name", "metric", "at", "expected"),
    [
        ("kl", "kl/reference/k3", "ms-swift[grpo]==4.6.0+trl0.29.1", ("k/trl/kl", "trl-0.29.1")),
        ("train_speed(s/it)", "throughput/steps", "ms-swift[grpo]==4.6.0+trl0.29.1", ("ms-swift", None)),
    ],
)
def test_a_key_of_a_derived_framework_is_told_where_its_base_tells_it(name, metric, at, expected):
    """At the release under it; what only the framework logs on the page of the framework."""
    assert page_of(name, at, [metric], load_tables()) == expected
