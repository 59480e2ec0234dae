"""The few words that slots are read by, as data, folded: what a name stops at, what an answer begins with."""

from __future__ import annotations

from mew_agents.language.found import Language


def _words(written: str) -> frozenset[str]:
    return frozenset(written.split())


# What turns a label into a cue: "the amount is 25", "monto: 25".
COPULAS: dict[Language, tuple[str, ...]] = {
    "es": (":", "=", "es", "son", "sería", "debe ser", "debería ser", "tiene que ser"),
    "pt": (":", "=", "é", "são", "seria", "deve ser", "tem que ser"),
    "en": (":", "=", "is", "are", "should be", "would be", "must be", "to be"),
}

# The same stuck to the label: "the name's Vera".
CONTRACTED: dict[Language, tuple[str, ...]] = {"es": (), "pt": (), "en": ("'s",)}

# Cues of somebody's name that stand for one another; folded.
NAMED: dict[Language, tuple[str, ...]] = {
    "es": ("a nombre de", "en nombre de", "al nombre de", "bajo el nombre de", "con el nombre de", "el nombre de",
           "se llama", "el paciente es",
           "la paciente es"),
    "pt": ("em nome de", "no nome de", "em nome do", "em nome da", "no nome do", "no nome da", "com o nome de",
           "sob o nome de", "ao nome de", "nome de", "chama-se", "se chama",
           "o paciente é", "a paciente é", "o doente é", "a doente é", "o nome dele é", "o nome dela é"),
    "en": ("in the name of", "under the name of", "under the name", "in the name", "by the name of",
           "with the name", "name of", "the name of", "his name is", "her name is", "his names", "her names",
           "name is", "names"),
}  # fmt: skip

# A name that was asked for may come with these before it.
INTRODUCTIONS: dict[Language, tuple[str, ...]] = {
    "es": ("mi nombre es", "nombre", "mi nombre", "me llamo", "el nombre es", "se llama", "es para", "a nombre de",
           "soy", "es", "para", "de", "poné", "pon", "ponga", "ponme", "ponlo a nombre de", "ponla a nombre de",
           "ponelo a nombre de", "ponela a nombre de", "anota", "anotá", "anote", "apunta", "al nombre de", "que sea",
           "a nombre del señor", "a nombre de la señora", "bajo", "va a nombre de", "iría a nombre de", "sería"),
    "pt": ("meu nome é", "nome", "meu nome", "o nome é", "me chamo", "chama-se", "em nome de", "é para", "eu sou",
           "sou", "é", "para", "de", "põe", "ponha", "coloca", "coloque", "bota", "pode pôr", "pode colocar",
           "põe em nome de", "coloca em nome de", "bota em nome de", "pode ser em nome de", "no nome de", "anota",
           "seria", "fica em nome de", "vai em nome de", "em nome do", "em nome da", "pode ser"),
    "en": ("my name is", "name", "my name", "the names", "names", "the name is", "this is", "it is for", "its for",
           "in the name of", "i am", "im", "it is", "its", "for", "put", "put it under", "put it down as", "put down",
           "stick it under", "under", "under the name", "under the name of", "make it", "itll be under",
           "book it under",
           "it would be under", "itd be under", "thats", "call it", "name of", "go with", "just put"),
}  # fmt: skip

# Verbs with which somebody has a name put down, and what leads to it behind them: "ponla como", "anotalo a".
_PUTTING: dict[Language, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "es": (("pon", "poné", "pone", "ponga", "pongan", "poned", "anota", "anotá", "anote", "anoten", "apunta",
           "apunte", "deja",
            "dejá", "reserva", "reservá", "cambia", "cambiá", "pasa", "pasá", "registra", "haz", "hace"),
           ("a nombre de", "como", "bajo", "en nombre de", "con el nombre de", "con el nombre")),
    "pt": (("põe", "ponha", "coloca", "coloque", "bota", "anota", "anote", "deixa", "deixe", "reserva", "reserve",
            "muda", "mude", "troca", "troque", "passa", "registra", "mete", "pode pôr", "pode colocar", "pode botar"),
           ("em nome de", "no nome de", "em nome do", "em nome da", "como", "com o nome", "com o nome de")),
    "en": (("put", "stick", "pop", "book", "make", "change", "leave", "put that", "have"),
           ("under", "down as", "in the name of", "under the name of", "under the name", "down under")),
}  # fmt: skip
_IT: dict[Language, tuple[str, ...]] = {
    "es": ("", "lo", "la", "le", "melo", "mela", "los", "las"), "pt": ("", " a", " ela", " isso",
           "-a"), "en": ("", " it", " that"),
}  # fmt: skip
PUTTING: dict[Language, tuple[str, ...]] = {
    language: tuple(f"{verb}{it} {lead}" for verb in verbs for it in _IT[language] for lead in leads)
    for language, (verbs, leads) in _PUTTING.items()
}

# What ends a name within a sentence. "de", "los", "da", "dos", "and" are parts of names.
STOPS: dict[Language, frozenset[str]] = {
    "es": _words("""para con por porque pero que cuando como si a al en el lo desde hasta sin sobre mejor quiero
        quisiera necesito tengo soy estoy vivo es son esta gracias favor hoy ahora tambien mi
        tiene contra cumple edad"""),
    "pt": _words("""para com por porque mas que quando como se ao as em no na nos nas desde ate sem sobre melhor
        quero queria preciso tenho sou estou moro sao esta obrigado obrigada favor hoje agora tambem
        meu minha pelo pela tem contra idade"""),
    "en": _words("""for with because but that when as if at on in from until without about please thanks i want
        need am have live is are would today now also my to by
        thats im ive i its aged age against turns who has hes shes"""),
}  # fmt: skip

# "and".
CONJUNCTIONS: dict[Language, frozenset[str]] = {"es": _words("y e"), "pt": _words("e"), "en": _words("and")}

# What leads on to something else and ends no value: "fiebre, con la", "on the".
TAILS: dict[Language, frozenset[str]] = {
    "es": STOPS["es"] | _words("y o u e de del la las los un una unos unas ni no mas dra dr se me te le"),
    "pt": STOPS["pt"] | _words("e ou de do da dos das o a os um uma nem nao mais dra dr me te lhe"),
    "en": STOPS["en"] | _words("and or of the a an nor not no dr rather instead"),
}

# With these a message asks something, whether it ends in a question mark or not.
QUESTION_WORDS: dict[Language, frozenset[str]] = {
    "es": _words("que cual cuales quien quienes como donde cuando cuanto cuanta cuantos cuantas"),
    "pt": _words("que qual quais quem como onde quando quanto quanta quantos quantas"),
    "en": _words("what which who whom how where when why can could is are do does will"),
}

# What makes a bare number an hour, or a day of the month.
HOUR: dict[Language, str] = {"es": "a las ", "pt": "às ", "en": "at "}
DAY: dict[Language, str] = {"es": "el ", "pt": "dia ", "en": "the "}

# With these a message wishes for something.
WISHES: dict[Language, tuple[str, ...]] = {
    "es": ("quiero", "quisiera", "quería", "queria", "querría", "necesito", "necesitaba", "me gustaría", "me haría",
           "podría", "podrías", "podrían", "podríais", "puede", "puedes", "podés", "pueden", "podéis", "puedo",
           "pudieras", "pudiera", "pudieran", "se puede", "me das", "me da", "deseo", "preciso", "hay que", "cómo hago",
           "cómo se", "me hace falta", "quiero que", "tengo que", "me mandas", "por favor", "porfa", "xfa",
           "urgente", "podéis", "podemos", "vendría genial",
           "vendría bien", "me vendría", "nos vendría", "me viene bien", "estaría bueno", "estaría bien", "me urge",
           "ando buscando", "ando con", "busco", "buscamos", "querríamos", "quisiéramos", "queríamos", "queremos",
           "le encargo", "les encargo", "les pido", "le pido", "te pido", "pido", "me ayudas", "me ayudan", "me ayudás",
           "ayúdame", "ayuda con", "me consigues", "me conseguís", "habría forma", "hay forma", "hay manera",
           "sería posible", "es posible", "me interesa", "me dejas", "me dan", "me darían", "nos hace falta", "ocupo",
           "ocupamos", "tendrán", "tienen", "hay", "vengo a", "llamo para", "escribo para", "escribo por", "solicito",
           "solicitar", "preciso", "precisamos", "necesitaría", "necesitamos", "se podría", "puedan", "pudieran"),
    "pt": ("quero", "queria", "qria", "qro", "preciso", "precisava", "gostaria", "gostava", "queremos", "pode", "podem",
           "podes", "poderia", "poderiam", "consegue", "conseguem", "consegues", "conseguiria", "tem como", "dá para",
           "dá pra", "dava pra", "dava para", "desejo", "como faço", "como é que", "agradecia", "ficaria", "por favor",
           "pfv", "urgente", "como faz", "vinha a calhar", "dava jeito", "dava-me jeito", "dá jeito", "calhava bem",
           "gostaríamos", "queríamos", "precisamos", "precisava de", "precisaria", "arranjas", "arranja", "arranjam",
           "arranje", "me arruma", "arruma", "arrumar", "me consegue", "consigo", "tinha como", "teria como", "rola",
           "será que dá", "seria possível", "é possível", "há forma", "tem jeito", "venho", "vinha", "peço", "pedia",
           "pediria", "solicito", "tô querendo", "estou querendo", "tô precisando", "estou precisando", "tava querendo",
           "estou a precisar", "ando à procura", "procuro", "me ajuda", "ajuda com", "pra", "ajudem", "podias",
           "poderias", "se faz favor", "sff", "bora", "me vê", "me vejam", "tem"),
    "en": ("i want", "want", "i need", "need", "needa", "would like", "id like", "i would", "could", "can", "may i",
           "should like", "looking for", "how do i", "please", "pls", "plz", "would you", "urgent", "i have", "have to",
           "gotta", "wanna", "needs", "needed", "id love", "i would love", "love to", "like to", "looking to",
           "hoping to",
           "hoping for", "trying to", "after a", "im after", "we are after", "fancy", "would appreciate", "appreciate",
           "help me", "help with", "sort me", "sort us", "sort out", "sorted", "any chance", "is it possible",
           "do you have", "have you got", "you got", "can you", "could you", "can i", "can we", "could i", "could we",
           "get me", "get us", "lets get", "how do you", "got a", "wondering if", "in need of", "require", "requesting",
           "want to", "supposed to", "has to", "got to", "ought to", "must", "have a", "there is a", "theres a"),
}  # fmt: skip

# What stands in phrases of many operations and says nothing about which: "quiero", "make".
LIGHT: dict[Language, frozenset[str]] = {
    "es": STOPS["es"]
    | _words("""queria quisiera quiero necesito necesitamos dame dar pedir solicitar sacar hacer ver
        tener poder pasar pasen para desde este esta estos todo algo nuevo nueva favor mejor buscar"""),
    "pt": STOPS["pt"]
    | _words("""quero queria preciso gostaria fazer pedir solicitar ver ter poder marcar para este
        esta isso algo novo nova favor melhor buscar volta"""),
    "en": STOPS["en"]
    | _words("""want need like make have take with from this that would could should your
        please send come schedule set"""),
}

# What people count or measure, in words that mean the same: a label that has one of them means all.
COUNTED: dict[Language, dict[str, frozenset[str]]] = {
    "es": {"people": _words("persona personas gente comensales comensal adultos invitados cubiertos huesped huespedes"),
           "weight": _words("peso pesa kilo kilos kg kgs kilogramo kilogramos"),
           "age": _words("edad"), "distance": _words("km kms kilometro kilometros kilometraje")},
    "pt": {"people": _words("pessoa pessoas gente adultos convidados lugares hospede hospedes"),
           "weight": _words("peso pesa quilo quilos kilo kilos kg kgs quilograma quilogramas"),
           "age": _words("idade"), "distance": _words("km kms quilometro quilometros quilometragem")},
    "en": {"people": _words("person people persons guests adults diners pax ppl covers seats"),
           "weight": _words("weight weighs kilo kilos kg kgs kilogram kilograms"),
           "age": _words("age"), "distance": _words("km kms kilometre kilometres kilometer kilometers mileage")},
}  # fmt: skip

# Groups of people that are counted apart.
ADULTS: dict[Language, frozenset[str]] = {
    "es": _words("adulto adultos adultas grandes mayores"),
    "pt": _words("adulto adultos adultas"),
    "en": _words("adult adults grownups grown"),
}
CHILDREN: dict[Language, frozenset[str]] = {
    "es": _words("nino nina ninos ninas chico chicos chica chicas peque peques menor menores hijo hijos nene nenes"),
    "pt": _words("crianca criancas miudo miudos filho filhos menor menores menino meninos"),
    "en": _words("kid kids child children toddler toddlers little littles"),
}

# The one who speaks, and one other person as somebody says it: the words before, and the words for that person.
MYSELF: dict[Language, frozenset[str]] = {
    "es": _words("mi yo"),
    "pt": _words("mim eu"),
    "en": _words("me i myself"),
}
ONE_OF_MINE: dict[Language, tuple[frozenset[str], frozenset[str]]] = {
    "es": (
        _words("mi un una"),
        _words(
            "marido mujer esposo esposa pareja novio novia hermano hermana hijo hija madre "
            "padre mama papa suegro suegra cunado cunada primo prima tio tia abuelo abuela nieto nieta sobrino sobrina "
            "amigo amiga jefe jefa socio socia vecino vecina colega companero companera"
        ),
    ),
    "pt": (
        _words("meu minha um uma"),
        _words(
            "marido mulher esposo esposa namorado namorada noivo noiva irmao irma "
            "filho filha mae pai sogro sogra cunhado cunhada primo prima tio tia avo neto neta sobrinho sobrinha amigo "
            "amiga chefe socio socia vizinho vizinha colega companheiro companheira parceiro parceira"
        ),
    ),
    "en": (
        _words("my a"),
        _words(
            "husband wife partner boyfriend girlfriend fiance fiancee spouse brother sister son "
            "daughter mother father mum mom dad uncle aunt cousin niece nephew grandmother grandfather grandma grandpa "
            "friend boss colleague neighbour neighbor mate"
        ),
    ),
}

# The speaker and nobody else. As expressions over folded text.
ALONE: dict[Language, str] = {
    "es": r"(?:solo|solamente|nada mas(?: que)?|unicamente)(?: para)? (?:yo|mi)\b"
    r"|(?:yo|para mi|voy|vengo|ire) sol[oa]\b|soy (?:yo )?sol[oa]\b|^sol[oa] yo\b|para mi nada mas",
    "pt": r"(?:so|somente|apenas)(?: para| pra)? (?:eu|mim)\b|(?:eu|para mim|pra mim|vou|venho|irei) sozinh[oa]\b"
    r"|^sozinh[oa]$",
    "en": r"(?:just|only|its|it is) (?:for )?(?:me|myself)\b|(?:on|by) (?:my own|myself)\b|me alone|just the one of us",
}

# Words that lead to a number of them.
LEADS: dict[Language, dict[str, tuple[str, ...]]] = {
    "es": {"people": ("para", "somos", "seremos", "seríamos", "vamos a ser", "para unos", "pa"),
           "weight": ("pesa", "pesa unos", "pesa como", "pesa unas"),
           "age": ("tiene", "ya tiene", "cumple", "cumplió", "acaba de cumplir")},
    "pt": {"people": ("para", "pra", "somos", "seremos", "vamos ser", "seríamos"),
           "weight": ("pesa", "pesa uns"),
           "age": ("tem", "já tem", "fez", "completou")},
    "en": {"people": ("for", "party of", "we are", "well be", "we will be", "were", "there are", "there will be",
                      "group of"),
           "weight": ("weighs", "weighs about", "weighing"),
           "age": ("hes", "shes", "he is", "she is", "aged", "turned", "just turned")},
}  # fmt: skip

# Words that introduce somebody whose name follows: "for my daughter, Sofía Gómez".
KIN: dict[Language, frozenset[str]] = {
    "es": _words("""para hija hijo madre padre mama papa marido esposo esposa mujer hermano hermana abuela abuelo tio
        tia vecino vecina amigo amiga colega companero companera suegra suegro novio novia llama nombre paciente primo
        prima sobrino sobrina jefe jefa"""),
    "pt": _words("""para pra pro filha filho mae pai marido esposo esposa mulher irmao irma avo tio tia vizinho vizinha
        amigo amiga colega sogra sogro namorado namorada chama nome paciente primo prima sobrinho sobrinha chefe"""),
    "en": _words("""for daughter son mother father mum mom dad husband wife brother sister grandmother grandfather
        neighbour neighbor friend colleague partner name names called lad lass wee boy girl missus mrs
        patient cousin nephew niece boss aunt uncle"""),
}  # fmt: skip

# An option's word that says only that something is different, before the noun that it belongs to.
OTHERS: dict[Language, frozenset[str]] = {
    "es": _words("otro otra otros otras"),
    "pt": _words("outro outra outros outras"),
    "en": _words("other another"),
}

# What a yes-or-no slot may be about, and what is the opposite of it.
OPPOSITES: dict[Language, tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]] = {
    "es": ((("terraza", "afuera", "mesa fuera", "ahí fuera", "al aire libre", "exterior", "patio", "jardín", "vereda"),
            ("adentro", "dentro", "interior", "bajo techo", "salón")),),
    "pt": ((("terraço", "esplanada", "lá fora", "do lado de fora", "ao ar livre", "exterior", "varanda", "pátio",
             "área externa"),
            ("lá dentro", "dentro", "do lado de dentro", "cá dentro", "interior", "salão", "área interna")),),
    "en": ((("terrace", "outside", "outdoors", "outdoor", "patio", "al fresco", "garden", "open air"),
            ("inside", "indoors", "indoor", "interior", "dining room")),),
}  # fmt: skip

# What leads to the place or the thing that something is to be on, in or with.
PLACING: dict[Language, frozenset[str]] = {
    "es": _words("en con sin a al"),
    "pt": _words("em no na nos nas com sem ao"),
    "en": _words("on in at with without outside inside"),
}

# "of" and its contractions.
OF: dict[Language, frozenset[str]] = {
    "es": _words("de del"),
    "pt": _words("de do da dos das"),
    "en": _words("of"),
}

# Words of a wish for something to be different, before its name.
CHANGING: dict[Language, frozenset[str]] = {
    "es": _words("cambiar cambia cambie cambio cambiame modificar corregir querria podria puedo quisiera seria"),
    "pt": _words("mudar muda mude trocar troca troque alterar corrigir queria gostaria posso seria"),
    "en": _words("change alter correct fix switch like id can could we let me another different"),
}

# With these a question asks whether there is something.
EXISTING: dict[Language, frozenset[str]] = {
    "es": _words("tienen tiene tienes tenes hay habra existe cuentan"),
    "pt": _words("tem ha existe teria havera contam"),
    "en": _words("have has got there any is are"),
}

# The same words where they alone say so, words that say nothing behind them, and what somebody wants room for.
THERE_IS: dict[Language, frozenset[str]] = {
    "es": _words("tienen tiene tienes tenes hay habra existe cuentan"),
    "pt": _words("tem ha existe teria havera contam"),
    "en": _words("have has got there"),
}
UNNOTED: dict[Language, frozenset[str]] = {
    "es": _words("algun alguna algo ahi alla fuera afuera"),
    "pt": _words("algum alguma algo la ai fora ca"),
    "en": _words("any you got been be is are out over there still left"),
}
ROOM: dict[Language, frozenset[str]] = {
    "es": _words("mesa mesas mesita lugar lugares sitio sitios hueco espacio disponible disponibilidad libre algo"),
    "pt": _words("mesa mesas mesinha lugar lugares espaco vaga vagas disponivel disponibilidade livre algo"),
    "en": _words(
        "table tables room space spot spots seat seats seating place places free available anything something us"
    ),
}

# What makes a number the sum of those before it: "two adults and two children, four in all".
TOTALS: dict[Language, tuple[str, ...]] = {
    "es": ("en total", "total", "en todo"),
    "pt": ("no total", "ao todo", "em total", "total"),
    "en": ("in all", "in total", "altogether", "total", "all together"),
}

# Words of a question about days, and about hours, besides a slot's label.
ABOUT_DAYS: dict[Language, frozenset[str]] = {
    "es": _words("dia dias lunes martes miercoles jueves viernes sabado sabados domingo domingos abren fecha"),
    "pt": _words("""dia dias segunda segundas terca tercas quarta quartas quinta quintas sexta sextas sabado sabados
        domingo domingos abrem data"""),
    "en": _words("""day days monday mondays tuesday tuesdays wednesday wednesdays thursday thursdays friday fridays
        saturday saturdays sunday sundays open date"""),
}
ABOUT_HOURS: dict[Language, frozenset[str]] = {
    "es": _words("hora horas horario horarios abren cierran"),
    "pt": _words("hora horas horario horarios abrem fecham"),
    "en": _words("hour hours time times open close opening"),
}

# For whom something is.
FOR: dict[Language, frozenset[str]] = {"es": _words("para pa"), "pt": _words("para pra pro"), "en": _words("for")}
POSSESSIVES: dict[Language, frozenset[str]] = {
    "es": _words("mi mis nuestra nuestro su"),
    "pt": _words("meu minha nosso nossa"),
    "en": _words("my our"),
}

# What somebody adds of their own accord begins so: "because", "it is for renewing". As expressions over folded text.
BECAUSE: dict[Language, str] = {
    "es": r"(?:es |seria )?(?:porque|xq|pq|ya que|debido a|a causa de|por culpa de)(?= )"
    r"|(?:es |seria )?por(?= una? | un[oa]s )"
    r"|es (?:para|pa)(?= (?:un |una )?(?:control|cheq|revis|renov|hacer|ver |mostrar|pedir|sacar|receta|que me ))",
    "pt": r"(?:e )?(?:porque|pq|por causa d[eao]s?|por conta d[eao]s?|devido a|ja que)(?= )|por(?= uma? )"
    r"|e (?:para|pra)(?= (?:um |uma )?(?:controle|check|revis|renov|fazer |ver |mostrar|pedir|receita))",
    "en": r"(?:because|bc|cuz|cos|coz)(?: of)?(?= )|due to(?= )|on account of(?= )",
}

# What people tell without being asked: pains, allergies, who comes along. The beginnings of words, folded.
CONCERNS: dict[Language, str] = {
    "es": r"dolor|duele|molestias en|fiebre|tos\b|mareo|nausea|vomit|alergi|celiac|vegan|vegetarian|intoleran|lunar\b"
    r"|mancha|roncha|sarpullid|verruga|herida|esguince|fractur|torci|torced|hinchad|inflama|lesion|insomnio|duermo|ansiedad"
    r"|estres|presion|diabet|embaraz|control\b|cheque|revision|analisis|receta|certificado|vacuna|resfri|gripe"
    r"|garganta|espalda|rodilla|cabeza|estomago|muela|oido|cuello|hombro|tobillo|migran|jaqueca|silla de ruedas"
    r"|silla alta|silla para bebe|cochecito|un bebe|cumple|aniversario|gluten|lactosa|mani\b|nueces|mariscos|lacteos"
    r"|sill(?:a|ita) (?:para|de) |sillita|carrito|bebe|perro|mascota|un[oa] de nosotr[oa]s|no come(?:mos)?\b",
    "pt": r"dor\b|dores|doi\b|doendo|febre|tosse|tontura|enjoo|vomit|alergi|celiac|vegan|vegetarian|intoleran|mancha"
    r"|verruga|caroco|ferida|torci|torcao|fratur|inchad|inflama|lesao|insonia|durmo|ansiedade|estresse|pressao|diabet"
    r"|gravid|check ?up|revisao|exames?\b|receita|atestado|vacina|constipa|gripe|resfri|garganta|costas|joelho|cabeca"
    r"|estomago|ouvido|pescoco|ombro|tornozelo|enxaqueca|cadeira de rodas|cadeirinha|cadeira alta|um bebe|aniversario"
    r"|cadeir(?:a|inha) (?:para|de|pra) |carrinho|bebe|gluten|lactose|amendoim|nozes|marisco|camarao|cachorro"
    r"|um[a]? de nos\b|nao come(?:mos)?\b",
    "en": r"pains?\b|painful|hurt|ach(?:e|es|ing)\b|\w+ache\b|sore\b|stiff|fever|cough|dizz|nause|vomit|rash|itch"
    r"|allerg|coeliac|celiac|vegan|vegetarian|intoleran|lump\b|mole\b|swollen|swelling|sprain|twisted|fractur|injur|insomnia"
    r"|sleep|anxi|depress|blood pressure|diabet|pregnan|check ?up|prescription|certificate|vaccin|flu\b|throat|migraine"
    r"|knee|ankle|shoulder|stomach|wheelchair|high ?chair|pushchair|stroller|buggy|a baby|birthday|anniversary|gluten"
    r"|lactose|dairy|nuts?\b|peanut|shellfish|seafood|our dog|a dog|one of us",
}

# Words that only lead to what is told.
LINKING: dict[Language, frozenset[str]] = {
    "es": _words("y e pero ademas tambien es por para con que aparte ah pues bueno"),
    "pt": _words("e mas tambem alem disso por para pra com que ah pois bem olha ando estou"),
    "en": _words("and but also plus its for about with that oh because so well"),
}

# Who is to be told something, `who`; what they are to be told follows. As expressions.
TELL: dict[Language, str] = {
    "es": r"(?:av[ií]s[aáe]n?(?:le|les)?|d[ií](?:le|les)|dec[ií](?:le|les)|d[ií]g[ae]n?(?:le|les)?|ped[ií](?:le|les)"
    r"|p[ií]d[ae](?:le|les)|aclar[aáe](?:le|les)) (?:al|a la|a los|a las) (?P<who>\w+)",
    "pt": r"(?:av[ií]s[ae]m?|diz|diga|digam|dizer|fala|fale|falem|pede|pe[cç]a|pe[cç]am|informa|informe)"
    r"(?: l[aá])? (?:ao|aos|à|às|pro|pra|para o|para a|p'ro) (?P<who>\w+)",
    "en": r"(?:tell|ask|warn|remind|let)(?: the| your| our)? (?P<who>\w+)"
    r"(?= (?:that|to|not|know|he|she|they|there|please)|[,:])(?: know)?",
}

# How long something is to last: what stands before a length, and behind it. As expressions over folded text.
LASTING: dict[Language, tuple[str, str]] = {
    "es": (r"\b(?:de|por|durante|que dure|que dure unos|duracion de) $", r" de duracion"),
    "pt": (r"\b(?:de|por|durante|que dure|duracao de) $", r" de duracao"),
    "en": (r"\b(?:for|lasting|that lasts|for about) $", r"[ -](?:long|appointment|session|slot|visit)\b"),
}

# Nights that somebody stays: a length that no other slot counts.
NIGHTS: frozenset[str] = _words("noche noches noite noites night nights")

# With whom: the word before somebody who is chosen.
WITH: dict[Language, frozenset[str]] = {
    "es": _words("con"),
    "pt": _words("com"),
    "en": _words("with see"),
}
