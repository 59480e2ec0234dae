"""Flow files: what a flow asks, says and does, checked before anything runs (docs/flow-files.md)."""

from .diagram import diagram
from .expressions import Expression
from .library import Library, UnknownFlow
from .loader import Checked, FlowError, check, check_files, load, parse, shipped
from .meaning import meant, plain
from .model import Flow, FlowBody, FlowFile, restore
from .operators import Unevaluable
from .phrases import Phrase, phrase
from .program import Program
from .slots import Check, FlowSlot

__all__ = [
    "Check",
    "Checked",
    "Expression",
    "Flow",
    "FlowBody",
    "FlowError",
    "FlowFile",
    "FlowSlot",
    "Library",
    "Phrase",
    "Program",
    "Unevaluable",
    "UnknownFlow",
    "check",
    "check_files",
    "diagram",
    "load",
    "meant",
    "parse",
    "phrase",
    "plain",
    "restore",
    "shipped",
]
