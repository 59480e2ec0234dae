"""Models of spaces.yaml: every key with type, default and description. The JSON Schema is generated from them.

A key that only the file has is declared here. A setting of the running gateway is declared where it is used
(`space.settings`, `configuration`), and `stated` makes a key of it.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, ValidationInfo, WithJsonSchema, field_validator

from mew_gateway.documents.problems import shorten
from mew_gateway.documents.refusal import refuse
from mew_gateway.errors import Rejected
from mew_gateway.protocol.capabilities import compile_capability
from mew_gateway.space import settings

from . import configuration as conf
from . import fields
from .stated import Section, stated


def _key(default: Any, description: str) -> Any:
    return Field(default=default, description=description)


def _empty(kind: type[list[Any]] | type[dict[str, Any]], description: str) -> Any:
    return Field(default_factory=kind, description=description, json_schema_extra={"default": kind()})


def _named(description: str) -> Any:
    """Declare a mapping by id with at least one entry; the schema refuses a key that is not an id."""
    return Field(min_length=1, description=description, json_schema_extra={"additionalProperties": False})


@stated(conf.JournalSettings)
class Journal(Section):
    """The ordered, durable record of everything that happened."""

    url: fields.JournalUrl = _key("sqlite:.mew/journal.db", "`sqlite:PATH`, or `memory:`; beside the state by default.")


class Tls(Section):
    """The certificate of the gateway; both files or none."""

    certificate: fields.Text | None = _key(None, "Path of the certificate chain, PEM.")
    key: fields.Text | None = _key(None, "Path of the private key, PEM.")
    ca: fields.Text | None = _key(
        None, "Path of the certificates that hosted agents and `mew` here trust, PEM; null: the certificate itself."
    )
    name: fields.Text | None = _key(None, "The name that they verify; null: one that the certificate is for.")


@stated(conf.GatewayLimits)
class Limits(Section):
    """The bounds of the gateway; each has a named outcome when it is passed."""


class Gateway(Section):
    """The process: where it listens, where it keeps its state, what bounds it."""

    listen: fields.Listen = _key("127.0.0.1:8080", "host:port; a public host needs TLS or `allow_public`.")
    allow_public: bool = _key(False, "Listen on a public address without TLS all the same.")
    state_dir: fields.Text = _key(".mew", "Journal, tokens, and a folder for each hosted agent.")
    journal: Journal = Field(default_factory=Journal)
    tls: Tls = Field(default_factory=Tls)
    metrics_by_space: bool = _key(False, "Tell the metrics of each space, by its name, to anybody who reads /metrics.")
    allowed_origins: list[fields.Origin] = _empty(
        list, "Origins of web pages that may connect; the same origin always may."
    )
    limits: Limits = Field(default_factory=Limits)


@stated(settings.Interrupts)
class Interrupts(Section):
    """The deadlines, limits and ladders of interrupts."""


@stated(settings.Watchdog)
class Watchdog(Section):
    """When the gateway itself interrupts a sequence; null: never."""


class Capability(Section):
    """A pattern over envelopes: what matches it may be sent."""

    kind: Annotated[Any, WithJsonSchema(fields.PATTERN)] = Field(description="Such as `chat` or `mcp/*`.")
    payload: Annotated[Any, WithJsonSchema({"type": "object"})] = _key({}, "Patterns of the payload's fields.")
    to: Annotated[Any, WithJsonSchema(fields.PATTERN)] = Field(
        default_factory=lambda: None, description="Every recipient must match; a broadcast never does."
    )

    @field_validator("kind", "payload", "to")
    @classmethod
    def _compiles(cls, value: Any, info: ValidationInfo) -> Any:
        field = info.field_name or ""
        try:
            compile_capability({"kind": "*", field: value}, "")
        except Rejected as rejection:
            path = str(rejection.details["path"])
            sentence = shorten(rejection.message.removeprefix(f"{path}: "))
            raise refuse(f"{sentence[0].upper()}{sentence[1:]}", below=path[1 + len(field) :]) from None
        return value

    @property
    def source(self) -> dict[str, Any]:
        """The capability as JSON, as written in the file."""
        return self.model_dump(exclude_unset=True)


@stated(conf.Restart)
class Restart(Section):
    """When a hosted participant that ended is started again."""


class Participant(Section):
    """Somebody who may join the space: a person, a program of its own, or one that the gateway hosts."""

    roles: list[str] = _empty(list, "Names of roles: of the space, of all spaces, or the built-in `agent`.")
    capabilities: list[Capability] = _empty(list, "Besides the roles'.")
    observe: bool = _key(False, "With `routing: addressed`, sees everything all the same.")
    output_log: fields.Text | None = _key(None, "A JSON-lines file that receives what it would.")
    token: fields.Token | None = _key(
        None, "null: from the environment, else from a file in the state folder, made at the first start."
    )
    watchdog: Watchdog | None = _key(None, "null: the space's.")
    agent: fields.Agent | None = _key(None, "`module:Class`: hosted, in a child process.")
    command: Annotated[list[fields.Text], Field(min_length=1)] | None = _key(
        None, "A program to start for it; MEW_URL and MEW_TOKEN are in its environment."
    )
    options: dict[str, Any] = _empty(dict, "What the agent is made with.")
    restart: Restart = Field(default_factory=Restart)


class Defaults(Section):
    """What an invited participant without its own gets."""

    capabilities: list[Capability] = _empty(list, "Capabilities of the invited.")


@stated(settings.SpaceSettings)
class Space(Section):
    """Participants that share one context."""

    description: str
    account: fields.Account | None = _key(
        None, "Whose business its agents do, unless their own option says otherwise; null: the space's id."
    )
    routing: str
    validation: str
    owner_grace: int
    proposal_expiry: int
    interrupts: Interrupts = Field(default_factory=Interrupts)
    watchdog: Watchdog = Field(default_factory=Watchdog)
    roles: dict[str, list[Capability]] = _empty(dict, "Named bundles of capabilities; before those of all spaces.")
    participants: dict[fields.Id, Participant] = _named("By id.")
    defaults: Defaults = Field(default_factory=Defaults)


class SpacesFile(Section):
    """The spaces of a MEW gateway."""

    gateway: Gateway = Field(default_factory=Gateway)
    roles: dict[str, list[Capability]] = _empty(dict, "Named bundles of capabilities, for all spaces.")
    spaces: dict[fields.Id, Space] = _named("By id.")
