"""The validated configuration of a gateway. Durations are in milliseconds, paths are absolute."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from mew_gateway.documents.problems import Problem
from mew_gateway.space.settings import Rate, SpaceSettings

_CONNECTS, _STRANGERS = Rate(100, 10_000), Rate(2_000, 10_000)


@dataclass(frozen=True, kw_only=True)
class GatewayLimits:
    """Limits of the gateway (`gateway.limits`), in bytes, counts and milliseconds. Space settings repeat some."""

    frame_bytes: int = 1_048_576
    json_depth: int = 64
    json_tokens: int = 65_536
    outbox_bytes: int = 8_388_608
    outbox_stalled: int = 5_000
    connections_per_participant: int = 8
    connects: Rate = _CONNECTS
    strangers: Rate = _STRANGERS
    envelopes_per_second: int = 200
    envelopes_burst: int = 400
    bytes_per_second: int = 4_194_304
    open_sequences: int = 64
    open_streams: int = 64
    open_requests: int = 256
    open_proposals: int = 256
    remembered_ids: int = 10_000
    remembered_for: int = 600_000
    closed_sequences: int = 1_000
    settled_interrupts: int = 10_000
    grants: int = 10_000
    given_bytes: int = 1_048_576
    invitees: int = 1_000
    inbox: int = 10_000
    connections: int = 20_000
    join_timeout: int = 10_000
    ping_interval: int = 20_000
    ping_timeout: int = 20_000


@dataclass(frozen=True, kw_only=True)
class JournalSettings:
    """URL of the journal (`sqlite:/absolute/path` or `memory:`), its durability, and its maximum age and size."""

    url: str
    synchronous: Literal["normal", "full"] = "normal"
    keep: int = 604_800_000
    max_size: int | None = None


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
    limits: GatewayLimits = GatewayLimits()


@dataclass(frozen=True, kw_only=True)
class Restart:
    """Restart policy of a child process. The wait doubles from `backoff` to `max_backoff` (milliseconds)."""

    policy: Literal["always", "on-failure", "never"] = "on-failure"
    backoff: int = 1_000
    max_backoff: int = 30_000


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
    restart: Restart = Restart()
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
