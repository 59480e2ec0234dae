"""The validated configuration of a gateway. Durations are in milliseconds, paths are absolute."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

import msgspec

from mew_gateway.documents.problems import Problem
from mew_gateway.space.settings import Bounds, Milliseconds, Rate, Setting, SpaceSettings

RestartPolicy: TypeAlias = Literal["always", "on-failure", "never"]


class GatewayLimits(msgspec.Struct, frozen=True, kw_only=True):
    """Limits of the gateway (`gateway.limits`), in bytes, counts and milliseconds."""

    frame_bytes: Annotated[int, Setting("Bytes of a frame or a posted body.", least=1_024, most=67_108_864)] = 1_048_576
    json_depth: Annotated[int, Setting("Levels of JSON in an envelope.", least=8, most=512)] = 64
    json_tokens: Annotated[
        int,
        Setting(
            "Brackets, commas and colons of JSON in an envelope, outside strings.",
            least=1_000,
            most=1_000_000,
        ),
    ] = 65_536
    outbox_bytes: Annotated[int, Setting("Bytes waiting for one connection.", least=1_024, most=1_073_741_824)] = (
        8_388_608
    )
    outbox_stalled: Annotated[Milliseconds, Setting("A reader that takes nothing for this long is dropped.")] = 5_000
    connections_per_participant: Annotated[int, Setting("Connections of one participant.", least=1, most=10_000)] = 8
    connects: Annotated[Rate, Setting("Times that one participant connects.")] = Rate(100, 10_000)
    strangers: Annotated[
        Rate, Setting("Connections and failing requests of all together who bring no valid token.")
    ] = Rate(2_000, 10_000)
    envelopes_per_second: Annotated[int, Setting("Envelopes of one participant.", least=1, most=1_000_000)] = 200
    envelopes_burst: Annotated[int, Setting("Envelopes of one participant at once.", least=1, most=1_000_000)] = 400
    bytes_per_second: Annotated[int, Setting("Bytes of one participant.", least=1_024, most=1_073_741_824)] = 4_194_304
    bounds: Annotated[Bounds, Setting("Those of each space; their keys are beside the others.")] = Bounds()
    inbox: Annotated[int, Setting("Events waiting to be handled.", least=1, most=10_000_000)] = 10_000
    connections: Annotated[int, Setting("Connections of the gateway.", least=1, most=10_000_000)] = 20_000
    join_timeout: Annotated[Milliseconds, Setting("A connection that has not joined by then is closed.")] = 10_000
    ping_interval: Annotated[Milliseconds, Setting("How often a connection is pinged.")] = 20_000
    ping_timeout: Annotated[Milliseconds, Setting("A connection that has not answered by then is closed.")] = 20_000


class JournalSettings(msgspec.Struct, frozen=True, kw_only=True):
    """URL of the journal (`sqlite:/absolute/path` or `memory:`), its durability, and its maximum age and size."""

    url: str
    synchronous: Annotated[
        Literal["normal", "full"], Setting("normal: safe against a crash of the process; full: of the machine.")
    ] = "normal"
    keep: Annotated[Milliseconds, Setting("History beyond this is deleted.")] = 604_800_000
    max_size: Annotated[
        int | None,
        Setting(
            "Bytes: beyond them the oldest history is deleted, whatever its age; null: no bound but `keep`.",
            least=1_048_576,
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class TlsFiles:
    """Certificate chain and private key, both PEM. `ca` has the certificates that clients on this machine trust (None:
    the chain itself), `name` the host name that they verify (None: one of the certificate's names)."""

    certificate: Path
    key: Path
    ca: Path | None = None
    name: str | None = None


@dataclass(frozen=True, kw_only=True)
class GatewaySettings:
    """Settings of the process: listen address (port 0: any free port), state folder, journal, TLS, limits."""

    host: str
    port: int
    state_dir: Path
    journal: JournalSettings
    allow_public: bool = False
    tls: TlsFiles | None = None
    allowed_origins: tuple[str, ...] = ()
    metrics_by_space: bool = False
    limits: GatewayLimits = field(default_factory=GatewayLimits)


class Restart(msgspec.Struct, frozen=True, kw_only=True):
    """Restart policy of a child process. The wait doubles from `backoff` to `max_backoff`."""

    policy: Annotated[RestartPolicy, Setting("When to start it again.")] = "on-failure"
    backoff: Annotated[Milliseconds, Setting("The first wait; it doubles from there.")] = 1_000
    max_backoff: Annotated[Milliseconds, Setting("The longest wait.")] = 30_000


@dataclass(frozen=True, kw_only=True)
class Hosted:
    """A participant whose process the gateway starts: an `agent` (`module:Class` with `options`) or a `command`.

    `account` is the space's. `env` is added to the environment. `directory` is the working folder; None: that of the
    configuration. With `is_template`, `${PORT}`, `${SPACE}` and `${TOKEN}` in `command` and `env` are replaced at the
    start, and any other `${NAME}` in `env` by the gateway's environment variable.
    """

    agent: str | None = None
    command: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    restart: Restart = field(default_factory=Restart)
    account: str | None = None
    env: Mapping[str, str] = field(default_factory=dict, repr=False)
    directory: Path | None = None
    is_template: bool = False


@dataclass(frozen=True, kw_only=True)
class Space:
    """A space: the settings of its state machine, hosted participants, output logs, and configured tokens.

    `tokens` has every participant; None means that the token is not in the file. It is left out of the `repr`. With
    `has_flat_tokens` the token files are directly in the folder `tokens`, where upstream's programs look for them.
    """

    settings: SpaceSettings
    hosted: Mapping[str, Hosted] = field(default_factory=dict)
    output_logs: Mapping[str, Path] = field(default_factory=dict)
    tokens: Mapping[str, str | None] = field(default_factory=dict, repr=False)
    has_flat_tokens: bool = False


@dataclass(frozen=True, kw_only=True)
class Configuration:
    """A validated configuration file. `file` is absolute; `warnings` name unsafe or unused settings."""

    file: Path
    gateway: GatewaySettings
    spaces: Mapping[str, Space]
    warnings: tuple[Problem, ...] = ()
