"""What stands before and behind an answer and is none of it: hesitating, addressing somebody, closing.

"uhh lets see, Young Smith", "Dundee will ya", "ah sorry pet, …". `bare` gives the answer without it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mew_agents.language.folding import Folded, fold
from mew_agents.language.found import LANGUAGES, Language
from mew_agents.language.phrase_table import PhraseTable
from mew_agents.language.value_words.vocabulary import Phrases, phrases

# Who is talked to.
VOCATIVES: Final[Mapping[Language, Phrases]] = {
    "es": phrases("""
        amor | mi amor | corazón | cielo | mi cielo | vida | mi vida | cariño | querido | querida | hijo
        | hija | hijita | hijito | mijo | mija | m'hijo | m'hija | nene | nena | tesoro | reina | rey
        | guapo | guapa | joven | jefe | jefa | maestro | capo | capa | genio | genia | crack | amigo
        | amiga | amigos | hermano | bro | loco | loca | che | boludo | tío | tía | colega | compa | cuate
        | wey | güey | gente | chicos | chicas | señor | señora | señorita | caballero | doctor | pana
        | parce | flaco | flaca | pibe | corazones"""),
    "pt": phrases("""
        amor | meu amor | meu bem | querido | querida | meu querido | minha querida | filho | filha
        | meu filho | minha filha | moço | moça | cara | mano | mana | brother | parceiro | parceira | chefe
        | patrão | campeão | amigo | amiga | gente | pessoal | galera | senhor | senhora | linda | lindo
        | fofa | fofo | anjo | flor | bem | véi | velho | meu | pá | rapaz | menina | menino | jovem
        | doutor | doutora"""),
    "en": phrases("""
        love | pet | mate | pal | luv | hon | honey | dear | dearie | darling | darlin | sweetie
        | sweetheart | sugar | hen | duck | ducky | chuck | babe | bro | bruh | dude | man | lad | lads
        | guys | folks | buddy | boss | chief | sir | madam | ma'am | maam | miss | friend | my friend
        | my dear | fella | lass | y'all | yall | big man | bud | champ | sis | kind sir | petal | flower
        | marra | pet lamb"""),
}
_HEADS: Final[Mapping[Language, Phrases]] = {
    "es": phrases("""
        eh | ehh | ehm | em | este | esteee | mmm | mm | hmm | hm | uh | uhm | uf | uff | ah | ahh | ay | uy
        | oh | a ver | a ver a ver | veamos | déjame ver | dejame ver | déjame pensar | dejame pensar
        | déjeme ver | déjeme pensar | bueno | bueno a ver | bien | pues | pues mira | pues nada | mira
        | mire | mirá | oye | oiga | entonces | o sea | la verdad | claro | claro que sí | sí | sí claro
        | sí sí | si | vale | ok | okey | dale | listo | perfecto | perdón | perdona | perdoná | perdone
        | disculpa | disculpá | disculpe | ah sí | ah cierto | cierto | ah claro | ah ok | ah perdón
        | ay perdón | ay sí | espera | esperá | espere | un segundo | un momento | a ver si me acuerdo
        | digamos | creo que | creo que es | pongamos | que te diga | qué te digo | cómo no | por supuesto
        | con gusto | con mucho gusto | con todo gusto | faltaba más | ahí va | ahí te va | te cuento | anota |
        anotá | anote
        | es verdad | verdad | tenés razón | ey | ups | lo siento | mil disculpas | obvio | jaja | jajaja
        | apunta | apuntá | poné | pon | ponga | poneme | ponme | póngame | ponele | ponle | escribí
        | escribe | y | sería | serían | vendría a ser | hola | buenas | holi | buen día | buenos días | va
        | van | ahora sí | pará | para que sepas | no sé | sip | see | genial | muy bien | encantado
        | encantada | con permiso | aquí tiene | aquí tienes | acá tenés | ahí tenés | ahí tiene | toma
        | tomá | tome"""),
    "pt": phrases("""
        é | eh | ehh | hã | hum | humm | hmm | hm | ah | ahh | ai | ih | oh | bom | bem | então | olha
        | olhe | tipo | deixa ver | deixa eu ver | deixa-me ver | deixe-me ver | deixe eu ver
        | deixa eu pensar | deixa pensar | vejamos | vamos ver | ver | peraí | pera | pera aí | espera
        | espere | só um segundo | um momento | claro | claro que sim | sim | sim sim | tá | tá bom | tá bem
        | ok | okay | certo | beleza | blz | perfeito | pronto | desculpa | desculpe | me desculpa
        | me desculpe | desculpe-me
        | peço desculpa | perdoe | tem razão | é que | nossa | ixi | putz | kkk | rs | só um momento | foi mal | perdão
        | ah sim | ah tá | ah desculpa | ah desculpe | ah é | ah verdade | verdade | é verdade | com certeza
        | com prazer | pois | pois é | pois bem | ora | ora bem | ora essa | acho que | acho que é | digamos
        | põe | ponha | bota | bote | coloca | coloque | pode pôr | pode colocar | anota | anota aí | anote
        | escreve | escreva | e | seria | seriam | oi | olá | opa | eita | uai | vixe | agora sim | lá vai
        | aí vai | segue | toma | já agora | a propósito | não sei | quer ver | sabe"""),
    "en": phrases("""
        uh | uhh | uhm | um | umm | er | erm | err | eh | hmm | hm | mm | mmm | ah | ahh | aw | aye | oh
        | ooh | oooh | eee | well | well now | right | right then | right so | ok | okay | ok so | okay so
        | k | so | now | now then | look | listen | see | let me see | lemme see | lets see | let us see
        | let me think | lemme think | let me check | let's see now | give me a sec | hang on | hold on
        | wait | one sec | just a sec | sure | sure thing | of course | yeah | yep | yes | yup | ya
        | yes of course | yes sure | oh yes | oh right | oh yeah | ah yes | ah right | ah sorry | oh sorry
        | sorry | sorry pet | sorry love | sorry about that | my bad | pardon | oops | whoops | true | good point
        | course | lol | haha | so sorry | my apologies | apologies | pardon me | beg your pardon | excuse me | i think
        | i think its | i guess | i suppose | i believe | id say | like | you know | i mean | basically
        | honestly | actually | put | put down | just put | go with | make it | id go with | say | and
        | that would be | thatd be | thats | that is | it would be | itd be | hi | hello | hey | hiya
        | howdy | cool | great | fine | no problem | no worries | here you go | here goes | there you go
        | certainly | gladly | absolutely | why | my | dunno"""),
}
_TAILS: Final[Mapping[Language, Phrases]] = {
    "es": phrases("""
        por favor | porfa | porfis | porfi | xfa | xfavor | plis | gracias | muchas gracias | mil gracias
        | grax | grasias | si puede ser | si se puede | si puedes | si podés | si puede | si es tan amable
        | si no es molestia | si te va | si me hace favor | si me hace el favor | nomás | no más | nada más
        | eso | eso es | sí eso | así es | sí así es | y ya | y ya está | y listo | listo | creo | me parece
        | creo que sí | creo que eso | creo que es eso | eso sería | eso es todo | creo que eso es todo | creo
        que no me falta nada | y nada más | sería eso | ¿sí? | sí
        | vale | ok | dale | eh | para servirle | para servirte | a sus órdenes | un saludo | saludos
        | besos | abrazo | cuando puedas | cuando pueda | ja | jaja | jajaja | jeje | por ahora | xd | lol
        | y punto | punto | acá | aquí | ya te digo | de una | tal cual"""),
    "pt": phrases("""
        só isso né | acho que era só isso né | acho que era só isso | era só isso | é isso né | por favor | pf |
        pfv | pfvr | faz favor | se faz favor | se possível | se der | se puder
        | se for possível | obrigado | obrigada | muito obrigado | muito obrigada | brigado | brigada | obg
        | vlw | valeu | só isso | é isso | é isso aí | isso | isso mesmo | sim isso | é só | e só | e pronto
        | pronto | acho | eu acho | acho que é isso | acho que sim | creio | viu | tá | tá bom | ok | beleza
        | blz | né | sim | abraço | beijo | bjs | kkk | kkkk | rs | rsrs | haha | aí | aqui | certo
        | às ordens | ao seu dispor"""),
    "en": phrases("""
        please | pls | plz | ta | thanks | thank you | thank you kindly | thx | cheers | many thanks
        | if you please | if you would | if you dont mind | if thats ok | if thats okay | if possible
        | if you can | if u can | will ya | will you | will ye | will yer | would yer | would ye | wouldja
        | would you | could you | can you | i think | i guess | i suppose | i believe | i reckon | thats it
        | that is it | thats all | that is all | i think thats everything | thats everything | thats the lot |
        thats the one | yes that | yes thats it | yeah thats it
        | and thats it | thats right | right | ok | okay | yeah | yes | innit | like | lol | haha | ha | xx
        | x | xxx | so it is | so there | though | then | you know | here | at your service | for you
        | anyway | to be exact | to be precise | as it happens | would do | will do | asap | now"""),
}
_SILENT: Final = frozenset(",.;:!?¡¿…-–—()\"'")


def bare(text: str, start: int, end: int, language: Language) -> tuple[int, int]:
    """Where the answer stands in `text[start:end]`, without such words at its ends; as it was, if nothing is left."""
    folded = fold(text[start:end])
    first, last = _first(folded, language), len(folded.tokens) - 1
    if first > last:
        return start, end
    last = _last(folded, first, language)
    begin, after = folded.span(first, last)
    return start + begin, start + after


def says_nothing(text: str, language: Language) -> bool:
    """Whether a text is made of such words and of addressing somebody, and nothing else."""
    folded = fold(text)
    return _first(folded, language) >= len(folded.tokens)


def _first(folded: Folded, language: Language) -> int:
    """The first token of what is said. A word that could be a name is passed over only before a sign or another."""
    tokens, at = folded.tokens, 0
    while at < len(tokens):
        if tokens[at].text in _SILENT or not (tokens[at].text.isalnum() or tokens[at].text in "+$€£@#"):
            at += 1
            continue
        spelt = [token._replace(text=_squeezed(token.text)) for token in tokens[at : at + _LONGEST]]
        known = _HEAD[language].starting(tokens, at) or _HEAD[language].starting(spelt, 0)
        apart = known is not None and _parted(folded, at + known[0])
        may_be_name = known is not None and (known[1] == "called" or tokens[at].text in _ALSO_NAMES)
        if known is None or (may_be_name and not apart):
            return at
        at += known[0]
    return at


def _last(folded: Folded, first: int, language: Language) -> int:
    tokens, last = folded.tokens, len(folded.tokens) - 1
    while last > first:
        known = _TAIL[language].ending(tokens, last)
        if known is not None and last - known[0] >= first and (known[1] == "closing" or _led(folded, last - known[0])):
            last -= known[0]
        elif tokens[last].text in _SILENT and not (tokens[last].text == "." and len(tokens[last - 1].text) == 1):
            last -= 1
        else:
            break
    return last


def _parted(folded: Folded, at: int) -> bool:
    """Whether a sign or the end stands there."""
    return at >= len(folded.tokens) or folded.tokens[at].text in _SILENT


def _led(folded: Folded, at: int) -> bool:
    """Whether a name for somebody who is addressed stands apart, behind a comma, or in small letters."""
    start, end = folded.span(at + 1, at + 1)
    return folded.tokens[at].text in _SILENT or folded.original[start:end].islower()


def _squeezed(word: str) -> str:
    """A word without letters that are repeated: "uhhhh", "noooo"."""
    kept = [sign for at, sign in enumerate(word) if at == 0 or sign != word[at - 1]]
    return "".join(kept)


# Words that names begin with as well: "Bom Jesus", "Vale", "Buen Aire".
_ALSO_NAMES: Final = frozenset(
    ("bom", "bem", "bien", "vale", "claro", "pronto", "perfecto", "listo", "fine", "great", "cool", "see", "like",
     "why", "my", "say", "put", "toma", "pon", "pois", "segue", "va", "van", "em", "er", "genial", "now", "sure", "hey",
     "an")
)  # fmt: skip
_LONGEST: Final = 6  # tokens of a phrase
# What stands before an answer and says nothing. A sign has to follow: "Bom, Ana" has one, and "Bom Jesus" is a name.
INTERJECTIONS: Final = {language: PhraseTable((one, None) for one in _HEADS[language]) for language in LANGUAGES}
_HEAD: Final = {
    language: PhraseTable(
        (
            *((phrase, "called") for phrase in VOCATIVES[language]),
            *((phrase, "said") for phrase in _HEADS[language]),
        )
    )
    for language in LANGUAGES
}
_TAIL: Final = {
    language: PhraseTable(
        (
            *((phrase, "called") for phrase in VOCATIVES[language]),
            *((phrase, "closing") for phrase in _TAILS[language]),
        )
    )
    for language in LANGUAGES
}
