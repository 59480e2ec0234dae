"""Who may import whom, and what is banned where (docs/architecture.md): read from the sources with `ast`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted([*(ROOT / "mew_gateway").rglob("*.py"), *(ROOT / "agents").rglob("*.py")])

# a: what a may import, besides itself.
ALLOWED = {
    "errors": set(),
    "documents": {"errors"},
    "tls_trust": {"errors"},
    "storage": set(),
    "token_bucket": set(),
    "backoff": set(),
    "child_process": set(),
    "protocol": {"errors"},
    "space": {"errors", "protocol"},
    "config": {"errors", "documents", "protocol", "space"},
    "journal": {"errors", "storage", "protocol", "space"},
    "gateway": {
        "errors",
        "documents",
        "token_bucket",
        "backoff",
        "child_process",
        "protocol",
        "space",
        "config",
        "journal",
    },
    "sdk": {"errors", "storage", "token_bucket", "backoff", "protocol", "tls_trust"},
    "mew_agents": {"errors", "documents", "storage", "protocol", "sdk"},
    "compliance": {"errors", "child_process", "protocol", "sdk"},
    "schemas": {"errors", "protocol", "space", "config"},
    "cli": {
        "errors",
        "documents",
        "child_process",
        "protocol",
        "tls_trust",
        "space",
        "config",
        "journal",
        "gateway",
        "sdk",
        "schemas",
        "compliance",
    },
    # The commands of the reference agents are registered by entry point: the gateway's own `cli` does not know them.
    "mew_agents.cli": {"errors", "documents", "protocol", "config", "sdk", "cli", "mew_agents"},
}
# The space without sockets, for people's own tests, is the one module of the sdk that knows the rules of a space.
ALLOWED_TO_MODULE = {"mew_gateway.sdk.testing": {"space"}}
PURE = ("mew_gateway/protocol", "mew_gateway/space", "mew_gateway/sdk/classifier", "mew_gateway/sdk/execution")
IMPURE = {
    "asyncio", "anyio", "websockets", "sqlite3", "apsw", "time", "random", "secrets", "uuid", "uuid_utils", "logging",
    "socket", "threading", "subprocess", "os",
}  # fmt: skip
# What an extra brings is known to one package, so that everything else works without it.
EXTRA = {"langgraph", "langgraph_sdk", "langchain_core", "aiosqlite"}
KNOWS_THE_EXTRA = "mew_agents.graphs."
BANNED_NAMES = {"utils", "helpers", "misc"}


def parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def module_of(path: Path) -> str:
    base = ROOT / "agents" if path.is_relative_to(ROOT / "agents") else ROOT
    parts = list(path.relative_to(base).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def layer_of(module: str) -> str | None:
    """The layer of one of our modules; None for anybody else's, and for the bare package."""
    parts = module.split(".")
    if parts[0] == "mew_agents":
        return "mew_agents.cli" if parts[1:2] == ["cli"] else "mew_agents"
    return parts[1] if parts[0] == "mew_gateway" and len(parts) > 1 else None


MODULES = {module_of(path): path for path in SOURCES}


def imports(path: Path) -> Iterator[tuple[str, ast.stmt]]:
    """Every module that a file imports, absolute, as deep as it can be told, with the statement."""
    module = module_of(path)
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    for node in ast.walk(parse(path)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, node
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                up = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*up, base]) if base else ".".join(up)
            for alias in node.names:
                deeper = f"{base}.{alias.name}"
                yield (deeper if deeper in MODULES else base), node


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_module_imports_only_what_its_layer_may(path: Path) -> None:
    module = module_of(path)
    layer = layer_of(module)
    for name, _ in imports(path):
        other = layer_of(name)
        if layer is not None and other is not None and other != layer:
            assert other in ALLOWED[layer] | ALLOWED_TO_MODULE.get(module, set()), f"{layer} imports {name}"


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_pure_parts_import_nothing_that_does_anything(path: Path) -> None:
    if not str(path.relative_to(ROOT)).startswith(PURE):
        return
    for name, _ in imports(path):
        assert name.split(".")[0] not in IMPURE, f"a pure module imports {name}"


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_stand_at_the_top_and_hide_nowhere(path: Path) -> None:
    tree = parse(path)
    nested = [
        node.lineno
        for outer in ast.walk(tree)
        if isinstance(outer, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        for node in ast.walk(outer)
        if isinstance(node, ast.Import | ast.ImportFrom)
    ]
    assert not nested, f"imports inside a function or class at lines {nested}"
    assert "TYPE_CHECKING" not in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_only_the_agent_of_graphs_knows_langgraph(path: Path) -> None:
    if not module_of(path).startswith(KNOWS_THE_EXTRA):
        for name, _ in imports(path):
            assert name.split(".")[0] not in EXTRA, f"{module_of(path)} imports {name}"
            assert not name.startswith(KNOWS_THE_EXTRA), f"{module_of(path)} imports {name}, which needs an extra"


def test_there_is_no_import_cycle() -> None:
    graph = {module: {name for name, _ in imports(path) if name in MODULES} for module, path in MODULES.items()}
    for module in graph:  # a package's __init__ is loaded with any module of it, but not the other way round
        graph[module].discard(module)
    state: dict[str, int] = {}

    def visit(module: str, trail: tuple[str, ...]) -> None:
        assert state.get(module) != 1, " imports ".join([*trail, module])
        if module in state:
            return
        state[module] = 1
        for other in sorted(graph[module]):
            visit(other, (*trail, module))
        state[module] = 2

    for module in sorted(graph):
        visit(module, ())


# Folders are layers, too: each imports those named before it only, and the package's own modules import them all.
FOLDERS = {
    "mew_gateway.gateway": ("auth", "broker", "websocket", "http", "hosting"),
    "mew_gateway.sdk": ("_tasks", "_transport", "classifier", "execution", "timeline", "exchange"),
    "mew_gateway.cli": (
        "framework",
        "printing",
        "connecting",
        "proposals",
        "interrupts",
        "agents",
        "record",
        "commands",
    ),
}
# Where modules and folders stand beside each other, they have one order: each imports those before it only.
ORDERS: dict[str, tuple[str, ...]] = {
    "mew_gateway.space": (
        *(
            "settings",
            "state",
            "events",
            "effects",
            "deadlines",
            "visibility",
            "sequence_lookup",
            "request_digest",
        ),
        "limits",
        *("members", "handler_context", "pauses", "interrupt_records", "outages", "id_reuse"),
        *("proposals", "requests", "streams", "fence", "sequences"),
        "participants",
        "interrupts",
        *("participant_control", "machine"),
    ),
    "mew_gateway.gateway.broker": (
        *("interfaces", "batch", "clock", "metrics", "activity_log", "rate_limiter"),
        "spaces",
        *("sessions", "error_replies", "ingress", "inbox", "resuming_connections"),
        *("stalls", "deadline_timers", "journal_retry", "broker"),
    ),
}
# Modules side by side in one folder, at most, without its `__init__`.
SIDE_BY_SIDE = 21


@pytest.mark.parametrize(("package", "folder"), [(package, name) for package in FOLDERS for name in FOLDERS[package]])
def test_a_folder_imports_only_those_before_it(package: str, folder: str) -> None:
    before = FOLDERS[package][: FOLDERS[package].index(folder) + 1]
    for module, path in MODULES.items():
        if module.startswith(f"{package}.{folder}."):
            for name, _ in imports(path):
                if name.startswith(f"{package}."):
                    assert name.removeprefix(f"{package}.").partition(".")[0] in before, f"{module} imports {name}"


@pytest.mark.parametrize("package", FOLDERS)
def test_all_folders_of_a_package_are_ordered(package: str) -> None:
    home = ROOT / Path(*package.split("."))
    assert {path.parent.name for path in SOURCES if path.parent.parent == home} == set(FOLDERS[package])


@pytest.mark.parametrize("package", ORDERS)
def test_modules_and_folders_of_a_package_have_one_order(package: str) -> None:
    order, home = ORDERS[package], f"{package}."
    places = {
        module: order.index(module.removeprefix(home).partition(".")[0])
        for module, path in MODULES.items()
        if module.startswith(home) and path.stem != "__init__"
    }
    assert {*places.values()} == {*range(len(order))}
    for module, place in places.items():
        for name, _ in imports(MODULES[module]):
            assert places.get(name, -1) <= place, f"{module} imports {name}"


def test_no_folder_holds_too_many_modules_side_by_side() -> None:
    folders = {path.parent for path in SOURCES if path.is_relative_to(ROOT / "mew_gateway")}
    counts = {folder: len([*folder.glob("*.py")]) - 1 for folder in folders}
    assert {str(folder.relative_to(ROOT)): count for folder, count in counts.items() if count > SIDE_BY_SIDE} == {}


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_what_is_private_is_used_by_its_own_package_only(path: Path) -> None:
    module = module_of(path)
    for name, _ in imports(path):
        parts = name.split(".")
        if parts[0] in ("mew_gateway", "mew_agents"):
            private = next((at for at, part in enumerate(parts) if part.startswith("_") and part != "__init__"), None)
            if private is not None:
                assert f"{module}.".startswith(".".join(parts[:private]) + "."), f"{module} imports {name}"


def test_every_file_is_named_for_one_noun() -> None:
    assert not [path for path in SOURCES if path.stem in BANNED_NAMES]


def test_the_checks_above_would_see_a_breach() -> None:
    assert len(SOURCES) > 40
    seen = {name for path in SOURCES for name, _ in imports(path)}
    assert {"mew_gateway.protocol.codec", "mew_gateway.space.machine", "msgspec", "langgraph.types"} <= seen
