"""What is measured under load, against whom, and how good it has to be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from bench.gateway import Journal, Routing
from bench.measurement import Name
from bench.verdicts import Target


@dataclass(frozen=True, kw_only=True)
class Load:
    """What `load` is asked for: the clients are divided among the spaces, the window is each space's or pair's, or one
    that the spaces share, each in turn. `careful`: every envelope is read to its end."""

    mode: Literal["fanout", "pair"] = "fanout"
    clients: int = 50
    spaces: int = 1
    window: int = 64
    bytes: int = 256
    careful: bool = False
    in_turn: bool = False

    def arguments(self) -> list[str]:
        """Its options."""
        numbers = {"clients": self.clients, "spaces": self.spaces, "window": self.window, "bytes": self.bytes}
        options = [word for name, number in numbers.items() for word in (f"--{name}", str(number))]
        flags = {"--careful": self.careful, "--in-turn": self.in_turn}
        return ["--mode", self.mode, *options, *(flag for flag, wanted in flags.items() if wanted)]


class Recipe(NamedTuple):
    """How a server is started; all but its name is the gateway's. `journal`: None for the one that was asked for."""

    name: Name
    participants: int
    spaces: int
    routing: Routing
    journal: Journal | None


@dataclass(frozen=True, kw_only=True)
class Side:
    """One side of a comparison: a server, and the load it is under. `name` is what the table calls it."""

    name: str
    server: Name
    load: Load
    routing: Routing = "visible"
    journal: Journal | None = None

    @property
    def recipe(self) -> Recipe:
        """Sides of the same one that follow each other share the server."""
        load = self.load
        return Recipe(self.server, load.clients // load.spaces, load.spaces, self.routing, self.journal)


class Comparison(NamedTuple):
    """Two sides, by name, and the bound on the ratio of their figures."""

    ours: str
    theirs: str
    target: Target | None = None


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """Sides that take turns, the figure that is read from what `load` prints, and what is compared."""

    name: str
    about: str
    figure: str
    unit: str
    sides: tuple[Side, ...]
    comparisons: tuple[Comparison, ...]

    @property
    def targets(self) -> str:
        """As the table and bench/README.md say them."""
        aimed = [one for one in self.comparisons if one.target]
        ours = {one: "" if one.ours == "gateway" else f" ({one.ours})" for one in aimed}
        return ", ".join(f"{one.target} × {one.theirs}{ours[one]}" for one in aimed)


_CHAT = Load()
_CAREFUL = Load(careful=True)
_LONG = Load(bytes=4096)
_PAIRS = Load(mode="pair", window=16)
_TWO = Load(clients=2, window=1)
_SPACE = Load(clients=10, window=16)
_SPACES = Load(clients=2000, spaces=200, window=16)
_ONE_AT_A_TIME = Load(clients=10, window=1)
_IN_TURN = Load(clients=2000, spaces=200, window=1, in_turn=True)

SCENARIOS = (
    Scenario(
        name="fan-out",
        about="50 clients, one publishes 256-byte chats, everybody receives, 64 on their way",
        figure="deliveries_per_s",
        unit="deliveries/s",
        sides=(
            Side(name="plain", server="plain", load=_CHAT),
            Side(name="nats", server="nats", load=_CHAT),
            Side(name="floor", server="floor", load=_CHAT),
            Side(name="floor, careful load", server="floor", load=_CAREFUL),
            Side(name="careful load", server="gateway", load=_CAREFUL),
            Side(name="gateway", server="gateway", load=_CHAT),
        ),
        comparisons=(
            Comparison("gateway", "plain", Target("≥", 14)),
            Comparison("gateway", "nats", Target("≥", 2.5)),
            Comparison("gateway", "floor", Target("≥", 0.55)),
            Comparison("careful load", "floor, careful load"),
        ),
    ),
    Scenario(
        name="fan-out-4k",
        about="the same with 4,096-byte chats",
        figure="deliveries_per_s",
        unit="deliveries/s",
        sides=(Side(name="floor", server="floor", load=_LONG), Side(name="gateway", server="gateway", load=_LONG)),
        comparisons=(Comparison("gateway", "floor", Target("≥", 0.5)),),
    ),
    Scenario(
        name="pairs",
        about="25 pairs, each envelope addressed to one, 16 on their way per pair",
        figure="sent_per_s",
        unit="envelopes/s",
        sides=(
            Side(name="plain", server="plain", load=_PAIRS),
            Side(name="nats", server="nats", load=_PAIRS),
            Side(name="floor", server="floor", load=_PAIRS),
            Side(name="gateway", server="gateway", load=_PAIRS, routing="addressed"),
        ),
        comparisons=(
            Comparison("gateway", "floor", Target("≥", 0.18)),
            Comparison("gateway", "plain"),
            Comparison("gateway", "nats"),
        ),
    ),
    Scenario(
        name="round-trip",
        about="2 clients, one envelope at a time: the median time to the other",
        figure="p50_us",
        unit="µs",
        sides=(
            Side(name="floor", server="floor", load=_TWO),
            Side(name="gateway", server="gateway", load=_TWO),
            Side(name="in memory", server="gateway", load=_TWO, journal="memory"),
        ),
        comparisons=(
            Comparison("gateway", "floor", Target("≤", 2)),
            Comparison("in memory", "floor", Target("≤", 1.5)),
        ),
    ),
    Scenario(
        name="crowd",
        about="500 participants in one space, one speaker, 64 on their way: what a delivery costs, against 50",
        figure="server_us_per_delivery",
        unit="µs of the server's CPU",
        sides=(
            Side(name="50 participants", server="gateway", load=_CHAT),
            Side(name="gateway", server="gateway", load=Load(clients=500)),
        ),
        comparisons=(Comparison("gateway", "50 participants", Target("≤", 1)),),
    ),
    Scenario(
        name="spaces",
        about="200 spaces of 10, one speaker and 16 on their way in each: what a delivery costs, against one space",
        figure="server_us_per_delivery",
        unit="µs of the server's CPU",
        sides=(
            Side(name="one space", server="gateway", load=_SPACE),
            Side(name="gateway", server="gateway", load=_SPACES),
        ),
        comparisons=(Comparison("gateway", "one space", Target("≤", 1.15)),),
    ),
)

# One envelope on its way in all: nobody has two to write at once, and every socket has cooled when its turn comes.
# What that costs the kernel is in the figure as well, so the same is asked of nats-server.
SPACES_IN_TURN = Scenario(
    name="spaces-in-turn",
    about="the same 200 spaces, one envelope at a time, each space in turn; and 200 subjects of nats-server",
    figure="server_us_per_delivery",
    unit="µs of the server's CPU",
    sides=(
        Side(name="nats, one subject", server="nats", load=_ONE_AT_A_TIME),
        Side(name="nats, 200 subjects", server="nats", load=_IN_TURN),
        Side(name="one space", server="gateway", load=_ONE_AT_A_TIME),
        Side(name="gateway", server="gateway", load=_IN_TURN),
    ),
    comparisons=(
        Comparison("gateway", "one space"),
        Comparison("nats, 200 subjects", "nats, one subject"),
        Comparison("gateway", "nats, 200 subjects"),
    ),
)
