"""All there are, by name, the quickest first."""

from __future__ import annotations

from collections.abc import Callable

from .documents import FlowFiles, SpacesFiles, WorkFiles
from .envelopes import Envelopes
from .frames import Frames
from .patterns import Patterns
from .target import Target

TARGETS: dict[str, Callable[[], Target]] = {
    "patterns": Patterns,
    "frames": Frames,
    "envelopes": Envelopes,
    "works": WorkFiles,
    "flows": FlowFiles,
    "spaces": SpacesFiles,
}
