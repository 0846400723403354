"""Finds the files of a spec and makes one value of them."""

from __future__ import annotations

import errno
import gc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ValidationError

from ..findings import Location, SpecFinding, has_errors, sort
from ..locks.dates_lock import with_dates
from ..locks.lock_facts import LockFacts
from ..model import (
    ComponentFile,
    Convention,
    Family,
    Framework,
    Glossary,
    HealthFile,
    Inputs,
    Sentences,
    Signatures,
    SourceTable,
    SpecInfo,
    SuiteFile,
    Tracker,
)
from ..spec import FrameworkSpec, LanguageTexts, Spec, SpecFile, YamlOrigin, home_of
from .cited_sources import with_sources
from .derived_frameworks import based_on, derivation_faults, in_order, with_constants, with_shared
from .document import YamlDocument
from .fact_groups import write_out
from .joined_parts import joined
from .model_errors import Fault, explain
from .overlay import lay_over
from .spec_files import DEFINES, SINGLES, model_of, shown_name, yaml_files
from .yaml_parser import parse

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .document import YamlPath

__all__ = ["SpecError", "collector_paused", "load", "read"]

_NAMED_AFTER_FILE = {"metrics": "family", "trackers": "tracker", "conventions": "convention", "suites": "suite"}


class SpecError(Exception):
    """The spec cannot be used as it is.

    Attributes:
        findings: Everything that is wrong with it, in the order of the places.
    """

    def __init__(self, findings: Sequence[SpecFinding]) -> None:
        self.findings = tuple(findings)
        super().__init__("\n".join(f"{f.location}: {f.message}; {f.fix}" for f in self.findings))


def load(root: Path, overlays: Sequence[Path] = ()) -> Spec:
    """Read a spec that must be readable in full.

    Args:
        root: The folder ``spec``.
        overlays: Folders of the same structure that extend it, in order.

    Raises:
        SpecError: With every finding of level error.
    """
    spec, findings = read(root, overlays)
    errors = [finding for finding in findings if finding.level == "error"]
    if spec is None or has_errors(findings):
        raise SpecError(errors)
    return spec


def read(root: Path, overlays: Sequence[Path] = ()) -> tuple[Spec | None, list[SpecFinding]]:
    """Read as much of a spec as can be read.

    Args:
        root: The folder ``spec``.
        overlays: Folders of the same structure that extend it, in order.

    Returns:
        The spec without the entries that have errors, or None where too little is left; and all findings.
    """
    with collector_paused():
        return _Reader(root, overlays).read()


@contextmanager
def collector_paused() -> Iterator[None]:
    """Keep the garbage collector from walking, again and again, a growing tree that holds no garbage.

    Reading a spec takes a third of the time with it.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@dataclass
class _Raw:
    """A file on its way: its document, its data with overlays, and where entries came from."""

    document: YamlDocument
    data: Any
    moved: dict[YamlPath, YamlOrigin] = field(default_factory=dict)

    def file(self, ref: str) -> SpecFile:
        return SpecFile(ref, self.document, self.moved)


class _Reader:
    def __init__(self, root: Path, overlays: Sequence[Path]) -> None:
        self._root = root
        self._folders = (root, *overlays)
        self._findings: list[SpecFinding] = []
        self._raw: dict[str, _Raw] = {}
        self._lost: set[str] = set()
        self._unread: dict[str, set[str]] = {}
        self._taken: dict[str, SpecFile] = {}

    def read(self) -> tuple[Spec | None, list[SpecFinding]]:
        for folder in self._folders:
            self._read_folder(folder)
        models = {ref: model for ref, raw in self._raw.items() if (model := self._validate(ref, raw)) is not None}
        for name in SINGLES:
            if name not in self._raw and name not in self._lost:
                place = Location(f"{shown_name(self._root, self._root)}/{name}.yaml")
                self._report("missing-file", place, f"the spec has no `{name}.yaml`", "add it")
        spec = self._assemble(models) if SINGLES.keys() <= models.keys() else None
        return spec, sort(self._findings)

    def _report(self, check: str, place: Location, message: str, fix: str) -> None:
        self._findings.append(SpecFinding(check, "error", place, message, fix))

    def _read_folder(self, folder: Path) -> None:
        paths = {
            path.relative_to(folder).with_suffix("").as_posix(): path
            for path in yaml_files(folder, self._report_unreadable)
        }
        parts: dict[str, list[Path]] = {}
        for ref, path in paths.items():
            owner = ref if model_of(ref) is not None else ref.rpartition("/")[0]
            known = owner == ref or (model_of(owner) is not None and (owner in paths or owner in self._raw))
            if path.suffix == ".yml" or not known:
                where = "spec.yaml, inputs.yaml, signatures.yaml, sources.yaml, metrics/, trackers/, conventions/, "
                where += "health/, suites/, frameworks/<name>/, texts/<language>/, and folders named like a long file"
                name = shown_name(self._root, path)
                self._report("stray-file", Location(name), "nothing reads this file", f"the spec consists of {where}")
            elif owner == ref:
                parts.setdefault(owner, []).insert(0, path)
            else:
                parts.setdefault(owner, []).append(path)
        for ref, files in parts.items():
            self._read_file(ref, files)

    def _read_file(self, ref: str, paths: Sequence[Path]) -> None:
        """Read a file and, behind it, its parts."""
        extends = ref in self._raw
        for path in paths:
            try:
                content = _content(path)
            except OSError as error:
                self._report_unreadable(error, path)
                self._lose(ref)
                if path is paths[0]:
                    return
                continue
            document, findings = parse(content, shown_name(self._root, path))
            self._findings += findings
            raw = self._raw.get(ref)
            if document.data is None:
                self._lose(ref)
                if path is paths[0]:
                    return  # without the file, its parts make no whole
            elif raw is None:
                self._raw[ref] = _Raw(document, document.data)
            elif extends:
                raw.data, raw.moved, conflicts = lay_over(ref, raw.data, raw.moved, document)
                self._findings += conflicts
            else:
                raw.data, added, twice = joined(raw.data, document)
                raw.moved.update(added)
                self._findings += twice

    def _report_unreadable(self, error: OSError, path: Path | None = None) -> None:
        place = Location(shown_name(self._root, path or Path(error.filename)))
        said = error.strerror or str(error)
        message = said if said.startswith("is ") else f"cannot be read: {said}"
        self._report("unreadable-file", place, message, "put a file in its place that can be read")

    def _lose(self, ref: str) -> None:
        """Note that this file is there, and that anything may have been defined in it."""
        self._lost.add(ref)
        for kind in DEFINES.get(ref.split("/")[0], ()):
            self._unread.setdefault(kind, set()).add("*")

    def _validate(self, ref: str, raw: _Raw) -> BaseModel | None:
        model = model_of(ref)
        assert model is not None
        if not isinstance(raw.data, dict):
            self._report(
                "wrong-type", raw.document.locate(()), "the file must be a mapping of fields", "write `field: value`"
            )
            self._lose(ref)
            return None
        try:
            return model.model_validate(raw.data)
        except ValidationError as error:
            file = raw.file(ref)

            def locate(path: YamlPath, value: bool) -> Location:
                origin = file.origin(path)
                return origin.document.locate(origin.path, value=value)

            def source(path: YamlPath) -> str | None:
                origin = file.origin(path)
                return origin.document.source(origin.path)

            faults = explain(error, model, raw.data, locate, source)
            self._findings += [fault.finding for fault in faults]
            return self._without(ref, raw, model, faults)

    def _without(self, ref: str, raw: _Raw, model: type[BaseModel], faults: list[Fault]) -> BaseModel | None:
        """Return the file without the entries that have faults, so that the rest can be checked too."""
        pruned, moved = _prune(raw, {fault.path[:2] for fault in faults})
        for kind, name in (fault.path[:2] for fault in faults if len(fault.path) > 2):
            if isinstance(name, str):
                self._unread.setdefault(str(kind), set()).add(name)
        try:
            result = model.model_validate(pruned)
        except ValidationError:
            self._lose(ref)
            return None
        raw.data, raw.moved = pruned, moved
        return result

    def _assemble(self, models: Mapping[str, BaseModel]) -> Spec:
        families: dict[str, Family] = {}
        metrics: dict[str, Any] = {}
        family_of: dict[str, str] = {}
        table = models.get("sources")
        sources = table.sources if isinstance(table, SourceTable) else {}
        for stem, written in _of_kind(models, "metrics", Family):
            self._check_name("metrics", stem, written.family)
            families[stem] = family = with_sources(written, sources)
            for name, metric in family.metrics.items():
                if name in metrics:
                    first = self._locate(f"metrics/{family_of[name]}", ("metrics", name))
                    place = self._locate(f"metrics/{stem}", ("metrics", name))
                    self._report(
                        "duplicate-metric", place, f"`{name}` is defined at {first} already", "keep one of the two"
                    )
                    continue
                metrics[name] = metric
                family_of[name] = stem
        info, inputs, signatures = models["spec"], models["inputs"], models["signatures"]
        assert isinstance(info, SpecInfo)
        assert isinstance(inputs, Inputs)
        assert isinstance(signatures, Signatures)
        for stem, tracker in _of_kind(models, "trackers", Tracker):
            self._check_name("trackers", stem, tracker.tracker)
        for stem, convention in _of_kind(models, "conventions", Convention):
            self._check_name("conventions", stem, convention.convention)
        for stem, suite in _of_kind(models, "suites", SuiteFile):
            self._check_name("suites", stem, suite.suite)
        return Spec(
            root=self._root,
            overlays=self._folders[1:],
            info=info,
            inputs=inputs.inputs,
            signatures=signatures,
            families=families,
            metrics=metrics,
            family_of=family_of,
            frameworks=self._frameworks(models),
            trackers=dict(_of_kind(models, "trackers", Tracker)),
            conventions=dict(_of_kind(models, "conventions", Convention)),
            sources=sources,
            health={stem: with_sources(file, sources) for stem, file in _of_kind(models, "health", HealthFile)},
            suites=dict(_of_kind(models, "suites", SuiteFile)),
            texts=dict(_languages(models)),
            files={**self._taken, **{ref: raw.file(ref) for ref, raw in self._raw.items()}},
            unread={kind: frozenset(names) for kind, names in self._unread.items()},
        )

    def _frameworks(self, models: Mapping[str, BaseModel]) -> dict[str, FrameworkSpec]:
        names = sorted({ref.split("/")[1] for ref in self._raw if ref.startswith("frameworks/")})
        heads: dict[str, Framework] = {}
        for name in names:
            prefix = f"frameworks/{name}"
            framework = models.get(f"{prefix}/framework")
            if not isinstance(framework, Framework):
                if f"{prefix}/framework" not in self._raw and f"{prefix}/framework" not in self._lost:
                    place = Location(f"{shown_name(self._root, self._root)}/{prefix}/framework.yaml")
                    self._report("missing-file", place, f"the framework `{name}` has no `framework.yaml`", "add it")
                continue
            if framework.framework != name:
                self._wrong_name(f"{prefix}/framework", "framework", framework.framework, name)
            heads[name] = with_dates(framework, home_of(name, self._folders) / "locks" / name)
        result: dict[str, FrameworkSpec] = {}
        # What is built on a framework of which a file cannot be read is wrong for no reason of its own.
        torn = {ref.split("/")[1] for ref in self._lost if ref.startswith("frameworks/")}
        for name in in_order(heads):
            if (built_on := heads[name].derives) is not None and built_on.from_ in torn:
                continue
            faults = list(derivation_faults(name, heads))
            for fault in faults:
                place = self._locate(f"frameworks/{name}/framework", fault.path, value=fault.value)
                self._report(fault.check, place, fault.message, fault.fix)
            derives = heads[name].derives
            if not faults and (derives is None or derives.from_ in result):
                files = dict(_of_kind(models, f"frameworks/{name}", ComponentFile))
                base = None if derives is None else result[derives.from_]
                written = self._written_out(f"frameworks/{name}", heads[name], files, base)
                result[name] = LockFacts(written, home_of(name, self._folders) / "locks" / name).added()
        # Answers and pages follow this order.
        return dict(sorted(result.items(), key=lambda item: _place_of(item[1].framework)))

    def _written_out(
        self, prefix: str, framework: Framework, files: dict[str, ComponentFile], base: FrameworkSpec | None
    ) -> FrameworkSpec:
        """Return a framework with groups written out, and note where what they say was written."""
        around = None if base is None else based_on(framework, files, base)
        if base is not None:
            files = with_constants(files, base)
        written = write_out(framework, files, around)
        before = {stem: self._raw[f"{prefix}/{stem}"].file("") for stem in ("framework", *files)}
        if around is not None:
            of_base = f"frameworks/{around.name}"
            for stem in around.files:
                raw = self._raw[f"{of_base}/{stem.partition('/')[2]}"]
                self._taken[f"{prefix}/{stem}"] = raw.file(f"{prefix}/{stem}")
                before[stem] = raw.file("")
            before[f"{around.name}/framework"] = self._raw[f"{of_base}/framework"].file("")
        origins = {
            stem: {path: before[owner].origin(place) for path, (owner, place) in moved.items()}
            for stem, moved in written.moved.items()
        }
        for stem, places in origins.items():
            self._raw[f"{prefix}/{stem}"].moved.update(places)
        for fault in written.faults:
            # What could not be read may define or use any name.
            if not self._unread:
                place = self._locate(f"{prefix}/{fault.stem}", fault.path)
                self._report(fault.check, place, fault.message, fault.fix)
        framework = framework if around is None else with_shared(framework, around.head)
        return FrameworkSpec(framework, written.files, written.moved, groups=written.groups, base=around)

    def _check_name(self, folder: str, stem: str, name: str) -> None:
        if name != stem:
            self._wrong_name(f"{folder}/{stem}", _NAMED_AFTER_FILE[folder], name, stem)

    def _wrong_name(self, ref: str, attribute: str, name: str, expected: str) -> None:
        message = f"the {attribute} is named `{name}`, but its file or folder `{expected}`"
        self._report(
            "file-name",
            self._locate(ref, (attribute,), value=True),
            message,
            f"write `{attribute}: {expected}` or rename",
        )

    def _locate(self, ref: str, path: YamlPath, *, value: bool = False) -> Location:
        origin = self._raw[ref].file(ref).origin(path)
        return origin.document.locate(origin.path, value=value)


def _place_of(framework: Framework) -> tuple[bool, int, str]:
    """Return what sorts frameworks: those with a rank by it, then the others by name."""
    return framework.rank is None, framework.rank or 0, framework.framework


def _of_kind(models: Mapping[str, Any], folder: str, kind: type[Any]) -> Iterator[tuple[str, Any]]:
    for ref, model in models.items():
        parent, _, stem = ref.rpartition("/")
        if parent == folder and isinstance(model, kind):
            yield stem, model


def _languages(models: Mapping[str, BaseModel]) -> Iterator[tuple[str, LanguageTexts]]:
    """Yield what is said in each language beside English."""
    for name in sorted({ref.split("/")[1] for ref in models if ref.startswith("texts/")}):
        prefix = f"texts/{name}/"
        own = {ref.removeprefix(prefix): model for ref, model in models.items() if ref.startswith(prefix)}
        glossary = own.get("glossary")
        sentences = {part: model for part, model in own.items() if isinstance(model, Sentences)}
        yield name, LanguageTexts(glossary if isinstance(glossary, Glossary) else Glossary(terms={}), sentences)


def _content(path: Path) -> bytes:
    """Read a file; to open a pipe would wait for whoever writes to it."""
    if path.is_symlink() and not path.exists():
        raise OSError(errno.ENOENT, "is a symbolic link that leads nowhere", path)
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "is a pipe or a device", path)
    return path.read_bytes()


def _prune(raw: _Raw, faults: set[YamlPath]) -> tuple[dict[str, Any], dict[YamlPath, YamlOrigin]]:
    """Remove entries; those after a removed item of a list move up but keep their places."""
    file = raw.file("")
    moved = dict(raw.moved)
    data: dict[str, Any] = {}
    for name, value in raw.data.items():
        if (name,) in faults:
            continue
        broken = {path[1] for path in faults if len(path) == 2 and path[0] == name}
        if not broken:
            data[name] = value
        elif isinstance(value, dict):
            data[name] = {key: entry for key, entry in value.items() if key not in broken}
        elif isinstance(value, list):
            kept = [index for index in range(len(value)) if index not in broken]
            data[name] = [value[index] for index in kept]
            for index in range(len(value)):
                moved.pop((name, index), None)
            for new, index in enumerate(kept):
                moved[name, new] = file.origin((name, index))
    return data, moved
