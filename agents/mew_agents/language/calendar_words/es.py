"""Spanish, of Spain and America."""

from __future__ import annotations

from mew_agents.language.calendar_words.vocabulary import (
    AFTERNOON,
    AM,
    MIDDAY,
    MORNING,
    NIGHT,
    PM,
    SMALL_HOURS,
    CalendarWords,
    all_of,
    in_order,
)

_HOURS_OF_DAY = (
    "una dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete "
    "dieciocho diecinueve veinte veintiuna|veintiuno veintidós veintitrés veinticuatro"
)

_CLASSES = {
    "LUNCH": all_of(MIDDAY, "almuerzo almorzar comer comida"),
    "WEEKDAY": in_order("lunes martes miércoles jueves viernes sábado domingo", first=0),
    "MONTH": in_order(
        "enero febrero marzo abril mayo junio julio agosto septiembre|setiembre octubre noviembre diciembre", first=1
    ),
    "MONTHSHORT": in_order("ene feb mar abr may jun jul ago sep|sept oct nov dic", first=1),
    "DAYWORD": {
        "hoy": 0,
        **all_of(1, "mañana maniana mñn mñna"),
        "ayer": -1,
        "anoche": -1,
        "anteayer": -2,
        "antier": -2,
    },
    "TOMORROW": all_of(1, "mañana maniana"),
    "AFTERTHAT": {"pasado": 1},
    "PARTWORD": {
        **all_of(MORNING, "mañana maniana mañanita"),
        **all_of(AFTERNOON, "tarde tardecita"),
        **all_of(NIGHT, "noche nochecita"),
        "madrugada": SMALL_HOURS,
        "mediodía": MIDDAY,
    },
    "LATE": {"tarde": AFTERNOON, "noche": NIGHT},
    "AMPM": {"am": AM, "pm": PM},
    "AP": {"a": AM, "p": PM},
    "UNIT": in_order("un|uno|una dos tres cuatro cinco seis siete ocho nueve", first=1),
    "TEEN": {
        **in_order("diez once doce trece catorce quince dieciséis diecisiete dieciocho diecinueve", first=10),
        **in_order("veintiuno|veintiún|veintiuna veintidós veintitrés veinticuatro veinticinco", first=21),
        **in_order("veintiséis veintisiete veintiocho veintinueve", first=26),
    },
    "TENS": {
        tens: 10 * at
        for tens, at in in_order("veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa", first=2).items()
    },
    "HUNDRED": all_of(100, "cien ciento"),
    "HOURWORD": {"cero": 0, **in_order(_HOURS_OF_DAY, first=1)},
    "HALF": {"media": 30, "medio": 30},
    "FRACTION": {"media": 30, "cuarto": 15},
    "MINUTEWORD": {"cinco": 5, "diez": 10, "quince": 15, "veinticinco": 25},
    "PAIR": {"par": 1},  # with the "un" before it: two
    "IDIOM": {"ocho": 8, "quince": 15},
    "FIRST": all_of(1, "primero primer"),
    "ORDINAL": {**in_order("primer|primero segundo tercer|tercero cuarto", first=1), "último": -1},
    "DAYS": {**all_of(1, "día días"), **all_of(7, "semana semanas"), **all_of(15, "quincena quincenas")},
    "MONTHS": {**all_of(1, "mes meses"), **all_of(12, "año años")},
    "HOURSIGN": all_of(3_600, "h hs hr hrs"),
    "TIMEUNIT": {
        "segundos": 1,
        **all_of(60, "minuto minutos minutitos min mins"),
        **all_of(3_600, "h hs hr hrs hora horas horita horitas"),
    },
    "LONGUNIT": {**all_of(86_400, "día días"), **all_of(604_800, "semana semanas")},
    "LASTING": all_of(0, "dura duran durar durante por unas casi tarda demora lleva cada"),
    "COUNTED": all_of(
        0,
        "personas pesos dólares euros reales soles mil millones semanas días meses años minutos veces unidades cuotas "
        "opciones semana mes año cuadras cosas km kilómetros kg kilos pasajeros invitados adultos niños",
    ),
}

_MACROS = {
    "SPELT": "(HUNDRED (TENS (y UNIT)? | TEEN | UNIT)? | TENS (y UNIT)? | TEEN | UNIT)",
    "WHOLE": "(un PAIR de | INT | INTEGER | YEAR | SPELT)",
    "COUNT": "(WHOLE | DECIMAL | DOTTED)",
    "HOUR": "(INT | HOURWORD)",
    "MINUTE": "(FRACTION | INT | TENS (y UNIT)? | MINUTEWORD)",
    "DAYNUMBER": "(INT (o | ro | er | ero | DEGREE)? | FIRST | TENS y UNIT | TENS | TEEN | UNIT)",
    "THE": "(el | el dia | dia)?",
    "WHICH": "((que | q) viene)",
    "NEXTWEEK": "(semana WHICH | semana proxima | proxima semana | semana siguiente | semana entrante)",
    "NEXTMONTH": "(mes WHICH | mes proximo | proximo mes | mes siguiente | mes entrante)",
    "NEXTYEAR": "(año WHICH | proximo año | año proximo)",
    "HENCE": "(en | dentro de | de (aqui | aca | hoy) (a | en))",
    "TOHOUR": "(a la | a las | alas | para las)",
    "HOURS": "(HOURSIGN | horas)",
    "SHARP": "(en punto | clavadas)",
    "HALFDAY": "(AMPM | AP DOT m DOT? | AP m)",
    "OFPART": "(part=((de | d) la PARTWORD | del PARTWORD | (de | d) LATE) | half=HALFDAY)",
    "INPART": "COMMA? (part=((de | por | en | a) la PARTWORD | (del | al) PARTWORD | de LATE) | half=HALFDAY)",
    "MINUTES": "((y | con)? min=MINUTE (HOURS | minutos | min)? | menos less=MINUTE)",
    "ENDOF": "(fin | fines | final | finales | ultimo dia)",
}

_DATES = (
    ("day", "days=DAYWORD"),
    ("day", "days=(AFTERTHAT TOMORROW)"),
    ("this_part", "esta part=PARTWORD"),
    ("counted_days", "de? hoy en count=(INT | IDIOM) dias?"),
    ("about_days", "HENCE count=(INT | IDIOM) dias"),
    ("days", "HENCE count=WHOLE unit=DAYS"),
    ("months", "HENCE count=WHOLE unit=MONTHS"),
    ("days_ago", "hace count=WHOLE unit=DAYS"),
    ("days_ago", "count=WHOLE unit=DAYS atras"),
    ("months_ago", "hace count=WHOLE unit=MONTHS"),
    ("weekday", "weekday=WEEKDAY"),
    ("this_weekday", "este weekday=WEEKDAY"),
    ("coming_weekday", "(proximo | prox DOT?) weekday=WEEKDAY"),
    ("coming_weekday", "weekday=WEEKDAY (proximo | siguiente | entrante | WHICH)"),
    ("week_after_weekday", "weekday=WEEKDAY en ocho dias?"),
    ("weekday_next_week", "weekday=WEEKDAY de la NEXTWEEK"),
    ("weekday_next_week", "NEXTWEEK COMMA? el weekday=WEEKDAY"),
    ("weekday_this_week", "weekday=WEEKDAY de esta semana"),
    ("last_weekday", "(pasado | ultimo) weekday=WEEKDAY"),
    ("last_weekday", "weekday=WEEKDAY pasado"),
    ("nth_weekday", "nth=ORDINAL weekday=WEEKDAY de month=MONTH ((de | del) year=YEAR)?"),
    ("nth_weekday", "nth=ORDINAL weekday=WEEKDAY (del mes | de mes | de este mes)"),
    ("nth_weekday_next_month", "nth=ORDINAL weekday=WEEKDAY del NEXTMONTH"),
    ("day_month", "THE day=DAYNUMBER (de | del mes de)? month=MONTH ((de | del | COMMA)? year=YEAR)?"),
    ("day_month", "THE day=DAYNUMBER de? month=MONTH del year=INT"),
    ("day_month", "partial=(el? INT (o | u | y)) el? day=INT de? month=MONTH"),
    ("day_month", "THE day=INT de? month=MONTHSHORT DOT? ((de | del)? year=YEAR)?"),
    ("day_month", "month=MONTH day=INT (COMMA? (de | del)? year=YEAR)?"),
    ("day_month_next_year", "THE day=DAYNUMBER de? month=MONTH del NEXTYEAR"),
    ("last_day_month", "THE day=DAYNUMBER de? month=MONTH pasado"),
    ("day_month_last_year", "THE day=DAYNUMBER de? month=MONTH del año pasado"),
    ("day_month_this_year", "THE day=DAYNUMBER de? month=MONTH de este año"),
    ("day_of_month", "el day=INT (?! COUNTED | por ciento | INT | CODE | YEAR | INTEGER | de la | COLON)"),
    ("day_of_month", "el day=(TEEN | TENS y UNIT) (?! COUNTED | UNKNOWN | por ciento | y | mil)"),
    ("day_of_month", "el? dia day=DAYNUMBER (?! COUNTED)"),
    ("day_of_month", "day=FIRST de mes"),
    ("day_of_month", "(?<= WEEKDAY) day=INT (?! COUNTED | INT)"),
    ("coming_day_of_month", "(el | dia | el dia) day=DAYNUMBER (WHICH | proximo)"),
    ("day_next_month", "THE day=DAYNUMBER del NEXTMONTH"),
    ("day_next_month", "NEXTMONTH COMMA? (el | el dia) day=INT"),
    ("day_this_month", "THE day=DAYNUMBER (de este mes | del corriente)"),
    ("day_last_month", "THE day=DAYNUMBER del (mes pasado | pasado mes)"),
    ("month_end", "ENDOF (de mes | del mes | de este mes)"),
    ("next_month_end", "ENDOF del NEXTMONTH"),
    ("end_of_month", "(fin | ultimo dia) de month=MONTH ((de | del) year=YEAR)?"),
    ("year_end", "(fin | fines) (de | del) año"),
    ("weekend", "(fin de semana | finde) (?! pasado)"),
    ("next_weekend", "(fin de semana | finde) (proximo | siguiente | WHICH)"),
    ("next_weekend", "proximo (fin de semana | finde)"),
    ("christmas", "navidad"),
    ("christmas_eve", "nochebuena"),
    ("new_year", "año nuevo"),
    ("day_first", "numbers=DAYMONTH (?! COUNTED | de | LONGUNIT | TIMEUNIT)"),
    ("day_first", "numbers=DAYMONTHYEAR"),
    ("iso", "numbers=ISO"),
)

_TIMES = (
    ("hour", "TOHOUR hour=HOUR HOURS? MINUTES? SHARP? INPART? (?! COUNTED)"),
    ("hour", "(las (?= HOUR) | la (?= una)) hour=HOUR HOURS? MINUTES? SHARP? INPART? (?! COUNTED | UNKNOWN)"),
    ("hour", "partial=tipo hour=HOUR HOURS? MINUTES? INPART? (?! COUNTED | UNKNOWN)"),
    ("hour", "hour=HOUR HOURS? MINUTES? SHARP? COMMA? OFPART"),
    ("hour", "hour=HOUR SHARP"),
    ("hour", "hour=HOUR y min=FRACTION (?! COUNTED | UNKNOWN | TIMEUNIT | LONGUNIT)"),
    ("hour", "hour=INT y min=MINUTEWORD (?! COUNTED | TIMEUNIT | LONGUNIT | y | por)"),
    ("hour", "hour=HOUR menos less=(FRACTION | MINUTEWORD | TENS) (?! COUNTED | UNKNOWN)"),
    ("clock", "(TOHOUR | las)? clock=CLOCK HOURS? INPART?"),
    ("clock", "(TOHOUR | las) clock=DOTTED HOURS? INPART? (?! COUNTED)"),
    ("clock", "clock=DOTTED (HOURSIGN | OFPART)"),
    ("lone_clock", "clock=DOTTED"),
    ("noon", "(al | a | a el)? mediodia ((y | con) min=FRACTION)?"),
    ("noon", "(al | a) medio dia ((y | con) min=FRACTION)?"),
    ("midnight", "(a la | a)? medianoche ((y | con) min=FRACTION)?"),
    ("midnight", "(a la | a) media noche"),
)

_HOURS = (
    ("hour", "(?<! LASTING) hour=INT unit=HOURSIGN (min=INT (min | m | minutos)?)? SHARP? (?! COUNTED)"),
    ("late_hour", "(?<! LASTING) hour=INT horas"),
)

_PARTS = (
    ("part", "(por | a | en | de | durante) la part=PARTWORD"),
    ("part", "la part=PARTWORD (?= del)"),
    ("part", "(a | en)? la hora (de | del) part=LUNCH"),
    ("part", "(?<= WEEKDAY | DAYWORD) (de part=PARTWORD)"),
    ("part", "de part=LATE"),
    ("part", "(?<= WEEKDAY | DAYWORD) (a | en)? part=LATE"),
)

_SPANS = (
    ("span", "count=COUNT unit=TIMEUNIT (y half=FRACTION | (y | con | COMMA)? more=COUNT of=TIMEUNIT)?"),
    ("span", "count=COUNT unit=TIMEUNIT (y | con)? rest=INT (?! COUNTED | INT)"),
    ("span", "unit=TIMEUNIT y half=FRACTION"),
    ("half_hour", "media hora | media horita"),
    ("quarters", "un? cuarto de hora"),
    ("three_quarters", "tres cuartos de hora"),
)

_NONE = (
    ("noise", "dia (una | unas) (hora | horas | semana)"),
    ("morning", "(la (?! PARTWORD del) | una | cada | esa | toda la | otra | buena | linda) (mañana | maniana)"),
    ("range", "de WEEKDAY a WEEKDAY"),
    ("range", "(de | desde) DAYWORD (a | al | hasta | hasta el) WEEKDAY"),
    ("range", "(INT | HOURWORD) (o | u) (INT | HOURWORD) OFPART"),
    ("range", "del WEEKDAY al WEEKDAY"),
    ("range", "del INT al INT ((de | del) MONTH)?"),
    (
        "range",
        "(de | entre) (las | la)? (INT | HOURWORD | CLOCK) (a | y) (las | la)? (INT | HOURWORD | CLOCK) HOURS? INPART?",
    ),
    ("feast", "(viernes | jueves | sabado | lunes | martes | miercoles) (santo | de gloria | de ceniza | de carnaval)"),
    ("feast", "domingo de (ramos | pascua | resurreccion)"),
    ("feast", "(viernes | lunes) de pascua"),
)

WORDS = CalendarWords(
    classes=_CLASSES,
    macros=_MACROS,
    rules={
        "instant": (("instant", "instant=INSTANT"),),
        "none": _NONE,
        "date": _DATES,
        "hours": _HOURS,
        "time": _TIMES,
        "part": _PARTS,
        "duration": (
            *_SPANS,
            (
                "span",
                "count=COUNT unit=LONGUNIT (y half=HALF | (y | con | COMMA)? more=COUNT of=(LONGUNIT | TIMEUNIT))?",
            ),
        ),
        "hence": tuple((meaning, f"HENCE ({pattern})") for meaning, pattern in _SPANS),
        "ago": tuple((meaning, f"hace ({pattern})") for meaning, pattern in _SPANS),
    },
    before="(antes | despues | luego | cerca | alrededor | partir | hasta | desde | menos | excepto | salvo | no | ni"
    " | cada | todos | todas | casi | como | eso | nunca | tampoco | fines | principios)"
    " (puedo | podria | quiero | sea | es | voy | va | me | sirve | para | el | la | los | las | de | del | a | al | en"
    " | este | proximo | dia)*",
    after="no | de la otra | temprano | tempranito | en adelante | o (antes | despues | mas tarde | INT | HOURWORD)"
    " | como (mucho | maximo | tarde) | a (primera | ultima) hora | aprox | aproximadamente | mas o menos | y pico"
    " | pasadas | para adelante | a mas tardar",
    date_then_time="(COMMA | DASH | OPEN | AT)? partial=(a partir de | desde | tipo | como | despues de | antes de"
    " | hasta | cerca de | a eso de)?",
    time_then_date="COMMA? DASH? OPEN? (de | del | el | de el | para el | para | en el | el dia | del dia)?",
    alternative="COMMA? (o | u) (el | para el | si no el)?",
    suffixes=frozenset(all_of(0, "h hs hr hrs min mins m am pm a p o ro er ero")),
)
