"""Words that say nothing by themselves: interjections, and what people call the one they write to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mew_agents.language.found import LANGUAGES, Language
from mew_agents.language.phrase_table import PhraseTable

_INTERJECTIONS: Final[Mapping[Language, str]] = {
    "es": """ah | ay | ey | eh | ehm | este | em | mmm | mm | hmm | uh | uy | uf | oh | ups | bueno | bien | pues
    | a ver
        | veamos | dale | ok | okey | sí | si | claro | mirá | mira | che | oye | oiga | perdón | perdona | perdone
        | disculpa | disculpe | disculpá | cierto | verdad | es verdad | tenés razón | jaja | jajaja | lo siento
        | mil disculpas
        | ah cierto | ay perdón | ah sí | bien bien | listo | obvio | espera | esperá | un segundo | un momento""",
    "pt": """ah | ai | eh | oh | opa | uh | hum | hmm | é que | bem | bom | então | pois | pois é | olha | olhe
    | ora | ora bem
        | vamos ver | deixa ver | deixa eu ver | deixe ver | tá | tá bom | ok | sim | claro | certo | desculpa
        | desculpe
        | me desculpe | me desculpa | desculpe-me | peço desculpa | perdão | perdoe | nossa | eita | ixi | putz
        | kkk | rs
        | verdade | é verdade | tem razão | ah sim | ah tá | pronto | um momento | só um momento | peraí | espera""",
    "en": """ah | oh | uh | uhh | um | umm | er | erm | hm | hmm | well | so | ok | okay | right | aye | yes | yeah
    | yep | sure
        | sorry | sorry pet | sorry love | pardon | my bad | whoops | oops | lol | haha | let me see | lets see
        | let me think
        | of course | course | oh right | oh sorry | oh yes | ah yes | ah right | ah sorry | sorry about that
        | hang on | hold on
        | wait | one sec | no worries | no problem | true | good point""",
}
INTERJECTIONS: Final = {
    language: PhraseTable((" ".join(one.split()), None) for one in _INTERJECTIONS[language].split("|"))
    for language in LANGUAGES
}
