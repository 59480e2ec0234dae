"""English, of Britain and of America."""

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
        yes | ye | yea | yeah | yep | yup | yess | yas | yes it is | yes i do | yes i am | yes please do
        | yes you may | aye | sure | sure thing | why not | of course | absolutely | definitely | certainly
        | indeed | exactly | correct | that is correct | thats correct | that is right | thats right | thats it
        | thats the one | you got it | affirmative | confirmed | confirm | i confirm | confirm it | agreed
        | i agree | i accept | accept | accepted | approved | go ahead | go for it | go on then | do it
        | please do | just do it | do that | lets do it | lets do that | lets go | make it so | proceed | book it
        | sounds good | sounds great | sounds right | sounds perfect | looks good | works for me | that works
        | that works for me | fine by me | fine with me | good with me | thats fine | that is fine fine
        | no problem | no problem at all | not a problem | i dont mind | i do | i would | id love to
        | id like that | i want it | great | perfect | excellent | awesome | wonderful | lovely | cool | good
        | all good | by all means | for sure | without a doubt | no doubt | you bet | totally | gladly
        | with pleasure | roger | uh huh | uhhuh | mhm | mm hmm | yessir | yes sir | yes maam | okey dokey | 👍
        | 👌 | ✅ | ✔ | ☑ | 🆗"""),
    weak_yes=phrases("""
        ok | okay | okey | okie | kk | alright | all right | right | fine | got it | i see | understood"""),
    alone=phrases("y | k | well"),
    no=phrases("""
        no | n | nope | nah | naw | nay | no way | hell no | im good | im ok thanks | id prefer not to
        | i prefer not to | i would prefer not to | no chance | not at all | absolutely not | definitely not
        | certainly not | of course not | no of course not | surely not | not really | not now | not yet
        | not today | not right now | not this time | never | never ever | negative | i dont | i do not
        | i dont want to | i dont want that | i dont want it | i dont think so | i would rather not
        | id rather not | rather not | i disagree | i refuse | dont | do not | dont do it | dont do that
        | please dont | do not do it | dont confirm | dont book it | not correct | thats not correct
        | that is not correct | thats not right | that is not right | thats wrong | that is wrong | wrong
        | incorrect wrong | not that | not that one | not this one | no not that | no im not | no it isnt
        | no its not | no i dont | it isnt | it is not | that doesnt work | that doesnt work for me
        | doesnt work for me | i cant | no i cant | no deal | not interested | im not interested | but no
        | by no means | under no circumstances | 👎 | ❌ | ✖ | 🚫 | ⛔ | 🙅"""),
    unclear=phrases("""
        maybe | but i dont know | but im not sure | but not sure | maybe not | maybe yes | maybe later | perhaps
        | perhaps not | possibly | probably | probably not | i think so | i think | i guess | i guess so
        | i suppose | i suppose so | im not sure | im not really sure | im not so sure | im not quite sure
        | could be | might be | it could be | i am not sure | not sure | im unsure | unsure | not so sure
        | not too sure | i dont know | i do not know | dont know | dunno | i dunno | idk | no idea
        | i have no idea | who knows | hard to say | it depends | depends | let me think | let me think about it
        | ill think about it | i need to think | let me check | let me see | well see | we will see | yes and no
        | either | whatever | either way | i dont care | up to you | what | huh | pardon | i dont understand
        | kind of | sort of | sorta | kinda | more or less | later | hmm | hm | no worries | never say never
        | cant say | 🤔 | 🤷"""),
    polite=phrases("""
        thanks | thank you | thank you very much | thank you so much | thanks a lot | many thanks | thx | ty
        | cheers | please | pls | plz | hi | hello | hey | good morning | good afternoon | good evening | sir
        | maam | madam | mate | man | dude | buddy | doctor | sorry | haha | lol | oh | ah | appreciated
        | much appreciated | i appreciate it | but thanks | kindly | 🙏 | 😊 | 🙂 | 😀 | 😄 | 😃 | 😁 | 😉 | ☺
        | 👋 | ❤ | 💪 | 🙌 | 🎉 | 🤗 | 😅 | ♀ | ♂"""),
    cancel=phrases("""
        cancel | cancel it | cancel that | cancel this | cancel everything | cancel all | please cancel it
        | i want to cancel | i want to cancel it | i would like to cancel | id like to cancel | lets cancel
        | just cancel | just cancel it | you can cancel it | never mind | nevermind | nvm | forget it
        | forget about it | forget that | just forget it | drop it | scrap it | scrap that | leave it
        | call it off | abort | quit | exit | i changed my mind | ive changed my mind | i dont want it anymore
        | i dont want it any more | not anymore | actually never mind | actually, never mind | undo it""")
    + combined(
        "cancel | please cancel | i want to cancel | i would like to cancel | id like to cancel",
        "the | my | this | that",
        "appointment | refund | request | order | booking",
    ),
    status=phrases("""
        status | whats the status | what is the status | status update | so? | any update | any updates
        | any news | update | hows it going | how is it going | how is that going | hows that going
        | how is it coming along | how are we doing | how far are you | whats happening | what is happening
        | whats going on | what happened | what happened to it | where are we | where are we at | is it done
        | done? | ready? | is it ready | is it booked | did it work | did it go through | did you do it
        | are you done | are we done | how much longer | well? | are you there | are you still there
        | anyone there | still there? | and? | is it undone | did you undo it | has it been undone""")
    + combined(
        "is it | is that | was it | has it been | did it get | is everything",
        "cancelled | canceled | called off | undone | refunded",
    )
    + combined("did you | have you", "cancel | cancelled | canceled | undo | undone", "it | that | everything")
    + combined(
        """what happened to | what happened with | what became of | whats happening with | how is | hows | any news on
        | any news about | any news of | whats the status of | what is the status of | status of""",
        "my | the | that | this",
        "appointment | refund | request | order | booking | reservation | cancellation",
    ),
)

_ONES = {
    "zero": 0, "nought": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
    "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16,
    "seventeen": 17, "eighteen": 18, "nineteen": 19,
}  # fmt: skip
_TENS = {
    "twenty": 20, "thirty": 30, "forty": 40, "fourty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80,
    "ninety": 90,
}  # fmt: skip

_NUMBERS = NumberWords(
    decimal=".",
    strays=False,
    ones=_ONES,
    tens=_TENS,
    hundreds={},
    hundred="hundred",
    scales={"thousand": 10**3, "grand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12},
    bare_scales=(),
    dozens=phrases("dozen"),
    halves=phrases("half"),
    unsure_halves=(),
    articles=phrases("a | an | one"),
    joins=phrases("and"),
    joins_anything=True,
    minus=phrases("minus | negative"),
    not_minus_after=(),
    hours_before=phrases("at | until | till | half past | quarter past | quarter to"),
    hours_after=phrases("""
        am | pm | a.m | p.m | a m | p m | oclock | in the morning | in the afternoon | in the evening | at night
        | sharp | hrs"""),
    past_the_hour=phrases("oh"),
    days_before=phrases("monday | tuesday | wednesday | thursday | friday | saturday | sunday"),
    months=phrases("""
        january | february | march | april | may | june | july | august | september | october | november
        | december | jan | feb | mar | apr | jun | jul | aug | sep | sept | oct | nov | dec"""),
    percent=phrases("per cent | percent"),
    idioms=phrases(
        "a thousand thanks | one more time | a million thanks | thanks a million | one of | no one | the one"
    ),
)

_MONEY = MoneyWords(
    currencies={
        "bucks": "DOLLAR", "buck": "DOLLAR", "quid": "GBP", "british pounds": "GBP", "uk pounds": "GBP",
        "sterling": "GBP", "brazilian reais": "BRL", "brazilian reals": "BRL", "brazilian real": "BRL",
        "argentine pesos": "ARS", "argentinian pesos": "ARS", "american dollars": "USD", "us bucks": "USD",
        "dollar": "DOLLAR", "dollars": "DOLLAR", "us dollars": "USD", "canadian dollars": "CAD",
        "australian dollars": "AUD", "euro": "EUR", "euros": "EUR", "pound": "GBP", "pounds": "GBP",
        "pounds sterling": "GBP", "peso": "PESO", "pesos": "PESO", "mexican pesos": "MXN", "chilean pesos": "CLP",
        "colombian pesos": "COP", "uruguayan pesos": "UYU", "reais": "BRL", "soles": "PEN", "yen": "JPY",
        "swiss francs": "CHF", "rupees": "INR",
    },
    weights={"pound": phrases("of"), "pounds": phrases("of")},
    cents=phrases("cent | cents | pence"),
    cents_joins=phrases("and"),
    bare_cents_joins=(),
    of=(),
    amounts=phrases("""
        amount | amount of | amount is | sum of | total | total of | total is | price | price of | price is
        | cost | costs | paid | pay | payment of | refund | refund of | refund for | refund me | charge | charged
        | charged me | charge of | return | transfer | deposit | worth | owe me | owed | got charged | was charged
        | been charged
        | give me | send me back | give me back | get back | want back | need back"""),
    amounts_behind=phrases("back | refunded | returned | reimbursed"),
)  # fmt: skip

_NAMES = NameWords(
    titles=phrases("dr | doctor | doc | mr | mrs | ms | miss | prof | professor | sir | nurse | dentist"),
    particles=phrases("de | da | del | la | of | the | van | von"),
    introducers=phrases("with | see | doctor | dr"),
    common=phrases("""
        mother | plate | gate | note
        | a | about | after | all | also | am | an | and | any | appointment | are | as | ask | at | available | be
        | before | best | book | but | by | can | cancel | change | could | day | days | did | do | does | for
        | from | get | good | had | has | have | he | hello | her | hers | hey | hi | him | his | hour | hours
        | how | i | id | if | im | in | instead | is | it | ill | just | let | like | look | make | man | may
        | march | me | maybe | meet | minute | minutes | month | more | morning | afternoon | evening | night
        | my | need | next | no | not | now | of | off | ok | okay | on | one | only | or | our | out | people
        | please | put | right | said | schedule | see | set | she | should | slot | so | some | someone | soon
        | talk | sure | take | than | thank | thanks | that | the | their | them | then | there | these | they
        | this | time | to | today | tomorrow | too | two | until | up | us | visit | want | was | we | week
        | weeks | well | were | what | when | where | which | who | why | will | with | would | year | yes | you
        | your | monday | tuesday | wednesday | thursday | friday | saturday | sunday | january | february
        | april | june | july | august | september | october | november | december | zero | three | four | five
        | six | seven | eight | nine | ten | eleven | twelve | half | quarter | first | last | new | name | date
        | patient | anyone | anybody | urgent | great | perfect | possible"""),
)

_PHRASES = PhraseWords(
    negators=phrases(
        "not | dont | doesnt | didnt | never | no | without | cant | cannot | wont | wouldnt | isnt | neither"
    ),
    not_negating=phrases("""
        dont know how | dont know where | dont know when | why not | why dont | not only | if not | no problem
        | havent been able | not been able | couldnt | cant wait | cant you | wont you | couldnt you | dont you
        | whether or not | cannot wait | never booked | ive never | have never"""),
    turns=phrases("but | instead | rather | so | then"),
    wishes=phrases("i want | i need | id like"),
    undoing=phrases("""
        cancel | undo | remove | delete | drop | change | move | reschedule | postpone | shift | modify | push"""),
    fillers=phrases("a | an | the | my | me | for | of | some | another | new | to | up | in"),
    endings=phrases("tions | tion | ings | ing | ions | ion | ies | ers | ed | er | es | e | s | y"),
)

VOCABULARY = Vocabulary(answers=_ANSWERS, numbers=_NUMBERS, money=_MONEY, names=_NAMES, phrases=_PHRASES)
