"""Models of a single-space file, the form of upstream's gateway (`space:` and `participants:` at the top level).

Settings that this gateway has are applied; the others give a remark.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Annotated, Any, NamedTuple

from pydantic import Field

from mew_gateway.documents.document import Node
from mew_gateway.documents.problems import Fault

from . import fields
from .configuration import RestartPolicy
from .models import Capability, Gateway
from .stated import Section
from .tokens import SHORTEST

_NO_EFFECT = "This has no effect here."


class SpaceHead(Section):
    """The key `space`."""

    id: fields.Id
    name: str = ""
    description: str = ""
    default_participant: Any = None
    ui_theme: Any = None


class IdentifiedCapability(Capability):
    """A capability with upstream's optional id, which is not part of the pattern."""

    id: Any = None

    @property
    def source(self) -> dict[str, Any]:
        """The capability as JSON, without its id."""
        return {key: value for key, value in super().source.items() if key != "id"}


class Defaults(Section):
    """Capabilities of participants without their own, configured or invited."""

    capabilities: list[IdentifiedCapability] = Field(default_factory=list)


class SingleParticipant(Section):
    """A participant. `auto_start` starts its `command`; `auto_connect` writes its `output_log`."""

    capabilities: list[IdentifiedCapability] | None = None
    tokens: list[fields.FoundToken] = Field(default_factory=list)
    command: fields.Text | None = None
    args: list[fields.Word] = Field(default_factory=list)
    env: dict[fields.Variable, fields.Word] = Field(default_factory=dict)
    cwd: fields.Text | None = None
    auto_start: bool = False
    restart_policy: RestartPolicy = "never"
    output_log: fields.Text | None = None
    auto_connect: bool = False
    type: str = "local"
    name: Any = None
    description: Any = None
    role: Any = None
    io: Any = None
    default_to: Any = None
    fifo: Any = None
    mcp_server: Any = None
    bridge_config: Any = None

    @property
    def is_hosted(self) -> bool:
        """True if the gateway starts its process."""
        return self.auto_start and self.command is not None

    @property
    def is_logged(self) -> bool:
        """True if it is present without a connection. A hosted one is not: it would seem present after a crash."""
        return self.auto_connect and self.output_log is not None and not self.is_hosted


class SingleSpaceFile(Section):
    """The file: one space, and optionally this gateway's own settings."""

    space: SpaceHead
    participants: Annotated[dict[fields.Id, SingleParticipant], Field(min_length=1)]
    defaults: Defaults = Field(default_factory=Defaults)
    gateway: Gateway = Field(default_factory=Gateway)
    gateway_logging: Any = None


def is_single(root: Node) -> bool:
    """Return true if a document has this form, valid or not."""
    keys = root.value if isinstance(root.value, dict) else {}
    return "spaces" not in keys and ("space" in keys or "participants" in keys)


def remarks(root: Node, parsed: SingleSpaceFile) -> Iterator[Fault]:
    """Yield the remarks on a valid document: keys without effect here, and unsafe tokens."""
    for path in (("gateway_logging",), ("space", "default_participant"), ("space", "ui_theme")):
        for node in root.find(*path):
            yield Fault(node.path, _NO_EFFECT, at_key=True)
    for name, member in parsed.participants.items():
        for key, applies, message, suggestion in _REMARKS:
            for node in root.find("participants", name, key):
                if node.value and applies(member):
                    yield Fault(node.path, message, suggestion, at_key=True)


class _Remark(NamedTuple):
    """A remark on a key, and the condition on participants to which it applies."""

    key: str
    applies: Callable[[SingleParticipant], bool]
    message: str
    suggestion: str | None = None


def _always(_: SingleParticipant) -> bool:
    return True


_REMARKS = (
    _Remark("type", lambda member: member.type not in ("local", "mcp-bridge"), _NO_EFFECT),
    _Remark("default_to", _always, _NO_EFFECT),
    _Remark("fifo", _always, _NO_EFFECT),
    _Remark("bridge_config", _always, _NO_EFFECT),
    _Remark("mcp_server", _always, "No bridge is started for it here.", "start one with this participant's token"),
    _Remark("tokens", lambda member: len(member.tokens) > 1, "Only the first token lets it in."),
    _Remark(
        "tokens",
        lambda member: len(member.tokens[0]) < SHORTEST,
        f"A token of fewer than {SHORTEST} characters can be guessed.",
        "leave `tokens` out to have one generated",
    ),
    _Remark(
        "output_log",
        lambda member: member.is_hosted,
        "The log of a hosted participant is not written: it would seem present after a crash.",
    ),
    _Remark(
        "output_log",
        lambda member: not member.auto_connect and not member.is_hosted,
        "The log is not written.",
        "add `auto_connect: true`",
    ),
    _Remark(
        "auto_connect",
        lambda member: member.output_log is None,
        _NO_EFFECT,
        "add `output_log`, or let it connect by itself",
    ),
    *(
        _Remark(key, lambda member: member.command is None, _NO_EFFECT, "there is no `command`")
        for key in ("args", "env", "cwd", "auto_start", "restart_policy")
    ),
)
