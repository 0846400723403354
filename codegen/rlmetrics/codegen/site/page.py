"""A generated page, as it is written for MkDocs."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

__all__ = ["Asset", "Page"]

_BLANK_LINES = re.compile(r"\n\s*(?=\n)")


@dataclass(frozen=True)
class Page:
    """A page.

    Attributes:
        path: Its address below the root of its language, without slashes at the ends, such as ``m/kl/old/k2``.
        title: What the browser and the search call it, as plain text.
        description: One sentence on what it answers, as plain text.
        body: HTML, its heading included.
    """

    path: str
    title: str
    description: str
    body: str

    @property
    def file(self) -> str:
        """The Markdown file, relative to the documentation of its language."""
        return f"{self.path}.md" if self.path else "index.md"

    def markdown(self, source: str) -> str:
        """Return the file's content: front matter, and the body as one block that Markdown passes through.

        Args:
            source: What the page says about where it comes from.
        """
        head = {"title": self.title, "description": self.description}
        lines = "".join(f"{name}: {json.dumps(text, ensure_ascii=False)}\n" for name, text in head.items())
        # A blank line would end the block, and Markdown would read what follows as its own.
        body = _BLANK_LINES.sub("", self.body.strip())
        return f'---\n# {source}\n{lines}hide: [toc]\n---\n\n<div class="rlm">\n{body}\n</div>\n'


@dataclass(frozen=True)
class Asset:
    """A generated file beside the pages, such as data that a script loads.

    Attributes:
        path: Relative to the documentation of its language, such as ``assets/generated/search.js``.
        text: The content.
    """

    path: str
    text: str
