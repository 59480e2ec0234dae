"""How well messages of people are understood: the open half, against the figures that were measured last."""

from __future__ import annotations

from . import measured
from .cases import files
from .report import by_language, failing
from .running import played


async def test_no_language_is_understood_worse_than_it_was() -> None:
    results = [result async for result in played(files("open"))]
    known = measured.read()
    told = {
        language: list(measured.worse(known[language], measured.plain(figures)))
        for language, figures in by_language(results).items()
    }
    assert not any(told.values()), "\n".join([str(told), *failing(results, transcripts=False)])
