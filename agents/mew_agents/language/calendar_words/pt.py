"""Portuguese, of Brazil and Portugal."""

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

_TEENS = "dez onze doze treze catorze|quatorze quinze dezesseis|dezasseis dezessete|dezassete dezoito dezenove|dezanove"

_CLASSES = {
    "LUNCH": all_of(MIDDAY, "almoço almoçar"),
    "SUREDAY": {
        **in_order("segundafeira terçafeira quartafeira quintafeira sextafeira", first=0),
        **in_order("sábado domingo", first=5),
    },
    "FEIRA": in_order("segunda terça quarta quinta sexta", first=0),  # ordinals too: a weekday only in its company
    "MONTH": in_order(
        "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro", first=1
    ),
    "MONTHSHORT": in_order("jan fev mar abr mai jun jul ago set out nov dez", first=1),
    "DAYWORD": {**all_of(0, "hoje hj"), **all_of(1, "amanhã amanhá amnh"), "ontem": -1, "anteontem": -2},
    "TOMORROW": all_of(2, "amanhã amnh"),
    "PARTWORD": {
        "manhã": MORNING,
        **all_of(AFTERNOON, "tarde tardinha"),
        **all_of(NIGHT, "noite noitinha"),
        "madrugada": SMALL_HOURS,
    },
    "MIDDAY": {"dia": MIDDAY},
    "AMPM": {"am": AM, "pm": PM},
    "AP": {"a": AM, "p": PM},
    "ONE": {"uma": 1},
    "UNIT": in_order("um|uma dois|duas três quatro cinco seis sete oito nove", first=1),
    "TEEN": in_order(_TEENS, first=10),
    "TENS": {
        tens: 10 * at
        for tens, at in in_order("vinte trinta quarenta cinquenta sessenta setenta oitenta noventa", first=2).items()
    },
    "HUNDRED": all_of(100, "cem cento"),
    "TWENTY": {"vinte": 20},
    "AFTERTWENTY": in_order("uma|um duas|dois três quatro", first=1),
    "HOURWORD": {
        "zero": 0,
        **in_order("uma duas três quatro cinco seis sete oito nove", first=1),
        **in_order(_TEENS, first=10),
        "vinte": 20,
    },
    "MIDDLE": {"meia": 30, "meio": 30},
    "HALF": {"meia": 30, "quarto": 15},
    "MINUTEWORD": {"cinco": 5, "dez": 10, "quinze": 15},
    "PAIR": {"par": 1},  # with the "um" before it: two
    "IDIOM": {"oito": 8, "quinze": 15},
    "FIRST": all_of(1, "primeiro"),
    "ORDINAL": {
        **in_order("primeiro|primeira segundo|segunda terceiro|terceira quarto|quarta", first=1),
        **all_of(-1, "último última"),
    },
    "DAYS": {**all_of(1, "dia dias"), **all_of(7, "semana semanas"), **all_of(15, "quinzena quinzenas")},
    "MONTHS": {**all_of(1, "mês meses"), **all_of(12, "ano anos")},
    "HOURSIGN": all_of(3_600, "h hs hr hrs"),
    "TIMEUNIT": {
        "segundos": 1,
        **all_of(60, "minuto minutos minutinhos min mins"),
        **all_of(3_600, "h hs hr hrs hora horas horinha horinhas"),
    },
    "LONGUNIT": {**all_of(86_400, "dia dias"), **all_of(604_800, "semana semanas")},
    "NTH": all_of(
        0,
        "vez parcela opção opinião via parte tentativa fila casa edição rodada série semana dose consulta pergunta "
        "aula etapa fase linha página rua avenida turma temporada metade pessoa mão guerra coisa chance chamada "
        "mensagem categoria classe posição",
    ),
    "LASTING": all_of(0, "dura duram durar durante por umas uns quase leva demora cada"),
    "COUNTED": all_of(
        0,
        "pessoas pesos dólares euros reais mil milhões semanas dias meses anos minutos vezes unidades parcelas opções "
        "semana mês ano quadras coisas km quilômetros kg quilos passageiros convidados adultos crianças cento",
    ),
}

_MACROS = {
    "SPELT": "(HUNDRED (e TENS (e UNIT)? | e TEEN | e UNIT)? | TENS (e UNIT)? | TEEN | UNIT)",
    "WHOLE": "(um PAIR de | INT | INTEGER | YEAR | SPELT)",
    "COUNT": "(WHOLE | DECIMAL | DOTTED)",
    "WEEKDAY": "(FEIRA DASH? feira | SUREDAY)",
    "ANYDAY": "(FEIRA DASH? feira | FEIRA | SUREDAY)",
    "HOUR": "(TWENTY e AFTERTWENTY | INT | HOURWORD)",
    "AN": "(um (?= HALF))?",
    "MINUTE": "(HALF | INT | TENS (e UNIT)? | MINUTEWORD)",
    "DAYNUMBER": "(INT (o | DEGREE)? | FIRST | TENS e UNIT | TENS | TEEN | UNIT)",
    "THE": "((no | o | do | ao)? dia)?",
    "WHICH": "((que | q) vem)",
    "NEXTWEEK": "(semana WHICH | proxima semana | semana proxima | semana seguinte)",
    "NEXTMONTH": "(mes WHICH | proximo mes | mes seguinte)",
    "NEXTYEAR": "(ano WHICH | proximo ano)",
    "HENCE": "(em | dentro de | daqui a | daqui | de hoje a)",
    "HOURS": "(HOURSIGN | horas)",
    "SHARP": "(em ponto)",
    "HALFDAY": "(AMPM | AP DOT m DOT? | AP m)",
    "OFPART": "(part=((da | de) PARTWORD | do meio DASH? MIDDAY) | half=HALFDAY)",
    "INPART": "COMMA? (part=((da | de | a | na | pela) PARTWORD | do meio DASH? MIDDAY) | half=HALFDAY)",
    "MINUTES": "(e? AN min=MINUTE (HOURS | minutos | min)? | menos AN less=MINUTE)",
    "ENDOF": "(fim | final | ultimo dia)",
    "NOON": "(meio DASH? dia)",
    "MIDNIGHT": "(meia DASH? noite)",
}

_DATES = (
    ("day", "days=DAYWORD"),
    ("day", "depois de days=TOMORROW"),
    ("this_part", "(esta | nesta) part=PARTWORD"),
    ("counted_days", "(de hoje a | hoje a) count=(INT | IDIOM) dias?"),
    ("about_days", "HENCE count=(INT | IDIOM) dias"),
    ("days", "HENCE count=WHOLE unit=DAYS"),
    ("months", "HENCE count=WHOLE unit=MONTHS"),
    ("days_ago", "(ha | faz) count=WHOLE unit=DAYS atras?"),
    ("days_ago", "count=WHOLE unit=DAYS atras"),
    ("months_ago", "(ha | faz) count=WHOLE unit=MONTHS"),
    ("weekday", "weekday=WEEKDAY"),
    ("weekday", "numbered=INT (a | DEGREE)? DASH? feira"),
    ("weekday", "(?<= na | nesta | esta | ate | pra | pela) weekday=FEIRA (?! NTH)"),
    ("weekday", "(?<= para) a? weekday=FEIRA (?! NTH)"),
    (
        "weekday",
        "weekday=FEIRA (?= COMMA?"
        " (as | a uma | a meia | a tarde | a noite | de manha | de tarde | de noite | pela manha"
        " | dia | CLOCK | INT | DAYMONTH | DAYMONTHYEAR | ao meio | cedo | ou (sabado | domingo | FEIRA | na)))",
    ),
    (
        "weekday",
        "(START | (?<= COMMA)) a? weekday=FEIRA (?= COMMA? (entao | mesmo | pode ser | serve | fica | por favor))",
    ),
    (
        "weekday",
        "weekday=FEIRA (?= COMMA? (entao | mesmo | pode ser | por favor)"
        " COMMA? (as | a uma | CLOCK | INT | ao meio | END))",
    ),
    (
        "weekday",
        "weekday=FEIRA (?= COMMA? ((a | na | no | o)? (mesma hora | mesmo horario)"
        " | (nessa | nesta | a essa | a esta) hora | (nesse | neste) horario))",
    ),
    ("weekday", "(?<= ou) weekday=FEIRA (?! NTH)"),
    (
        "weekday",
        "(?<= melhor | verdade | afinal | alias | seja | entao) a? weekday=FEIRA (?= END | COMMA | DOT | e com | e em)",
    ),
    ("weekday", "START a? weekday=FEIRA (?= COMMA e)"),
    ("weekday", "(?<= COMMA) a? weekday=FEIRA (?= END | DOT)"),
    ("weekday", "START a? weekday=FEIRA (?= END | (DOT | COMMA) END)"),
    ("weekday", "(?<= e) weekday=FEIRA (?= COMMA? (tem | outra | outro | mais | quero | queria | preciso | somos))"),
    ("weekday", "(?<= de | da) weekday=FEIRA (?= END | COMMA | DOT)"),
    ("this_weekday", "(esta | este | nesta | neste) weekday=ANYDAY (?! NTH)"),
    ("coming_weekday", "(proximo | proxima) weekday=ANYDAY (?! NTH)"),
    ("coming_weekday", "weekday=ANYDAY (proximo | proxima | seguinte | WHICH)"),
    ("weekday_next_week", "weekday=ANYDAY da NEXTWEEK"),
    ("weekday_next_week", "NEXTWEEK COMMA? (na | no) weekday=ANYDAY"),
    ("weekday_this_week", "weekday=ANYDAY (desta | dessa) semana"),
    ("last_weekday", "(ultimo | ultima) weekday=WEEKDAY"),
    ("last_weekday", "weekday=ANYDAY (passado | passada)"),
    ("nth_weekday", "nth=ORDINAL weekday=ANYDAY de month=MONTH ((de | do) year=YEAR)?"),
    ("nth_weekday", "nth=ORDINAL weekday=ANYDAY (do mes | deste mes)"),
    ("nth_weekday_next_month", "nth=ORDINAL weekday=ANYDAY do NEXTMONTH"),
    ("day_month", "THE day=DAYNUMBER (de | do mes de)? month=MONTH ((de | do | COMMA)? year=YEAR)?"),
    ("day_month", "partial=(dia? INT (ou | e)) dia? day=INT de? month=MONTH"),
    ("day_month", "THE day=INT de? month=MONTHSHORT DOT? ((de | do)? year=YEAR)?"),
    ("day_month_next_year", "THE day=DAYNUMBER de? month=MONTH do NEXTYEAR"),
    ("last_day_month", "THE day=DAYNUMBER de? month=MONTH passado"),
    ("day_month_last_year", "THE day=DAYNUMBER de? month=MONTH do ano passado"),
    ("day_month_this_year", "THE day=DAYNUMBER de? month=MONTH deste ano"),
    ("day_of_month", "(no | o | do | ao)? dia day=DAYNUMBER (?! COUNTED)"),
    ("day_of_month", "(?<= feira | SUREDAY | FEIRA) day=INT (?! COUNTED | INT)"),
    ("coming_day_of_month", "(no | o | do | ao)? dia day=DAYNUMBER WHICH"),
    ("day_next_month", "THE day=DAYNUMBER do NEXTMONTH"),
    ("day_next_month", "NEXTMONTH COMMA? (no | o)? dia day=INT"),
    ("day_this_month", "THE day=DAYNUMBER (deste mes | do corrente)"),
    ("day_last_month", "THE day=DAYNUMBER do mes passado"),
    ("month_end", "ENDOF (do mes | de mes | deste mes)"),
    ("next_month_end", "ENDOF do NEXTMONTH"),
    ("end_of_month", "(fim | ultimo dia) de month=MONTH ((de | do) year=YEAR)?"),
    ("year_end", "(fim | final) (do | de) ano"),
    ("weekend", "((fim | final) de semana | fds) (?! passado)"),
    ("next_weekend", "((fim | final) de semana | fds) (proximo | seguinte | WHICH)"),
    ("next_weekend", "proximo ((fim | final) de semana | fds)"),
    ("christmas", "natal"),
    ("christmas_eve", "vespera de natal"),
    ("new_year", "(ano novo)"),
    ("day_first", "numbers=DAYMONTH (?! COUNTED | de | LONGUNIT | TIMEUNIT)"),
    ("day_first", "numbers=DAYMONTHYEAR"),
    ("iso", "numbers=ISO"),
)

_TIMES = (
    ("hour", "as hour=HOUR HOURS? MINUTES? SHARP? INPART? (?! COUNTED)"),
    ("hour", "a hour=ONE MINUTES? HOURS? SHARP? INPART? (?! COUNTED | UNKNOWN)"),
    ("hour", "(das | pelas | pras | para as) hour=HOUR HOURS? MINUTES? SHARP? INPART? (?! COUNTED | UNKNOWN)"),
    ("hour", "partial=tipo hour=HOUR HOURS? MINUTES? INPART? (?! COUNTED | UNKNOWN)"),
    ("hour", "hour=HOUR HOURS? MINUTES? SHARP? COMMA? OFPART"),
    ("hour", "hour=HOUR HOURS? SHARP"),
    ("hour", "hour=HOUR e AN min=HALF (?! COUNTED | UNKNOWN | TIMEUNIT | LONGUNIT | AFTERTWENTY)"),
    ("hour", "hour=INT e min=MINUTEWORD (?! COUNTED | TIMEUNIT | LONGUNIT | AFTERTWENTY | e | por)"),
    ("hour", "hour=HOUR menos AN less=(HALF | MINUTEWORD | TENS) (?! COUNTED | UNKNOWN)"),
    ("hour", "as? AN less=MINUTE minutos? (para as | para a | pra as | pras) hour=HOUR HOURS? INPART? (?! COUNTED)"),
    ("hour", "as? AN less=MINUTE minutos (para | pra) hour=HOUR HOURS? INPART? (?! COUNTED)"),
    ("hour", "AN less=(MINUTEWORD | TENS) (para | pra) hour=HOUR HOURS? INPART? (?! COUNTED)"),
    ("clock", "(as | das | pelas | a)? clock=CLOCK HOURS? INPART?"),
    ("clock", "(as | das | pelas) clock=DOTTED HOURS? INPART? (?! COUNTED)"),
    ("clock", "clock=DOTTED (HOURSIGN | OFPART)"),
    ("lone_clock", "clock=DOTTED"),
    ("noon", "(ao | a)? NOON (e AN min=HALF)?"),
    ("midnight", "(a | as)? MIDNIGHT (e AN min=HALF)?"),
)

_HOURS = (
    ("hour", "(?<! LASTING) hour=INT unit=HOURSIGN (e? min=INT (min | m | minutos)?)? SHARP? (?! COUNTED)"),
    ("late_hour", "(?<! LASTING) hour=INT horas"),
)

_PARTS = (
    ("part", "(pela | na | da | durante a) part=PARTWORD"),
    ("part", "(de | a) part=PARTWORD"),
    ("part", "(na | no | a | da)? (hora | horario) (do | de) part=LUNCH"),
)

_SPANS = (
    ("span", "count=COUNT unit=TIMEUNIT (e AN half=HALF | (e | COMMA)? more=COUNT of=TIMEUNIT)?"),
    ("span", "count=COUNT unit=TIMEUNIT e? rest=INT (?! COUNTED | INT)"),
    ("span", "unit=TIMEUNIT e AN half=HALF"),
    ("half_hour", "meia hora | meia horinha"),
    ("quarters", "um? quarto de hora"),
    ("three_quarters", "tres quartos de hora"),
)

_NONE = (
    ("morning", "(uma | cada | toda | outra | boa | linda) (manha | tarde | noite)"),
    ("range", "(de | da) ANYDAY (a | ate | ate a) ANYDAY"),
    ("range", "(de | do dia | do | dos dias) INT (a | ao | ate) (dia)? INT (de MONTH)?"),
    (
        "range",
        "(das | entre as | entre | de) (INT HOURSIGN? | HOURWORD | CLOCK) (as | e as | e | a | ate as)"
        " (INT | HOURWORD | CLOCK) HOURS? INPART?",
    ),
    ("feast", "sexta DASH? feira (santa | da paixao)"),
    ("range", "(de | desde) DAYWORD (a | ate | ate a) ANYDAY"),
    ("range", "(INT | HOURWORD) ou (INT | HOURWORD) OFPART"),
    ("feast", "sexta (santa | da paixao)"),
    ("feast", "(quarta | quarta DASH? feira) de cinzas"),
    ("feast", "(domingo | segunda | terca | terca DASH? feira | segunda DASH? feira) de (pascoa | ramos | carnaval)"),
    ("noise", "depois de tarde"),
    ("noise", "dia (uma | umas) (hora | horas | semana)"),
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
            ("span", "count=COUNT unit=LONGUNIT (e half=MIDDLE | (e | COMMA)? more=COUNT of=(LONGUNIT | TIMEUNIT))?"),
        ),
        "hence": tuple((meaning, f"HENCE ({pattern})") for meaning, pattern in _SPANS),
        "ago": tuple(
            rule
            for meaning, pattern in _SPANS
            for rule in ((meaning, f"(ha | faz) ({pattern}) atras?"), (meaning, f"({pattern}) atras"))
        ),
    },
    before="(antes | depois | logo | volta | cerca | partir | ate | desde | menos | exceto | salvo | nao | nem | cada"
    " | todo | todos | toda | todas | quase | tipo | la | nunca | comeco)"
    " (posso | pode | quero | seja | e | vou | da | das | do | de | para | pra | o | a | os | as | na | no | em | este"
    " | esta | proxima | proximo | dia | pelas)*",
    after="nao | da outra | cedo | cedinho | em diante | ou (antes | depois | mais tarde | INT | HOURWORD)"
    " | no (maximo | mais tardar) | mais ou menos | e pouco | e pouquinho | (no | ao) (fim | final | comeco)"
    " | aproximadamente | da proxima END",
    date_then_time="(COMMA | DASH | OPEN | AT)? partial=(a partir | depois | antes | ate | desde | la | por volta)?",
    time_then_date="COMMA? DASH? OPEN? (de | da | do | na | no | para | pra | para a | para o | o | em)?",
    alternative="COMMA? ou (na | no | para | pra | a | o)?",
    suffixes=frozenset(all_of(0, "h hs hr hrs min mins m am pm a p o")),
)
