"""An agent that reasons for long, visibly, and without any model: it looks for a short round trip through cities."""

from __future__ import annotations

import time
from collections.abc import Iterator
from random import SystemRandom
from typing import Annotated, Any

from anyio.lowlevel import checkpoint
from msgspec import Meta

from mew_gateway.sdk import Agent, Interrupt, Span, capability

from .phrasebook import Phrasebook, Spoken
from .tour import FEWEST, Search, scatter

_SLICE = 0.002  # seconds of computation between two turns of the event loop
_EFFORT = 5e-6  # seconds of computation for each city before what it gained is told
_PACE = 0.25  # seconds between two thoughts: people read them
_SIGN_OF_LIFE = 5.0  # seconds without an improvement before a thought says that the search goes on

PHRASES = Phrasebook(
    {
        "task": {
            "en": "Looking for a short round trip through {cities} cities",
            "es": "Buscando un recorrido corto por {cities} ciudades",
            "pt": "Procurando um percurso curto por {cities} cidades",
        },
        "start": {
            "en": "A first round trip, always on to the nearest city: {length}",
            "es": "Un primer recorrido, siempre a la ciudad más cercana: {length}",
            "pt": "Um primeiro percurso, sempre à cidade mais próxima: {length}",
        },
        "better": {
            "en": "Length {length}: {gained} % shorter than before, {total} % shorter than the first",
            "es": "Longitud {length}: un {gained} % menos que antes, un {total} % menos que el primero",
            "pt": "Comprimento {length}: {gained} % menos que antes, {total} % menos que o primeiro",
        },
        "still": {
            "en": "Still at {length}, after {attempts} attempts",
            "es": "Sigo en {length}, tras {attempts} intentos",
            "pt": "Continuo em {length}, após {attempts} tentativas",
        },
        "stopping": {
            "en": "I have been asked to stop, at length {length}",
            "es": "Me han pedido que pare, en la longitud {length}",
            "pt": "Pediram-me que pare, no comprimento {length}",
        },
        "none": {
            "en": "I have no round trip yet.",
            "es": "Aún no tengo ningún recorrido.",
            "pt": "Ainda não tenho nenhum percurso.",
        },
        "best": {
            "en": "The best round trip I found is {length} long, {total} % shorter than the first.",
            "es": "El mejor recorrido que he encontrado mide {length}, un {total} % menos que el primero.",
            "pt": "O melhor percurso que encontrei mede {length}, {total} % menos que o primeiro.",
        },
    }
)


class SolverOptions(Spoken, frozen=True):
    """`seed` None draws one. A search ends after `max_seconds`, or `stall_seconds` without an improvement."""

    cities: Annotated[int, Meta(ge=FEWEST, le=2_000)] = 200
    seed: int | None = None
    max_seconds: Annotated[float, Meta(gt=0)] = 120.0
    stall_seconds: Annotated[float, Meta(gt=0)] = 20.0


class Solver(Agent):
    """Starts a search at a chat; may be stopped at every thought, and then concludes with the best so far."""

    Options = SolverOptions
    options: SolverOptions

    def __init__(self, options: SolverOptions | None = None) -> None:
        super().__init__(options)
        self._newest: Search | None = None

    @capability(policy="soft-stop")
    async def solve(self, run: Span, words: str) -> str:  # noqa: ARG002 (whatever was said, there is one thing to do)
        """Search, thinking aloud; the answer is the best round trip found."""
        count = self.options.cities
        seed = SystemRandom().randrange(2**32) if self.options.seed is None else self.options.seed
        search = self._newest = Search(scatter(count, seed), seed=seed)
        await run.thought(self._say("task", cities=count), cities=count, seed=seed)
        try:
            await self._search(run, search)
        finally:  # however it ends: interrupted, too, the best so far is the answer
            if search.tour:
                run.conclude(
                    self._best(search),
                    tour=search.tour,
                    length=search.length,
                    start_length=search.start_length,
                    cities=count,
                    seed=seed,
                )
        return self._best(search)

    async def on_clarification(self, input: Any, interrupt: Interrupt) -> str:  # noqa: ARG002
        """Somebody asks how it goes: tell them, and go on."""
        newest = self._newest
        text = self._best(newest) if newest is not None and newest.tour else self._say("none")
        await self.client.send("chat", {"text": text}, to=[interrupt.sender], correlation_id=[interrupt.id])
        return text

    async def _search(self, run: Span, search: Search) -> None:
        """A little work, a thought if it helped, and only then the next: it thinks no faster than people read."""
        work, effort = search.work(), self.options.cities * _EFFORT
        while not search.start_length:
            await _compute(work, effort)
        said = search.start_length
        await run.thought(self._say("start", length=said), length=said)
        began = improved = spoke = time.monotonic()
        while not self._is_over(began, improved):
            await _compute(work, effort)
            if search.length < said:
                improved = time.monotonic()
                await run.sleep(max(0.0, spoke + _PACE - improved))  # found later than that: told at once
            if run.stopping:
                await run.thought(self._say("stopping", length=search.length), length=search.length)
            elif search.length < said:
                await self._tell(run, search, said)
                said, spoke = search.length, time.monotonic()
            elif time.monotonic() - spoke >= _SIGN_OF_LIFE:
                await run.thought(self._say("still", length=said, attempts=search.attempts), length=said)
                spoke = time.monotonic()

    def _is_over(self, began: float, improved: float) -> bool:
        now = time.monotonic()
        return now - began >= self.options.max_seconds or now - improved >= self.options.stall_seconds

    async def _tell(self, run: Span, search: Search, said: float) -> None:
        length = search.length
        gained, total = _percent(said, length), _percent(search.start_length, length)
        text = self._say("better", length=length, gained=gained, total=total)
        await run.thought(text, length=length, gained_percent=gained, total_percent=total)

    def _best(self, search: Search) -> str:
        return self._say("best", length=search.length, total=_percent(search.start_length, search.length))

    def _say(self, key: str, **values: float) -> str:
        return PHRASES.say(key, self.options.language, **values)


async def _compute(work: Iterator[None], seconds: float) -> None:
    """Work in slices; after each the loop has its turn, so that an interrupt is answered within milliseconds."""
    end = time.perf_counter() + seconds
    while (now := time.perf_counter()) < end:
        until = min(end, now + _SLICE)
        for _ in work:
            if time.perf_counter() >= until:
                break
        await checkpoint()


def _percent(before: float, after: float) -> float:
    return 100 * (before - after) / before
