"""The graph that comes with the project, from hello to welcome."""

from __future__ import annotations

from pathlib import Path

from mew_agents.graphs.example import graph

from .talk import Watcher, talking


async def test_onboarding_asks_for_a_name_and_an_age_and_says_hello(tmp_path: Path) -> None:
    async with talking(graph, tmp_path, input="said", output="greeting") as talk:
        seen = Watcher()
        assert await talk.ask("hola", id="1", witness=seen) == ["¿Cómo se llama?"]
        assert await talk.ask("Ana", id="2", witness=seen) == ["¿Edad?"]
        assert await talk.ask("ni idea", id="3") == ["Escríbala en números, por favor: ¿qué edad tiene?"]
        assert await talk.ask("25 años", id="4", witness=seen) == ["¡Bienvenido, Ana! Edad registrada: 25 años."]
        assert seen.nodes == ["ask_name", "ask_name", "ask_age", "ask_age", "greet"]
