"""English chat spelling, folded: what is written short or as it sounds, and the words that slips are looked for of."""

from __future__ import annotations

from typing import Final

# One word as it is written, and the words that it is: "n: and".
SHORT: Final = """
n: and | inthe: in the | onthe: on the | atthe: at the | forthe: for the | nd: and | adn: and | nad: and | u: you
ya: you | yer: you | ur: your | r: are | thx: thanks
thnx: thanks | tnx: thanks | thnks: thanks | thanx: thanks | tks: thanks | ty: thanks | tysm: thanks | ta: thanks
pls: please | plz: please | plse: please | plss: please | pleas: please | pleese: please | pleae: please
palease: please | tmrw: tomorrow | tmr: tomorrow | tmrow: tomorrow | tmoro: tomorrow | tomoz: tomorrow
tommorow: tomorrow | tomorow: tomorrow | tommorrow: tomorrow | tomoro: tomorrow | tomorro: tomorrow | tdy: today
tonite: tonight | nite: night | morn: morning | mornin: morning | morining: morning | moring: morning
mornign: morning | aft: afternoon | arvo: afternoon | aftn: afternoon | afternune: afternoon | aftrnoon: afternoon
evenin: evening | evning: evening | wanna: want to | wana: want to | gonna: going to | gunna: going to
gona: going to | gotta: have to | needa: need a | lemme: let me | gimme: give me | dunno: do not know | cuz: because
cos: because | coz: because | bc: because | bcz: because | bcoz: because | becuz: because | becuase: because
cus: because | becoz: because | w: with | wi: with | wiv: with | wth: with | wif: with | wit: with | wiht: with
abt: about | bout: about | teh: the | hte: the | da: the | dat: that | dis: this | thru: through | tho: though
ppl: people | peple: people | poeple: people | pple: people | peopel: people | nvm: never mind | nvmd: never mind
nm: never mind | idk: do not know | cld: could | cud: could | wud: would | wld: would | shd: should | shud: should
cn: can | cann: can | nede: need | neeed: need | wnt: want | watn: want | wat: what | wot: what | wut: what
wen: when | hav: have | hv: have | havin: having | giv: give | gt: get | ma: my | mah: my | sry: sorry | soz: sorry
srry: sorry | sory: sorry | srsly: seriously | kk: ok | okie: ok | yh: yes | yea: yes | ye: yes | aye: yes | ys: yes
naw: no | nah: no | nope: no | msg: message | num: number | nr: number | addy: address | adress: address
addres: address | adres: address | appt: appointment | apointment: appointment | appoinment: appointment
appointmnt: appointment | appointmet: appointment | apptmt: appointment | doc: doctor | docter: doctor | wk: week
wks: weeks | hr: hour | hrs: hours | mnday: monday | tues: tuesday | tue: tuesday | teusday: tuesday
tuseday: tuesday | weds: wednesday | wensday: wednesday | wendsday: wednesday | wednsday: wednesday
wedensday: wednesday | thur: thursday | thurs: thursday | thu: thursday | thersday: thursday | thrusday: thursday
thursdy: thursday | thirsday: thursday | fri: friday | frday: friday | firday: friday | fryday: friday
saterday: saturday | satday: saturday | satruday: saturday | febuary: february | feburary: february | arpil: april
mrach: march | recieve: receive | recieved: received | refnd: refund | refudn: refund | parcle: parcel
parsel: parcel | pakage: package | packige: package | tabel: table | tbl: table | rez: reservation
resy: reservation | ressie: reservation | sumthing: something | sumone: someone | smth: something | sth: something
nowt: nothing | owt: anything | summat: something | aint: is not | defo: definitely | deffo: definitely
anymor: anymore | anymo: anymore | dnt: dont | cancle: cancel | cancell: cancel | cnacel: cancel | confrim: confirm
foru: four | fuor: four | fiv: five | sevn: seven | tweny: twenty | fourty: forty | ninty: ninety | ks: kilos
"""

# What is glued to the word behind it: "inthe" is "in the".
GLUED: Final = "a an the at in on to for of and is its i my need want with by from do"

# Words that slips of the pen are looked for of.
TARGETS: Final = """
want need would could should like have having looking book booking reserve reservation schedule arrange appointment
table refund return parcel package pickup collect collected courier order money doctor
cancel cancelled confirm change changed correct wrong actually instead please thanks thank morning afternoon evening
night noon midday tomorrow today tonight monday tuesday wednesday thursday friday saturday sunday weekend
week next january february march april june july august september october november december
first second third three four five seven eight nine eleven twelve thirteen fourteen fifteen sixteen seventeen
eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand half quarter past
people persons person guests adults children kids name phone number email address kilos pounds dollars euros pesos
hours minutes days weeks months years because with without from until about before after around between
when where which what who how hello sorry yes yeah sure okay perfect great nothing nobody another other same
different arrived damaged broken late wrong terrace outside inside reason daughter son husband wife mother father
brother sister friend neighbour neighbor anymore never mind forget leave
"""
