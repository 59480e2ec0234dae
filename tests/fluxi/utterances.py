"""Messages made of a definition's own vocabulary, and damaged: what people type at a Work, for tests that need many."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import count
from random import Random

from mew_agents.fluxi.definitions import Definition, EnumSlot, RefSlot, Slot, SlotType, StringSlot
from mew_agents.language.found import LANGUAGES, Language

DAYS: dict[Language, tuple[str, ...]] = {
    "es": ("mañana", "pasado mañana", "el viernes", "el próximo lunes", "el 3 de diciembre", "hoy", "en dos semanas",
           "el 31", "29 de febrero", "ayer", "el martes 3", "fin de mes", "2026-12-03", "3/12", "este viernes"),
    "pt": ("amanhã", "depois de amanhã", "na sexta", "segunda-feira", "dia 3 de dezembro", "hoje", "em duas semanas",
           "dia 31", "29 de fevereiro", "ontem", "terça dia 3", "fim do mês", "2026-12-03", "3/12", "sábado que vem"),
    "en": ("tomorrow", "the day after tomorrow", "on Friday", "next Monday", "December 3rd", "today", "in two weeks",
           "the 31st", "February 29", "yesterday", "Tuesday the 3rd", "end of the month", "2026-12-03", "3/12",
           "a week on Friday"),
}  # fmt: skip
HOURS: dict[Language, tuple[str, ...]] = {
    "es": ("a las 17", "a las 5", "17:30", "a las cinco y media", "al mediodía", "a las 8 de la noche", "17hs",
           "a las 25", "5 p. m.", "a las diez menos diez", "por la tarde", "a las 18", "02:30", "a medianoche"),
    "pt": ("às 17", "às 5", "17h30", "às cinco e meia", "ao meio-dia", "às 8 da noite", "17h", "às 25", "5 da tarde",
           "às dez para as dez", "de tarde", "às 18", "02:30", "à meia-noite"),
    "en": ("at 5 pm", "at 5", "17:30", "at half past five", "at noon", "at 8 in the evening", "at 17h", "at 25",
           "5 p.m.", "at ten to ten", "in the afternoon", "at 6pm", "02:30", "at midnight"),
}  # fmt: skip
AMOUNTS: dict[Language, tuple[str, ...]] = {
    "es": ("25 dólares", "$ 1.500,50", "mil quinientos pesos", "USD 30", "30", "0", "-5 dólares",
           "un millón de dólares", "R$ 20,30", "99,999 dólares", "dos mil"),
    "pt": ("25 dólares", "US$ 1.500,50", "mil e quinhentos reais", "USD 30", "30", "0", "-5 dólares",
           "um milhão de dólares", "R$ 20,30", "99,999 dólares", "dois mil"),
    "en": ("25 dollars", "$1,500.50", "a thousand five hundred dollars", "USD 30", "30", "0", "-5 dollars",
           "a million dollars", "R$ 20,30", "99.999 dollars", "two thousand"),
}  # fmt: skip
NAMES = (
    "Lucía Gómez",
    "João da Silva",
    "Mary O'Neill",
    "José María de los Ángeles",
    "Ana Pérez",
    "X",
    "李雷",
    "a" * 200,
)
WORDS = ("dolor de cabeza", "control", "febre alta", "a sore knee", "🤒", "SELECT 1; --", "{doctor}", "\\u0000")
LENGTHS = ("30 minutos", "media hora", "duas horas", "two weeks", "90 min")
CONTACTS = ("ana@example.com", "+54 9 11 5555-1234", "11 5555 1234", "(11) 91234-5678", "202-555-0143", "a@b")
ANSWERS = (
    "sí", "Sí.", "dale", "👍", "claro", "no", "no, gracias", "sim", "não", "pode ser", "yes", "nope", "ok", "sí, no",
    "tal vez", "sí, pero", "no, mejor", "sim, mas", "yes, but", "👎", "confirmo", "not yet", "no sé", "cómo no",
)  # fmt: skip
COMMANDS = (
    "cancelar", "cancela todo", "olvídalo", "deixa pra lá", "never mind", "cancel it", "¿cómo va?", "status",
    "e aí, foi?", "quiero hablar con una persona", "hola", "bom dia", "help", "?", "...", "no quiero",
    "no quiero agendar",
)  # fmt: skip
LINKS: dict[Language, tuple[str, ...]] = {
    "es": ("con", "para", "de", "y", "por", "mejor", "quiero", "el", "a", "pero", ","),
    "pt": ("com", "para", "de", "e", "por", "melhor", "quero", "o", "a", "mas", ","),
    "en": ("with", "for", "of", "and", "by", "rather", "want", "the", "to", "but", ","),
}
EMOJI = ("😀", "👍🏽", "🏳️‍🌈", "❤️", "\u200d", "\ufe0f", "\u202e", "\u0301")
CONTROLS = ("\0", "\x1b[31m", "\n", "\t", "\r\n", "\x7f", "\ud800", "\u2028", "\ufeff")


def utterances(random: Random, definition: Definition, language: Language) -> Iterator[str]:
    """Without end, and the same for the same `random`: about half as people write, half damaged."""
    for _ in count():
        text = _sentence(random, definition, language)
        for _ in range(random.choice((0, 0, 0, 1, 1, 2, 4))):
            text = random.choice(MUTATIONS)(random, text)
        yield text


def value(random: Random, slot: Slot, language: Language) -> str:
    """Words for a value of the slot; not always one that it takes."""
    match slot:
        case RefSlot():
            return random.choice([name for names in slot.known.values() for name in names] or NAMES)
        case EnumSlot():
            return random.choice([word for words in slot.options.values() for word in words.get(language, ("?",))])
        case StringSlot() if slot.pattern is not None:
            return random.choice(("A-1001", "a-1002", "A-9999", "A1001", "A-10011", "B-1001", "A-12"))
        case _:
            return random.choice(_typical(slot.type, language))


def _typical(slot_type: SlotType, language: Language) -> Sequence[str]:
    if slot_type == "datetime":
        return [f"{day} {hour}" for day in DAYS[language] for hour in HOURS[language]] + [
            *DAYS[language],
            *HOURS[language],
        ]
    known: dict[SlotType, Sequence[str]] = {
        "date": DAYS[language],
        "time": HOURS[language],
        "money": AMOUNTS[language],
        "number": AMOUNTS[language],
        "int": ("3", "dos", "two", "1e9", "99999999999999999999"),
        "bool": ANSWERS,
        "duration": LENGTHS,
        "phone": CONTACTS,
        "email": CONTACTS,
        "string": NAMES,
    }
    return known.get(slot_type, WORDS)


def _sentence(random: Random, definition: Definition, language: Language) -> str:
    kind = random.random()
    if kind < 0.12:
        return random.choice(ANSWERS)
    if kind < 0.18:
        return random.choice(COMMANDS)
    parts = [
        _part(random, slot, language) for slot in random.sample(definition.slots, random.randint(1, _most(definition)))
    ]
    if kind < 0.5:
        parts.insert(random.randint(0, 1), random.choice(definition.intents.get(language, ("?",))))
    if kind > 0.9:
        parts.insert(0, random.choice(ANSWERS))
    if 0.8 < kind < 0.9:
        parts.append(random.choice(_examples(definition, language)))
    return " ".join(parts)


def _most(definition: Definition) -> int:
    return min(3, len(definition.slots))


def _examples(definition: Definition, language: Language) -> Sequence[str]:
    return definition.examples.get(language) or ("?",)


def _part(random: Random, slot: Slot, language: Language) -> str:
    said = value(random, slot, language)
    cue = random.choice((*slot.cues.get(language, ()), *LINKS[language], f"{slot.label.get(language, '')}:", ""))
    return f"{cue} {said}".strip()


def _typo(random: Random, text: str) -> str:
    at = random.randrange(len(text) + 1)
    return random.choice(
        (text[:at] + text[at + 1 :], text[:at] + random.choice("aesñx1 ") + text[at:], _swapped(text, at))
    )


def _swapped(text: str, at: int) -> str:
    return text[:at] + text[at : at + 2][::-1] + text[at + 2 :]


def _dropped(random: Random, text: str) -> str:
    words = text.split(" ")
    del words[random.randrange(len(words))]
    return " ".join(words)


def _doubled(random: Random, text: str) -> str:
    words = text.split(" ")
    at = random.randrange(len(words))
    return " ".join([*words[:at], *[words[at]] * random.choice((2, 2, 40)), *words[at + 1 :]])


def _mixed(random: Random, text: str) -> str:
    words = text.split(" ")
    random.shuffle(words)
    return " ".join(words)


def _other_language(random: Random, text: str) -> str:
    language = random.choice(LANGUAGES)
    added = random.choice((*DAYS[language], *HOURS[language], *AMOUNTS[language], *LINKS[language]))
    return random.choice((f"{added} {text}", f"{text} {added}"))


def _inserted(random: Random, text: str) -> str:
    at = random.randrange(len(text) + 1)
    return text[:at] + random.choice((*EMOJI, *CONTROLS)) + text[at:]


def _cased(random: Random, text: str) -> str:
    return random.choice((text.upper(), text.lower(), text.swapcase(), text.title()))


def _cut(random: Random, text: str) -> str:
    return text[: random.randrange(len(text) + 1)]


MUTATIONS: tuple[Callable[[Random, str], str], ...] = (
    _typo, _dropped, _doubled, _mixed, _other_language, _inserted, _cased, _cut,
)  # fmt: skip
