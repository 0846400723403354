"""The whole spec as one immutable value, with the place of everything in it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from rlmetrics.wording.catalog import Catalog

from .findings import Location

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from .loader.document import YamlDocument, YamlPath
    from .model import (
        Allow,
        ClaimSource,
        ComponentFile,
        Convention,
        Fact,
        Family,
        Framework,
        Glossary,
        HealthFile,
        Input,
        Metric,
        Sentences,
        Signatures,
        SpecInfo,
        SuiteFile,
        Tracker,
    )

__all__ = ["FrameworkBase", "FrameworkSpec", "LanguageTexts", "Spec", "SpecFile", "YamlOrigin", "home_of"]

_DEEPEST = 7
"""Length of the longest path of an entry that can stand elsewhere: what a guide says, in a fact of one of several
records of a key."""
_PATTERNS = ("answers", "terminal", "values")
"""Files whose placeholders stand for what an answer puts there; those of the interface are filled afterwards."""


def home_of(framework: str, folders: Sequence[Path]) -> Path:
    """Return the first of some folders, spec and overlays, that has files of a framework."""
    return next((folder for folder in folders if (folder / "frameworks" / framework).is_dir()), folders[0])


@dataclass(frozen=True)
class YamlOrigin:
    """Where an entry was written: a document and the path in it."""

    document: YamlDocument
    path: YamlPath


@dataclass(frozen=True)
class SpecFile:
    """One file of the spec, with what overlays added to it.

    Attributes:
        ref: Its path in the spec without ``.yaml``, such as ``frameworks/trl/grpo_trainer``.
        document: The file as written.
        moved: Entries that stand elsewhere than their path says: added by an overlay, or shifted because an entry
            before them could not be read; or a fact of a group, and a guard or profile of another file.
    """

    ref: str
    document: YamlDocument
    moved: Mapping[YamlPath, YamlOrigin] = field(default_factory=dict)

    def origin(self, path: YamlPath) -> YamlOrigin:
        """Return where the node at ``path`` was written."""
        for length in range(min(len(path), _DEEPEST), 0, -1) if self.moved else ():
            moved = self.moved.get(path[:length])
            if moved is not None:
                return YamlOrigin(moved.document, moved.path + path[length:])
        return YamlOrigin(self.document, path)


@dataclass(frozen=True, eq=False)
class FrameworkBase:
    """What a framework takes over from the one that it derives from.

    Attributes:
        name: The other framework.
        spec: All of it.
        head: What it says for all of its files, in the releases of the derived framework.
        releases: The releases of the derived framework with their dates, oldest first; where one of them accepts
            several of the base's, each pair.
        under: The base's release under each of them.
        files: Files of the base that are extended, as fragments, by `trl/grpo_trainer`; their releases are those of the
            derived framework.
        overridden: For each own file, the methods that its classes have in place of the base's, each with the releases.
    """

    name: str
    spec: FrameworkSpec
    head: Framework
    releases: Sequence[tuple[str, str]]
    under: Mapping[str, str]
    files: Mapping[str, ComponentFile]
    overridden: Mapping[str, Mapping[str, Sequence[str]]] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class FrameworkSpec:
    """A folder of ``spec/frameworks``; no two are the same, so that what follows from one is worked out once.

    Attributes:
        framework: What holds for all of it.
        files: Its component files by stem, with groups written out, and with the anchors and defaults of settings that
            locks know.
        lent: For each file, entries that were written elsewhere: facts of groups, guards and profiles of other files;
            each with the stem and the place at which it was.
        stated: The files without what locks know.
        groups: For each file that has some, its groups of facts as they were written.
        base: What it is built on, if it derives from another framework.
    """

    framework: Framework
    files: Mapping[str, ComponentFile]
    lent: Mapping[str, Mapping[YamlPath, tuple[str, YamlPath]]] = field(default_factory=dict)
    stated: Mapping[str, ComponentFile] = field(default_factory=dict)
    groups: Mapping[str, Mapping[str, Sequence[Fact]]] = field(default_factory=dict)
    base: FrameworkBase | None = None

    @property
    def releases(self) -> Sequence[tuple[str, str]]:
        """Every release with its date, oldest first: of each pair with a release of the base where several run."""
        if self.base is not None:
            return self.base.releases
        return [(item.release, item.date) for item in self.framework.releases]

    @cached_property
    def known(self) -> Mapping[str, ComponentFile]:
        """The own files, and those of the base that they extend."""
        return self.files if self.base is None else {**self.base.files, **self.files}

    def written(self, stem: str, path: YamlPath) -> tuple[str, YamlPath]:
        """Return in which file and at which place an entry of a file was written."""
        return self.lent.get(stem, {}).get(path, (stem, path))


@dataclass(frozen=True)
class LanguageTexts:
    """A folder of ``spec/texts``: what the project says in a language.

    Attributes:
        glossary: The words for terms of the field.
        files: Translated sentences by file: ``interface``, ``health``, ``signatures``, ``metrics/<family>``.
    """

    glossary: Glossary
    files: Mapping[str, Sentences]

    def sentences(self) -> dict[str, str]:
        """Return every translated sentence by its English one; runs of white space count as one space."""
        entries = (entry for file in self.files.values() for entry in file.sentences.items())
        return {" ".join(english.split()): " ".join(text.split()) for english, text in entries}

    def catalog(self) -> Catalog:
        """Return what finds the translation of a sentence, also of one that answers put together of parts."""
        return Catalog(self.sentences(), self._patterns(), self.glossary.names)

    def catalog_table(self) -> dict[str, object]:
        """Return what answers at run time make their catalog of.

        One word is left out unless answers say it, since keys such as ``loss`` are called like facets and families;
        those of facets stand apart.
        """
        patterns = self._patterns()
        spoken = {*patterns, *(self.files["signatures"].sentences if "signatures" in self.files else ())}
        known = self.sentences().items()
        sentences = {english: text for english, text in known if english in spoken or not english.isalpha()}
        facets = self.files["facets"].sentences.items() if "facets" in self.files else ()
        words = {english: text for english, text in facets if english.isalpha()}
        return {"SENTENCES": sentences, "PATTERNS": patterns, "NAMES": [*self.glossary.names], "FACETS": words}

    def _patterns(self) -> list[str]:
        parts = [self.files[part].sentences for part in _PATTERNS if part in self.files]
        return [" ".join(english.split()) for sentences in parts for english in sentences]


@dataclass(frozen=True)
class Spec:
    """Everything that the YAML files say.

    Attributes:
        root: The folder ``spec``.
        info: Version and renamed ids.
        inputs: The input vocabulary by name.
        signatures: The vocabulary of signatures.
        families: Files of metrics by family name (the stem of the file).
        metrics: Every metric by id, in the order of the files.
        family_of: The family of each canonical name.
        frameworks: Frameworks by name, each with its component files by stem.
        trackers: Trackers by name.
        conventions: Conventions by name.
        health: Files of health rules and diagnoses by stem.
        suites: Suites of metrics by name.
        texts: What is said in other languages, by language.
        overlays: Folders of the same structure that extend it, in order.
        sources: What is cited by name.
        files: Every file by its ref, for places.
        unread: Names that exist but could not be read, by kind (``metrics``, ``profiles``, …); ``*`` stands for any
            name. It is empty in a spec that has no errors.
    """

    root: Path
    info: SpecInfo
    inputs: Mapping[str, Input]
    signatures: Signatures
    families: Mapping[str, Family]
    metrics: Mapping[str, Metric]
    family_of: Mapping[str, str]
    frameworks: Mapping[str, FrameworkSpec]
    trackers: Mapping[str, Tracker]
    conventions: Mapping[str, Convention]
    health: Mapping[str, HealthFile]
    suites: Mapping[str, SuiteFile]
    files: Mapping[str, SpecFile] = field(repr=False)
    unread: Mapping[str, frozenset[str]] = field(default_factory=dict)
    texts: Mapping[str, LanguageTexts] = field(default_factory=dict)
    overlays: Sequence[Path] = ()
    sources: Mapping[str, ClaimSource] = field(default_factory=dict)

    def home(self, framework: str) -> Path:
        """Return the folder that a framework's files and locks are in: ``spec``, or the overlay that adds it."""
        return home_of(framework, (self.root, *self.overlays))

    def locate(self, ref: str, path: YamlPath = (), *, value: bool = False) -> Location:
        """Return the place of a node.

        Args:
            ref: The file, such as ``metrics/policy``, ``frameworks/trl/framework``, ``inputs`` or ``spec``.
            path: Keys and indices from the top of the file, such as ``("keys", "kl", "facts", 3, "when")``.
            value: Point to the value of the last key instead of the key itself.

        Returns:
            The place, or that of the nearest existing parent.
        """
        file = self.files.get(ref)
        if file is None:
            return Location(f"{self.root.name}/{ref}.yaml")
        origin = file.origin(path)
        return origin.document.locate(origin.path, value=value)

    def locate_in_text(self, ref: str, path: YamlPath, offset: int) -> Location:
        """Return the place of the character ``offset`` of a text value, through quotes and folded lines."""
        origin = self.files[ref].origin(path)
        return origin.document.locate_in_text(origin.path, offset)

    def locate_metric(self, metric: str, path: YamlPath = ()) -> Location:
        """Return the place of a metric, or of a node below it."""
        return self.locate(f"metrics/{self.family_of[metric]}", ("metrics", metric, *path))

    @property
    def independent(self) -> dict[str, FrameworkSpec]:
        """The frameworks that derive from no other one: keys without a source are looked for in these."""
        return {name: item for name, item in self.frameworks.items() if item.base is None}

    def component_files(self) -> Iterator[tuple[str, str, ComponentFile]]:
        """Yield every component file with the name of its framework and its stem."""
        for name, framework in self.frameworks.items():
            for stem, file in framework.files.items():
                yield name, stem, file

    def is_unread(self, kind: str, name: str) -> bool:
        """Tell whether ``name`` may exist in a part that could not be read, so that its absence proves nothing."""
        names = self.unread.get(kind, frozenset())
        return name in names or "*" in names

    def allows(self) -> Iterator[tuple[str, YamlPath, Allow]]:
        """Yield every ``allow:`` entry with its file and path."""
        for ref, node in self.roots():
            yield from _allows(ref, (), node)

    def roots(self) -> Iterator[tuple[str, Any]]:
        """Yield every file's model with its ref."""
        for name, family in self.families.items():
            yield f"metrics/{name}", family
        for name, framework in self.frameworks.items():
            yield f"frameworks/{name}/framework", framework.framework
            for stem, file in framework.files.items():
                yield f"frameworks/{name}/{stem}", file
        for name, tracker in self.trackers.items():
            yield f"trackers/{name}", tracker
        for name, convention in self.conventions.items():
            yield f"conventions/{name}", convention
        for stem, health in self.health.items():
            yield f"health/{stem}", health
        for name, suite in self.suites.items():
            yield f"suites/{name}", suite
        for name, language in self.texts.items():
            yield f"texts/{name}/glossary", language.glossary
            for part, sentences in language.files.items():
                yield f"texts/{name}/{part}", sentences


def _allows(ref: str, path: YamlPath, node: Any) -> Iterator[tuple[str, YamlPath, Allow]]:
    for index, allow in enumerate(node.allow):
        yield ref, (*path, "allow", index), allow
    metrics = getattr(node, "metrics", {})
    # A suite lists its metrics, a family defines them.
    for name, metric in metrics.items() if isinstance(metrics, dict) else ():
        yield from _allows(ref, (*path, "metrics", name), metric)
    if hasattr(node, "records"):
        for name, index, record in node.records():
            place = ("keys", name) if not isinstance(node.keys[name], list) else ("keys", name, index)
            yield from _allows(ref, (*path, *place), record)
    for index, item in enumerate(getattr(node, "rules", [])):
        yield from _allows(ref, (*path, "rules", index), item)
