"""What the speaker can talk about, in English, Spanish and Portuguese, and how it takes somebody's words in."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from .phrasebook import LANGUAGES, Language, Phrasebook

_LONGEST = 120  # characters of somebody's words that are said back

# By topic and language; `{when}` is when it is to be.
TOPICS = Phrasebook(
    {
        "appointment": {
            "en": "Here is the programme of your appointment, {when}. Please be at the front desk at nine and bring a "
            "document with your name. At a quarter past nine somebody takes you to the second floor. The first talk "
            "lasts half an hour, and you may ask whatever you like. After that there is a short break with coffee. "
            "At half past ten we look at the results together. Before you go, we agree on the next date.",
            "es": "Le cuento el programa de su cita, {when}. Preséntese en recepción a las nueve y traiga un documento "
            "con su nombre. A las nueve y cuarto le acompañan a la segunda planta. La primera conversación dura "
            "media hora, y puede preguntar lo que quiera. Después hay una pausa corta con café. A las diez y media "
            "vemos juntos los resultados. Antes de irse, acordamos la próxima fecha.",
            "pt": "Este é o programa da sua consulta, {when}. Apresente-se na recepção às nove e traga um documento "
            "com o seu nome. Às nove e um quarto alguém o leva ao segundo andar. A primeira conversa dura meia hora, "
            "e pode perguntar o que quiser. Depois há uma pequena pausa com café. Às dez e meia vemos juntos os "
            "resultados. Antes de sair, combinamos a próxima data.",
        },
        "tour": {
            "en": "Let me tell you about the tour, {when}. We meet at the old bridge, where the river is widest. From "
            "there we walk up to the market, which smells of bread and oranges. Behind it stands the tower, and "
            "whoever likes may climb its two hundred steps. At noon the bells ring, and we rest in the shade. In the "
            "afternoon a boat takes us to the gardens. We are back at the bridge before it gets dark.",
            "es": "Le cuento cómo es la visita, {when}. Nos encontramos en el puente viejo, donde el río es más ancho. "
            "De allí subimos al mercado, que huele a pan y a naranjas. Detrás está la torre, y quien quiera puede "
            "subir sus doscientos escalones. A mediodía suenan las campanas, y descansamos a la sombra. Por la tarde "
            "un barco nos lleva a los jardines. Volvemos al puente antes de que oscurezca.",
            "pt": "Conto-lhe como é o passeio, {when}. Encontramo-nos na ponte velha, onde o rio é mais largo. Dali "
            "subimos ao mercado, que cheira a pão e a laranjas. Atrás dele fica a torre, e quem quiser pode subir os "
            "seus duzentos degraus. Ao meio-dia tocam os sinos, e descansamos à sombra. À tarde um barco leva-nos "
            "aos jardins. Voltamos à ponte antes de escurecer.",
        },
        "story": {
            "en": "This is the story of a lighthouse. It stood on a rock where nobody had ever "
            "landed twice. Its lamp burned every night, though there was no keeper. One winter a small boat lost its "
            "way in the fog. The lamp went out, and came back on the other side of the rock. The boat followed it "
            "and found a harbour that was on no map. Since then people say that the lighthouse walks.",
            "es": "Esta es la historia de un faro. Estaba en una roca a la que nadie había "
            "llegado dos veces. Su lámpara ardía cada noche, aunque no tenía farero. Un invierno, una barca pequeña "
            "se perdió en la niebla. La lámpara se apagó, y volvió a encenderse al otro lado de la roca. La barca la "
            "siguió y encontró un puerto que no estaba en ningún mapa. Desde entonces se dice que el faro camina.",
            "pt": "Esta é a história de um farol. Ficava numa rocha a que ninguém tinha chegado "
            "duas vezes. A sua lâmpada ardia todas as noites, embora não tivesse faroleiro. Num inverno, um barco "
            "pequeno perdeu-se no nevoeiro. A lâmpada apagou-se, e voltou a acender-se do outro lado da rocha. O "
            "barco seguiu-a e encontrou um porto que não estava em nenhum mapa. Desde então diz-se que o farol anda.",
        },
    }
)
AGREEMENT = Phrasebook(
    {"agreed": {"en": "All right, {words}.", "es": "De acuerdo, {words}.", "pt": "Está bem, {words}."}}
)

_FIRST = "appointment"  # what it talks about if nobody says anything else

_NAMES: Mapping[str, str] = {
    "appointment": r"appointments?|citas?|consultas?|compromissos?",
    "tour": r"tours?|visitas?|excursión|passeios?|visitas? guiadas?",
    "story": r"stor(?:y|ies)|tale|cuentos?|historias?|histórias?|contos?",
}
_WHEN: Mapping[Language, str] = {
    "en": r"today|tonight|tomorrow|on (?:mon|tues|wednes|thurs|fri|satur|sun)day",
    "es": r"hoy|esta noche|pasado mañana|(?<!la )mañana|el (?:lunes|martes|miércoles|jueves|viernes|sábado|domingo)",
    "pt": r"hoje|esta noite|depois de amanhã|amanhã|na (?:segunda|terça|quarta|quinta|sexta)|no (?:sábado|domingo)",
}
_NOW: Mapping[Language, str] = {"en": "today", "es": "hoy", "pt": "hoje"}
# Words that the other two languages do not have.
_TELLING: Mapping[Language, str] = {
    "en": r"the|tell|about|what|better|instead|please|today|tomorrow|my|your|of|and|hello|on",
    "es": r"el|los|las|mejor|mañana|cuéntame|cuénteme|dime|qué|una|hoy|mi|cita|visita|cuento|y|hola|del",
    "pt": r"o|os|não|melhor|amanhã|conte|diga|uma|hoje|meu|minha|passeio|história|consulta|e|olá|da|do",
}
_REFUSAL = re.compile(r"\s*(?:no|não|nao)\b[\s,.;:!]*", re.IGNORECASE)
_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+")


class Speech(NamedTuple):
    """Something to say: a sentence is a chunk, and is never said in part."""

    topic: str
    when: str
    language: Language
    sentences: tuple[str, ...]


def compose(words: str, *, language: Language, before: Speech | None = None) -> Speech:
    """What to say to these words: about what they name, or else what was talked about `before`, with them taken in.

    The language is that of the words, if they show one; else that of before; else `language`.
    """
    spoken = _language_of(words) or (before.language if before is not None else language)
    named = next((topic for topic, names in _NAMES.items() if _has(names, words)), None)
    when = _found(_WHEN[spoken], words) or _NOW[spoken]
    topic = named or (_FIRST if before is None else before.topic)
    text = TOPICS.say(topic, spoken, when=when)
    if before is not None and named is None:
        taken_in = _REFUSAL.sub("", words, count=1).strip(" .!?¡¿\n")[:_LONGEST]
        text = f"{AGREEMENT.say('agreed', spoken, words=taken_in)} {text}" if taken_in else text
    return Speech(topic, when, spoken, sentences(text))


def sentences(text: str) -> tuple[str, ...]:
    """A text in sentences."""
    return tuple(part for part in _SENTENCE_END.split(text.strip()) if part)


def _language_of(words: str) -> Language | None:
    counts = {language: len(re.findall(rf"\b(?:{_TELLING[language]})\b", words.lower())) for language in LANGUAGES}
    most = max(counts.values())
    leading = [language for language in LANGUAGES if counts[language] == most]
    return leading[0] if most and len(leading) == 1 else None


def _has(pattern: str, words: str) -> bool:
    return _found(pattern, words) is not None


def _found(pattern: str, words: str) -> str | None:
    found = re.search(rf"\b(?:{pattern})\b", words.lower())
    return found.group() if found else None
