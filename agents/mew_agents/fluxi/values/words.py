"""The few words that slots are read by, as data, folded: what a name stops at, what an answer begins with."""

from __future__ import annotations

from mew_agents.language.folding import word_set
from mew_agents.language.found import Language

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
           "la paciente es", "el nombre es", "su nombre es", "el nombre sea", "el nombre a", "el nombre por"),
    "pt": ("em nome de", "no nome de", "em nome do", "em nome da", "no nome do", "no nome da", "com o nome de",
           "sob o nome de", "ao nome de", "nome de", "chama-se", "se chama",
           "o paciente é", "a paciente é", "o doente é", "a doente é", "o nome dele é", "o nome dela é",
           "o nome é", "seu nome é", "o nome para", "o nome pra", "o nome por"),
    "en": ("in the name of", "under the name of", "under the name", "in the name", "by the name of",
           "with the name", "name of", "the name of", "his name is", "her name is", "his names", "her names",
           "name is", "names", "the name to", "his name to", "her name to"),
}  # fmt: skip

# The word for a name, by which a label says that its slot is for one.
NAME: dict[Language, str] = {"es": "nombre", "pt": "nome", "en": "name"}

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
    "es": word_set("""para con por porque pero que cuando como si a al en el lo desde hasta sin sobre mejor quiero
        quisiera necesito tengo soy estoy vivo es son esta gracias favor hoy ahora tambien mi
        tiene contra cumple edad"""),
    "pt": word_set("""para com por porque mas que quando como se ao as em no na nos nas desde ate sem sobre melhor
        quero queria preciso tenho sou estou moro sao esta obrigado obrigada favor hoje agora tambem
        meu minha pelo pela tem contra idade"""),
    "en": word_set("""for with because but that when as if at on in from until without about please thanks i want
        need am have live is are would today now also my to by
        thats im ive i its aged age against turns who has hes shes"""),
}  # fmt: skip

# "and".
CONJUNCTIONS: dict[Language, frozenset[str]] = {"es": word_set("y e"), "pt": word_set("e"), "en": word_set("and")}

# What leads on to something else and ends no value: "fiebre, con la", "on the".
TAILS: dict[Language, frozenset[str]] = {
    "es": STOPS["es"] | word_set("y o u e de del la las los un una unos unas ni no mas dra dr se me te le"),
    "pt": STOPS["pt"] | word_set("e ou de do da dos das o a os um uma nem nao mais dra dr me te lhe"),
    "en": STOPS["en"] | word_set("and or of the a an nor not no dr rather instead"),
}

# With these a message asks something, whether it ends in a question mark or not.
QUESTION_WORDS: dict[Language, frozenset[str]] = {
    "es": word_set("que cual cuales quien quienes como donde cuando cuanto cuanta cuantos cuantas"),
    "pt": word_set("que qual quais quem como onde quando quanto quanta quantos quantas"),
    "en": word_set("what which who whom how where when why can could is are do does will"),
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
    | word_set("""queria quisiera quiero necesito necesitamos dame dar pedir solicitar sacar hacer ver
        tener poder pasar pasen para desde este esta estos todo algo nuevo nueva favor mejor buscar"""),
    "pt": STOPS["pt"]
    | word_set("""quero queria preciso gostaria fazer pedir solicitar ver ter poder marcar para este
        esta isso algo novo nova favor melhor buscar volta"""),
    "en": STOPS["en"]
    | word_set("""want need like make have take with from this that would could should your
        please send come schedule set"""),
}

# What people count or measure, in words that mean the same: a label that has one of them means all.
COUNTED: dict[Language, dict[str, frozenset[str]]] = {
    "es": {"people": word_set("""persona personas gente comensales comensal adultos invitados cubiertos
               huesped huespedes"""),
           "weight": word_set("peso pesa kilo kilos kg kgs kilogramo kilogramos"),
           "age": word_set("edad"), "distance": word_set("km kms kilometro kilometros kilometraje")},
    "pt": {"people": word_set("pessoa pessoas gente adultos convidados lugares hospede hospedes"),
           "weight": word_set("peso pesa quilo quilos kilo kilos kg kgs quilograma quilogramas"),
           "age": word_set("idade"), "distance": word_set("km kms quilometro quilometros quilometragem")},
    "en": {"people": word_set("person people persons guests adults diners pax ppl covers seats"),
           "weight": word_set("weight weighs kilo kilos kg kgs kilogram kilograms"),
           "age": word_set("age"), "distance": word_set("km kms kilometre kilometres kilometer kilometers mileage")},
}  # fmt: skip

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

# An option's word that says only that something is different, before the noun that it belongs to.
OTHERS: dict[Language, frozenset[str]] = {
    "es": word_set("otro otra otros otras"),
    "pt": word_set("outro outra outros outras"),
    "en": word_set("other another"),
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
    "es": word_set("en con sin a al"),
    "pt": word_set("em no na nos nas com sem ao"),
    "en": word_set("on in at with without outside inside"),
}

# "of" and its contractions.
OF: dict[Language, frozenset[str]] = {
    "es": word_set("de del"),
    "pt": word_set("de do da dos das"),
    "en": word_set("of"),
}

# Words of a wish for something to be different, before its name.
CHANGING: dict[Language, frozenset[str]] = {
    "es": word_set("cambiar cambia cambie cambio cambiame modificar corregir querria podria puedo quisiera seria"),
    "pt": word_set("mudar muda mude trocar troca troque alterar corrigir queria gostaria posso seria"),
    "en": word_set("change alter correct fix switch like id can could we let me another different"),
}

# With these a question asks whether there is something.
EXISTING: dict[Language, frozenset[str]] = {
    "es": word_set("tienen tiene tienes tenes hay habra existe cuentan"),
    "pt": word_set("tem ha existe teria havera contam"),
    "en": word_set("have has got there any is are"),
}

# The same words where they alone say so, words that say nothing behind them, and what somebody wants room for.
THERE_IS: dict[Language, frozenset[str]] = {
    "es": word_set("tienen tiene tienes tenes hay habra existe cuentan"),
    "pt": word_set("tem ha existe teria havera contam"),
    "en": word_set("have has got there"),
}
UNNOTED: dict[Language, frozenset[str]] = {
    "es": word_set("algun alguna algo ahi alla fuera afuera"),
    "pt": word_set("algum alguma algo la ai fora ca"),
    "en": word_set("any you got been be is are out over there still left"),
}
ROOM: dict[Language, frozenset[str]] = {
    "es": word_set("mesa mesas mesita lugar lugares sitio sitios hueco espacio disponible disponibilidad libre algo"),
    "pt": word_set("mesa mesas mesinha lugar lugares espaco vaga vagas disponivel disponibilidade livre algo"),
    "en": word_set(
        "table tables room space spot spots seat seats seating place places free available anything something us"
    ),
}

# What makes a number the sum of those before it: "two adults and two children, four in all".
TOTALS: dict[Language, tuple[str, ...]] = {
    "es": ("en total", "total", "en todo"),
    "pt": ("no total", "ao todo", "em total", "total"),
    "en": ("in all", "in total", "altogether", "total", "all together"),
}
# The same before it: "my wife, me and the boys, so four".
SUMMING: dict[Language, tuple[str, ...]] = {
    "es": (
        "o sea",
        "osea",
        "total",
        "en total",
        "así que",
        "entonces",
        "o sea que somos",
        "así que somos",
        "somos en total",
        "en total somos",
        "suman",
        "hacen",
        "quedamos en",
        "quedamos",
        "terminamos siendo",
    ),
    "pt": (
        "ou seja",
        "total",
        "no total",
        "então",
        "portanto",
        "ao todo",
        "então somos",
        "somos ao todo",
        "no total somos",
        "ficamos",
        "ficamos em",
        "logo",
    ),
    "en": (
        "so",
        "so thats",
        "thats",
        "that makes",
        "which makes",
        "makes",
        "making",
        "so were",
        "so that is",
        "so thats about",
        "in total",
        "total",
        "total of",
        "altogether",
        "in all",
        "brings us to",
        "so we are",
    ),
}

# Words of a question about days, and about hours, besides a slot's label.
ABOUT_DAYS: dict[Language, frozenset[str]] = {
    "es": word_set("dia dias lunes martes miercoles jueves viernes sabado sabados domingo domingos abren fecha"),
    "pt": word_set("""dia dias segunda segundas terca tercas quarta quartas quinta quintas sexta sextas sabado sabados
        domingo domingos abrem data"""),
    "en": word_set("""day days monday mondays tuesday tuesdays wednesday wednesdays thursday thursdays friday fridays
        saturday saturdays sunday sundays open date"""),
}
ABOUT_HOURS: dict[Language, frozenset[str]] = {
    "es": word_set("hora horas horario horarios abren cierran"),
    "pt": word_set("hora horas horario horarios abrem fecham"),
    "en": word_set("hour hours time times open close opening"),
}

# For whom something is.
FOR: dict[Language, frozenset[str]] = {"es": word_set("para pa"), "pt": word_set("para pra pro"), "en": word_set("for")}
POSSESSIVES: dict[Language, frozenset[str]] = {
    "es": word_set("mi mis nuestra nuestro su"),
    "pt": word_set("meu minha nosso nossa"),
    "en": word_set("my our"),
}

# How long something is to last: what stands before a length, and behind it. As expressions over folded text.
LASTING: dict[Language, tuple[str, str]] = {
    "es": (r"\b(?:de|por|durante|que dure|que dure unos|duracion de) $", r" de duracion"),
    "pt": (r"\b(?:de|por|durante|que dure|duracao de) $", r" de duracao"),
    "en": (r"\b(?:for|lasting|that lasts|for about) $", r"[ -](?:long|appointment|session|slot|visit)\b"),
}

# Nights that somebody stays: a length that no other slot counts.
NIGHTS: frozenset[str] = word_set("noche noches noite noites night nights")

# With whom: the word before somebody who is chosen.
WITH: dict[Language, frozenset[str]] = {
    "es": word_set("con"),
    "pt": word_set("com"),
    "en": word_set("with see"),
}
