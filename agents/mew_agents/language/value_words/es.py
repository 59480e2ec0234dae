"""Spanish, of Spain and of America."""

from __future__ import annotations

from mew_agents.language.value_words.vocabulary import (
    AnswerWords,
    MoneyWords,
    NameWords,
    NumberWords,
    PhraseWords,
    Vocabulary,
    combined,
    phrases,
)

_ANSWERS = AnswerWords(
    yes=phrases("""
        sí | sip | sep | see | sis | ssi | que sí | sí que sí | pues sí | eso sí quiero | claro | claro que sí
        | clarísimo | por supuesto | por supuesto que sí | desde luego | obvio | obviamente | cómo no | dale
        | dale nomás | dale que va | dele | vale | venga | órale | sale y vale | listo | perfecto | genial
        | excelente | buenísimo | estupendo | correcto | es correcto | exacto | exactamente | así es | eso es
        | eso | eso mismo | ese mismo | esa misma | efectivamente | afirmativo | confirmo | lo confirmo
        | confirmado | confirmar | confirma | confirme | confírmalo | confírmelo | confirmalo ya | sí confirmo
        | acepto | aceptado | de acuerdo | estoy de acuerdo | conforme | adelante | hazlo | hacelo | hágalo
        | hágale | procede | proceda | procedé | quiero | sí quiero | lo quiero | me parece bien | me parece
        | me parece perfecto | me sirve | me viene bien | me queda bien | me va bien | me conviene | sin problema
        | sin problemas | no hay problema | no hay drama | ningún problema | sin duda | sin dudas | sin dudarlo
        | ya está bien así | así está bien | está perfecto | está correcto | todo correcto | todo bien | todo ok
        | ajá | seguro | seguro que sí | fijo | vamos | vamos con eso | hecho | trato hecho | a full | de una
        | joya | bárbaro | por qué no | y por qué no | puedes confirmar | podés confirmar | puede confirmar
        | con gusto | encantado | encantada | simón | 👍 | 👌 | ✅ | ✔ | ☑ | 🆗 | okey dokey"""),
    weak_yes=phrases(
        "bueno | bien | está bien | ta bien | ok | okay | okey | oki | okis | oka | okk | entiendo | entendido"
    ),
    alone=phrases("s | va | sale | y bueno"),
    no=phrases("""
        no | n | nop | nope | nel | nones | naa | nah | que no | pues no | eso no | así no | ese no | esa no
        | claro que no | por supuesto que no | desde luego que no | obvio que no | obviamente no | seguro que no
        | para nada | en absoluto | de ninguna manera | de ningún modo | ni hablar | ni en pedo | no creo
        | no lo creo | ni loco | ni loca | ni en sueños | ni pensarlo | ni de broma | nunca | jamás | nada de eso
        | negativo | tampoco | no quiero | no lo quiero | no deseo | no acepto | no lo acepto | no confirmo
        | no confirmes | no lo confirmo | no lo confirmes | no lo hagas | no lo haga | no hagas nada
        | no estoy de acuerdo | no me parece | no me parece bien | no me sirve | no me conviene
        | no me viene bien | no me queda bien | no me va bien | no me gusta | no puedo | no es correcto
        | no es así | no es eso | eso no es | no era eso | no está bien | incorrecto | está mal | equivocado
        | error | mejor no | prefiero que no | preferiría que no | prefiero no | creo que no | me parece que no
        | ahora no | por ahora no | de momento no | por el momento no | hoy no | todavía no | aún no
        | todavía no quiero | no todavía | no aún | no va | no dale no | no hace falta | no es necesario
        | pero no | 👎 | ❌ | ✖ | 🚫 | ⛔ | 🙅"""),
    unclear=phrases("""
        no sé | pero no sé | pero no estoy seguro | pero no estoy segura | no lo sé | no sé todavía
        | todavía no sé | aún no sé | no lo tengo claro | no tengo claro | no sabría | no sabría decir | ni idea
        | no tengo idea | no estoy seguro | no estoy segura | no estoy muy seguro | no estoy muy segura
        | no sé si sí | quién sabe | quizá | quizás | tal vez | talvez | a lo mejor | puede ser | puede
        | podría ser | puede que sí | puede que no | capaz | capaz que sí | capaz que no | probablemente
        | posiblemente | depende | según | más o menos | creo que sí | creo | supongo | supongo que sí
        | me imagino | imagino que sí | no creo que sí | déjame pensarlo | dejame pensarlo | lo pienso
        | lo voy a pensar | tengo que pensarlo | lo consulto | ya veré | ya veremos | veremos | a ver | sí y no
        | ni sí ni no | da igual | me da igual | me da lo mismo | lo que sea | como quieras | cómo | qué
        | no entiendo | no entendí | eso sí | si acaso | ya | 🤔 | 🤷"""),
    polite=phrases("""
        gracias | muchas gracias | mil gracias | muchísimas gracias | te agradezco | se lo agradezco
        | se agradece | muy amable | por favor | porfa | porfi | porfis | porfavor | por fa | plis | hola
        | buenas | buen día | buenos días | buenas tardes | buenas noches | saludos | amigo | amiga | che | señor
        | señora | señorita | doctor | doctora | jaja | jajaja | jeje | pero gracias | perdón | disculpa
        | disculpe | mi amor | querida | querido | 🙏 | 😊 | 🙂 | 😀 | 😄 | 😃 | 😁 | 😉 | ☺ | 👋 | ❤ | 💪 | 🙌
        | 🎉 | 🤗 | 😅 | ♀ | ♂"""),
    cancel=phrases("""
        cancelar | cancela | cancelá | cancele | cancélalo | cancelalo | cancelálo | cancélelo | cancelar todo
        | cancela todo | cancelá todo | cancélalo todo | cancelalo todo | quiero cancelar | quiero cancelarlo
        | quisiera cancelar | prefiero cancelar | mejor cancela | mejor cancelá | mejor cancelar
        | mejor cancélalo | mejor cancelalo | olvídalo | olvidalo | olvidate | olvídate | olvídese | olvídelo
        | olvídalo todo | déjalo | dejalo | déjelo | mejor déjalo | mejor dejalo | déjalo así | dejalo así | dejá
        | deja | deja nomás | dejá nomás | ya no | ya no quiero | ya no lo quiero | ya no hace falta
        | ya no importa | no importa ya | anular | anula | anúlalo | anulalo | anulá | abortar | aborta | salir
        | me arrepentí | no quiero nada | ya no quiero nada""")
    + combined(
        """cancelar | cancela | cancelá | cancele | anular | anula | anulá | anule | quiero cancelar | quisiera cancelar
        | quiero anular | quisiera anular""",
        "el | la | mi | este | esta",
        "turno | cita | reserva | reembolso | pedido | solicitud",
    ),
    status=phrases("""
        cómo va | cómo va eso | cómo va todo | cómo vas | cómo vamos | cómo viene | cómo viene eso | y?
        | qué pasó | qué pasó con eso | qué pasó con mi pedido | qué onda | en qué quedó | en qué va
        | en qué estado está | en qué está | cuál es el estado | estado | status | estatus | novedades
        | alguna novedad | hay novedades | alguna noticia | ya está? | está listo? | ya está listo? | listo?
        | ya quedó? | quedó? | ya se hizo? | se hizo? | ya lo hiciste? | lo hiciste?? | pudiste? | funcionó?
        | falta mucho? | cuánto falta | sigue ahí? | seguís ahí? | sigues ahí? | hay alguien?
        | ya lo cancelaste? | lo cancelaste? | ya se canceló? | se canceló? | lo anulaste? | se anuló?
        | ya lo deshiciste? | lo deshiciste? | se deshizo?""")
    + combined(
        "está | ya está | quedó | ya quedó | fue",
        "cancelado? | cancelada? | anulado? | anulada? | deshecho? | deshecha?",
    )
    + combined(
        "qué pasó con | qué fue de | en qué quedó | cómo va | cómo quedó | cómo está | qué hay de",
        "mi | el | la | ese | esa",
        "turno | cita | reserva | pedido | solicitud | reembolso | cancelación",
    ),
)

_ONES = {
    "cero": 0, "uno": 1, "un": 1, "una": 1, "dos": 2, "tres": 3, "cuatro": 4, "cinco": 5, "seis": 6, "siete": 7,
    "ocho": 8, "nueve": 9, "diez": 10, "once": 11, "doce": 12, "trece": 13, "catorce": 14, "quince": 15,
    "dieciséis": 16, "diecisiete": 17, "dieciocho": 18, "diecinueve": 19, "veintiuno": 21, "veintiún": 21,
    "veintiuna": 21, "veintidós": 22, "veintitrés": 23, "veinticuatro": 24, "veinticinco": 25, "veintiséis": 26,
    "veintisiete": 27, "veintiocho": 28, "veintinueve": 29,
}  # fmt: skip
_TENS = {
    "veinte": 20, "treinta": 30, "cuarenta": 40, "cincuenta": 50, "sesenta": 60, "setenta": 70, "ochenta": 80,
    "noventa": 90,
}  # fmt: skip
_HUNDREDS = {
    "cien": 100, "ciento": 100, "doscientos": 200, "doscientas": 200, "trescientos": 300, "trescientas": 300,
    "cuatrocientos": 400, "cuatrocientas": 400, "quinientos": 500, "quinientas": 500, "seiscientos": 600,
    "seiscientas": 600, "setecientos": 700, "setecientas": 700, "ochocientos": 800, "ochocientas": 800,
    "novecientos": 900, "novecientas": 900,
}  # fmt: skip

_NUMBERS = NumberWords(
    decimal=",",
    strays=True,
    ones=_ONES,
    tens=_TENS,
    hundreds=_HUNDREDS,
    hundred="",
    scales={"mil": 10**3, "millón": 10**6, "millones": 10**6, "billón": 10**12, "billones": 10**12},
    bare_scales=phrases("mil"),
    dozens=phrases("docena | docenas"),
    halves=phrases("medio | media"),
    unsure_halves=phrases("media"),
    articles=phrases("un | una | uno"),
    joins=phrases("y"),
    joins_anything=False,
    minus=phrases("menos"),
    not_minus_after=phrases("al | lo | o | por | mas | a"),
    hours_before=phrases("a las | a la | a eso de las | desde las | hasta las | sobre las | tipo | para las"),
    hours_after=phrases("""
        de la tarde | de la mañana | de la noche | de la madrugada | del mediodía | am | pm | a.m | p.m | a. m
        | p. m | hs | hrs | h | en punto"""),
    past_the_hour=phrases("y | menos | con"),
    days_before=phrases("día | lunes | martes | miércoles | jueves | viernes | sábado | domingo"),
    months=phrases("""
        enero | febrero | marzo | abril | mayo | junio | julio | agosto | septiembre | setiembre | octubre
        | noviembre | diciembre"""),
    percent=phrases("por ciento"),
    idioms=phrases(
        "mil gracias | mil disculpas | mil perdones | una vez | de una | a mil | de hoy en ocho | cada dos por tres"
    ),
)

_MONEY = MoneyWords(
    currencies={
        "libras inglesas": "GBP", "libras británicas": "GBP", "reales de brasil": "BRL",
        "dólar americano": "USD", "dólares yanquis": "USD", "pesos de argentina": "ARS", "euritos": "EUR",
        "peso": "PESO", "pesos": "PESO", "pesitos": "PESO", "pesos argentinos": "ARS", "pesos mexicanos": "MXN",
        "pesos chilenos": "CLP", "pesos colombianos": "COP", "pesos uruguayos": "UYU", "pesos dominicanos": "DOP",
        "peso argentino": "ARS", "peso mexicano": "MXN", "peso chileno": "CLP", "peso colombiano": "COP",
        "dólar": "DOLLAR", "dólares": "DOLLAR", "dólares americanos": "USD", "dólares estadounidenses": "USD",
        "dólares canadienses": "CAD", "dólares australianos": "AUD", "euro": "EUR", "euros": "EUR",
        "reales": "BRL", "reales brasileños": "BRL", "libras": "GBP", "libras esterlinas": "GBP",
        "soles": "PEN", "nuevos soles": "PEN", "guaraníes": "PYG", "bolivianos": "BOB", "bolívares": "VES",
        "quetzales": "GTQ", "lempiras": "HNL", "córdobas": "NIO", "colones": "CRC", "balboas": "PAB",
    },
    weights={"libras": phrases("de")},
    cents=phrases("centavo | centavos | céntimo | céntimos"),
    cents_joins=phrases("con | y"),
    bare_cents_joins=phrases("con"),
    of=phrases("de"),
    amounts=phrases("""
        monto | monto de | monto es | importe | importe de | importe es | valor | valor de | suma de | total
        | total de | total es | precio | precio de | precio es | cantidad de dinero de | costó | cuesta | sale
        | pagué | pagar | pago de | pago por | devolver | devolverme | devuelvan | devuelva | devuelvas | devolvieran
        | devolución de | devolución por
        | reembolso de | reembolso por | reembolsar | reintegro de | reintegro por | cobraron | cobró | cobrar
        | cobro de | cargo de | cargo por | transferir | depositar | deposité | me deben | deben | salió | pagado
        | gasté"""),
    amounts_behind=phrases("de vuelta | de reembolso | de devolución | de reintegro"),
)  # fmt: skip

_NAMES = NameWords(
    titles=phrases("""
        dr | dra | doctor | doctora | doc | lic | licenciado | licenciada | ing | ingeniero | ingeniera | prof
        | profe | profesor | profesora | sr | sra | srta | señor | señora | señorita | don | doña | odontólogo
        | odontóloga | arq | abogado | abogada | dentista | médico | médica"""),
    particles=phrases("de | del | la | las | los | da | do | dos | das | di | van | von"),
    introducers=phrases("con | para | doctor | doctora | dr | dra"),
    common=phrases("""
        parte | coche | leche | ruta | nota | ropa | foto
        | a | y | e | u | al | ante | así | aquí | acá | allá | ahí | bajo | bien | cada | casi | como | con
        | contra | cual | cuando | cuándo | cuánto | de | del | desde | después | antes | día | días | semana
        | semanas | mes | meses | año | años | hora | horas | minuto | minutos | el | él | ella | ellos | en
        | entre | era | es | esa | ese | eso | esta | está | este | esto | estoy | fue | gracias | hay | hasta
        | hoy | hola | la | las | le | lo | los | luego | mañana | tarde | noche | mediodía | más | me | mejor
        | mi | misma | mismo | muy | nada | necesito | ni | no | nos | nosotros | o | otra | otro | para | pero
        | poder | podría | podés | puedo | puede | puedes | pedir | por | porque | pues | que | qué | querer
        | quería | quiere | quiero | quisiera | quién | sacar | saber | se | ser | si | sí | sin | sobre | solo
        | son | soy | su | sus | también | te | tener | tengo | tiene | tienes | tenés | toda | todo | todos | tu
        | tú | turno | turnos | cita | citas | reserva | reservar | agendar | hacer | cancelar | cambiar | un
        | una | uno | unos | usted | va | vamos | ver | vos | voy | ya | yo | lunes | martes | miércoles | jueves
        | viernes | sábado | domingo | enero | febrero | marzo | abril | mayo | junio | julio | agosto
        | septiembre | octubre | noviembre | diciembre | cero | dos | tres | cuatro | cinco | seis | siete | ocho
        | nueve | diez | once | doce | cualquiera | próximo | próxima | pasado | primera | primero | buen
        | buenas | buenos | favor | por favor | urgente | atender | atiende | consulta | fecha | nombre
        | paciente | llamo | dale | claro | listo | temprano | siempre | nunca | donde"""),
)

_PHRASES = PhraseWords(
    negators=phrases("no | nunca | jamás | tampoco | sin | ni"),
    not_negating=phrases("""
        nunca reservé | nunca pedí | nunca saqué | nunca hice | nunca he
        | no sé cómo | no sé dónde | no sé cuándo | no sé si puedo | por qué no | cómo no | no solo | no sólo
        | si no | no veo la hora de | no hay problema | no hay drama | todavía no pude | aún no pude
        | aún no he podido | todavía no he podido | no me dejan de | quién no | a ver si no"""),
    turns=phrases("pero | sino | aunque | entonces | mejor | así que | en cambio"),
    wishes=phrases("quiero | quisiera | necesito"),
    undoing=phrases("""
        cancelar | anular | suspender | eliminar | borrar | desmarcar | quitar | cambiar | mover | reprogramar
        | reagendar | postergar | posponer | aplazar | modificar | adelantar | correr | pasar"""),
    fillers=phrases(
        "un | una | el | la | los | las | mi | mis | su | de | del | otro | otra | me | a | para | por | nuevo | nueva"
    ),
    endings=phrases("""
        ísimo | ísima | ísimos | ísimas | anme | enme | ándomelo | ármelo | ándome | arlo | arla | arle | arme
        | arnos | aríamos | amelo | ando
        | iendo | aría | ería | iría | emos | amos | imos | ado | ada | ido | ida | ame | eme | alo | elo | aba
        | iera | ieras | ieran | iese | iesen | ieron | aran | aron | asen
        | ía | ar | er | ir | ad | an | en | as | es | os | é | ó | í | á | a | e | o | s"""),
)

VOCABULARY = Vocabulary(answers=_ANSWERS, numbers=_NUMBERS, money=_MONEY, names=_NAMES, phrases=_PHRASES)
