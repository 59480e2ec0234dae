"""How each contact is served."""

from __future__ import annotations

from datetime import UTC, datetime

from mew_agents.fluxi.participant.host_options import ContactOptions, policy_of
from mew_agents.fluxi.participant.options import FluxiOptions

NOW = datetime(2026, 11, 24, tzinfo=UTC)


def test_a_contact_is_served_in_their_own_manner() -> None:
    options = FluxiOptions(tone="warm", contacts={"bruno": ContactOptions(language="pt", formality="informal")})
    ana, bruno = policy_of(options, NOW, "ana"), policy_of(options, NOW, "bruno")
    assert (ana.language, ana.formality, ana.tone, ana.follows) == ("es", "formal", "warm", True)
    assert (bruno.language, bruno.formality, bruno.tone, bruno.follows) == ("pt", "informal", "warm", False)
