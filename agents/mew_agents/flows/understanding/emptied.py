"""Optional values that a message gives up by their slot's name: "sin propina", "tira a gorjeta", "no tip"."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mew_agents.flows.understanding.amends import called
from mew_agents.flows.understanding.base import Standing
from mew_agents.flows.understanding.heard import heard
from mew_agents.flows.understanding.whole import Whole
from mew_agents.flows.understanding.words import STEERING
from mew_agents.fluxi.values import Span
from mew_agents.fluxi.values.places import token_at
from mew_agents.language.folding import Folded, fold
from mew_agents.language.found import LANGUAGES, Language
from mew_agents.language.phrase_table import PhraseTable
from mew_agents.language.value_words import VOCABULARIES
from mew_agents.language.value_words.vocabulary import phrases


def emptied(text: str, standing: Standing) -> dict[str, Span]:
    """By path of a slot that is never asked for, the words that say that it is to have no value."""
    definition = None if standing.at_hand is None else heard(standing.at_hand)
    if definition is None or standing.question is None:
        return {}
    for language in dict.fromkeys((standing.language, *LANGUAGES)):
        names = called(definition, text, language)
        optional = {path: span for path, span in names.items() if not definition.slot(path).required}
        found = {path: words for path, span in optional.items() for words in _given_up(fold(text), span, language)}
        if found:
            return found
    return {}


def is_all(text: str, language: Language, spans: list[Span]) -> bool:
    """Whether a message says nothing else, but for a yes, a no and words that say nothing."""
    return _BESIDE[language].covers(fold(text), spans)


def _given_up(folded: Folded, name: Span, language: Language) -> Iterator[Span]:
    """The name of a slot with what gives its value up, before it or behind it."""
    tokens, first, after = folded.tokens, token_at(folded, name[0]), token_at(folded, name[1])
    at = first - 1
    while at >= 0 and tokens[at].text in _ARTICLES[language]:
        at -= 1
    before = _BEFORE[language].ending(tokens, at) if at >= 0 else None
    if before is not None:
        yield folded.span(at + 1 - before[0], after - 1)
    elif after < len(tokens) and tokens[after].text in _NO and (after + 1 == len(tokens) or _ends(folded, after + 1)):
        yield folded.span(at + 1, after)


def _ends(folded: Folded, at: int) -> bool:
    return folded.tokens[at].kind == "symbol"


_NO: Final = ("no", "nao")
_BEFORE: Final = {
    language: PhraseTable((phrase, None) for phrase in phrases(words))
    for language, words in {
        "es": "sin | nada de | saca | sacá | sacale | sacame | saque | sacar | quita | quitá | quitale | quitame"
        " | quite | quitar | elimina | eliminá | elimine | eliminar | borra | borrá | borre | no quiero | ya no quiero"
        " | no pongas | no ponga | no dejo",
        "pt": "sem | nada de | tira | tire | tirar | retira | retire | remove | remova | remover | exclui | exclua"
        " | apaga | não quero | não quero mais | não coloque | não ponha",
        "en": "without | no | remove | drop | skip | take off | take out | take away | leave out | leave off | delete"
        " | forget | forget about | don't want | do not want | don't add | do not add",
    }.items()
}
_ARTICLES: Final = {
    "es": frozenset(("la", "el", "las", "los", "mi", "ninguna", "ningun", "esa", "ese")),
    "pt": frozenset(("a", "o", "as", "os", "minha", "meu", "nenhuma", "nenhum", "essa", "esse")),
    "en": frozenset(("the", "a", "an", "any", "my", "that")),
}
_BESIDE: Final = {
    language: Whole(
        ("pero", "mas", "but", "y", "e", "and", *STEERING[language].soft, *STEERING[language].openers),
        (*STEERING[language].corrects, *answers.yes, *answers.no, *answers.polite),
    )
    for language, answers in ((one, VOCABULARIES[one].answers) for one in LANGUAGES)
}
