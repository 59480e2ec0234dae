"""Words that somebody wants passed on: "tell the courier to ring twice", "put a note that …", "que el chofer toque".

The words themselves begin behind those that ask for it, and end with the sentence.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from mew_agents.fluxi.values.reading import Span
from mew_agents.language.found import LANGUAGES, Language
from mew_agents.language.spelling import spelled

# Who is told something, as people call those who come, cook or see them.
_WHO: Final[Mapping[Language, str]] = {
    "es": r"(?:mensajer[oa]|repartidora?|chofer|cadete|chic[oa]|muchach[oa]|senora?|conductora?|transportista|cartero"
    r"|motoquero|delivery|que (?:venga|pase|retire)|doctora?|dra?|medic[oa]|dentista|cocina|cociner[oa]|chef|moz[oa]"
    r"|camarer[oa]|meser[oa]|personal|restaurante|recepcion|recepcionista|porter[oa])",
    "pt": r"(?:motoboy|entregadora?|mensageir[oa]|motorista|estafeta|rapaz|moc[oa]|carteiro|correio|senhora?"
    r"|medic[oa]|doutora?|dra?|dentista|cozinha|cozinheir[oa]|chef|garcom|garconete|empregad[oa]|pessoal|restaurante"
    r"|recepcao|recepcionista|porteir[oa]|que vier)",
    "en": r"(?:courier|driver|rider|delivery (?:guy|man|person|driver)|guys?|lads?|fella|man|lady|person|carrier"
    r"|messenger|postman|postie|doctor|dr|dentist|nurse|receptionist|reception|kitchen|chef|cook|waiter|waitress|staff"
    r"|team|restaurant|host|him|her|them|whoever (?:comes|picks it up|collects it))",
}
# What asks for it. Over folded text, as it is spelt.
_LEADS: Final[Mapping[Language, str]] = {
    "es": r"(?:avis[ae]n?|di|deci|dig[ae]n?|decid|pedi|pide|pidan?|aclar[ae]n?|record[ae]|recuerd[ae]|coment[ae]"
    r"|indic[ae]|indique)(?:le|les|me)? (?:al|a la|a los|a las|a) {who}(?: (?:que|de que|para que))?"
    r"|(?:avis|dec|ped|aclar|record|coment)[aei](?:r?l[e]s?) (?:que|de que)"
    r"|(?:diles?|digan?les?|pidan?les?) (?:que|de que)|que (?=(?:el|la) {who} )"
    r"|(?:anot|apunt|agreg|anad|aclar|coloc|sum|mencion)[aeo]n?(?:le|lo|me)?(?: ahi| en la nota| en observaciones)? que"
    r"|(?:pon|pone|pongan?|poned|escrib[aei]n?)(?:le|lo|me)?(?: ahi| en la nota| en observaciones| como nota)? que"
    r"|(?:deja|pon|pone|ponga|agrega|anade|anota|hace)(?:le|me)? (?:una |la )?(?:nota|aclaracion|observacion)"
    r"(?: de)?(?: que(?: diga)?| diciendo|,|:)?|con (?:la|una) (?:nota|aclaracion"
    r"|observacion)(?: de)?(?: que(?: diga)?)?"
    r"|ojo (?:con )?que|ten(?:e|er|ed|gan?)? en cuenta que|(?:les |le |te )?(?:aviso|aclaro|comento) que"
    r"|para que sepan?,? que|que diga|y que sepan que|(?:nota|mensaje|indicaciones|recado) para (?:el|la"
    r"|los) {who}(?: es)?"
    r"|(?:para|a) (?:quien|el que|la persona que|los que) (?:venga|pase|vaya|retire|recoja|busque)n?,?(?: que)?"
    r"|(?=(?:el|la) {who} (?:debe|tiene que|que toque|que no|deberia)(?!\w))",
    "pt": r"(?:avis[ae]m?|diz|dig[ao]m?|dizer|fal[ae]m?|pede|pec[ao]m?|pecam|informa|informe|lembr[ae]m?)"
    r"(?: la| ai)? (?:ao|aos|a|as|pro|pra|pros|para o|para a|o) {who}(?: (?:que|para|pra|de))?"
    r"|(?:avis[ae]m?|dig[ao]m?|fal[ae]m?) que|que (?=(?:o|a) {who} )"
    r"|(?:anot|coloc|acrescent|adicion|inclu|escrev|registr?|mencion)(?:a|e|em|am|ue|uem|i|ir)(?: ai| la| na nota"
    r"| na observacao| nas observacoes| por favor)* que"
    r"|(?:poe|ponha|ponham|bota|bote|mete)(?: ai| la| na nota| na observacao| por favor)* que"
    r"|(?:deixa|deixe|poe|ponha|coloca|coloque|bota|faz|acrescenta) (?:uma |a )?(?:nota|observacao)"
    r"(?: de)?(?: que(?: diz| diga)?| dizendo| a dizer)?|com (?:a|uma) (?:nota|observacao)(?: de)?(?: que)?"
    r"|lembrando que|so avisando que|(?:ja )?aviso que|vale lembrar que|a dizer que|dizendo que|que diga"
    r"|(?:tenham|tenha|levem|leva) em conta que|(?:nota|recado|mensagem|instrucoes) (?:para|pra|pro|ao) (?:o |a )?{who}"
    r"|(?:para|pra|a) quem (?:vier|vem|for|passar|buscar|recolher|coletar),?(?: que| para)?"
    r"|(?=(?:o|a) {who} (?:deve|tem que|tem de|precisa|devia)(?!\w))",
    "en": r"(?:tell|ask|let|remind|warn|inform|get|have|advise)(?: the| your| our)? {who}(?: know)?"
    r"(?: (?:that|to(?= )|they should|he should|she should))?"
    r"|(?:note|mention|write|put|add|say|state|specify)(?: down| in)? that"
    r"|(?:make|put|add|leave|pop|stick|write|include)(?: in| down)? (?:a |the )?(?:note|comment)s?(?: in| on it"
    r"| there)?"
    r"(?: saying| that says| to say| that|,)?|(?:with|in) (?:a|the) notes?(?: saying| that says| that)?"
    r"|fyi|heads up|just so you know|bear in mind|keep in mind|be aware|please note|i should mention|worth noting"
    r"|(?:notes?|message|instructions?|word) (?:for|to) (?:the |your )?{who}(?: is| are)?|(?=(?:the "
    r"|your )?{who} (?:should|must|needs"
    r" to|has to|is to|shouldnt|mustnt|will need to|ought to)(?!\w))",
}
_PATTERNS: Final = {
    language: re.compile(
        rf"(?<!\w)(?:{_LEADS[language].format(who=_WHO[language])})(?<![\w](?=\w))[:,]? *(?P<words>[^\n.!?]*[^\s.!?,;])"
    )
    for language in LANGUAGES
}
_FEWEST: Final = 2  # words that say something
# Of what is only asked for oneself nothing is passed on: "tell me when", "let him know" alone.
_QUESTIONS: Final = re.compile(
    r"(?:when|what|where|how|who|if|whether|why|si|se|cuando|cuanto|donde|quando|quanto|onde|como|quem|quien)\b"
)


def passed_on(text: str, language: Language) -> Span | None:
    """Where the words stand that are to be passed on; None: there are none."""
    folded = spelled(text, language)
    for match in _PATTERNS[language].finditer(folded.text):
        start, end = match.span("words")
        if len(match["words"].split()) >= _FEWEST and not _QUESTIONS.match(match["words"]):
            return folded.origin(start, end)
    return None
