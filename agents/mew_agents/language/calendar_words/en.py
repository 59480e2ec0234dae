"""English, of America and Britain."""

from __future__ import annotations

from mew_agents.language.calendar_words.vocabulary import (
    AFTERNOON,
    AM,
    MIDDAY,
    MORNING,
    NIGHT,
    PM,
    CalendarWords,
    all_of,
    in_order,
)

_TEENS = "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"

_CLASSES = {
    "LUNCH": {"lunch": MIDDAY},
    "LUNCHTIME": {"lunchtime": MIDDAY},
    "SUREDAY": in_order(
        "monday|mon tuesday|tue|tues wednesday|wed|weds thursday|thu|thur|thurs friday|fri saturday sunday", first=0
    ),
    "SHORTDAY": in_order("sat sun", first=5),  # words of their own: a weekday only in its company
    "MONTH": in_order("january february march april may june july august september october november december", first=1),
    "MONTHSHORT": in_order("jan feb mar apr may jun jul aug sep|sept oct nov dec", first=1),
    "DAYWORD": {
        "today": 0,
        **all_of(1, "tomorrow tomorow tommorow tommorrow tmrw tmr"),
        "yesterday": -1,
    },
    "TOMORROW": all_of(2, "tomorrow tomorow tommorow tommorrow tmrw"),
    "YESTERDAY": {"yesterday": -2},
    "PARTWORD": {
        "morning": MORNING,
        **all_of(AFTERNOON, "afternoon arvo"),
        **all_of(NIGHT, "evening night"),
    },
    "NIGHTTIME": {"night": NIGHT},
    "TONIGHT": {"tonight": NIGHT},
    "AMPM": {"am": AM, "pm": PM},
    "AP": {"a": AM, "p": PM},
    "ONE": all_of(1, "a an"),
    "UNIT": in_order("one two three four five six seven eight nine", first=1),
    "TEEN": in_order(_TEENS, first=10),
    "TENS": {
        tens: 10 * at
        for tens, at in in_order("twenty thirty forty|fourty fifty sixty seventy eighty ninety", first=2).items()
    },
    "HOURWORD": in_order("one two three four five six seven eight nine ten eleven twelve", first=1),
    "FRACTION": {"quarter": 15},
    "HALF": {"half": 30},
    "MINUTEWORD": {"five": 5, **in_order(_TEENS, first=10), "o": 0, "oh": 0},
    "PAIR": {"couple": 1},  # with the "a" before it: two
    "NTH": in_order("first second third fourth fifth sixth seventh eighth ninth", first=1),
    "TEENTH": in_order(
        "tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth",
        first=10,
    ),
    "THIRTIETH": {"thirtieth": 30},
    "LAST": {"last": -1},
    "DAYS": {**all_of(1, "day days"), **all_of(7, "week weeks"), **all_of(14, "fortnight fortnights")},
    "MONTHS": {**all_of(1, "month months"), **all_of(12, "year years")},
    "TIMEUNIT": {
        "seconds": 1,
        **all_of(60, "minute minutes min mins"),
        **all_of(3_600, "h hr hrs hour hours"),
    },
    "LONGUNIT": {
        **all_of(86_400, "day days"),
        **all_of(604_800, "week weeks"),
        **all_of(1_209_600, "fortnight fortnights"),
    },
    "DAYTAIL": all_of(  # what may follow "the 3rd" when it is a day and not the third of something
        0,
        "at in on or and please if is works would around for from by to until then noon midday but instead tomorrow "
        "morning afternoon evening thanks thank after before i we this next sharp suits of good fine great will",
    ),
    "COUNTED": all_of(
        0,
        "people persons pesos dollars bucks euros percent million thousand hundred weeks days months years times units "
        "items options miles km kg guests passengers adults children st street avenue ave road star stars week month",
    ),
}

_MACROS = {
    "SPELT": "(TENS (DASH? UNIT)? | TEEN | UNIT)",
    "WHOLE": "(a PAIR of | a PAIR | ONE | INT | INTEGER | YEAR | SPELT)",
    "COUNT": "(WHOLE | DECIMAL | DOTTED)",
    "WEEKDAY": "SUREDAY",
    "ANYDAY": "(SUREDAY | SHORTDAY)",
    "HOUR": "(INT | HOURWORD)",
    "MINUTE": "(INT | o DASH? UNIT | oh DASH? UNIT | TENS (DASH? UNIT)? | MINUTEWORD)",
    "PASTMINUTE": "(HALF | a? FRACTION | INT | TENS (DASH? UNIT)? | MINUTEWORD)",
    "SPELTORDINAL": "(TENS DASH? NTH | NTH | TEENTH | THIRTIETH)",
    "ORDINAL": "(WRITTENORDINAL | SPELTORDINAL)",
    "WRITTENORDINAL": "(INT (st | nd | rd | th))",
    "DAYNUMBER": "(ORDINAL | INT)",
    "YEARAFTER": "((of | COMMA)? year=YEAR)",
    "HALFDAY": "(AMPM | AP DOT m DOT? | AP m)",
    "OFPART": "(part=(in the PARTWORD | at NIGHTTIME) | half=HALFDAY)",
    "FROMNOW": "(from now | hence)",
    "FOLLOWING": "(?= END | DOT | COMMA | OPEN | CLOSE | DAYTAIL | DAYWORD | CLOCK | DASH)",
}

_DATES = (
    ("day", "days=DAYWORD"),
    ("day", "the? day after days=TOMORROW"),
    ("day", "the? day before days=YESTERDAY"),
    ("this_part", "part=TONIGHT"),
    ("this_part", "this part=PARTWORD"),
    ("days", "in count=WHOLE unit=DAYS (time | from (now | today))?"),
    ("days", "count=WHOLE unit=DAYS (FROMNOW | from today | today)"),
    ("months", "in count=WHOLE unit=MONTHS"),
    ("months", "count=WHOLE unit=MONTHS FROMNOW"),
    ("days_after_day", "count=WHOLE unit=DAYS (from | on | after)? days=DAYWORD"),
    ("days_ago", "count=WHOLE unit=DAYS ago"),
    ("months_ago", "count=WHOLE unit=MONTHS ago"),
    ("weekday", "weekday=WEEKDAY"),
    ("weekday", "on weekday=SHORTDAY"),
    ("weekday", "weekday=SHORTDAY (?= COMMA? DOT? (at | INT | CLOCK | MONTH | MONTHSHORT | DAYMONTH | PARTWORD))"),
    ("this_weekday", "this coming? weekday=ANYDAY"),
    ("coming_weekday", "coming weekday=ANYDAY"),
    ("next_weekday", "next weekday=ANYDAY"),
    ("weeks_after_weekday", "count=WHOLE unit=DAYS (from | on | after) weekday=ANYDAY"),
    ("week_after_weekday", "weekday=WEEKDAY week"),
    ("weekday_next_week", "weekday=ANYDAY (of | in)? next week"),
    ("weekday_next_week", "next week COMMA? on? weekday=ANYDAY"),
    ("weekday_this_week", "weekday=ANYDAY (of | in)? this week"),
    ("last_weekday", "last weekday=ANYDAY"),
    ("nth_weekday", "nth=(NTH | LAST) weekday=ANYDAY (of | in) month=MONTH YEARAFTER?"),
    ("nth_weekday", "nth=(NTH | LAST) weekday=ANYDAY of (the | this) month"),
    ("nth_weekday_next_month", "nth=(NTH | LAST) weekday=ANYDAY of next month"),
    ("day_month", "the? day=DAYNUMBER of? month=MONTH YEARAFTER?"),
    ("day_month", "the? day=DAYNUMBER of? month=MONTHSHORT DOT? YEARAFTER?"),
    ("day_month", "month=MONTH the? day=DAYNUMBER YEARAFTER? (?! COUNTED)"),
    ("day_month", "partial=(the? DAYNUMBER (or | and)) the? day=DAYNUMBER of? month=MONTH"),
    ("day_month", "month=MONTHSHORT DOT? the? day=DAYNUMBER YEARAFTER? (?! COUNTED)"),
    ("day_month_next_year", "the? day=DAYNUMBER of? month=MONTH (of | COMMA)? next year"),
    ("day_month_next_year", "month=MONTH the? day=DAYNUMBER COMMA? next year"),
    ("day_month_last_year", "the? day=DAYNUMBER of? month=MONTH (of | COMMA)? last year"),
    ("day_month_last_year", "month=MONTH the? day=DAYNUMBER COMMA? last year"),
    ("day_month_this_year", "the? day=DAYNUMBER of? month=MONTH (of | COMMA)? this year"),
    ("day_of_month", "the day=WRITTENORDINAL FOLLOWING"),
    ("day_of_month", "on the day=SPELTORDINAL FOLLOWING"),
    ("day_of_month", "(?<= by | WEEKDAY) the day=ORDINAL FOLLOWING"),
    ("day_of_month", "(?<= ANYDAY) day=WRITTENORDINAL"),
    ("day_of_month", "(?<= ANYDAY) day=INT (?= COMMA? (at (INT | CLOCK | HOURWORD | noon) | CLOCK | INT HALFDAY))"),
    ("day_next_month", "the day=ORDINAL of next month"),
    ("day_next_month", "next month COMMA? on? the day=ORDINAL"),
    ("day_this_month", "the day=ORDINAL of (this | the) month"),
    ("day_last_month", "the day=ORDINAL of last month"),
    ("month_end", "(the? end of (the | this)? month | month end | the? last day of (the | this) month)"),
    ("next_month_end", "the? (end | last day) of next month"),
    ("end_of_month", "the? (end | last day) of month=MONTH YEARAFTER?"),
    ("year_end", "the? end of (the | this) year"),
    ("weekend", "(this | the) weekend"),
    ("next_weekend", "next weekend"),
    ("christmas", "christmas day?"),
    ("christmas_eve", "christmas eve"),
    ("new_year", "new (year | years) day"),
    ("year_end", "new (year | years) eve"),
    ("month_first", "numbers=DAYMONTH (?! COUNTED | of | LONGUNIT | TIMEUNIT)"),
    ("month_first", "numbers=DAYMONTHYEAR"),
    ("iso", "numbers=ISO"),
)

_TIMES = (
    (
        "hour",
        "at hour=HOUR min=MINUTE? (oclock | sharp)? COMMA? OFPART? sharp?"
        " (?! COUNTED | UNKNOWN (COUNTED | UNKNOWN END))",
    ),
    (
        "hour",
        "partial=(around | about | by | before | after | until | till | from | since | circa) hour=HOUR min=MINUTE?"
        " oclock?"
        " (?! HALFDAY | in the | COUNTED | UNKNOWN | TIMEUNIT | LONGUNIT | MONTHS | WEEKDAY | MONTH | MONTHSHORT | of"
        " | th)",
    ),
    ("hour", "hour=HOUR min=MINUTE? oclock? COMMA? OFPART sharp?"),
    ("hour", "at? hour=HOUR (oclock sharp? | sharp)"),
    ("hour", "at? min=PASTMINUTE minutes? past hour=HOUR oclock? OFPART? (?! COUNTED)"),
    ("hour", "at? min=HALF hour=HOUR oclock? OFPART? (?! COUNTED | UNKNOWN | TIMEUNIT | LONGUNIT | MONTHS | DAYS)"),
    ("hour", "at? less=PASTMINUTE minutes? (to | til | till) hour=HOUR oclock? OFPART? (?! COUNTED | UNKNOWN)"),
    ("clock", "at? clock=CLOCK (h | hrs | hours | oclock)? OFPART?"),
    ("clock", "at clock=DOTTED OFPART? (?! COUNTED)"),
    ("clock", "clock=DOTTED (h | hrs | OFPART)"),
    ("lone_clock", "clock=DOTTED"),
    ("noon", "at? (noon | midday | INT noon)"),
    ("midnight", "at? (midnight | INT midnight)"),
)

_SPANS = (
    ("span", "count=COUNT unit=TIMEUNIT (and a half=(HALF | FRACTION) | (and | COMMA)? more=COUNT of=TIMEUNIT)?"),
    ("span", "count=COUNT unit=TIMEUNIT and? rest=INT (?! COUNTED | INT | AMPM)"),
    ("span", "count=(INT | SPELT) and a half=HALF unit=TIMEUNIT"),
    ("half_hour", "(half an hour | half hour | a half hour)"),
    ("quarters", "a? quarter of an hour | a quarter hour"),
    ("three_quarters", "three quarters of an hour"),
)

_NONE = (
    ("fraction", "(half | quarter) (past | to) (noon | midnight | midday)"),
    ("range", "(INT | HOURWORD) or (INT | HOURWORD) OFPART"),
    ("range", "from? WEEKDAY (to | through | thru | DASH | until) WEEKDAY"),
    (
        "range",
        "(from | between) (INT | HOURWORD | CLOCK) HALFDAY? (to | and | until | till | DASH) (INT | HOURWORD | CLOCK)"
        " oclock? OFPART?",
    ),
    ("range", "(INT | CLOCK) HALFDAY? (to | DASH | until) (INT | CLOCK) HALFDAY"),
    ("range", "from? MONTH DAYNUMBER (to | through | DASH) (MONTH)? DAYNUMBER"),
    ("feast", "(good | black) friday"),
    ("feast", "(easter | cyber) (sunday | monday)"),
    ("feast", "(ash wednesday | palm sunday | shrove tuesday | maundy thursday | boxing day)"),
)

WORDS = CalendarWords(
    classes=_CLASSES,
    macros=_MACROS,
    rules={
        "instant": (("instant", "instant=INSTANT"),),
        "none": _NONE,
        "date": _DATES,
        "hours": (),
        "time": _TIMES,
        "part": (
            ("part", "(in the | during the) early? part=PARTWORD"),
            ("part", "part=(PARTWORD | at NIGHTTIME)"),
            ("part", "(at | around | over | during) part=LUNCH"),
            ("part", "part=LUNCHTIME"),
        ),
        "duration": (
            *_SPANS,
            (
                "span",
                "count=COUNT unit=LONGUNIT (and a half=HALF | (and | COMMA)? more=COUNT of=(LONGUNIT | TIMEUNIT))?",
            ),
            ("span", "count=(INT | SPELT) and a half=HALF unit=LONGUNIT"),
        ),
        "hence": tuple(
            rule
            for meaning, pattern in _SPANS
            for rule in ((meaning, f"in ({pattern})"), (meaning, f"({pattern}) FROMNOW"))
        ),
        "ago": tuple((meaning, f"({pattern}) ago") for meaning, pattern in _SPANS),
    },
    before="(before | after | by | until | till | since | from | except | not | no | never | every | each | any"
    " | around | about | almost | early | late | past | thing | dont | cant | wont | than)"
    " (want | do | make | it | come | on | at | the | this | next | in | for)*",
    after="(not | after next | or (so | later | earlier | after | before | INT | HOURWORD) | at the (latest | earliest)"
    " | onwards | onward | ish | early | the latest | wont | doesnt | isnt | is (not | no) | fortnight"
    " | INT (?= END | UNKNOWN))",
    date_then_time="(COMMA | DASH | OPEN | AT)? partial=(around | about | by | before | after | from | until)?",
    time_then_date="COMMA? DASH? OPEN? (on | of | for | the)?",
    alternative="COMMA? or (on | at)?",
    suffixes=frozenset(all_of(0, "h hr hrs min mins m am pm a p st nd rd th")),
)
