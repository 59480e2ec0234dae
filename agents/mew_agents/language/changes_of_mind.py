"""How people say that they want nothing any more: by dropping it, by telling that it is settled, by not telling more.

Hardly anybody writes "cancel". Four kinds of it are told apart, for a caller to weigh:

- `drops`: it is to be left ("dejémoslo ahí", "bin it"),
- `later`: not now ("otro día", "another time", "fica pra próxima"); of an appointment it asks for another day,
- `settled`: the reason is gone ("ya le pagué en mano", "it has just turned up", "achei o cartão"),
- `refuses`: what was asked is not going to be told ("that is too personal", "mi correo no lo doy").

Everything is looked for in folded text, clause by clause. A clause that says so may stand anywhere in a message; what a
message says besides, and whether it means something else there ("it has turned up broken"), is the caller's to judge.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final, Literal, NamedTuple, TypeAlias

from mew_agents.language.folding import fold
from mew_agents.language.found import Language

Kind: TypeAlias = Literal["drops", "later", "settled", "refuses"]


class ChangeOfMind(NamedTuple):
    """A clause that says it: all of `text[start:end]`."""

    kind: Kind
    start: int
    end: int


def changes_of_mind(text: str, language: Language) -> list[ChangeOfMind]:
    """In the order of the text, each clause once; of several kinds in one clause, the one that says most."""
    folded = fold(text)
    found: list[ChangeOfMind] = []
    for begin, end in _clauses(folded.text):
        clause = folded.text[begin:end]
        for kind, pattern in _PATTERNS[language]:
            match = pattern.search(clause)
            if match is not None and not _is_turned(clause, match, kind, language):
                found.append(ChangeOfMind(kind, *folded.origin(begin, end)))
                break
    return found


def _is_turned(clause: str, match: re.Match[str], kind: Kind, language: Language) -> bool:
    """Return true if the rest of a clause denies what is settled, goes on with a "but", or is about the one written to.

    "I already sent you the photos" settles nothing.
    """
    if kind != "settled":
        return False
    if _TO_YOU[language].search(clause) is not None:
        return True
    return _DENIED[language].search(clause[: match.end()]) is not None or _BUT.search(clause[match.end() :]) is not None


def _clauses(text: str) -> Iterator[tuple[int, int]]:
    begin = 0
    for match in _ENDS.finditer(text):
        if text[begin : match.start()].strip():
            yield begin, match.start()
        begin = match.end()
    if text[begin:].strip():
        yield begin, len(text)


_ENDS: Final = re.compile(r"[,.;:!?\n…]+")


_JOINED: Final = re.compile(r"\n {12,}(?=\|)")  # a line that goes on


def _pattern(alternatives: str) -> re.Pattern[str]:
    """One alternative a line."""
    lines = [line.strip() for line in _JOINED.sub("", alternatives.strip()).splitlines() if line.strip()]
    return re.compile("|".join(rf"\b(?:{line})(?!\w)" for line in lines))


_TO_YOU: Final[Mapping[Language, re.Pattern[str]]] = {
    "es": re.compile(r"\bya (?:te|les|os)\b"),
    "pt": re.compile(r"\bja (?:te|lhes|vos)\b"),
    "en": re.compile(r"\b(?:you|u|ya|yous)\b"),
}
_BUT: Final = re.compile(r"\b(?:pero|mas|porem|but|aunque|although|though|y no|e nao|and (?:its|it|not))\b")
_DENIED: Final[Mapping[Language, re.Pattern[str]]] = {
    "es": re.compile(
        r"\b(?:no|nunca|ni|todavia|aun|sin)\b(?!,? ya)(?=.*\b(?:llego|llegaron|recibi|recibio|entregaron|aparecio"
        r"|resolvieron|arreglaron)\b)"
    ),
    "pt": re.compile(
        r"\b(?:nao|nunca|nem|ainda|sem)\b(?=.*\b(?:chegou|chegaram|recebi|recebeu|entregaram|apareceu|resolveram)\b)"
    ),
    "en": re.compile(r"\b(?:hasnt|havent|didnt|never|not|isnt|wasnt|still|doesnt|says|say|marked)\b"),
}
# After these, a clause that leaves something is at its end.
_ES_END: Final = (
    r"(?=\s*$|\s+(?:ahi|aca|aqui|asi|nomas|mejor|todo|por|para|gracias|che|porfa|de lado|y|que|porque|pq|xq)\b)"
)
_DROPS: Final[Mapping[Language, re.Pattern[str]]] = {
    "es": _pattern(rf"""
        (?:lo|la|los|las) dej(?:o|amos|emos){_ES_END}
        (?:dej(?:a|o|e|emos|amos)|olvid(?:a|e|emos)) lo del? \w+(?=\s*$)
        no (?:[qk]u?iero|voy a|deseo|pienso) (?:abrir|crear|transferir|hacer|mandar|enviar|registrarme)(?: (?:nada
            |ningun[oa]? \w+|la (?:cuenta|transferencia)))?(?=\s*$)
        no [qk]u?iero (?:la|ninguna|una) cuenta(?: ya| mas)?(?=\s*$)
        borr(?:a|e|en|alo) (?:to|todo)(?=\s*$)
        dej(?:a|o|e|emos|amos)(?: (?:todo|esto|eso|la cosa))? (?:ahi|aca|aqui|asi|por (?:ahi|aca|aqui))(?! (?:en|a)\b)
        dej(?:alo|ala|elo|ela|emoslo|emosla|amoslo|ate de)(?! (?:en|con|al?|sobre|junto|donde)\b)
        (?:^|no |nah |bah |che |ah |mejor )dej[ae](?: nomas| usted)?(?=\s*$)
        dej(?:a|e|emos|o)(?: usted)? (?:esto|eso|todo|el tema|el asunto|el tramite|la cosa)
        olvid(?:alo|ala|elo|ela|ate|ese|emos|emoslo|emosla)
        olvid(?:a|e usted|en) (?:todo|eso|esto|lo que|lo del|lo de|la cosa|el asunto|el tema)
        (?:ya|al final|mejor|finalmente|ahora|la verdad|pensandolo bien) (?:ya )?no (?:lo |la |los |las |me[ ]
            |nos |te |les |le )*(?:quiero|queremos|necesito|necesitamos|hace falta|interesa|conviene|sirve|va
            |convence|hago|abro|mando|transfiero|saco|registro|anoto|sigo)
        no (?:lo |la |me |nos )*(?:quiero|queremos|voy a|vamos a|pienso|deseo|puedo) (?:ya )?(?:seguir
            |continuar|hacerlo|hacerla|hacer nada|terminar|nada)
        (?:no )?me (?:arrepenti|retracto|bajo de esto|rindo|canse|harte|aburri|pudri)
        cambi[eo] de (?:idea|opinion|parecer|planes)
        (?:desisto|renuncio|abandono|me retiro|no sigo|no seguimos|no sigamos|no continuo|no va mas
            |hasta aca|hasta aqui)
        paso de (?:esto|todo|registrarme|seguir|historias|lios)
        (?:ya fue|que pereza|que fiaca|da fiaca|me da pereza|mucho lio|demasiado lio|mucho tramite
            |mucha vuelta|muchas vueltas)
        no (?:me )?(?:vale la pena|interesa|conviene|compensa|convence)(?: ya| mas)?(?=\s*$|\s+(?:y|que
            |porque|pq|xq)\b)
        (?:ya )?no (?:me )?(?:hace|hara|hacia) (?:mas )?falta(?: (?:nada|ya|mas|hacerl[oa]|seguir))?(?=\s*$)
        (?:^|ya |mejor |lo |la |y )*(?:otro dia|en otro momento|mas adelante|mas tarde|despues
            |luego)(?: (?:lo|la))? (?:sigo|vuelvo|veo|hago|intento|pruebo|seguimos|vemos|pienso)
        (?:lo|la|los|las) (?:hago|veo|sigo|mando|arreglo|pienso|pensare|voy a pensar|retomo|miro
            |vemos)(?: mejor)? (?:otro dia|mas tarde|despues|luego|manana|en otro momento|mas adelante
            |yo mism[oa]|con calma)
        (?:lo|la) (?:pienso|voy a pensar|pensare)(?: mejor| bien)?(?=\s*$)
        (?:^|no |mejor |por favor |dale |bueno )*(?:cancel|anul)(?:a|e|emos|alo|ala|elo|ela|emoslo|emosla|ar
            |arlo|arla|en|enlo)(?: (?:todo|esto|eso|nomas|mejor|ya))*(?=\s*$)
        no (?:me |te |le |les |lo |la |los |las |se |nos )*(?:hag|mand|envi|abr|bloque|registr|transfier
            |transfi|anot|cre|apunt|inscrib|gir|pas|hagan)(?:es|as|e|a|en|an|ais|eis|s)(?: (?:nada|todavia|nunca
            |mas|por favor|porfa|porfi|gracias))*(?=\s*$)
        (?:dejo|dejamos|dejemos|dejar|deje|deja|dejaria) (?:el|la|lo del?|los|las) [a-z ]{1, 30} (?:de lado|a un lado
            |para despues|para otro momento|en suspenso|por ahora)
        se (?:suspende|suspendio|cancela|cancelo|cayo|suspendieron) (?:el|la|los|las|todo)(?: [a-z]+){0, 3}(?=\s*$)
        (?:ni (?:en pedo|loc[oa]|de broma|hablar)|a la mierda|al carajo)
        ^(?:no |mejor |ah |bah )*nada(?: nada)*(?: che| gracias| deja)*(?=\s*$)
        (?:me voy|me fui|chau|chao|adios)(?: chau| gracias| y gracias)*(?=\s*$)
        """),
    "pt": _pattern(r"""
        deix(?:a|e|emos|amos|o) (?:pra la|para la|quieto|estar|assim|isso|disso|tudo|por isso mesmo
            |essa historia|la|pra depois|para depois|pra proxima|pra outra|para outra)
        (?:^|nao |ah |entao |nem |melhor )deix[ae](?=\s*$)
        (?:e |entao |melhor )?deix(?:a|e|o|amos) (?:ficar|como esta|por aqui|ai|aqui)
        (?:vamos|vou) (?:deixar|parar|ficar)(?: isso)? (?:por aqui|pra la|para la|por ai|quieto|pra depois
            |para depois|pra outra hora)
        (?:para|pare|paro|paramos|parei|fico|fica|ficamos|ficamo) por aqui
        esque[cc](?:e|a|er|amos|am)(?: (?:isso|tudo|essa|esse|disso|desse|dessa|o |a |la|por favor))*
        (?:pode|podem) (?:esquecer|deixar|parar|cancelar|desistir|fechar)(?: (?:isso|tudo|pra la
            |assim|ai))*(?! (?:n[ao]s?|em|com|ao?s?|junto)\b)
        (?:ja )?nao (?:o |a |os |as |me |nos )*(?:quero|queremos|preciso|precisamos|precisa|interessa|vale
            |vou querer|vou precisar|faz sentido|e preciso|e necessario) (?:mais|ja)
        (?:ja|afinal|no fim|no final|melhor|agora|pensando bem) nao (?:o |a |os |as |me |te )*(?:quero
            |queremos|preciso|interessa|vou|faco|mando|abro|e preciso|convem)
        nao (?:quero|vou|pretendo|desejo|da pra|consigo)(?: mais)? (?:continuar|seguir|fazer isso|fazer nada
            |terminar|prosseguir|nada)
        nao (?:precisa(?:m|s)?|e preciso|e necessario|vale a pena)(?: (?:mais|nao|disso|fazer nada
            |de mais nada|se preocupar|\w+r nada))*(?=\s*$)
        (?:mud(?:ei|o|amos)|troquei) de (?:ideia|opiniao|planos)
        (?:ja )?nao (?:vou|quero|pretendo) (?:mais )?(?:abrir|criar|fazer|transferir|mandar)(?: (?:nada
            |nenhuma? \w+|(?:a |uma )?(?:conta|transferencia)))?(?=\s*$)
        me arrependi|arrependi me|desist(?:o|i|ir|imos)|vou desistir|abandono|to fora|tou fora|estou fora
            |cansei|enjoei
        (?:muita burocracia|muito trabalho|que preguica|da preguica|muita complicacao|muito complicado
            |muita pergunta|muita coisa)
        (?:nao vale|nem vale) (?:a pena|o trabalho|o esforco)
        (?:outro dia|outra hora|depois|mais tarde|amanha)(?: eu)? (?:faco|vejo|volto|tento|penso|continuo|resolvo)
        vou pensar(?: melhor| bem)?(?=\s*$)
        (?:^|nao |melhor |por favor |entao |pode )*(?:cancel|anul)(?:a|e|em|ar|amos|emos|a la
            |e isso)(?: (?:tudo|isso|ai|ja|la|essa|esse))*(?=\s*$)
        nao (?:me |te |lhe |o |a |os |as |se )*(?:fac|mand|envi|abr|bloquei|cadastr|transfir|regist|cri
            |inscrev|pass)(?:a|as|e|es|am|em|ao|i|ia)(?: (?:nada|nao|ainda|mais|por favor|obrigad[oa]|isso|ele
            |ela|o cartao))*(?=\s*$)
        (?:deixo|deixamos|deixemos|deixar|deixe|deixa) (?:o|a|os|as) [a-z ]{1,30} (?:de lado|de parte|para depois
            |pra depois|para outra altura|por agora|por enquanto)
        (?:nem pensar|nem morta|nem morto|ja era|sem chance|to saindo|tchau|xau|adeus|flw
            |falou)(?: obrigad[oa]| tchau)*(?=\s*$)
        ^(?:nao |melhor |ah )*(?:nada|deixa nada)(?: nao)?(?=\s*$)
        """),
    "en": _pattern(r"""
        (?:never ?mind|forget|scrap|skip|drop|leave) (?:about )?(?:the|that|my|this) (?:account|transfer|payment
            |sign ?up|registration|whole thing)(?=\s*$)
        no (?:transfer|account|payment)(?=\s*$)
        (?:leave|bin|drop|scrap|scratch|forget|ditch|dump|kill|sack|chuck|stuff|sod|bugger|screw|abandon|axe
            |shelve|skip|cancel|quit|stop|end|park) (?:it|this|that|all that|all this|the lot|the whole (?:thing
            |lot|business)|everything|all of (?:it|this|that))(?: all| off| out| there| here| be| for now| now
            | then| please| pls| thanks| cheers| mate| pal| love| altogether| anyway)*(?=\s*$| and\b| because\b
            | cos\b| cuz\b| as\b| ill\b| im\b| i\b)
        (?:lets|let us|we can|we could|well|ill|i will|id rather|just|please|best|better)? ?(?:leave|drop
            |forget|call|knock) (?:it|this|that) (?:there|here|be|off|at that|on the head|for now|alone)
        forget (?:about )?(?:it|this|that|the whole|all|everything|i asked|i said|i ever|my)
        (?:nev(?:er|ah) ?mind|nvm|nm)(?: then| thanks| pet| love)*
        (?:dont|do not|no need to|please dont|dinnae|didnae) (?:bother|worry about it|do (?:it|anything
            |that)|send (?:it|anything)|block (?:it|anything)|open (?:it|anything)|register me|sign me up
            |go ahead|proceed)(?: .{0,20})?
        (?:theres )?no (?:longer (?:any )?need|need)(?: (?:now|then|any ?more|to|for).{0,30})?
        (?:i )?(?:dont|do not|no longer|wont|dinnae|didnt) (?:actually |really |even )?(?:want|need|fancy
            |require|wanna)(?: (?:it|this|that|one|to|an?|the|any|anything|going|doing).{0,30})? (?:any ?more
            |after all|now|anymore|no more)
        (?:i )?(?:no longer|dont) (?:want|need|wish|require|wanna|wish) (?:it|this|that|to (?:go on|continue
            |carry on|do this|proceed)|anything|any of (?:it|this))
        (?:ive |i have |i |weve )?(?:changed (?:my|our) mind|had second thoughts|had a change of heart
            |thought better of it|gone off (?:it|the idea|this)|lost interest)
        (?:i |ill |im |id )?(?:give up|giving up|gave up|pass|back(?:ing)? out|pull(?:ing)? out
            |bow(?:ing)? out)(?: on (?:it|this|that))?(?= *$| then| thanks| on\b)
        (?:im|i am|were) (?:out|done|off|done here|not bothered|not interested|good|not doing this
            |no longer interested|not going (?:on|ahead|through)|gonna pass|going to pass|not gonna|fed up
            |over it)(?: with (?:it|this|that|all this)| thanks| ta| any ?more| now)*(?=\s*$)
        (?:its )?not (?:worth (?:it|the).{0,20}|bothered|interested|for me|happening|any ?more)(?: any ?more
            | now)?(?=\s*$)
        (?:too much|way too much|such a) (?:hassle|faff|bother|trouble|work|palaver|info|information|effort
            |like hard work)
        (?:ill|i will|i might|lets|i shall|imma|gonna) (?:do|try|come back|sort|finish|look|sign up|leave
            |think|come)(?: to)?(?: (?:it|this|that|about it|it over|myself|them))*(?: (?:later|tomorrow
            |another time|some other time|another day|over|tonight|when|in person|instead|myself))?(?=\s*$)
        (?:nobody|no one|noone|you) (?:needs|need|dont need|dont have|neednt) (?:to )?(?:come|bother
            |do anything|send).{0,20}
        (?:leave|put|set|park) (?:the|my|that|this) [a-z ]{1,30} (?:aside|to one side|on hold|for now|on ice)
        (?:wont|dont|no longer|do not|will not) (?:be )?need(?:ing)? (?:the|that|this|a|any) [a-z]+(?: now| any ?more
            | after all| then)*(?=\s*$)
        (?:call it off|calling it off|panic over|false alarm|as you were|abort|thats enough|enough of this
            |stop here|stop there|on second thoughts? no)
        (?:bye|goodbye|see ya|see you|cya|laters|ta ra|tara|cheerio|peace|im off|later)(?: then| now| thanks)*(?=\s*$)
        """),
}
_LATER: Final[Mapping[Language, re.Pattern[str]]] = {
    "es": _pattern(r"""
        (?:para|en|mejor|quiza|quizas|tal vez) (?:otro (?:dia|momento|rato)|otra (?:vez|ocasion))
        """),
    "pt": _pattern(r"""
        (?:fica|deixo|deixa|faco|vejo|volto|tento|penso|continuo|resolvo)(?: isso| com calma)? (?:pra|para
            |numa|em|na)? ?(?:a )?(?:proxima|outr[oa] (?:hora|dia|momento|vez|altura|ocasiao)|depois|mais tarde
            |amanha)
        """),
    "en": _pattern(r"""
        (?:maybe |perhaps )?(?:(?:some|an)other (?:time|day)|later on|next time)(?: (?:maybe|perhaps|then
            |thanks))*(?=\s*$)
        """),
}
_SETTLED: Final[Mapping[Language, re.Pattern[str]]] = {
    "es": _pattern(r"""
        ya (?:(?:lo|la|los|las|le|les|me|se|nos|te|esta|estan|quedo|fue) )*(?:resolvi|resuelt[oa]|solucione
            |solucionad[oa]|arregle|arreglad[oa]|pague|pagad[oa]|hice|hech[oa]|di|mande|envie|transferi|deposite
            |encontre|recibi[oe]?|recibio|resolvi[oe]|soluciono|arreglo|resolvieron|solucionaron|arreglaron
            |pagaron|pago|consegui|registre|aparecio|apareci[eo]|llego|llegaron|trajeron|entregaron|devolvieron
            |atendieron|respondieron|contestaron|devolvio|abri|saque|listo|estaba registrad[oa]
            |estoy registrad[oa])
        (?:volvio|volvieron|acaba de volver|ha vuelto) a (?:funcionar|andar)|ya (?:funciona|anda
            |me funciona|me anda|pude|entre|puedo)
        ya (?:tengo|tenia|tenemos|teniamos|hay) (?:una |otra |mi )?(?:cuenta|tarjeta|la plata|el dinero|usuario)
        (?:lo|la|los|las|me lo|me la|se|nos lo|nos la) (?:resolvi[oe]?|resolvieron|soluciono|solucione
            |solucionaron|arreglo|arreglaron|arregle|resolvimos|arreglamos|solucionamos)
        (?:la|lo|las|los) (?:encontre|encontramos|halle|he encontrado|tenia|acabo de encontrar
            |acaba de encontrar|recupere|he recuperado|pago el|pago la)
        (?:aparecio|ha aparecido|acaba de aparecer|estaba en (?:el|la|mi|un|una)|estaba (?:debajo|atras
            |detras)|aca esta|aqui esta)
        (?:(?:acaba|acaban|acabo|justo) (?:de )?(?:me |lo |la )*(?:llegar|llegarme|llego|aparecer|traer
            |traerlo|traermelo|tocar|sonar|entregar|entregarmelo|recibir|recibirlo))
        (?:se )?(?:lo|la|los|las|le|les) (?:veo|vemos|doy|pago|llevo|entrego|alcanzo|llamo|llamare|arreglo
            |hablo)(?: (?:yo|mejor|hoy|ahora|esta (?:tarde|noche)|en (?:mano|persona|efectivo)|manana
            |directamente|luego|despues|el \w+|y|personalmente|por (?:mi cuenta|telefono)))+
        (?:mejor )?(?:los|las|les|voy a|te|lo|la)? ?(?:llamo|llamar|llamarl[oae]s|voy|paso) (?:yo
            |por telefono|directamente|en persona|personalmente|a la (?:sucursal|tienda)|al (?:banco|local))
        (?:ya )?no hay (?:nada (?:que|para|de que)|motivo|problema ya|ningun problema|de que)
        (?:no tengo|ya no tengo) (?:nada (?:que|de que)|motivo|de que) ?(?:reclamar|quejarme)?
        """),
    "pt": _pattern(r"""
        ja (?:(?:o|a|os|as|lhe|me|se|nos|te|esta|foi|ta|ficou|eu|ele|ela|eles|consegui) )*(?:resolvi
            |resolvid[oa]|resolveu|resolveram|resolver|solucionei|solucionad[oa]|paguei|pag[oa]|pagou|fiz
            |feit[oa]|dei|mandei|enviei|transferi|achei|encontrei|recebi|recebeu|receberam|chegou|chegaram
            |entregaram|trouxeram|devolveram|responderam|consertaram|arrumei|arrumaram|apareceu|abri|cadastrei
            |sou cadastrad[oa]|estou cadastrad[oa])
        ja (?:tenho|tinha|temos) (?:uma |outra |minha |a )?(?:conta|cadastro|cartao)
        (?:o|a|isso|tudo|meu \w+|minha \w+|eles|ele|ela|se)? ?(?:resolveu|resolveram|foi resolvid[oa]
            |se resolveu|resolvi|arrumou|consertou)(?: (?:sozinh[oa]|tudo|isso|de outro jeito|por fora|aqui
            |pra mim|para mim|a situacao|o problema|ja))+
        (?:voltou|acabou de voltar|voltaram) a (?:funcionar|andar)|(?:ja|agora) (?:funciona
            |esta funcionando|ta funcionando|deu certo|consegui)
        (?:achei|encontrei|acabei de achar|acabei de encontrar|recuperei)(?: (?:o|a|ele|ela|meu|minha|isso
            |aqui|no|na|sim|agora)\b.{0,25})?(?=\s*$)
        (?:apareceu|acabou de aparecer|estava (?:no|na|em|dentro|debaixo|atras|aqui)|tava (?:no|na|em|aqui))
        (?:acab(?:ou|aram|a) de|agora mesmo|neste instante|nesse instante) (?:me )?(?:chegar|chegou|aparecer
            |tocar|trazer|entregar|receber)
        (?:eu )?(?:a|o|ele|ela|lhe)? ?(?:vejo|dou|pago|entrego|encontro|levo|falo|acerto)(?: (?:ele|ela
            |com ele|com ela|hoje|agora|amanha|em maos|na mao|pessoalmente|em dinheiro|mais tarde|logo
            |o dinheiro|isso|la|direto))+
        (?:eu )?(?:vou ligar|ligo|telefono|vou la|vou pessoalmente|prefiro ligar|vou na loja
            |vou ao banco)(?: (?:eu|mesmo|mesma|pra|para|eles|voces|la|direto|mais tarde|depois|antes))*
        nao (?:tenho|ha|tem)(?: mais)? (?:nada (?:a|de|que|pra)|motivo|do que|razao|por que)(?: .{0,20})?
        """),
    "en": _pattern(r"""
        (?:ive|i have|i|he|she|they|hes|shes|theyve|weve|we|its|its been|that|thats|it|has|have|been|someone
            |my \w+|me \w+)? ?(?:has |have |had |is |are |was |got |s )?(?:already|just|since|now) (?:been |got[ ]
            |gotten |it |all )*(?:paid|pay|sorted|sort|fixed|fix|resolved|solved|done|did|sent|got|have|had|has
            |found|turned up|arrived|come|came|shown up|showed up|received|delivered|signed up|registered
            |settled|squared|cleared up|given|gave|transferred|refunded|opened|rung|rang|dealt with)\b.{0,40}
        (?:all |its |thats |got it |got |been |it is |been all )*(?:sorted|resolved|solved|fixed|settled
            |dealt with|taken care of|squared away)(?: (?:it|itself|already|now|out|myself|ourselves|thanks
            |cheers|ta|in the end|elsewhere|in cash|another way|the problem|them))*(?=\s*$)
        (?:i |ive |i have |we |weve |just |hey |oh )*(?:found|got) (?:it|him|her|them|the card|my card
            |the thing|the parcel)(?: (?:now|back|after all|in|under|behind|down).{0,30})?(?=\s*$)
        (?:it|they|card|the card|my card|the parcel|the package|its|parcel|package|order|it has
            |it s)? ?(?:was|were|turned out to be) (?:in|under|behind|on|down|at) (?:my|the|me|her|his|a|our
            |back)\b.{0,30}
        (?:it|they|its|the (?:parcel|package|order|box|card|delivery)|parcel|package|card|theyve|it has
            |has)? ?(?:(?:has|have|is|just|this moment|finally) )*(?:turned up|arrived|shown up|showed up
            |rung at the door|been delivered|come after all|appeared)(?:.{0,25})
        (?:im |i am |ill |i will |i |well |were |gonna |going to |i shall )*(?:see|seein|seeing|meet|meeting
            |catch|give|giving|pay|paying|hand|handing|ring|ringing|call|calling|phone|phoning|speak|pop|go
            |going)(?: (?:it|him|her|them|ye|you|yous|the|to|into|in|round|over|bank|shop|branch|store|up|guys
            |money|cash|back))*(?: (?:today|tonight|tomorrow|later|myself|instead|in person|in cash|cash|by hand
            |directly|anyway|this (?:afternoon|evening|weekend)))+
        (?:its |it is |all |that )*(?:working|works|worked|back up|fine) (?:again|now|after all)(?: .{0,20})?
        (?:nothing|no reason|nae reason) (?:left )?to (?:complain|report|send|block|pay|raise)\b.{0,30}
        """),
}
_REFUSES: Final[Mapping[Language, re.Pattern[str]]] = {
    "es": _pattern(r"""
        no (?:(?:se|te|le|les|os|me) )?(?:(?:lo|la|los|las) )?(?:voy a |quiero |pienso |puedo |gusta |suelo[ ]
            |estoy |ando )*(?:dar|doy|digo|decir|decirl[oe]s?|dare|dire|paso|pasar|dando|compartir|comparto
            |dartelo|darselo|darlo|darl[ae]s?|decirtelo|poner)\b(?! (?:nada de|en|a)\b)
        (?:prefiero|preferiria|mejor) no (?:dar|decir|pasar|compartir|poner|dejar|contestar)\w*
        (?:es|son|eso es|muy|demasiado|bastante|algo|cosa|asunto)(?: ya| muy| demasiado| algo
            | bastante)* (?:personal(?:es)?|privad[oa]s?|intim[oa]s?|confidencial(?:es)?)
        (?:a (?:vos|ti|ustedes|usted|nadie) )?(?:que|no) (?:te|les|le|os) (?:importa|incumbe|interesa)
        no es (?:asunto|cosa) (?:tuy[ao]|suy[ao]|vuestr[ao]|de (?:ustedes|nadie))
        no (?:me )?(?:da|das|dan|tengo|confio)(?: (?:mucha|nada de|en))? ?(?:confianza|ustedes|esto)
        para que (?:quieren|queres|necesitan) (?:tanto|tanta|tantos|tantas)
        """),
    "pt": _pattern(r"""
        (?:eu )?nao (?:te |lhe |vos |me )*(?:vou |quero |posso |gosto de |costumo |pretendo |dou |passo[ ]
            |digo )+(?:dar|passar|dizer|falar|informar|compartilhar|partilhar|fornecer|botar|colocar)?(?:\b
            |$)(?! (?:continuar|mais|transferir|\d))
        (?:prefiro|preferia|melhor) nao (?:dar|dizer|passar|compartilhar|partilhar|informar|falar|colocar
            |responder)\w*
        (?:e|isso e|muito|demasiado|bem|meio|e muito)(?: muito| demasiado| bem| ja)* (?:pessoal|pessoais
            |privad[oa]|intim[oa]|particular|confidencial)
        (?:nao )?(?:e )?(?:nao e )?(?:da|do) (?:tua|sua|seu|teu|vossa) (?:conta|interesse)
        nao (?:te|lhe|vos) (?:interessa|diz respeito)
        nao confio
        """),
    "en": _pattern(r"""
        (?:im |i am |am )?(?:not|no|nae|never) (?:gonna |going to |about to |keen on |comfortable |happy[ ]
            |prepared to |willing to )*(?:giving|give|givin|gie|gien|telling|tell|tellin|sharing|share|handing
            |hand|disclosing|disclose|putting|providing|saying|say)\b.{0,40}
        (?:i )?(?:wont|will not|dont want to|do not want to|cant|refuse to|aint|dont wanna|dont like
            |do not like|wouldnt) (?:be )?(?:giving|give|gonna give|telling|tell|share|sharing|hand|disclose|say
            |put|provide)\b.{0,40}
        (?:id|i would|i)(?: really| much)? (?:rather|prefer)(?: to)? not(?: to)?(?: (?:say|give|share|tell
            |disclose|answer|hand|put|be|do).{0,30})?
        (?:prefer|rather) not (?:to )?(?:say|give|share|tell|disclose|answer)\b.{0,20}
        (?:thats|its|this is|that is|bit|too|far too|way too|very|quite|rather|a bit|kinda
            |pretty) (?:\w+ )?(?:personal|private|nosy|nosey|intrusive|invasive|confidential)
        (?:none of|nane o|nothing to do with) (?:your|yer|ur|you|yours?)\b.{0,15}
        (?:youre|yer|you are|you|yous|yous are|ur) (?:not|no|nae|never|arent|aint) (?:getting|gettin|havin
            |having|gonna get|going to get|get)\b.{0,20}
        (?:mind (?:your|yer) own|dont trust|do not trust)\b.{0,15}
        """),
}
_PATTERNS: Final[Mapping[Language, tuple[tuple[Kind, re.Pattern[str]], ...]]] = {
    language: (
        ("drops", _DROPS[language]),
        ("later", _LATER[language]),
        ("settled", _SETTLED[language]),
        ("refuses", _REFUSES[language]),
    )
    for language in ("es", "pt", "en")
}
