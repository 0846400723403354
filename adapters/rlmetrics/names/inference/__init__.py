"""Which source a run comes from: evidence of every kind, weighed by one scorer that all commands use.

`clues` is what is known of a run, `index` who logs what, `evidence` what each piece weighs, `ranking` which candidates
are left, `answer` what follows from that, `explaining` the evidence in sentences, `wording` the answer in one line.
"""

from .answer import Candidate, NamesRead, SourceAnswer, completed, find_source, given, names_read
from .evidence_sentences import SourceEvidence
from .keys_only import infer_source
from .run_clues import Clues, is_clock, nonzero_in

__all__ = [
    "Candidate",
    "Clues",
    "NamesRead",
    "SourceAnswer",
    "SourceEvidence",
    "completed",
    "find_source",
    "given",
    "infer_source",
    "is_clock",
    "names_read",
    "nonzero_in",
]
