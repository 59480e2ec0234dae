"""Words by which a message says when, how often, what for, and what a figure counts, as data."""

from __future__ import annotations

import re
from typing import Final

from mew_agents.language.found import Language

# Folded text: no accents, small letters.
RECURRENCES: Final[dict[Language, re.Pattern[str]]] = {
    "es": re.compile(
        r"\b(?:(?:todos|todas) (?:los|las) (?:dias|semanas|meses|anos|quincenas|lunes|martes|miercoles|jueves|viernes"
        r"|sabados|domingos|mananas|tardes|noches)|cada (?:\w+ )?(?:dia|semana|mes|ano|quincena|lunes|martes|miercoles"
        r"|jueves|viernes|sabado|domingo|dias|semanas|meses)|(?:el|los) (?:\d+ )?de cada mes|mensualmente"
        r"|semanalmente|diariamente|anualmente|por mes|al mes|por semana)\b"
    ),
    "pt": re.compile(
        r"\b(?:(?:todo|toda|todos|todas) (?:o |a |os |as )?(?:dia|semana|mes|ano|quinzena|segunda|terca|quarta|quinta"
        r"|sexta|sabado|domingo|dias|semanas|meses|anos)(?:-feira|s)?|cada (?:\w+ )?(?:dia|semana|mes|ano|quinzena"
        r"|dias|semanas|meses)|mensalmente|semanalmente|diariamente|anualmente|por mes|ao mes|por semana)\b"
    ),
    "en": re.compile(
        r"\b(?:every (?:other |\w+ )?(?:day|week|month|year|fortnight|monday|tuesday|wednesday|thursday|friday"
        r"|saturday|sunday|morning|evening|days|weeks|months|years)|each (?:day|week|month|year|monday|tuesday"
        r"|wednesday|thursday|friday|saturday|sunday)|monthly|weekly|daily|yearly|annually|a month|per month"
        r"|(?:a|per) week|on (?:mon|tues|wednes|thurs|fri|satur|sun)days)\b"
    ),
}
# What a word for a length of time counts. The same name: the same unit in another language or number.
TIME_UNITS: Final[dict[str, str]] = {
    word: unit
    for unit, words in {
        "minute": "minuto minutos minute minutes min mins",
        "hour": "hora horas hour hours hs hrs",
        "day": "dia dias day days",
        "night": "noche noches noite noites night nights",
        "week": "semana semanas week weeks",
        "month": "mes meses month months",
        "year": "ano anos anito anitos year years edad idade age old",
    }.items()
    for word in words.split()
}
# A half behind a whole number: the two are one figure.
HALVES: Final[dict[Language, re.Pattern[str]]] = {
    "es": re.compile(r"(?:anos? )?y (?:media|medio)\b"),
    "pt": re.compile(r"(?:anos? )?e (?:meia|meio)\b"),
    "en": re.compile(r"(?:years? )?and a half\b"),
}
# Behind a figure that counts people, without a noun for them: "3 of us are vegan", "3 somos veganos".
PEOPLE_BEHIND: Final[dict[Language, re.Pattern[str]]] = {
    "es": re.compile(
        r"(?:(?:de )?(?:nosotros|nosotras|ustedes|ellos|ellas)|de (?:los|las) (?:chicos|chicas|invitados|invitadas"
        r"|ninos|ninas)|somos|son|eran|vienen|venimos)\b"
    ),
    "pt": re.compile(
        r"(?:(?:de|da) (?:nos|gente)|del[ea]s|d[oa]s (?:convidad[oa]s|criancas|meninos|meninas)|somos|sao"
        r"|eram|vem|vimos)\b"
    ),
    "en": re.compile(
        r"(?:of (?:us|them|you)|of (?:the|my|our|your) (?:guests|kids|children|people|friends)|are|were)\b"
    ),
}
# Between the two ends of a range of figures or hours; what leads to one.
RANGE_LEADS: Final[dict[Language, str]] = {
    "es": r"(?:entre|de|desde)(?: las?)?",
    "pt": r"(?:entre|de|das?|desde)(?: as?)?",
    "en": r"(?:between|from)",
}
RANGE_JOINTS: Final[dict[Language, str]] = {
    "es": r" *(?:dolares |pesos )?(?:(?:y|a|hasta)(?: las?)?|[-–]) *",
    "pt": r" *(?:dolares |reais )?(?:(?:e|a|as|ate)(?: as?)?|[-–]) *",
    "en": r" *(?:dollars |am |pm )?(?:and|to|till|until|[-–]) *",
}
# Plurals in English that end in no "s".
PLURALS: Final = frozenset(["people", "children", "men", "women", "kids", "folks", "persons"])
# Right before a value that is left out of what is wanted: "any day but monday".
EXCLUDING: Final[dict[Language, tuple[str, ...]]] = {
    "es": ("menos", "excepto", "salvo", "que no sea", "que no sean", "que no fuera", "distinto de", "distinto del",
           "que no caiga", "ni", "fuera de"),
    "pt": ("menos", "exceto", "salvo", "que não seja", "que não sejam", "fora", "diferente de", "a não ser", "nem"),
    "en": ("day but", "time but", "one but", "anyone but", "anybody but", "except", "except for", "other than",
           "but not", "anything but", "apart from", "not on", "excluding",
           "that isnt", "that is not", "nor"),
}  # fmt: skip
# Lead to what a thing is for, behind what is wished for. Not to whom, by when or how it is done.
PURPOSES: Final[dict[Language, re.Pattern[str]]] = {
    "es": re.compile(
        r"(?i)(?<!\w)(?:(?:(?:que |y )?(?:es|son|sería|seria|va|ponele|ponle|poné|pon) )?(?:lo |la )?(?:por|para|x)\s+"
        r"(?:lo del?\s+)?|es (?=(?:la|el|una?|mi) (?:cuota|parte|regalo|pago|alquiler|se[ñn]a|mes)\b))"
        r"(?!(?:favor|fa|supuesto|ahora|hoy|mañana|ya|eso|ese|esa|esto|esta|este|mí|ella|él|ellos|vos|ti|usted|nosotros"
        r"|siempre|fin|cierto|ejemplo|lo|las dudas|si|que|qué|un amigo|una amiga|mi (?:herman\w|amig\w|mam[aá]"
        r"|pap[aá]|hij\w)"
        r"|transfer\w*|mandar\w*|enviar\w*|pagar\w*|celular|tel[eé]fono|correo|mail|ac[aá]|aqu[ií]|all[aá]|otro"
        r"|otra|la tarde"
        r"|la noche|la mañana|el lunes|el martes|el mi[eé]rcoles|el jueves|el viernes|el s[aá]bado|el domingo"
        r"|no)\b)(?=[^\W\d]|\d+ \w)"
    ),
    "pt": re.compile(
        r"(?i)(?<!\w)(?:(?:(?:que |e )?(?:[eé]|são|seria|vai|põe|bota) )?(?:por|para|pra|pro)\s+(?=[oa]s?\s"
        r"|meus?\s|minhas?\s|um\s|uma\s|\w+)"
        r"|(?:é )?(?:pel[oa]s?|pr[oa]s?)\s+|é (?=(?:a|o|uma?) (?:parcela|parte|presente|pagamento|aluguel|renda"
        r"|sinal|mês|prestação)\b))"
        r"(?!(?:favor|agora|hoje|amanhã|já|isso|isto|mim|ela|ele|eles|você|si|nós|sempre|fim|exemplo|um amigo|uma amiga"
        r"|(?:o |a )?(?:meu|minha) (?:irm\w+|amig\w|mãe|pai|filh\w)|transferir|mandar|enviar|pagar|celular"
        r"|telefone|e-?mail|aqui|lá|que"
        r"|o que|outr[oa]|a tarde|a noite|segunda|terça|quarta|quinta|sexta|sábado|domingo|não)\b)(?=[^\W\d]|\d+ \w)"
    ),
    "en": re.compile(
        r"(?i)(?<!\w)(?:(?:and |its |it's |it is |that's |thats |that is |cos its )*for|its|it's|it is)\s+"
        r"(?:(?<=for )|(?=(?:the |our |my )?(?:instalment|installment|rent|share|deposit|birthday|half)\b))"
        r"(?!(?:me|him|her|them|you|us|now|real|sure|free|good|that|this|it|today|tomorrow|tonight|a friend|a mate"
        r"|my (?:friend|mate"
        r"|brother|sister|mum|mom|dad|son|daughter|boss|landlord|landlady)|the moment|the first time|ages|example"
        r"|once|ever"
        r"|monday|tuesday|wednesday|thursday|friday|saturday|sunday|i|what|a while|some reason|god|christ|fuck"
        r"|no reason"
        r"|an? (?:transfer|account|payment)|the (?:transfer|payment))\b)(?=[^\W\d]|\d+ \w)"
    ),
}
# Leads a second wish after a yes.
AFTER_YES: Final[dict[Language, re.Pattern[str]]] = {
    "es": re.compile(
        r"[,.;]?\s*(?:y|e|adem[aá]s|tambi[eé]n|m[aá]s)\s+(?:(?:tambi[eé]n|adem[aá]s|despu[eé]s|luego)\s+)?"
    ),
    "pt": re.compile(r"[,.;]?\s*(?:e|al[eé]m disso|tamb[eé]m|mais)\s+(?:(?:tamb[eé]m|depois|mais)\s+)?"),
    "en": re.compile(r"[,.;]?\s*(?:and|also|plus|then)\s+(?:(?:also|then)\s+)?"),
}
