"""A folder to put a spaces.yaml in, and what loading it says."""

from collections.abc import Callable
from pathlib import Path

import pytest

from mew_gateway.config import ConfigError, Configuration, Problem, load


@pytest.fixture
def loaded(tmp_path: Path) -> Callable[[str], Configuration]:
    """Loads a text as a file."""

    def load_text(text: str) -> Configuration:
        file = tmp_path / "spaces.yaml"
        file.write_text(text, encoding="utf-8")
        return load(file)

    return load_text


@pytest.fixture
def problems(tmp_path: Path) -> Callable[[str | bytes], tuple[Problem, ...]]:
    """The problems of a file, which has some."""

    def refuse(content: str | bytes) -> tuple[Problem, ...]:
        file = tmp_path / "spaces.yaml"
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        with pytest.raises(ConfigError) as caught:
            load(file)
        assert str(caught.value) == "\n".join(map(str, caught.value.problems))
        return caught.value.problems

    return refuse
