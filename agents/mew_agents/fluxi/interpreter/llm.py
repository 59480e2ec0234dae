"""Understanding by a language model, with rules for whenever it is of no use (docs/fluxi.md §7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any
from urllib.parse import urlsplit

from mew_agents.fluxi.definitions.model import Definition
from mew_agents.fluxi.interpreter.base import Interpretation, Interpreter, ProposedWork, Understanding
from mew_agents.fluxi.interpreter.completion import Completion, ModelError, ModelFault
from mew_agents.fluxi.interpreter.instructions import asked, schema, told
from mew_agents.fluxi.interpreter.rules import Rules
from mew_agents.fluxi.interpreter.statement import proposal_of

URL, MODEL, KEY = "MEW_LLM_URL", "MEW_LLM_MODEL", "MEW_LLM_KEY"
TIMEOUT = 8.0  # seconds
_LONGEST_TEXT = 4_000  # characters of a message that a model is shown


class Model(Interpreter):
    """A model proposes, the extractors check, and rules decide whenever it is late, broken or makes something up.

    It never decides anything that rules could not have proposed from the same words, but for values that are then
    asked back. The account's definitions, what the Work holds and the message go to the model's address.
    """

    deterministic = False

    def __init__(self, completion: Completion, *, rules: Interpreter | None = None) -> None:
        self._completion = completion
        self._rules = rules or Rules()
        self.name = f"model-1 {completion.model}"

    def propose(
        self, text: str, definitions: Sequence[Definition], understanding: Understanding
    ) -> ProposedWork | None:
        """What rules propose."""
        return self._rules.propose(text, definitions, understanding)

    async def interpret(
        self, text: str, definitions: Sequence[Definition], understanding: Understanding
    ) -> Interpretation:
        """The model's proposal, checked; else that of rules, and why."""
        try:
            return Interpretation(proposal=await self._said(text, definitions, understanding), decided_by=self.name)
        except ModelFault as fault:
            proposal = self._rules.propose(text, definitions, understanding)
            return Interpretation(proposal=proposal, decided_by=self._rules.name, fault=fault.code)

    async def _said(
        self, text: str, definitions: Sequence[Definition], understanding: Understanding
    ) -> ProposedWork | None:
        refuse_unfit(text)
        if understanding.within is not None:
            definitions = [one for one in definitions if one.type_id == understanding.within]
        if not definitions:
            return None
        said = await self._completion.complete(
            told=told(understanding),
            asked=asked(text, definitions, understanding),
            schema=schema(definitions, understanding),
        )
        return proposal_of(said, text, definitions, understanding)

    async def aclose(self) -> None:
        """Lets go of the model's connections."""
        await self._completion.aclose()


def refuse_unfit(text: str) -> None:
    """Raises ModelFault for a text that is not shown to a model: too long, or with half a sign in it."""
    if len(text) > _LONGEST_TEXT or any("\ud800" <= sign <= "\udfff" for sign in text):
        raise ModelFault("unfit_text")


def from_options(options: Mapping[str, Any], environ: Mapping[str, str]) -> Model:
    """The model that `completion_of` options asks."""
    return Model(completion_of(options, environ))


def completion_of(options: Mapping[str, Any], environ: Mapping[str, str]) -> Completion:
    """The model of `{url, model, timeout, retries}`, or of MEW_LLM_URL and MEW_LLM_MODEL; the key is MEW_LLM_KEY's.

    `timeout` in seconds (8), `retries` 0 or 1 (1). Raises ModelError with a sentence for a person.
    """
    url = str(options.get("url") or environ.get(URL, ""))
    model = str(options.get("model") or environ.get(MODEL, ""))
    for value, option, variable in ((url, "url", URL), (model, "model", MODEL)):
        if not value:
            raise ModelError("missing_option", f"A model needs its {option}: set the option or {variable}.")
    _check(url)
    completion: Completion = _library().OpenAICompletion(
        url=url,
        model=model,
        key=environ.get(KEY) or None,
        timeout=float(options.get("timeout", TIMEOUT)),
        retries=min(1, max(0, int(options.get("retries", 1)))),
    )
    return completion


def _check(url: str) -> None:
    try:
        parts = urlsplit(url)
        known = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        known = False
    if not known:
        raise ModelError(
            "bad_url", "The model's address must be an http or https URL, such as http://localhost:8000/v1."
        )
    if parts.username or parts.password or parts.query:
        raise ModelError("bad_url", f"The model's address must not hold a secret: put the key into {KEY}.")


def _library() -> Any:
    """The module that asks: it needs a library that is no part of a plain installation."""
    try:
        return import_module(".openai_completion", __package__)
    except ModuleNotFoundError as error:
        if error.name is not None and error.name.partition(".")[0] == "openai":
            raise ModelError(
                "missing_library", "To ask a model, a library is needed: pip install 'mew-gateway[llm]'."
            ) from None
        raise
