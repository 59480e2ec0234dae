"""Build the configuration from the models: absolute paths, expanded roles, bounds for each space."""

from __future__ import annotations

import json
import os.path
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from msgspec.structs import replace

from mew_gateway.space import settings

from . import configuration as conf
from . import models, outbox_checks
from .address import address
from .roles import BUILT_IN
from .single_space_file import Defaults, SingleParticipant, SingleSpaceFile
from .stated import settings_of

Roles: TypeAlias = Mapping[str, tuple[dict[str, Any], ...]]


def configuration(parsed: models.SpacesFile, file: Path) -> conf.Configuration:
    """Build the configuration of a valid file. `file` is absolute; relative paths start from its folder."""
    gateway = _gateway(parsed.gateway, file.parent)
    bounds = _bounds(gateway.limits)
    roles = {**BUILT_IN, **_sources(parsed.roles)}
    spaces = {name: _space(name, space, roles, bounds, file.parent) for name, space in parsed.spaces.items()}
    return conf.Configuration(file=file, gateway=gateway, spaces=spaces)


def _sources(roles: Mapping[str, Iterable[models.Capability]]) -> Roles:
    """Return the roles with their capabilities as JSON."""
    return {name: tuple(capability.source for capability in bundle) for name, bundle in roles.items()}


def single(parsed: SingleSpaceFile, file: Path) -> conf.Configuration:
    """Build the configuration of a valid single-space file. Relative paths start from `home(file)`."""
    base = home(file)
    gateway = _gateway(parsed.gateway, base)
    members = parsed.participants.items()
    space = conf.Space(
        settings=settings.SpaceSettings(
            id=parsed.space.id,
            participants={who: _member(who, member, parsed.defaults) for who, member in members},
            description=parsed.space.description or parsed.space.name,
            bounds=_bounds(gateway.limits),
            invited_capabilities=_distinct(one.source for one in parsed.defaults.capabilities),
        ),
        hosted={who: _hosted_single(who, member, base) for who, member in members if member.is_hosted},
        output_logs={who: _absolute(str(member.output_log), base) for who, member in members if member.is_logged},
        tokens={who: next(iter(member.tokens), None) for who, member in members},
        has_flat_tokens=True,
    )
    return conf.Configuration(file=file, gateway=gateway, spaces={parsed.space.id: space})


def home(file: Path) -> Path:
    """Return the base of relative paths in a single-space file: its folder, or the parent of a `.mew` folder."""
    return file.parent.parent if file.parent.name == ".mew" else file.parent


def _member(name: str, parsed: SingleParticipant, defaults: Defaults) -> settings.Participant:
    own = defaults.capabilities if parsed.capabilities is None else parsed.capabilities
    return settings.Participant(id=name, capabilities=_distinct(one.source for one in own))


def _hosted_single(name: str, parsed: SingleParticipant, base: Path) -> conf.Hosted:
    """Return the hosting of a participant, with the environment variables that upstream's agents read."""
    variable = f"MEW_TOKEN_{name.replace('-', '_').replace('.', '_').upper()}"
    return conf.Hosted(
        command=(str(parsed.command), *parsed.args),
        restart=conf.Restart(policy=parsed.restart_policy),
        env={"PORT": "${PORT}", "SPACE": "${SPACE}", "TOKEN": "${TOKEN}", variable: "${TOKEN}", **parsed.env},
        directory=_absolute(parsed.cwd or ".", base),
        is_template=True,
    )


def _gateway(parsed: models.Gateway, base: Path) -> conf.GatewaySettings:
    listen = address(parsed.listen)
    state_dir = _absolute(parsed.state_dir, base)
    return conf.GatewaySettings(
        host=listen.host,
        port=listen.port,
        allow_public=parsed.allow_public,
        state_dir=state_dir,
        journal=settings_of(conf.JournalSettings, parsed.journal, url=_journal_url(parsed.journal, base, state_dir)),
        tls=_tls(parsed.tls, base),
        allowed_origins=tuple(parsed.allowed_origins),
        metrics_by_space=parsed.metrics_by_space,
        limits=settings_of(conf.GatewayLimits, parsed.limits),
    )


def _journal_url(parsed: models.Journal, base: Path, state_dir: Path) -> str:
    if "url" not in parsed.model_fields_set:  # the default journal is inside the state folder
        return f"sqlite:{state_dir / 'journal.db'}"
    scheme, _, path = parsed.url.partition(":")
    return f"sqlite:{_absolute(path, base)}" if scheme == "sqlite" else parsed.url


def _tls(parsed: models.Tls, base: Path) -> conf.TlsFiles | None:
    if parsed.certificate is None or parsed.key is None:
        return None
    return conf.TlsFiles(
        certificate=_absolute(parsed.certificate, base),
        key=_absolute(parsed.key, base),
        ca=None if parsed.ca is None else _absolute(parsed.ca, base),
        name=parsed.name,
    )


def _absolute(path: str, base: Path) -> Path:
    return Path(os.path.normpath(base / path))


def _bounds(limits: conf.GatewayLimits) -> settings.Bounds:
    given = outbox_checks.given(limits.bounds.given_bytes, outbox=limits.outbox_bytes)
    return replace(limits.bounds, given_bytes=given, pending_bytes=outbox_checks.pending(limits.outbox_bytes))


def _space(name: str, parsed: models.Space, roles: Roles, bounds: settings.Bounds, base: Path) -> conf.Space:
    roles = {**roles, **_sources(parsed.roles)}
    return conf.Space(
        settings=settings_of(
            settings.SpaceSettings,
            parsed,
            id=name,
            participants={
                who: _participant(who, participant, roles) for who, participant in parsed.participants.items()
            },
            interrupts=settings_of(settings.Interrupts, parsed.interrupts),
            watchdog=settings_of(settings.Watchdog, parsed.watchdog),
            bounds=bounds,
            invited_capabilities=_distinct(one.source for one in parsed.defaults.capabilities),
        ),
        hosted={
            who: _hosted(participant, parsed.account)
            for who, participant in parsed.participants.items()
            if participant.agent is not None or participant.command is not None
        },
        output_logs={
            who: _absolute(participant.output_log, base)
            for who, participant in parsed.participants.items()
            if participant.output_log is not None
        },
        tokens={who: participant.token for who, participant in parsed.participants.items()},
    )


def _participant(name: str, parsed: models.Participant, roles: Roles) -> settings.Participant:
    bundles = [roles[role] for role in parsed.roles]
    own = [capability.source for capability in parsed.capabilities]
    return settings.Participant(
        id=name,
        capabilities=_distinct(source for bundle in (*bundles, own) for source in bundle),
        observe=parsed.observe,
        watchdog=None if parsed.watchdog is None else settings_of(settings.Watchdog, parsed.watchdog),
    )


def _distinct(sources: Iterable[dict[str, Any]]) -> tuple[dict[str, Any], ...]:
    """Return the capabilities without duplicates."""
    return tuple({json.dumps(source, sort_keys=True): source for source in sources}.values())


def _hosted(parsed: models.Participant, account: str | None) -> conf.Hosted:
    return conf.Hosted(
        agent=parsed.agent,
        command=tuple(parsed.command or ()),
        options=parsed.options,
        restart=settings_of(conf.Restart, parsed.restart),
        account=account,
    )
