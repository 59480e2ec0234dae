"""What every desk says about an effect, whatever the effect is, in English, Spanish and Portuguese."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from mew_gateway.protocol.envelope import timestamp

from ..phrasebook import Language, Phrasebook
from .answer import Answer

COMMON: Final = Phrasebook(
    {
        "absent": {
            "en": "Nothing was done under the key {key}.",
            "es": "Con la clave {key} no se hizo nada.",
            "pt": "Com a chave {key} nada foi feito.",
        },
        "barred": {
            "en": "Nothing was done under the key {key}, and nothing below fence {barred_below} will be.",
            "es": "Con la clave {key} no se hizo nada, y por debajo de la valla {barred_below} no se hará nada.",
            "pt": "Com a chave {key} nada foi feito, e abaixo da cerca {barred_below} nada será feito.",
        },
        "too_late": {
            "en": "This came too late: nobody waited for it after {deadline}. Nothing was done.",
            "es": "Llegó tarde: después de {deadline} ya nadie lo esperaba. No se hizo nada.",
            "pt": "Chegou tarde: depois de {deadline} ninguém mais o esperava. Nada foi feito.",
        },
        "fenced": {
            "en": "This call is overtaken by a later one (fence {fence}, attempt {attempt}), and does nothing.",
            "es": "A esta llamada la adelantó otra posterior (valla {fence}, intento {attempt}), y no hace nada.",
            "pt": "Esta chamada foi ultrapassada por outra posterior (cerca {fence}, tentativa {attempt}), e não faz "
            "nada.",
        },
        "busy": {
            "en": "The book is in use by another program. Try again.",
            "es": "Otro programa está usando el libro. Inténtelo de nuevo.",
            "pt": "Outro programa está usando o livro. Tente de novo.",
        },
        "repeated": {
            "en": "{text} (As answered before: nothing was done this time.)",
            "es": "{text} (Es la respuesta de antes: esta vez no se hizo nada.)",
            "pt": "{text} (É a resposta de antes: desta vez nada foi feito.)",
        },
    }
)


def sentence(answer: Answer, own: Phrasebook, shown: Mapping[str, object], language: Language) -> str:
    """An answer in words: by its code, from a desk's own phrases or from the common ones.

    `shown` are the fields of the answer as people write them.
    """
    code = _said(answer)
    values: dict[str, Any] = {**answer, **shown}
    if "deadline" in answer:
        values["deadline"] = timestamp(answer["deadline"])
    book = own if code in own.phrases else COMMON
    text = book.say(code, language, **values)
    return COMMON.say("repeated", language, text=text) if answer.get("repeated") else text


def _said(answer: Answer) -> str:
    return "barred" if "barred_below" in answer else str(answer["code"])
