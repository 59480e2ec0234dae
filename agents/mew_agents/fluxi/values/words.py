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

# A name that was asked for may come with these before it.
INTRODUCTIONS: dict[Language, tuple[str, ...]] = {
    "es": ("mi nombre es", "nombre", "mi nombre", "me llamo", "el nombre es", "se llama", "es para", "a nombre de",
           "soy", "es", "para", "de"),
    "pt": ("meu nome é", "nome", "meu nome", "o nome é", "me chamo", "chama-se", "em nome de", "é para", "eu sou",
           "sou", "é", "para", "de"),
    "en": ("my name is", "name", "my name", "the names", "names", "the name is", "this is", "it is for", "its for",
           "in the name of", "i am", "im", "it is", "its", "for"),
}  # fmt: skip

# What ends a name within a sentence. "de", "los", "da", "dos", "and" are parts of names.
STOPS: dict[Language, frozenset[str]] = {
    "es": _words("""para con por porque pero que cuando como si a al en el lo desde hasta sin sobre mejor quiero
        quisiera necesito tengo soy estoy vivo es son esta gracias favor hoy ahora tambien mi"""),
    "pt": _words("""para com por porque mas que quando como se ao as em no na nos nas desde ate sem sobre melhor
        quero queria preciso tenho sou estou moro sao esta obrigado obrigada favor hoje agora tambem
        meu minha pelo pela"""),
    "en": _words("""for with because but that when as if at on in from until without about please thanks i want
        need am have live is are would today now also my to by
        thats im ive i its"""),
}  # fmt: skip

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
           "cómo se", "me hace falta", "quiero que", "tengo que", "me mandas", "por favor", "porfa", "xfa", "urgente"),
    "pt": ("quero", "queria", "qria", "qro", "preciso", "precisava", "gostaria", "gostava", "queremos", "pode", "podem",
           "podes", "poderia", "poderiam", "consegue", "conseguem", "consegues", "conseguiria", "tem como", "dá para",
           "dá pra", "dava pra", "dava para", "desejo", "como faço", "como é que", "agradecia", "ficaria", "por favor",
           "pfv", "urgente"),
    "en": ("i want", "want", "i need", "need", "needa", "would like", "id like", "i would", "could", "can", "may i",
           "should like", "looking for", "how do i", "please", "pls", "plz", "would you", "urgent", "i have"),
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
    "es": {"people": _words("persona personas gente comensales comensal adultos invitados cubiertos"),
           "weight": _words("peso pesa kilo kilos kg kgs kilogramo kilogramos")},
    "pt": {"people": _words("pessoa pessoas gente adultos convidados lugares"),
           "weight": _words("peso pesa quilo quilos kilo kilos kg kgs quilograma quilogramas")},
    "en": {"people": _words("person people persons guests adults diners pax ppl covers seats"),
           "weight": _words("weight weighs kilo kilos kg kgs kilogram kilograms")},
}  # fmt: skip

# Words that lead to a number of them.
LEADS: dict[Language, dict[str, tuple[str, ...]]] = {
    "es": {"people": ("para", "somos", "seremos", "seríamos", "vamos a ser", "para unos", "pa"),
           "weight": ("pesa", "pesa unos", "pesa como", "pesa unas")},
    "pt": {"people": ("para", "pra", "somos", "seremos", "vamos ser", "seríamos"),
           "weight": ("pesa", "pesa uns")},
    "en": {"people": ("for", "party of", "we are", "well be", "we will be", "were", "there are", "there will be",
                      "group of"),
           "weight": ("weighs", "weighs about", "weighing")},
}  # fmt: skip

# Words that introduce somebody whose name follows: "for my daughter, Sofía Gómez".
KIN: dict[Language, frozenset[str]] = {
    "es": _words("""para hija hijo madre padre mama papa marido esposo esposa mujer hermano hermana abuela abuelo tio
        tia vecino vecina amigo amiga colega companero companera suegra suegro novio novia llama nombre paciente primo
        prima sobrino sobrina jefe jefa"""),
    "pt": _words("""para pra pro filha filho mae pai marido esposo esposa mulher irmao irma avo tio tia vizinho vizinha
        amigo amiga colega sogra sogro namorado namorada chama nome paciente primo prima sobrinho sobrinha chefe"""),
    "en": _words("""for daughter son mother father mum mom dad husband wife brother sister grandmother grandfather
        neighbour neighbor friend colleague partner name called patient cousin nephew niece boss aunt uncle"""),
}  # fmt: skip

# An option's word that says only that something is different, before the noun that it belongs to.
OTHERS: dict[Language, frozenset[str]] = {
    "es": _words("otro otra otros otras"),
    "pt": _words("outro outra outros outras"),
    "en": _words("other another"),
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

# What somebody adds of their own accord begins so: "because", "one of us is allergic". As expressions.
BECAUSE: dict[Language, str] = {
    "es": r"(?:es )?(?:porque|xq|pq)(?= )|por(?= una? )|(?=un[oa] de nosotr[oa]s )|(?=tengo un )|(?=me duele )",
    "pt": r"(?:é )?(?:porque|pq)(?= )|por causa de(?= )|é pra(?= renovar)|(?=um[a]? de nós )|(?=tenho um )|(?=dói )",
    "en": r"because(?: of)?(?= )|(?=one of us )|(?=i have an? )|(?=my \w+ hurts)",
}
