"""Models of spaces.yaml: every key with type, default and description. The JSON Schema is generated from them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, WithJsonSchema, field_validator

from mew_gateway.documents.durations import milliseconds
from mew_gateway.documents.problems import shorten
from mew_gateway.documents.refusal import refuse
from mew_gateway.errors import Rejected
from mew_gateway.protocol.capabilities import compile_capability
from mew_gateway.space.settings import Step

from . import fields
from .rates import rate


def _key(default: Any, description: str, **bounds: Any) -> Any:
    return Field(default=default, description=description, **bounds)


def _duration(text: str, description: str) -> Any:
    return _written(milliseconds(text), text, description)


def _rate(text: str, description: str) -> Any:
    return _written(rate(text), text, description)


def _written(value: Any, text: Any, description: str) -> Any:
    """Declare a key whose default in the schema is the written form, not the parsed value."""
    return Field(default_factory=lambda: value, description=description, json_schema_extra={"default": text})


def _empty(kind: type[list[Any]] | type[dict[str, Any]], description: str) -> Any:
    return Field(default_factory=kind, description=description, json_schema_extra={"default": kind()})


def _named(description: str) -> Any:
    """Declare a mapping by id with at least one entry; the schema refuses a key that is not an id."""
    return Field(min_length=1, description=description, json_schema_extra={"additionalProperties": False})


class Section(BaseModel):
    """Base of all models: a mapping with fixed keys. Unknown keys are refused, and values are not converted."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, hide_input_in_errors=True)


class Journal(Section):
    """The ordered, durable record of everything that happened."""

    url: fields.JournalUrl = _key("sqlite:.mew/journal.db", "`sqlite:PATH`, or `memory:`; beside the state by default.")
    synchronous: Literal["normal", "full"] = _key(
        "normal", "normal: safe against a crash of the process; full: of the machine."
    )
    keep: fields.Duration = _duration("7d", "History beyond this is deleted.")
    max_size: Annotated[int, Field(ge=1_048_576)] | None = _key(
        None, "Bytes: beyond them the oldest history is deleted, whatever its age; null: no bound but `keep`."
    )


class Tls(Section):
    """The certificate of the gateway; both files or none."""

    certificate: fields.Text | None = _key(None, "Path of the certificate chain, PEM.")
    key: fields.Text | None = _key(None, "Path of the private key, PEM.")
    ca: fields.Text | None = _key(
        None, "Path of the certificates that hosted agents and `mew` here trust, PEM; null: the certificate itself."
    )
    name: fields.Text | None = _key(None, "The name that they verify; null: one that the certificate is for.")


class Limits(Section):
    """The bounds of the gateway; each has a named outcome when it is passed."""

    frame_bytes: int = _key(1_048_576, "Bytes of a frame or a posted body.", ge=1_024, le=67_108_864)
    json_depth: int = _key(64, "Levels of JSON in an envelope.", ge=8, le=512)
    json_tokens: int = _key(
        65_536, "Brackets, commas and colons of JSON in an envelope, outside strings.", ge=1_000, le=1_000_000
    )
    outbox_bytes: int = _key(8_388_608, "Bytes waiting for one connection.", ge=1_024, le=1_073_741_824)
    outbox_stalled: fields.Duration = _duration("5s", "A reader that takes nothing for this long is dropped.")
    connections_per_participant: int = _key(8, "Connections of one participant.", ge=1, le=10_000)
    connects: fields.Frequency = _rate("100/10s", "Times that one participant connects.")
    strangers: fields.Frequency = _rate(
        "2000/10s", "Connections and failing requests of all together who bring no valid token."
    )
    envelopes_per_second: int = _key(200, "Envelopes of one participant.", ge=1, le=1_000_000)
    envelopes_burst: int = _key(400, "Envelopes of one participant at once.", ge=1, le=1_000_000)
    bytes_per_second: int = _key(4_194_304, "Bytes of one participant.", ge=1_024, le=1_073_741_824)
    open_sequences: int = _key(64, "Open reasoning sequences of one participant.", ge=1, le=100_000)
    open_streams: int = _key(64, "Open streams of one participant.", ge=1, le=100_000)
    open_requests: int = _key(256, "Unanswered requests of one participant.", ge=1, le=100_000)
    open_proposals: int = _key(256, "Open proposals of one participant.", ge=1, le=100_000)
    remembered_ids: int = _key(10_000, "Envelope ids remembered of one participant.", ge=1, le=10_000_000)
    remembered_for: fields.Duration = _duration("10m", "How long an envelope id is remembered at least.")
    closed_sequences: int = _key(1_000, "Closed sequences a space remembers.", ge=1, le=10_000_000)
    settled_interrupts: int = _key(10_000, "Settled interrupts a space remembers.", ge=1, le=10_000_000)
    grants: int = _key(10_000, "Grants of a space.", ge=1, le=10_000_000)
    given_bytes: int = _key(
        1_048_576,
        "Bytes of capabilities that the participants of a space are given; an eighth of `outbox_bytes`, if less.",
        ge=1,
        le=134_217_728,
    )
    invitees: int = _key(1_000, "Invited participants of a space.", ge=1, le=10_000_000)
    inbox: int = _key(10_000, "Events waiting to be handled.", ge=1, le=10_000_000)
    connections: int = _key(20_000, "Connections of the gateway.", ge=1, le=10_000_000)
    join_timeout: fields.Duration = _duration("10s", "A connection that has not joined by then is closed.")
    ping_interval: fields.Duration = _duration("20s", "How often a connection is pinged.")
    ping_timeout: fields.Duration = _duration("20s", "A connection that has not answered by then is closed.")


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


class Interrupts(Section):
    """The deadlines, limits and ladders of interrupts."""

    ack_deadline: fields.Duration = _duration("30s", "How long a target has to acknowledge.")
    emergency_ack_deadline: fields.Duration = _duration("2s", "The same, for an emergency.")
    stopping_conclusion: fields.Duration = _duration("5s", "How long one that answered `stopping` has to conclude.")
    completing_conclusion: fields.Duration = _duration("60s", "The same, for `completing_thought`.")
    per_sequence: fields.Frequency = _rate("5/10s", "Interrupts per sender and sequence.")
    emergency: fields.Frequency = _rate("3/60s", "Emergencies per sender.")
    escalation: list[fields.EscalationStep] = _written(
        [Step("notify")], ["notify"], "What happens after the deadline, in order."
    )
    emergency_escalation: list[fields.EscalationStep] = _written(
        [Step("notify"), Step("pause"), Step("kick", 5_000)],
        ["notify", "pause", {"kick": {"after": "5s"}}],
        "The same, for an emergency.",
    )


class Watchdog(Section):
    """When the gateway itself interrupts a sequence; null: never."""

    max_seconds: Annotated[int, Field(ge=1)] | None = _key(None, "Age of a sequence, in seconds.")
    max_thoughts: Annotated[int, Field(ge=1)] | None = _key(None, "Thoughts of a sequence.")
    max_bytes: Annotated[int, Field(ge=1)] | None = _key(None, "Bytes of a sequence.")


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


class Restart(Section):
    """When a hosted participant that ended is started again."""

    policy: Literal["always", "on-failure", "never"] = _key("on-failure", "When to start it again.")
    backoff: fields.Duration = _duration("1s", "The first wait; it doubles from there.")
    max_backoff: fields.Duration = _duration("30s", "The longest wait.")


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


class Space(Section):
    """Participants that share one context."""

    description: str = _key("", "For people.")
    account: fields.Account | None = _key(
        None, "Whose business its agents do, unless their own option says otherwise; null: the space's id."
    )
    routing: Literal["visible", "addressed"] = _key(
        "visible", "visible: everyone sees everything; addressed: only those in `to`."
    )
    validation: Literal["strict", "off"] = _key("strict", "strict: known kinds are typed; off: forwarded as they are.")
    owner_grace: fields.Delay = _duration("30s", "A sequence whose owner is gone this long is lost.")
    proposal_expiry: fields.Duration = _duration("24h", "An open proposal ends after this.")
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
