"""Writes event files of TensorBoard with other tags."""

from __future__ import annotations

from pathlib import Path

from rlmetrics.logs.input_errors import InputError
from rlmetrics.logs.kinds.tensorboard import EventFiles
from rlmetrics.logs.kinds.tensorboard.tfrecord import Extent

from ...report import Report
from ...translator import Translator
from ..log_rewriter import LogRewriter
from .events import EventRewriter
from .tag_routes import routes_of

__all__ = ["EventFilesRewriter"]


class EventFilesRewriter(LogRewriter[EventFiles]):
    """Writes an event file, or those of a folder, which are one run."""

    def rewrite(self, output: Path, translator: Translator, report: Report) -> None:
        """Write an event file, or those of a run, with translated tags.

        Steps, wall times, values and plugin data stay. A torn last record is left out and accounted for.

        Raises:
            InputError: If a record is damaged, or a value can't be converted.
        """
        files = self.log.files()
        extents = {file: Extent() for file in files}
        try:
            routes = routes_of(files, extents, translator)
        except InputError as error:
            raise (
                error if str(error).startswith(str(self.log.path)) else InputError(str(error), self.log.path)
            ) from None
        rewriter = EventRewriter(routes, translator, report)
        output_is_folder = self.log.path.is_dir()
        if output_is_folder:
            output.mkdir(exist_ok=True)
        for file in files:
            extent = extents[file]
            report.records += rewriter.rewrite(file, output / file.name if output_is_folder else output, extent)
            report.lost.records += extent.torn > 0
            report.lost.bytes += extent.torn
