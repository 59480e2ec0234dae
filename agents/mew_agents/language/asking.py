"""Whether a message asks something, with a question mark or without one.

`asks` is sure of it: a mark, a word or a phrase that only questions begin with, an auxiliary before its subject. A
statement is never one, so it may decide against an answer in words ("puedo poner otra ciudad" is no city). `may_ask`
also takes what begins as a question and could be a statement ("llega hoy mismo", "vocês respondem hoje"): it is for a
message from which nothing else was understood.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from mew_agents.language.folding import fold
from mew_agents.language.found import LANGUAGES, Language


def asks(text: str, language: Language) -> bool:
    """Whether the last or the first sentence of a message asks something."""
    said = fold(text).text
    behind = said.rpartition("?")[2] if "?" in said else None
    if behind is not None and (_MARK.search(said) is not None or len(behind.split()) <= _THANKS):
        return True
    return any(
        _SURE[spoken].match(clause) is not None or _WITHIN[spoken].search(clause) is not None
        for clause in _clauses(said)
        for spoken in _spoken(language)
    )


def may_ask(text: str, language: Language) -> bool:
    """Whether it may, in words of this language: also by a verb at its head, an alternative at its end."""
    return asks(text, language) or any(
        _VERBS[language].match(clause) is not None
        or _ENDINGS[language].search(clause) is not None
        or _AMIDST.search(clause) is not None
        for clause in _clauses(fold(text).text)
    )


def asks_how(text: str, language: Language) -> bool:
    """Whether a short message asks how the question before it is to be answered: "how much do I need to write"."""
    if len(text.split()) > _FEW:
        return False
    said = fold(text).text
    clauses = [*_clauses(said)]
    return len(clauses) == 1 and any(_HOW[spoken].match(clauses[0]) is not None for spoken in _spoken(language))


def _spoken(language: Language) -> Iterator[Language]:
    yield language
    yield from (other for other in LANGUAGES if other != language)


def _clauses(said: str) -> Iterator[str]:
    """The clauses of a folded text, each without the little words at its head."""
    for clause in _PARTS.split(said):
        head = _HEADS.match(clause)
        bare = clause if head is None else clause[head.end() :]
        if bare.strip():
            yield bare.strip()


# A mark at the end, or before thanks and the like.
_MARK: Final = re.compile(
    r"\?\W*(?:(?:gracias|obrigad[oa]|thanks|thank you|thx|ta|cheers|please|por favor|pls|xx?)\W*)*$"
)
_PARTS: Final = re.compile(r"[,.;:!?\n…]+")
_HEADS: Final = re.compile(
    r"\s*(?:(?:y|e|and|but|pero|mas|so|che|oye|oiga|mira|ah|eh|uh|um|hmm+|mm+|ay|ai|ok|okay|bueno|bom|well|wait"
    r"|hey|hola|oi"
    r"|ola|hi|hello|sorry|perdon|perdona|disculpa|disculpe|desculpa|desculpe|por favor|please|pls|una|uma|antes"
    r"|antes de eso|antes disso|decime una cosa|decime algo|dime una cosa|dime algo|me diz uma coisa"
    r"|diz uma coisa|una cosa|uma coisa|one thing|tell me|mate|pal|love|disculpame|disculpe|first"
    r"|primero|primeiro|entonces|entao|then|also|solo|so|just|quick|one|question|pregunta|pergunta|duda|duvida|esto|eso"
    r"|isso|isto|eu|yo|ya|tipo|like|de paso|a ver|a proposito|por cierto|by the way|btw|before|que)\b[\s,:]*)+"
)


_JOINED: Final = re.compile(r"\n {12,}(?=\|)")  # a line that goes on


def _begin(alternatives: str) -> re.Pattern[str]:
    lines = [line.strip() for line in _JOINED.sub("", alternatives.strip()).splitlines() if line.strip()]
    return re.compile("|".join(rf"(?:{line})(?!\w)" for line in lines))


_SURE: Final[Mapping[Language, re.Pattern[str]]] = {
    "es": _begin(r"""
        (?:a |con |de |en |para |por |desde |hasta )?(?:cual|cuales|quien|quienes|cuanto|cuanta|cuantos
            |cuantas|donde|adonde|cuando)\b(?= (?:\w+ )?(?:\w+(?:o|a|as|an|en|es|e|is|amos|emos|n)|es|son|hay|se
            |me|les|te|va|van|tengo)\b)
        como (?:se|hago|hacemos|es|puedo|funciona|sabe|saben|consigo|lo|la|me)
        (?:por|para) que (?:se|me|lo|la|les|te|hace|hay|es|son|necesita|necesitan|necesitas|piden|pide
            |quieren|quiere|quieres|queres|tengo|debo|sirve)
        que (?:pasa si|pasa con|diferencia|tipo|opciones|temas|hago|hay que|debo|tengo que|tan|tal si
            |significa|es eso|es esto|pongo|limite)
        (?:puedo|podria|podemos|podriamos) (?:\w+ )?(?:poner|usar|dar|elegir|cambiar|mandar|pagar|hacer|ver
            |saber|preguntar|tener|dejar|escribir|contestar|agregar|desbloquear|poner|volver|consultar|enviar
            |transferir)\w*
        (?:se puede|se podria|es posible|es (?:obligatorio|necesario|seguro|gratis|gratuito|imprescindible
            |reversible|definitivo)|hace falta|hay que|tengo que|debo|hay (?:algun|alguna|alguien|diferencia
            |limite|comision|costo|que)|me (?:pueden|puede|podes|podrian|podria|puedes|van a|vas a|va a|dice
            |dices|decis|sabe|saben|explica|explicas|cobran|cobra)|te puedo|les puedo)
        (?:ustedes|vosotros|usted|vos) \w+
        no (?:hay|se puede|puedo|podria|puede ser) (?:otra|otro|alguna|algun|forma|manera|modo)
        """),
    "pt": _begin(r"""
        (?:a |com |de |em |para |pra |por |desde |ate |na |no )?(?:qual|quais|quem|quanto|quanta|quantos
            |quantas|onde|aonde|quando)\b(?= (?:\w+ )?(?:\w+(?:o|a|as|am|em|es|e|amos|emos|ao|ei)|e|sao|ha|se|me
            |te|vai|vao|tem)\b)
        como (?:se|faco|fazemos|e|posso|funciona|sabe|sabem|consigo|eu|que)
        (?:por|para|pra) que (?:se|me|e|sao|precisa|precisam|precisas|pedem|pede|querem|quer|tenho|devo
            |serve|voces|voce|eu)
        (?:o )?que (?:acontece|significa|e isso|diferenca|tipo|opcoes|assuntos|devo|eu (?:coloco|ponho|faco
            |escrevo)|mais)
        (?:posso|podia|poderia|podemos|consigo) (?:\w+ )?(?:colocar|usar|dar|escolher|mudar|mandar|pagar
            |fazer|ver|saber|perguntar|ter|deixar|escrever|responder|desbloquear|por|voltar|enviar|transferir
            |botar)\w*
        (?:da (?:pra|para)|e possivel|e (?:obrigatorio|necessario|seguro|gratis|gratuito|preciso)|tem (?:que
            |como|algum|alguma|alguem|taxa|limite|custo|diferenca)|ha (?:algum|alguma|alguem|taxa|limite
            |diferenca)|existe (?:algum|alguma|taxa|limite)|sera que|voces? \w+|me (?:diz|diga|dizem|explica
            |explicam|informa|podem|pode))
        """),
    "en": _begin(r"""
        (?:what|whats|which|who|whos|whose|where|wheres|when|whens|why|how|hows|wot|wots)\b(?! (?:i (?:meant
            |said|want|put)|an? \w+$|funny|nice|odd|lovely|kind|silly|annoying|typical|embarrassing|stupid|weird
            |lucky|strange|sweet|rude|old well|tall|about)\b)
        (?:do|does|did|is|are|was|were|can|could|will|would|should|shall|may|might|have|has|am|isnt|arent
            |wont|cant|couldnt|wouldnt|shouldnt|doesnt) (?:i|you|u|ya|ye|yous|he|she|it|we|they|this|that|these
            |those|the|my|your|ur|there|an?|any|anyone|anybody|someone|somebody|people|folk|one|yer)
        (?:any (?:idea|chance|fee|charge|limit|way|news|difference|clue|reason)|is it|got any|you got|u got
            |anyone know|need i|must i|gotta i|do i|does it|is there|are there|dyou|d you|dya|whats|whos|hows)
        """),
}
_WITHIN: Final[Mapping[Language, re.Pattern[str]]] = {
    "es": re.compile(
        r"\b(?:(?:quisiera|querria|queria|quiero|me gustaria|necesito|necesitaria|podria"
        r"|antes) (?:antes )?(?:saber|preguntar\w*|consultar si"
        r"|entender)(?! (?:mi saldo|el saldo|cuanto tengo))|me (?:pregunto|pregunta[bn]a|podria decir"
        r"|podrias decir|puede decir|puedes decir|dice si|dices si|decis si"
        r"|surge una duda)|(?:podria|podrias|puede|puedes|podes) (?:decirme|explicarme|indicarme|aclararme)"
        r"|tengo una (?:duda|pregunta|consulta)|no (?:se|me queda claro|entiendo) (?:si|que|cual|como|cuanto"
        r"|por que|para que|donde|bien)\b|va el \w+ \w+ o)"
    ),
    "pt": re.compile(
        r"\b(?:(?:gostaria de|queria|quero|eu queria|gostava de|precisava|preciso) (?:antes )?(?:saber|perguntar"
        r"|entender)(?! (?:meu|o) saldo)"
        r"|(?:me )?pergunto(?:-me)? se|(?:pode|podia|poderia|podes) (?:me )?(?:dizer|explicar|informar"
        r"|esclarecer)(?:-me)?"
        r"|tenho uma (?:duvida|pergunta)|nao (?:sei|entendi|percebi|ficou claro) (?:se|que|qual|como|quanto"
        r"|por que|porque|para que|onde|bem|direito|o que)\b"
        r"|me diz se|saber se|so (?:uma )?(?:duvida|pergunta))"
    ),
    "en": re.compile(
        r"\b(?:(?:i )?(?:wonder|wondering|was wondering|am wondering)|(?:like|love|want|wanted|need|keen|curious"
        r"|nice|good|glad) to (?:know|ask|find out|check|understand)"
        r"|(?:tell|let) me (?:know )?(?:if|whether|how|what|why|when|where|who)|just (?:curious|checking"
        r"|wanna know)|do you know|not sure (?:if|whether|which|what|how|why)"
        r"|dont (?:know|get|see) (?:if|whether|which|what|how|why|where)|(?:have|got) a question|might i ask"
        r"|may i ask|can i ask|could you (?:tell|explain))"
    ),
}
_THANKS: Final = 3  # words behind a question mark that only thank
_FEW: Final = 14  # words
_HOW: Final[Mapping[Language, re.Pattern[str]]] = {
    "es": _begin(r"""
        (?:quisiera|querria|queria|me gustaria|necesito|necesitaria) (?:saber|preguntar|consultar) (?:si|como|cuanto
            |donde|que) (?:les |lo |la |me |te )?(?:puedo|podria|debo|tengo que|hace falta|hay que|se puede|pueden)\b
        (?:cuanto|que|como|hasta cuanto) (?:\w+ )?(?:tengo que|hay que|debo|puedo|hace falta|pongo|escribo
            |les cuento|te cuento|conviene|quieren que|queres que|quieres que|detalle)
        (?:tengo que|hay que|hace falta|debo|puedo|se puede|me pueden|me puede|me podes|me puedes|alguien me
            |prefiero que me|pueden) (?:\w+ )?(?:contar|escribir|mandar|poner|llamar|llamarme|adjuntar|explicar
            |dar|responder|atender|hablar|detallar|decir|ser|mandarles|subir|enviar)\w*
        """),
    "pt": _begin(r"""
        (?:gostaria de|queria|gostava de|precisava de|preciso) (?:saber|perguntar) (?:se|como|quanto|onde
            |o que) (?:lhes |eu |voces )?(?:posso|poderia|devo|tenho que|tenho de|e preciso|da para|da pra|podem)\b
        (?:quanto|o que|que|como|ate quanto) (?:\w+ )?(?:tenho que|tenho de|devo|posso|e preciso|precisa
            |coloco|escrevo|conto|ponho|querem que)
        (?:tenho que|tenho de|preciso|e preciso|devo|posso|da pra|da para|alguem|podem|pode|me podem
            |voces podem) (?:\w+ )?(?:contar|escrever|mandar|colocar|ligar|anexar|explicar|dar|responder|atender
            |falar|detalhar|dizer|ser|enviar)\w*
        """),
    "en": _begin(r"""
        (?:i was |im |am )?(?:wondering|id like to know|i would like to know|i want to know
            |can i ask|may i ask) (?:if|whether|how|what|where) (?:i|someone|somebody|you|it) (?:can|could|should
            |need|have to|may|is)\b
        (?:how|what|where|which) (?:\w+ ){0,3}(?:do|should|can|must|shall|would) (?:i|you|u|we|ya) (?:need
            |have|want|write|put|say|type|include|give|start|add|go|prefer|know)\b
        (?:do|should|must|can|could|may|shall|would) (?:i|someone|somebody|anyone|you|u|we) (?:just |also[ ]
            |please )?(?:need|have to|write|put|say|type|call|ring|phone|email|attach|send|explain|speak|talk
            |include|upload|want|give)\b
        """),
}
# Within a clause: "y en contestar cuánto tardan".
_AMIDST: Final = re.compile(
    r"\b(?:cuanto|cuanta|cuantos|cuantas|quienes|quanto|quanta|quantos|quantas|quais|how (?:much|many|long|often"
    r"|soon))\b"
)
_VERBS: Final[Mapping[Language, re.Pattern[str]]] = {
    "es": _begin(r"""
        (?:lo |la |le |les |me |te |se |nos )*(?:llega|llegan|tarda|tardan|demora|demoran|cobra|cobran
            |cuesta|cuestan|sale|salen|hay|tiene|tienen|tenes|tienes|sirve|sirven|vale|valen|puedo|puede|pueden
            |podes|puedes|podria|aceptan|acepta|debo|dura|funciona|funcionan|importa|va a|van a|vas a|afecta
            |necesito|necesitan|piden|ven|guardan|comparten|responden|contestan|atienden|avisan|llaman|mandan
            |existe|existen|quedan|queda|conviene|hace falta|da igual|es \w+(?:o|a|e|l)|son \w+)
        (?:despues|luego|cuando|si|y si|con eso|asi|ahi|hoy|esto|eso|el \w+|la \w+|los \w+|las \w+) (?:lo[ ]
            |la |le |me |se |te |les )*(?:puedo|puede|pueden|tarda|llega|cobra|cobran|se puede|es|hay|cuesta
            |va a|van a|sirve|vale|sale|tiene)
        (?:que|como|por que|para que|si) \w+
        """),
    "pt": _begin(r"""
        (?:me |te |se |lhe |o |a )*(?:chega|chegam|demora|demoram|cobra|cobram|custa|custam|tem|serve|servem
            |vale|valem|posso|pode|podem|poderia|aceitam|aceita|devo|dura|funciona|importa|vai|vao|afeta|preciso
            |precisa|precisam|pedem|veem|guardam|respondem|atendem|avisam|ligam|mandam|existe|existem|cai|muda
            |e \w+(?:o|a|e|l)|sao \w+|da (?:pra|para)|consigo|consegue)
        (?:depois|quando|se|e se|com isso|assim|hoje|isso|isto|o \w+|a \w+|os \w+|as \w+|esse \w+
            |essa \w+) (?:me |se |te |eu )*(?:posso|pode|podem|consigo|demora|chega|cobra|cobram|e|tem|custa|vai
            |vao|serve|vale|cai|da)
        (?:que|como|por que|para que|pra que|se) \w+
        """),
    "en": _begin(r"""
        (?:do|does|did|is|are|was|can|could|will|would|should|shall|may|might|have|has|am|if|need|gonna|going to) \w+
        (?:and |so |then )?(?:you|u|yous|ye|it|this|that|they|she|he|i|we)(?:ll|d|re|s)? (?:still |also[ ]
            |even |ever |can |will |need |have |do |charge|take|cost|get|ask|call|ring|keep|share|answer)
        """),
}
_ENDINGS: Final[Mapping[Language, re.Pattern[str]]] = {
    "es": re.compile(
        r"\b(?:o (?:no|sale|es|hay|va|tambien|da igual|solo|que|como|me|se|todavia)\b.{0,20}|verdad|no es cierto"
        r"|no cierto|eh)$"
    ),
    "pt": re.compile(r"\b(?:ou (?:nao|sai|e|ha|vai|tambem|so|como|me|se|ainda|e de)\b.{0,20}|ne|certo|verdade|nao e)$"),
    "en": re.compile(r"\b(?:or (?:not|is|does|do|can|just|what|will|no)\b.{0,20}|innit|right|eh|yeah)$"),
}
