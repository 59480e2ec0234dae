"""What every host is told from outside: where it keeps what it knows, for whom, and in what manner."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Annotated
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from msgspec import Meta, Struct, field, structs

from mew_agents.durable.address import read as read_address
from mew_agents.durable.errors import DatabaseError
from mew_agents.fluxi.message import Formality, Mode, PolicyContext, Tone
from mew_agents.language.found import Language
from mew_gateway.sdk import Misconfigured, Options


class ContactOptions(Struct, frozen=True, forbid_unknown_fields=True):
    """How one person is served, where it is not as everybody else."""

    language: Language | None = None
    timezone: str | None = None
    tone: Tone | None = None
    formality: Formality | None = None
    emojis: bool | None = None
    rules: tuple[str, ...] | None = None
    mode: Mode | None = None


class HostOptions(Options, frozen=True):
    """`database` is a URL, None: a file in the agent's state folder. `account` None: the space's,
    else its id. `speaks_for`:
    who may name the conversation of what they say, for people of their own. `approval` in seconds: how long a call may
    be carried out that had to be proposed. `contacts`: by participant, what is different for them. The others are how
    people are served.
    """

    database: str | None = None
    account: Annotated[str, Meta(min_length=1, max_length=100)] | None = None
    speaks_for: tuple[str, ...] = ()
    language: Language = "es"
    timezone: str = "UTC"
    tone: Tone = "neutral"
    formality: Formality = "formal"
    emojis: bool = False
    rules: tuple[str, ...] = ()
    mode: Mode = "auto"
    approval: Annotated[float, Meta(gt=0, le=365 * 86_400)] = 86_400.0
    contacts: dict[str, ContactOptions] = field(default_factory=dict)

    @property
    def follows(self) -> bool:
        """Whether whoever writes in another language is answered in it."""
        return False


def check_database(options: HostOptions) -> None:
    """Raises `Misconfigured` for a URL that can be none."""
    if options.database is None:
        return
    try:
        read_address(options.database)
    except DatabaseError as error:
        raise Misconfigured(f"{error.code}: {error}") from None


def check_timezone(options: HostOptions) -> None:
    """Raises `Misconfigured` for a zone that there is not."""
    for zone in (options.timezone, *(one.timezone for one in options.contacts.values() if one.timezone is not None)):
        try:
            ZoneInfo(zone)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            raise Misconfigured(
                f"unknown_timezone: There is no time zone {zone!r}; one is America/Argentina/Buenos_Aires."
            ) from None


def policy_of(options: HostOptions, now: datetime, contact: str | None = None) -> PolicyContext:
    """How a contact is served: from the options alone, never from a payload (docs/fluxi.md §1)."""
    policy = PolicyContext(
        now=now,
        language=options.language,
        timezone=options.timezone,
        tone=options.tone,
        formality=options.formality,
        emojis=options.emojis,
        rules=options.rules,
        mode=options.mode,
        follows=options.follows,
    )
    own = options.contacts.get(contact) if contact is not None else None
    if own is None:
        return policy
    changed = {name: value for name, value in structs.asdict(own).items() if value is not None}
    return replace(policy, **changed, follows=policy.follows and own.language is None)
