"""Words of a message for slots that nobody has asked for yet: a note, and what happened.

A note is what is quoted, what stands behind the word for a note and a colon, or the last words of a list ("Ana, 50
dollars, rent"). What happened is a clause of its own that says more than what it is about. Both are said back in the
question that is confirmed; a flow that confirms nothing has neither.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from mew_agents.flows.commands import CorrectSlot, SetSlot
from mew_agents.flows.definitions.model import Flow
from mew_agents.flows.definitions.steps import Collect, Confirm
from mew_agents.flows.understanding.base import Standing
from mew_agents.flows.understanding.heard import heard
from mew_agents.flows.understanding.words import STEERING
from mew_agents.fluxi import values
from mew_agents.fluxi.definitions.model import Definition
from mew_agents.fluxi.definitions.slots import Slot
from mew_agents.fluxi.interpreter.base import Candidate, Understanding
from mew_agents.fluxi.values import Attention, Span
from mew_agents.fluxi.values.words import STOPS, TAILS
from mew_agents.language.asking import asks
from mew_agents.language.changes_of_mind import changes_of_mind
from mew_agents.language.dates import dates
from mew_agents.language.folding import fold
from mew_agents.language.found import LANGUAGES, Language
from mew_agents.language.hesitations import bare, says_nothing
from mew_agents.language.naming import NAMINGS
from mew_agents.language.times import times
from mew_agents.language.value_words.vocabulary import phrases

_QUOTED: Final = re.compile(r"[\"“«‘](?P<words>[^\"“”«»‘’\n]{2,120})[\"”»’]")
_CALLED: Final[Mapping[Language, re.Pattern[str]]] = {
    "es": re.compile(
        r"(?i)\b(?:concepto|referencia|nota|comentario|observaci[oó]n|mensaje|aclaraci[oó]n|glosa|leyenda|motivo"
        r"|asunto|detalle)"
        r"(?: [^\W\d]+){0,3} ?[:=] ?(?P<words>[^\n.!?;]+)"
    ),
    "pt": re.compile(
        r"(?i)\b(?:descri[cç][aã]o|refer[eê]ncia|nota|coment[aá]rio|observa[cç][aã]o|mensagem|recado|motivo"
        r"|assunto|obs)"
        r"(?: [^\W\d]+){0,3} ?[:=] ?(?P<words>[^\n.!?;]+)"
    ),
    "en": re.compile(
        r"(?i)\b(?:reference|ref|note|comment|message|memo|description|reason|remark|label)(?: [^\W\d]+){0,3} ?[:=] ?"
        r"(?P<words>[^\n.!?;]+)"
    ),
}
_NAMED: Final[Mapping[Language, re.Pattern[str]]] = {
    "es": re.compile(
        r"(?i)(?:(?:el|la|un|una|de|d|como|en el|en la|al) )?\b(?:concepto|referencia|nota|comentario"
        r"|observaci[oó]n|mensaje|descripci[oó]n)\b"
    ),
    "pt": re.compile(
        r"(?i)(?:(?:a|o|uma|um|de|como|na|no) )?\b(?:descri[cç][aã]o|refer[eê]ncia|nota|coment[aá]rio"
        r"|observa[cç][aã]o|mensagem|recado)\b"
    ),
    "en": re.compile(r"(?i)(?:(?:the|a|as|as a|as the) )?\b(?:reference|ref|note|comment|message|memo|description)\b"),
}
# The word for a note and what it is to say, at once or in the next sentence; or the other way round.
_PUT: Final[Mapping[Language, re.Pattern[str]]] = {
    "es": re.compile(
        r"(?i)(?:\b(?:pon\w*|pón\w*|anot\w+|escr[ií]b\w+|agreg\w+|añad\w+|met\w+) "
        r"(?P<before>(?!en |de |como )[^,.;:!?\n]+?) "
        r"(?:en|como|de) (?:el |la )?(?:concepto|referencia|nota|comentario|mensaje|descripci[oó]n)\b"
        r"|(?:\b(?:concepto|referencia|nota|comentario|observaci[oó]n|mensaje|descripci[oó]n)\b(?:[?.,!]+\s*)?\s*"
        r"(?:(?:que|q|y|por favor|porfa|ser[ií]a|diga|dice|diciendo|ponga|es|pon[eé]?|poneme|ponme|ponele|ponle"
        r"|debe (?:decir|poner)|haga constar|constar|:)\s+)*"
        r"|\b(?:identif[ií]\w+|etiqu[eé]t\w+|rot[uú]l\w+|m[aá]rc\w+|an[oó]t\w+|reg[ií]str\w+|pon(?:lo|elo)) como )"
        r"(?P<words>(?!(?:por|de|si|se|que|por favor|porfa|est[aá])\b)[\"“«]?[^\W_][^\n.!?;,]+))"
    ),
    "pt": re.compile(
        r"(?i)(?:\b(?:p[oõ]e|ponha|coloc\w+|bot[ae]|anot\w+|escrev\w+) (?P<before>(?!em |na |no |como )[^,.;:!?\n]+?) "
        r"(?:na|no|em|como) (?:a |o )?(?:descri[cç][aã]o|refer[eê]ncia|nota|coment[aá]rio|mensagem|recado)\b"
        r"|(?:\b(?:descri[cç][aã]o|refer[eê]ncia|nota|coment[aá]rio|observa[cç][aã]o|mensagem|recado)\b"
        r"(?:[?.,!]+\s*)?\s*(?:(?:que|e|(?:por )?favor|seria|diga|[eé]|p[oõ]e|coloca|coloque|bota|dizendo|junto"
        r"|deve dizer|fa(?:zer|[cç]a) constar:?|constar|:)\s+)*"
        r"|\b(?:identifi\w+|etiquet\w+|marqu?\w+|anot\w+|registr\w+|p[oõ]e|coloca|bota) (?:isso |a[ií] )?como )"
        r"(?P<words>(?!(?:por|de|se|que|por favor|est[aá])\b)[\"“«]?[^\W_][^\n.!?;,]+))"
    ),
    "en": re.compile(
        r"(?i)(?:\b(?:put|use|add|have|stick|mark|label|enter|set|jot|pop|write) (?P<before>.+?) (?:down )?(?:as"
        r"|for|in|on) (?:the |a |my )?"
        r"(?:reference|ref|note|comment|message|memo|description)\b"
        r"|(?:\b(?:reference|ref|note|comment|message|memo|description)\b(?:[?.,!]+\s*)?\s*"
        r"(?:(?:it |and |that |which )*(?:should |to |can |could |ought to |needs to )?(?:say|says|saying|read|reads|be"
        r"|is|just|of|:) ?)+"
        r"|(?:^|[,;] ?)(?:with )?(?:the )?(?:reference|ref|memo) (?=\w+ |\w+$)"
        r"|\b(?:(?:mark|tag|identify|file|log) (?:it |this |that )?(?:down )?as|label (?:it|this|that)(?: as)?) )"
        r"(?P<words>[\"“«]?[^\W_][^\n.!?;,]+))"
    ),
}
# The same words where nothing calls the note by its name.
_MARKED: Final = re.compile(
    r"(?i)\b(?:identif\w+|etiqu\w+|rot[uú]l\w+|mar[cqk]\w*|an[oó]t\w+|reg[ií]str\w+|tag|file|log|label|ponlo"
    r"|ponelo|p[oõ]e|coloca|bota) (?:(?:it|this|that|isso|a[ií]|down) )*(?:como|as)?\b"
)
_HURRIES: Final = frozenset(
    phrases("""
        rapido | rapida | urgente | urge | asap | quick | quickly | hurry | ya | dale | apurate | depressa |
        | logo | rapidinho | now | he | hes | she | shes | they | theyre | we | were | its | i | im | ive | el
        | ella | ellos | me | te | yo | eu | ele | ela | eles | voce | tu | usted | vos | eso | isso | that
        | thats | is | es""")
)
_PARTS: Final = re.compile(r"[^,;.!?\n]+")
_IN_QUOTES: Final = re.compile(r"[\"“«](?P<words>[^\"“”«»\n]{2,120})[\"”»]")
# Where words that a cue leads to end, and what leads on from them to another value.
_CLAUSE_END: Final = re.compile(
    r"[,;!?\n]|\.(?!\w)|\s(?:porque|because|cos|pero|but|mas|así que|and then|y después|e depois|y (?:ya|listo|gracias)"
    r"|and (?:thats|that's|thanks)|e (?:pronto|obrigad\w))\b"
)
_JOINT: Final = re.compile(r"(?i),? (?:y|e|and) ")
_LED_ON: Final = re.compile(
    r"(?i)(?:\s+(?:a|al|para|pra|pro|to|for|de|y|e|and|por|of|con|com|with|from|o|la|el|the))*\s*$"
)
_MOST: Final = 5  # words of a note that nothing leads to
_FEWEST: Final = 2  # words of what happened beside what it is about
# What happened begins with a thing and goes on with a verb, or with a verb of its own; not with who writes.
_TOLD: Final[Mapping[Language, re.Pattern[str]]] = {
    "es": re.compile(
        r"(?i)\s*(?:(?P<lead>porque|ya que|pues|xq|pq|es que|resulta que|pas[oó] que|lo que pasa es que|que) )?"
        r"(?P<words>(?:(?:el|la|los|las|mi|mis|un|una|me|se|nos) [^\W\d]+ |(?:me |nos )?(?:cobraron|facturaron"
        r"|llegaron|lleg[oó]|mandaron"
        r"|vino|falta|faltan|entregaron|enviaron) ).+)"
    ),
    "pt": re.compile(
        r"(?i)\s*(?:(?P<lead>porque|j[aá] que|pois|pq|[eé] que|acontece que|o que houve [eé] que|que) )?"
        r"(?P<words>(?:(?:o|a|os|as|meu|minha|um|uma|me) [^\W\d]+ |(?:me )?(?:cobraram|faturaram|chegou|chegaram"
        r"|mandaram|veio|falta"
        r"|faltam|entregaram|enviaram) ).+)"
    ),
    "en": re.compile(
        r"(?i)\s*(?:(?P<lead>because|cos|cuz|as|since|what happened (?:is|was|being) that|it turns out|that) )?"
        r"(?P<words>(?:the|my|our|a|an|one of the|some|they|you) (?!(?:way|thing)\b)[^\W\d]+ .+)"
    ),
}
_WHO_WRITES: Final = re.compile(
    r"(?i)\b(?:mand[oó]u?|dijo|disse|falou|said|told|sent me|voc[eê]s?|ustedes|vosotr|you guys|yous|aqu[ií]"
    r"|ac[aá]|here|vecin|vizinh|neighbour|amig|friend|niet|net[oa]|hij[oa]|filh|nephew|me dijo|me dijeron"
    r"|me recomend|escrib|contest|respond|llam|urge|molest|ayud|disse|recomendou"
    r"|escrev|ligu|ligar"
    r"|ajud|told me|suggest|recommend|write|text|reply|answer|email|e-mail|call|ring|contact|help|sorry|apolog"
    r"|bus|train|battery|bater"
    r"|metro|colectivo|[oô]nibus)\w*"
)


def noted(
    flow: Flow, text: str, standing: Standing, found: Sequence[SetSlot | CorrectSlot], triggers: Sequence[Span]
) -> list[Candidate]:
    """The note and what happened, for a flow that has one slot for each, and confirms what it takes."""
    definition = heard(flow)
    if definition is None or not any(isinstance(step, Confirm) for step in flow.program.steps.values()):
        return []
    asked = {step.collect for step in flow.program.steps.values() if isinstance(step, Collect)}
    filled = {one.path for one in found} | set(standing.values)
    free = [slot for slot in definition.slots if values.is_free(slot) and slot.path not in filled]
    notes = [slot for slot in free if slot.type == "string" and slot.path not in asked and slot.cues]
    texts = [slot for slot in free if slot.type == "text" and slot.path in asked]
    taken = [*((one.start, one.end) for one in found), *triggers]
    made = [_note(notes[0], text, standing, taken)] if len(notes) == 1 else []
    made += [_story(texts[0], text, definition, standing, triggers)] if len(texts) == 1 else []
    return [one for one in made if one is not None]


def quoted(slot: Slot, text: str, language: Language) -> Candidate | None:
    """What a message quotes, or says behind the word for a note and a colon."""
    match = _QUOTED.search(text) or _CALLED[language].search(text)
    if match is None:
        return None
    end = bare(text, *match.span("words"), language)[1]
    return _candidate(slot, text, match.start("words"), end)


def note_asked_for(flow: Flow, text: str, standing: Standing) -> Candidate | None:
    """The note that a message wants added while something else is asked: "can you add a reference? It should say rent".

    Its evidence is all the words for it.
    """
    definition = heard(flow)
    asked = {step.collect for step in flow.program.steps.values() if isinstance(step, Collect)}
    slots = () if definition is None else definition.slots
    notes = [slot for slot in slots if slot.type == "string" and values.is_free(slot) and slot.path not in asked]
    notes = [slot for slot in notes if slot.cues]
    named = next(_NAMED[standing.language].finditer(text), None)
    if len(notes) != 1:
        return None
    put = _put(notes[0], text, standing.language)
    named = named or (_MARKED.search(text) if put is not None else None)
    told = (quoted(notes[0], text, standing.language) if named is not None else None) or put
    if named is None or told is None:
        return None
    told = _before_somebody(flow, told, text, standing)
    start, end = min(told.start, named.start()), max(told.end, named.end())
    return replace(told, start=start, end=end, evidence=text[start:end])


def _before_somebody(flow: Flow, told: Candidate, text: str, standing: Standing) -> Candidate:
    """A note up to an "and" behind which somebody of a list is named: "nota: cena, y 30 a Bruno"."""
    known = Understanding(language=standing.language, now=standing.now, lists=standing.lists)
    lists = [slot for slot in flow.definition.slots if slot.type == "ref"]
    for joint in _JOINT.finditer(text, told.start, told.end):
        tail = text[joint.end() : told.end]
        if any(values.readings(slot, tail, known, closely=Attention.ASKED) for slot in lists):
            words = text[told.start : joint.start()].rstrip(" ,")
            return replace(told, value=words, end=told.start + len(words), evidence=words) if words else told
    return told


def _put(slot: Slot, text: str, language: Language) -> Candidate | None:
    match = _PUT[language].search(text)
    if match is None:
        return None
    group = "before" if match.groupdict().get("before") else "words"
    end = bare(text, *match.span(group), language)[1]
    return _candidate(slot, text, match.start(group), end)


def to_the_end(
    slot: Slot, candidate: Candidate, text: str, said: str, starts: Sequence[int], language: Language, *, named: bool
) -> Candidate:
    """A note to the end of its clause or another value: "with the note rent for March". `text`: what is said without
    what it takes back; `starts`: of values; `named`: it is called by its name, and what it says is known.
    """
    value = candidate.value
    is_note = slot.type == "string" and not slot.required and values.is_free(slot) and not candidate.alternatives
    if not is_note or not isinstance(value, str) or text[candidate.end - len(value) : candidate.end] != value:
        return candidate
    quote = _IN_QUOTES.search(text, max(0, candidate.end - len(value) - 1))
    if quote is not None and quote.start() <= candidate.end:
        return replace(candidate, value=quote["words"], start=quote.start("words"), end=quote.end("words"))
    if named:
        return candidate
    stop = _CLAUSE_END.search(text, candidate.end)
    ends = [len(text) if stop is None else stop.start(), *(one for one in starts if one >= candidate.end)]
    begin, end = candidate.end - len(value), min(ends)
    told = text[begin:end]
    if len(ends) > 1 and end < max(ends):
        told = _LED_ON.sub("", told)
    end = bare(text, candidate.end - 1, begin + len(told.rstrip()), language)[1]
    return candidate if end <= candidate.end else replace(candidate, value=said[begin:end], end=end)


def shorter(told: Candidate, text: str, starts: Sequence[int]) -> Iterator[Candidate]:
    """The note up to an "and" or where a value starts, the longest first: "concepto expensas y mandale 25"."""
    words = str(told.value)
    at = text.find(words, told.start, told.end)
    ends = [one.start() for one in _JOINT.finditer(text, at, told.end)] + [*starts]
    for end in sorted({one for one in ends if at >= 0 and at < one < told.end}, reverse=True):
        kept = _LED_ON.sub("", text[at:end]).rstrip(" ,")
        if kept:
            yield replace(told, value=kept, end=at + len(kept), evidence=text[told.start : at + len(kept)])


def without_note(text: str, told: Candidate) -> str:
    """A text without the words for a note, at the same length."""
    return f"{text[: told.start]}{' ' * (told.end - told.start)}{text[told.end :]}"


def _note(slot: Slot, text: str, standing: Standing, taken: Sequence[Span]) -> Candidate | None:
    language = standing.language
    return quoted(slot, text, language) or _last_words(slot, text, standing, taken)


def _last_words(slot: Slot, text: str, standing: Standing, taken: Sequence[Span]) -> Candidate | None:
    """The words of a list that nothing else takes, behind all that is taken."""
    language = standing.language
    last = max((end for _, end in taken), default=len(text))
    parts = [part for part in _PARTS.finditer(text) if part[0].strip() and part.start() >= last]
    if len(parts) != 1 or text[parts[0].start() - 1 : parts[0].start()] != ",":
        return None
    start, end = bare(text, *parts[0].span(), language)
    words = [token.text for token in fold(text[start:end]).tokens if token.kind == "word"]
    little = NAMINGS[language].common | _STEERING[language] | _HURRIES
    if not 0 < len(words) <= _MOST or words[0] in little:
        return None
    told = text[start:end]
    if says_nothing(told, language) or changes_of_mind(told, language) or asks(told, language):
        return None
    alone = len(words) < _FEWEST and dates(told, language, now=standing.now)
    if alone or times(told, language):
        return None
    return _candidate(slot, text, start, end)


def _story(
    slot: Slot, text: str, definition: Definition, standing: Standing, triggers: Sequence[Span]
) -> Candidate | None:
    """The one clause that tells what happened."""
    told = [span for span in _clauses(text, standing.language) if not _meets(span, triggers)]
    found = [span for span in told if _tells(text[slice(*span)], definition, standing)]
    return _candidate(slot, text, *found[0]) if len(found) == 1 else None


def _clauses(text: str, language: Language) -> Iterator[Span]:
    """The clauses that begin as one that tells something, without what leads to it."""
    begin = 0
    for sign in re.finditer(
        r"[,;:!?\n]+|\.(?!\w)|\s(?=(?:porque|xq|pq|because|pois|as the|as my|que la|que el)\s)|$", text
    ):
        match = _TOLD[language].fullmatch(text, begin, sign.start())
        if match is not None:
            end = bare(text, *match.span("words"), language)[1]
            yield match.start("words"), max(end, match.start("words"))
        begin = sign.end()


def _tells(said: str, definition: Definition, standing: Standing) -> bool:
    """Whether a clause says more than which option is meant, and nothing of who writes or of another slot."""
    language = standing.language
    known = Understanding(language=language, now=standing.now, within=definition.type_id, lists=standing.lists)
    if _WHO_WRITES.search(said) or asks(said, language) or says_nothing(said, language):
        return False
    spans: list[Span] = []
    for slot in definition.slots:
        if values.is_free(slot):
            continue
        readings = values.readings(slot, said, known, closely=Attention.MARKED)
        if readings and slot.type != "enum":
            return False
        spans += [claim for one in readings for claim in one.claims]
    words = [token for token in fold(said).tokens if token.kind == "word"]
    ordinary = STOPS[language] | TAILS[language]
    more = [one for one in words if one.text not in ordinary and not _meets((one.start, one.end), spans)]
    return len([one for one in more if len(one.text) > _FEWEST]) >= _FEWEST


def _candidate(slot: Slot, text: str, start: int, end: int) -> Candidate | None:
    words = text[start:end].strip()
    if not words:
        return None
    start = text.index(words, start)
    return Candidate(path=slot.path, value=words, start=start, end=start + len(words), evidence=words)


def _meets(span: Span, spans: Sequence[Span]) -> bool:
    return any(span[0] < end and begin < span[1] for begin, end in spans)


_STEERING: Final = {
    language: frozenset(
        fold(phrase).text
        for phrase in (*STEERING[language].corrects, *STEERING[language].chats, *STEERING[language].waits)
    )
    for language in LANGUAGES
}
