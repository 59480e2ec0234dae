"""Any model behind an OpenAI-compatible address, through the library of that name (extra `llm`)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import anyio
from openai import APIConnectionError, APIStatusError, AsyncOpenAI, OpenAIError

from mew_agents.fluxi.interpreter.completion import Completion, ModelFault

_LONGEST_ANSWER = 64 * 1024  # bytes of a response
_MOST_TOKENS = 2_000
# Never the library's own default: that is taken from the environment, and this address need not be its owner's.
_NO_KEY = "none"
# What a server says that does not take a schema.
_UNABLE = (400, 404, 415, 422, 501)


class OpenAICompletion(Completion):
    """Asks `POST {url}/chat/completions`. A server that refuses a schema is asked without one from then on.

    `timeout` in seconds covers all there is to a question, `retries` (after 429, 5xx, a lost connection) included.
    """

    def __init__(self, *, url: str, model: str, key: str | None, timeout: float, retries: int) -> None:
        self.model = model
        self._timeout = timeout
        self._held_to_schema = True
        self._client = AsyncOpenAI(
            base_url=url,
            api_key=key or _NO_KEY,
            timeout=timeout,
            max_retries=retries,
            default_headers={"Accept-Encoding": "identity"},  # so that the bound is one of memory
        )

    async def complete(self, *, told: str, asked: str, schema: Mapping[str, Any]) -> str:
        """The content of the first choice."""
        messages = [{"role": "system", "content": told}, {"role": "user", "content": asked}]
        try:
            with anyio.fail_after(self._timeout):
                return _content(await self._answered(messages, schema))
        except TimeoutError:
            raise ModelFault("timeout") from None
        except APIStatusError as error:
            raise ModelFault(f"http_{error.status_code}") from None
        except APIConnectionError:
            raise ModelFault("connection") from None
        except OpenAIError:
            raise ModelFault("library") from None

    async def _answered(self, messages: list[dict[str, str]], schema: Mapping[str, Any]) -> bytes:
        if self._held_to_schema:
            try:
                return await self._post(messages, {"response_format": _response_format(schema)})
            except APIStatusError as error:
                if error.status_code not in _UNABLE:
                    raise
                self._held_to_schema = False
        return await self._post(messages, {})

    async def _post(self, messages: list[dict[str, str]], extra: dict[str, Any]) -> bytes:
        """The response's body, read only as far as it may go."""
        create: Any = self._client.chat.completions.with_streaming_response.create
        body = bytearray()
        async with create(
            model=self.model, messages=messages, temperature=0, max_tokens=_MOST_TOKENS, **extra
        ) as response:
            async for chunk in response.iter_bytes():
                body += chunk
                if len(body) > _LONGEST_ANSWER:
                    raise ModelFault("too_big")
        return bytes(body)

    async def aclose(self) -> None:
        """Closes the connections."""
        await self._client.close()


def _response_format(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "json_schema", "json_schema": {"name": "proposal", "strict": True, "schema": schema}}


def _content(body: bytes) -> str:
    try:
        content = json.loads(body)["choices"][0]["message"]["content"]
    except (ValueError, LookupError, TypeError, RecursionError):
        raise ModelFault("not_a_completion") from None
    if not isinstance(content, str):
        raise ModelFault("not_a_completion")
    return content
