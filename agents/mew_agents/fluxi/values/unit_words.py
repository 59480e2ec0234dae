"""Nouns that numbers count, by kind, folded and in all languages: data for `units`."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from mew_agents.language.folding import word_set
from mew_agents.language.found import Language

UNITS: Final[dict[str, str]] = {
    "years": "ano anos anitos aninhos year years yr yrs edad idade age old",
    "months": "mes meses mesecitos mesinhos month months",
    "weeks": "semana semanas week weeks wk wks",
    "days": "dia dias day days",
    "nights": "noche noches noite noites night nights",
    "hours": "hora horas hour hours hr hrs",
    "minutes": "minuto minutos minute minutes min mins",
    "people": "persona personas gente comensal comensales adulto adultos adulta adultas invitado invitados huesped "
    "huespedes cubierto cubiertos pessoa pessoas convidado convidados hospede hospedes lugares person people persons "
    "guest guests adult adults diner diners pax ppl covers seats nino nina ninos ninas chico chica chicos chicas hijo "
    "hija hijos hijas menor menores grandes mayores crianca criancas filho filha filhos filhas kid kids child children "
    "bebe bebes baby babies toddler toddlers nosotros nosotras passenger passengers pasajero pasajeros passageiro "
    "passageiros",
    "distance": "km kms kilometro kilometros quilometro quilometros kilometre kilometres kilometer kilometers",
    "miles": "milla millas milha milhas mile miles",
    "metres": "metro metros metre metres meter meters",
    "weight": "peso pesa weight weighs kg kgs kilo kilos quilo quilos kilogramo kilogramos quilograma quilogramas "
    "kilogram kilograms",
    "grams": "gramo gramos grama gramas gram grams",
    "pounds": "libra libras pound pounds lb lbs",
    "litres": "litro litros litre litres liter liters",
    "money": "pesos dolar dolares real reais euro euros dollar dollars usd ars brl eur bucks monto importe valor "
    "precio presupuesto orcamento preco amount price budget",
    "tables": "mesa mesas table tables",
    "rooms": "habitacion habitaciones cuarto cuartos pieza piezas quarto quartos room rooms",
    "beds": "cama camas bed beds",
    "bags": "valija valijas maleta maletas bulto bultos mala malas bag bags suitcase suitcases",
    "boxes": "caja cajas paquete paquetes caixa caixas pacote pacotes box boxes parcel parcels",
    "animals": "perro perros gato gatos mascota mascotas cachorro cachorros dog dogs cat cats pet pets",
    "cars": "auto autos coche coches carro carros car cars",
    "times": "vez veces vezes times",
}
# The kinds whose length in another kind is exact.
EXACT: Final[dict[tuple[str, str], Fraction]] = {
    ("months", "years"): Fraction(1, 12),
    ("years", "months"): Fraction(12),
    ("weeks", "days"): Fraction(7),
    ("hours", "minutes"): Fraction(60),
    ("grams", "weight"): Fraction(1, 1000),
}
# What leads from a number to the thing that it is said of: "5 de propina", "5 dólares de envío", "5 for the tip".
OF_A_THING: Final[dict[Language, str]] = {
    "es": r" de(?: l[ao]s?| el|l)? ",
    "pt": r" d[eoa] ",
    "en": r" (?:of(?: the| a)?|for (?:the|a)) ",
}
# Behind those, these say what a number counts, or when something is, and no other thing.
NO_THING: Final[frozenset[str]] = word_set(
    """the los las una uno unos unas you nosotros nosotras ustedes vosotros ellos ellas nos gente eles elas voces
    usted cada ahora antes despues
    them these those this that which each total todos todas tarde noche manana madrugada mediodia medianoche
    noite manha enero febrero marzo abril mayo junio julio agosto septiembre setiembre octubre noviembre diciembre
    janeiro fevereiro marco abril maio junho julho setembro outubro novembro dezembro january february march april
    june july august september october november december evening morning night afternoon same rest lunes martes
    miercoles jueves viernes sabado domingo segunda terca quarta quinta sexta monday tuesday wednesday thursday friday
    saturday sunday dinner lunch breakfast party group day week weekend month year time"""
)
# What adds a half to the number before it.
HALVES: Final = r" (?:y medi[oa]|e mei[oa]|and a half)\b(?! hora| hour)"
# Lengths that have no number in them: "año y medio", "a year and a half".
UNNUMBERED: Final = (
    r"\b(?:(?:un |una |um |uma |a |an )?(?:ano|mes|hora|semana|year|month|week|hour)"
    r" (?:y medi[oa]|e mei[oa]|and a half)"
    r"|(?:half a|medi[oa]|mei[oa]) (?:ano|year|mes|month|docena|duzia|dozen))\b"
)
# A time that something is at, behind a number: "3 next month".
COMING: Final = (
    r" (?:next (?:month|week|year)|el (?:mes|ano) que viene|el proximo (?:mes|ano)|(?:no )?(?:mes|ano) que vem"
    r"|(?:no )?proximo (?:mes|ano))\b"
)
