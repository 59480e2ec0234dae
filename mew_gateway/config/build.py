"""From the models to the configuration: paths made absolute, roles expanded, bounds handed to the spaces."""

from __future__ import annotations

import json
import os.path
from pathlib import Path

from mew_gateway.space import settings

from . import configuration as conf
from . import models
from .address import address


def configuration(parsed: models.SpacesFile, file: Path) -> conf.Configuration:
    """The configuration in a valid file. `file` is absolute: its folder is where relative paths start."""
    gateway = _gateway(parsed.gateway, file.parent)
    bounds = _bounds(gateway.limits)
    spaces = {name: _space(name, space, bounds) for name, space in parsed.spaces.items()}
    return conf.Configuration(file=file, gateway=gateway, spaces=spaces)


def _gateway(parsed: models.Gateway, base: Path) -> conf.GatewaySettings:
    listen = address(parsed.listen)
    state_dir = _absolute(parsed.state_dir, base)
    return conf.GatewaySettings(
        host=listen.host,
        port=listen.port,
        allow_public=parsed.allow_public,
        state_dir=state_dir,
        journal=conf.JournalSettings(
            url=_journal_url(parsed.journal, base, state_dir),
            synchronous=parsed.journal.synchronous,
            keep=parsed.journal.keep,
        ),
        tls=_tls(parsed.tls, base),
        allowed_origins=tuple(parsed.allowed_origins),
        limits=conf.GatewayLimits(**dict(parsed.limits)),
    )


def _journal_url(parsed: models.Journal, base: Path, state_dir: Path) -> str:
    if "url" not in parsed.model_fields_set:  # whoever moves the state moves the journal with it
        return f"sqlite:{state_dir / 'journal.db'}"
    scheme, _, path = parsed.url.partition(":")
    return f"sqlite:{_absolute(path, base)}" if scheme == "sqlite" else parsed.url


def _tls(parsed: models.Tls, base: Path) -> conf.TlsFiles | None:
    if parsed.certificate is None or parsed.key is None:
        return None
    return conf.TlsFiles(certificate=_absolute(parsed.certificate, base), key=_absolute(parsed.key, base))


def _absolute(path: str, base: Path) -> Path:
    return Path(os.path.normpath(base / path))


def _bounds(limits: conf.GatewayLimits) -> settings.Bounds:
    return settings.Bounds(
        open_sequences=limits.open_sequences,
        open_requests=limits.open_requests,
        remembered_ids=limits.remembered_ids,
        remembered_for=limits.remembered_for,
        closed_sequences=limits.closed_sequences,
        settled_interrupts=limits.settled_interrupts,
    )


def _space(name: str, parsed: models.Space, bounds: settings.Bounds) -> conf.Space:
    return conf.Space(
        settings=settings.SpaceSettings(
            id=name,
            participants={
                who: _participant(who, participant, parsed) for who, participant in parsed.participants.items()
            },
            description=parsed.description,
            routing=parsed.routing,
            validation=parsed.validation,
            owner_grace=parsed.owner_grace,
            interrupts=_interrupts(parsed.interrupts),
            bounds=bounds,
        ),
        hosted={
            who: _hosted(participant)
            for who, participant in parsed.participants.items()
            if participant.agent is not None or participant.command is not None
        },
        tokens={who: participant.token for who, participant in parsed.participants.items()},
    )


def _participant(name: str, parsed: models.Participant, space: models.Space) -> settings.Participant:
    bundles = [space.roles[role] for role in parsed.roles]
    sources = [capability.source for bundle in (*bundles, parsed.capabilities) for capability in bundle]
    distinct = {json.dumps(source, sort_keys=True): source for source in sources}
    return settings.Participant(id=name, capabilities=tuple(distinct.values()), observe=parsed.observe)


def _interrupts(parsed: models.Interrupts) -> settings.Interrupts:
    fields = dict(parsed)
    for ladder in ("escalation", "emergency_escalation"):
        fields[ladder] = tuple(fields[ladder])
    return settings.Interrupts(**fields)


def _hosted(parsed: models.Participant) -> conf.Hosted:
    return conf.Hosted(
        agent=parsed.agent,
        command=tuple(parsed.command or ()),
        options=parsed.options,
        restart=conf.Restart(**dict(parsed.restart)),
    )
