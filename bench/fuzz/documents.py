"""YAML documents: spaces.yaml, flow files and Work definitions. Whatever the bytes: a meaning, or faults with their
place."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from random import Random
from typing import Any

from mew_agents.flows import definitions as flows
from mew_agents.fluxi import definitions as works
from mew_agents.language.found import LANGUAGES
from mew_gateway.config import ConfigError, parse
from mew_gateway.documents.composer import compose
from mew_gateway.documents.problems import Problem
from mew_gateway.space.events import Configured, decode, encode
from mew_gateway.space.machine import VERSION, Space

from .scatter import scatter
from .spoiling import spoil, written

ROOT = Path(__file__).resolve().parents[2]
_EXAMPLES = {
    "spaces": ("spaces.yaml", "tests/config/complete.yaml", "tests/config/single.yaml"),
    "flows": (
        "agents/mew_agents/flows/definitions/shipped/*.yaml",
        "tests/flows/*/*.yaml",
        "tests/flows/*/files/*.yaml",
    ),
    "works": ("agents/mew_agents/fluxi/definitions/shipped/*.yaml", "tests/fluxi/definitions/*.yaml"),
}
_FRAGMENTS = (
    *(
        "- ",
        ": ",
        "\n",
        "\n  ",
        "  ",
        "[",
        "]",
        "{",
        "}",
        ", ",
        "#",
        "!",
        "!!str ",
        "&a ",
        "*a",
        "|\n",
        ">\n",
        "? ",
        "%",
        "@",
    ),
    *(
        "---",
        "...",
        "`",
        "\t",
        "\r",
        "<<: ",
        "~",
        '"\\U00110000"',
        '"\\ud800"',
        '"\\0"',
        "%YAML 1.1\n",
        "null",
        "true",
        "yes",
    ),
    *(
        "5",
        ".inf",
        "1e999",
        "9" * 30,
        "5s",
        "0s",
        "5/10s",
        "/(/",
        "$..a",
        "é",
        "\u2028",
        "\ufeff",
        "a.b",
        "x" * 600,
        "{a}",
    ),
    *(
        "{a[",
        "}}",
        "[[",
        "0x",
        "1e5",
        "-0",
        "2026-13-45",
        "&a [*a]",
        "not not not ",
        "a == ",
        "((((((((",
        "${PORT}",
        "${",
        "../",
    ),
)
_SIZES = (4, 8, 8, 15, 15, 30, 60)  # values of a document: reading one takes some 30 µs
_SMALL = 90  # values of one that may be taken as it is


class Documents:
    """What the three targets have in common. `name` is one of them; `example` must be read without a fault."""

    def __init__(self, name: str) -> None:
        texts = [file.read_bytes() for pattern in _EXAMPLES[name] for file in sorted(ROOT.glob(pattern))]
        assert texts
        self._whole = [root for root in (compose(text.decode()).root for text in texts) if isinstance(root, dict)]
        self._small = [part for root in self._whole for part in _parts(root) if _size(part) <= _SMALL]
        self._words = sorted({word for root in self._whole for word in _words(root)})
        self._bytes = [
            *(word.encode() for word in self._words if len(word) < 60),
            *(one.encode() for one in _FRAGMENTS),
        ]
        self._lines = [
            line for text in texts for line in text.split(b"\n") if line.strip() and line.strip()[:1] != b"#"
        ]
        self.seeds: Sequence[bytes] = texts
        self.outcomes: Counter[str] = Counter()

    def vary(self, rng: Random, data: bytes) -> bytes:
        match rng.randrange(20):
            case 0:
                text = data  # whole, which takes long
            case 1 | 2 | 3 | 4:
                text = b"\n".join(rng.choices(self._lines, k=rng.randint(1, 8)))
            case 5 | 6 | 7:
                return written(rng, spoil(rng, rng.choice(self._small), self._words))
            case _:
                root = _pruned(rng, rng.choice(self._whole), rng.choice(_SIZES))
                for _ in range(rng.choice((0, 1, 1, 2, 3))):
                    root = spoil(rng, root, self._words)
                text = written(rng, root)
                if rng.random() < 0.6:
                    return text
        return scatter(rng, text, words=self._bytes, others=self._lines) if rng.random() < 0.9 else text

    def whole(self, rng: Random) -> bytes:
        """A small document without any damage, but that a few of its values may be left out: many are good."""
        root = rng.choice(self._small)
        return written(rng, _pruned(rng, root, _size(root) - rng.choice((0, 1, 2, 4))))

    def examine(self, data: bytes, problems: Iterable[Problem]) -> None:
        """What is said about the bytes: a person finds the place, on a line that there is."""
        lines = data.count(b"\n") + data.count(b"\r") + 1
        for problem in problems:
            assert 0 <= problem.line <= lines, f"no such line: {problem}"
            assert problem.column >= 0
            assert problem.message.strip()
            assert "\n" not in f"{problem.key_path}{problem.message}{problem.suggestion}"
            assert len(str(problem)) < 1_000
            str(problem).encode()


class SpacesFiles(Documents):
    """spaces.yaml: a configuration that a space can be made of and the journal gives back, or problems."""

    def __init__(self) -> None:
        super().__init__("spaces")

    def one(self, data: bytes) -> None:
        try:
            configuration = parse(data, file=ROOT / "spaces.yaml")
        except ConfigError as error:
            assert error.problems, "an error without a problem"
            self.examine(data, error.problems)
            self.outcomes["faulty"] += 1
            return
        self.examine(data, configuration.warnings)
        self.outcomes["good"] += 1
        assert configuration.spaces
        for space in configuration.spaces.values():
            configured = Configured(space.settings, VERSION, "e")
            assert decode(encode(configured)) == configured, "the journal gives back something else"
            machine = Space.configured(configured)
            assert [*machine.members.names] == [*space.settings.participants]


class FlowFiles(Documents):
    """Flow files: flows that can be drawn and stored, or problems."""

    def __init__(self) -> None:
        super().__init__("flows")

    def one(self, data: bytes) -> None:
        checked = flows.check(data)
        self.examine(data, (*checked.errors, *checked.warnings))
        assert (checked.flows is None) is bool(checked.errors)
        self.outcomes["faulty" if checked.flows is None else "good"] += 1
        for flow in checked.flows or ():
            assert flows.restore(flow.document) == flow, "what is stored is another flow"
            for language in LANGUAGES:
                assert flows.diagram(flow, style="text", language=language)
            assert flows.diagram(flow)


class WorkFiles(Documents):
    """Work definitions: one that can be drawn and stored, or problems."""

    def __init__(self) -> None:
        super().__init__("works")

    def one(self, data: bytes) -> None:
        checked = works.check(data)
        self.examine(data, (*checked.errors, *checked.warnings))
        assert (checked.definition is None) is bool(checked.errors)
        self.outcomes["faulty" if checked.definition is None else "good"] += 1
        if checked.definition is not None:
            stored = works.canonical(checked.definition)
            assert works.canonical(works.restore(stored)) == stored, "what is stored is another definition"
            assert works.diagram(checked.definition)


def _parts(root: dict[str, Any]) -> Iterable[dict[str, Any]]:
    """The document, or with one alone of the flows or spaces in it."""
    key = next((key for key in ("flows", "spaces") if isinstance(root.get(key), dict)), None)
    return [root] if key is None else [{**root, key: {name: one}} for name, one in root[key].items()]


def _words(value: Any) -> Iterable[str]:
    """Every key and every text in a document."""
    if isinstance(value, dict):
        yield from value
        for item in value.values():
            yield from _words(item)
    elif isinstance(value, list):
        for item in value:
            yield from _words(item)
    elif isinstance(value, str):
        yield value


def _size(value: Any) -> int:
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + sum(map(_size, inside))


def _pruned(rng: Random, root: dict[str, Any], size: int) -> dict[str, Any]:
    """The document with parts of it left out until it has no more values than so many, as long as there are any."""
    root = copy.deepcopy(root)
    left = _size(root)
    while left > size:
        holder: Any = root
        while True:
            inside = [key for key, item in _members(holder) if isinstance(item, dict | list) and item]
            if not inside or (rng.random() < 0.3 and left - size < 30):
                break
            holder = holder[rng.choice(inside)]
        key = rng.choice([key for key, _ in _members(holder)])
        left -= _size(holder[key])
        del holder[key]
    return root


def _members(value: Any) -> list[tuple[Any, Any]]:
    return list(value.items() if isinstance(value, dict) else enumerate(value))
