"""The site as it is built, for tests that open or read every page of it."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote

__all__ = ["BUILT", "FLAGS", "ROOT", "address_of", "built", "pages_of", "serving"]

ROOT = Path(__file__).resolve().parent.parent
BUILT = ROOT / ".cache" / "site"
"""Where the lane ``site`` builds it; the Chinese site lies in its folder ``zh``."""

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def built() -> Path:
    """Return the folder of the built site; it is built where it is missing."""
    for settings, place in (("mkdocs.yml", BUILT), ("mkdocs.zh.yml", BUILT / "zh")):
        if not (place / "index.html").is_file():
            command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-f", settings, "-d", str(place)]
            subprocess.run(command, cwd=ROOT, check=True)
    return BUILT


def pages_of(site: Path) -> list[Path]:
    """Return the files of all pages."""
    return sorted(site.rglob("*.html"))


def address_of(page: Path, site: Path) -> str:
    """Return the address of a page below the root of the site: that of its folder."""
    return page.relative_to(site).as_posix().removesuffix("index.html")


class _Quiet(SimpleHTTPRequestHandler):
    """Serves files without a word, and lets the browser keep them."""

    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Say nothing."""

    def end_headers(self) -> None:
        """Let styles and scripts be kept."""
        if unquote(self.path).endswith((".js", ".css", ".svg", ".png")):
            self.send_header("Cache-Control", "max-age=600")
        super().end_headers()


@contextmanager
def serving(site: Path) -> Iterator[str]:
    """Serve the site from this machine; yield its address, without a slash at the end."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(site)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
