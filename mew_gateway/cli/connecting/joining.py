"""A joined connection to a space, for commands that send or receive. Commands that only read import no client."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from functools import partial

from mew_gateway.sdk import Disconnected, open_link
from mew_gateway.sdk.client import Client

from ..framework.failure import Failure, mistake
from .access import Access


@contextlib.asynccontextmanager
async def joined(access: Access) -> AsyncIterator[Client]:
    """Join the space for the duration of the block. Raises `Failure` if that fails, or if the token is another
    participant's."""
    client = Client(access.url, space=access.space, token=access.token, open=partial(open_link, trust=access.trust))
    try:
        await client.connect()
    except Disconnected as error:
        advice = "Is a gateway running? Start one with `mew serve`." if error.code is None else "Try again soon."
        raise Failure(f"{error} {advice}") from None
    try:
        _identify(access, client.welcome.you.id)
        yield client
    finally:
        await client.aclose()


def _identify(access: Access, me: str) -> None:
    if access.participant not in (None, me):
        raise mistake(
            f"The token belongs to {me}, not to {access.participant}: leave --as out, or unset MEW_TOKEN and --token."
        )
