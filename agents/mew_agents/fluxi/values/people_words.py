"""The words for people, as data, folded: who is counted together, and whose somebody is."""

from __future__ import annotations

from mew_agents.language.folding import word_set
from mew_agents.language.found import Language

# Groups of people that are counted apart.
ADULTS: dict[Language, frozenset[str]] = {
    "es": word_set("adulto adultos adultas grandes mayores"),
    "pt": word_set("adulto adultos adultas"),
    "en": word_set("adult adults grownups grown"),
}
CHILDREN: dict[Language, frozenset[str]] = {
    "es": word_set("""nino nina ninos ninas chico chicos chica chicas peque peques menor menores hijo hijos hija hijas
        nene nenes nena nenas pibe pibes piba pibas crio crios cria chaval chavales gurises guri nieto nietos nietas
        sobrinos sobrinas mellizos gemelos chamacos chamaco"""),
    "pt": word_set("""crianca criancas miudo miudos miuda miudas filho filhos filha filhas menor menores menino meninos
        menina meninas garoto garotos garota garotas guri guris pequeno pequenos neto netos netas sobrinhos sobrinhas
        gemeos catraio catraios"""),
    "en": word_set("""kid kids child children toddler toddlers little littles boy boys girl girls son sons daughter
        daughters teen teens teenager teenagers grandchild grandchildren grandkids nephews nieces twins bairns lad
        lads lass lasses wean weans"""),
}

# The one who speaks, and one other person as somebody says it: the words before, and the words for that person.
MYSELF: dict[Language, frozenset[str]] = {
    "es": word_set("mi yo"),
    "pt": word_set("mim eu"),
    "en": word_set("me i myself"),
}
ONE_OF_MINE: dict[Language, tuple[frozenset[str], frozenset[str]]] = {
    "es": (
        word_set("mi un una el la nuestro nuestra"),
        word_set(
            "senora viejo vieja yerno nuera madrina padrino ahijado ahijada abuelita compadre comadre polola pololo "
            "marido mujer esposo esposa pareja novio novia hermano hermana hijo hija madre "
            "padre mama papa suegro suegra cunado cunada primo prima tio tia abuelo abuela nieto nieta sobrino sobrina "
            "amigo amiga jefe jefa socio socia vecino vecina colega companero companera"
        ),
    ),
    "pt": (
        word_set("meu minha um uma o a nosso nossa"),
        word_set(
            "patroa genro nora madrinha padrinho afilhado afilhada vo comadre compadre mana mano "
            "marido mulher esposo esposa namorado namorada noivo noiva irmao irma "
            "filho filha mae pai sogro sogra cunhado cunhada primo prima tio tia avo neto neta sobrinho sobrinha amigo "
            "amiga chefe socio socia vizinho vizinha colega companheiro companheira parceiro parceira"
        ),
    ),
    "en": (
        word_set("my a our the"),
        word_set(
            "nan nana nanna gran granny grandad granddad gramps mam mommy mummy mama pop auntie hubby missus fella "
            "grandson granddaughter stepson stepdaughter stepmum stepdad flatmate roommate housemate bestie "
            "husband wife partner boyfriend girlfriend fiance fiancee spouse brother sister son "
            "daughter mother father mum mom dad uncle aunt cousin niece nephew grandmother grandfather grandma grandpa "
            "friend boss colleague neighbour neighbor mate"
        ),
    ),
}

# Two people, in one word: "my parents".
PAIRS: dict[Language, frozenset[str]] = {
    "es": word_set("padres papas abuelos suegros"),
    "pt": word_set("pais avos sogros"),
    "en": word_set("parents grandparents folks"),
}

# The speaker and nobody else. As expressions over folded text.
ALONE: dict[Language, str] = {
    "es": r"(?:solo|solamente|nada mas(?: que)?|unicamente)(?: para)? (?:yo|mi)\b"
    r"|(?:yo|para mi|voy|vengo|ire) sol[oa]\b|soy (?:yo )?sol[oa]\b|^sol[oa] yo\b|para mi nada mas",
    "pt": r"(?:so|somente|apenas)(?: para| pra)? (?:eu|mim)\b|(?:eu|para mim|pra mim|vou|venho|irei) sozinh[oa]\b"
    r"|^sozinh[oa]$",
    "en": r"(?:just|only|its|it is) (?:for )?(?:me|myself)\b|(?:on|by) (?:my own|myself)\b|me alone|just the one of us",
}

# Words that introduce somebody whose name follows: "for my daughter, Sofía Gómez".
KIN: dict[Language, frozenset[str]] = {
    "es": word_set("""para senora viejo vieja yerno nuera nieta nieto madrina padrino ahijada ahijado abuelita nena nene
        hija hijo madre padre mama papa marido esposo esposa mujer hermano hermana abuela abuelo tio
        tia vecino vecina amigo amiga colega companero companera suegra suegro novio novia llama nombre paciente primo
        prima sobrino sobrina jefe jefa"""),
    "pt": word_set("""para pra pro patroa genro nora neta neto madrinha padrinho afilhada afilhado vo menina menino
        filha filho mae pai marido esposo esposa mulher irmao irma avo tio tia vizinho vizinha
        amigo amiga colega sogra sogro namorado namorada chama nome paciente primo prima sobrinho sobrinha chefe"""),
    "en": word_set("""for nan nana nanna gran granny grandma grandpa grandad granddad mam mommy mummy auntie hubby
        grandson granddaughter stepson stepdaughter flatmate roommate housemate kid
        daughter son mother father mum mom dad husband wife brother sister grandmother grandfather
        neighbour neighbor friend colleague partner name names called lad lass wee boy girl missus mrs
        patient cousin nephew niece boss aunt uncle"""),
}  # fmt: skip
