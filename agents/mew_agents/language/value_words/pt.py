"""Portuguese, of Brazil and of Portugal."""

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
        sim | simm | sims | que sim | claro | claro que sim | lógico | óbvio | com certeza | certeza | sem dúvida
        | é claro | mas é claro | isso | isso mesmo | isso aí | é isso | é isso aí | é isso mesmo | exato
        | exatamente | correto | está correto | tá correto | certo | certinho | certíssimo | está certo
        | tá certo | tudo certo | beleza | blz | fechado | fechou | combinado | feito | pode | pode sim
        | pode ser | pode confirmar | pode marcar | pode fazer | pode reservar | pode agendar | pode mandar
        | pode seguir | confirmo | confirmado | confirma | confirme | confirmar | sim confirmo | eu confirmo
        | aceito | aceite | concordo | de acordo | estou de acordo | quero | quero sim | eu quero | faça | faz
        | faça isso | faz isso | vai sim | vamos | vamos lá | bora | manda ver | siga | prossiga
        | pode prosseguir | perfeito | ótimo | excelente | maravilha | show | show de bola | legal | positivo
        | afirmativo | aham | uhum | ahã | sem problema | sem problemas | não tem problema | não há problema
        | por mim tudo bem | tudo bem | está ótimo | tá ótimo | me serve | serve | dá certo | por que não
        | porque não | com prazer | é sim | isso sim | fixe | bora lá | avança | pode avançar | pois claro | 👍
        | 👌 | ✅ | ✔ | ☑ | 🆗"""),
    weak_yes=phrases(
        "ok | okay | okei | oki | tá | tá bom | tá bem | está bem | está bom | bom | bem | entendi | entendido | tá ok"
    ),
    alone=phrases("é | s | vai | manda"),
    no=phrases("""
        não | nao | n | ñ | naum | nem | no | que não | claro que não | é claro que não | óbvio que não
        | lógico que não | com certeza não | de jeito nenhum | de jeito algum | de maneira nenhuma
        | de maneira alguma | de forma alguma | de forma nenhuma | de modo algum | de modo nenhum | nada disso
        | nunca | jamais | negativo | nem pensar | nem a pau | nem morto | nem morta | não quero | não quero não
        | eu não quero | não aceito | não confirmo | não confirme | não confirma | não concordo | não faça
        | não faça isso | não faz | não pode | não posso | não dá | não dá pra mim | não dá para mim | não creio
        | não dá certo | não me serve | não serve | não gosto | não gostei | não está certo | não tá certo
        | não é isso | isso não | assim não | esse não | essa não | errado | está errado | tá errado | incorreto
        | engano | melhor não | prefiro que não | prefiro não | acho que não | agora não | deixa quieto
        | por agora não | por enquanto não | hoje não | ainda não | não ainda | não precisa | não é preciso
        | não é necessário | mas não | nada | 👎 | ❌ | ✖ | 🚫 | ⛔ | 🙅"""),
    unclear=phrases("""
        pois não | mas não sei | mas não tenho certeza | pois é | pois | não sei | não sei ainda | ainda não sei
        | eu não sei | sei lá | nem sei | não sei não | não faço ideia | não tenho certeza | não tenho a certeza
        | não estou certo | não estou certa | talvez | quem sabe | pode ser que sim | pode ser que não | depende
        | mais ou menos | provavelmente | possivelmente | acho que sim | acho | creio que sim | suponho que sim
        | imagino que sim | se calhar | vou pensar | deixa eu pensar | deixa eu ver | preciso pensar | vou ver
        | veremos | vamos ver | tanto faz | sim e não | nem sim nem não | o quê | como | não entendi | como assim
        | você que sabe | 🤔 | 🤷"""),
    polite=phrases("""
        obrigado | obrigada | muito obrigado | muito obrigada | obrigadão | valeu | vlw | brigado | brigada
        | agradeço | mas obrigado | mas obrigada | agradecido | agradecida | por favor | por gentileza
        | se faz favor | faz favor | pf | pfv | pfvr | olá | oi | bom dia | boa tarde | boa noite | amigo | amiga
        | senhor | senhora | doutor | doutora | moço | moça | cara | né | kkk | kkkk | rs | rsrs | haha
        | desculpa | desculpe | querida | querido | 🙏 | 😊 | 🙂 | 😀 | 😄 | 😃 | 😁 | 😉 | ☺ | 👋 | ❤ | 💪
        | 🙌 | 🎉 | 🤗 | 😅 | ♀ | ♂"""),
    cancel=phrases("""
        cancelar | cancela | cancele | pode cancelar | cancelar tudo | cancela tudo | cancela isso | cancele isso
        | quero cancelar | queria cancelar | gostaria de cancelar | prefiro cancelar | melhor cancelar | esquece
        | esqueça | esquece isso | esqueça isso | deixa pra lá | deixa para lá | deixe pra lá | deixe para lá
        | deixa quieto | deixa | deixa assim | desisto | desisti | não quero mais | já não quero | anular | anula
        | anule | abortar | sair | me arrependi | mudei de ideia | não quero nada | já não quero nada""")
    + combined(
        """cancelar | cancela | cancele | desmarcar | desmarca | desmarque | quero cancelar | queria cancelar
        | gostaria de cancelar | quero desmarcar | queria desmarcar | gostaria de desmarcar""",
        "o | a | meu | minha | o meu | a minha | este | esta",
        "consulta | reserva | reembolso | pedido | solicitação",
    ),
    status=phrases("""
        e aí | e aí foi | e aí deu certo | e então | foi? | deu certo? | deu? | como está | como vai
        | como vai isso | como estamos | como ficou | como anda | como é que está | em que pé está
        | em que pé estamos | qual o status | qual é o status | status | estado | qual é o estado | novidades
        | alguma novidade | tem novidade | tem novidades | alguma notícia | já está? | já foi? | já fez?
        | está pronto? | tá pronto? | pronto? | ficou pronto? | conseguiu? | conseguiste? | funcionou?
        | falta muito? | quanto falta | ainda está aí? | o que aconteceu | o que houve | tem alguém aí?
        | já cancelou? | você cancelou? | o senhor cancelou? | cancelou? | desmarcou? | já desmarcou? | desfez?
        | já desfez?""")
    + combined(
        "está | já está | ficou | foi | já foi",
        "cancelado? | cancelada? | desmarcado? | desmarcada? | anulado? | anulada? | desfeito? | desfeita?",
    )
    + combined(
        "o que aconteceu com | o que houve com | como está | como ficou | como vai | que fim levou",
        "o meu | a minha | meu | minha | o | a | esse | essa",
        "consulta | reserva | reembolso | pedido | solicitação | cancelamento | marcação",
    ),
)

_ONES = {
    "zero": 0, "um": 1, "uma": 1, "dois": 2, "duas": 2, "três": 3, "quatro": 4, "cinco": 5, "seis": 6, "sete": 7,
    "oito": 8, "nove": 9, "dez": 10, "onze": 11, "doze": 12, "treze": 13, "quatorze": 14, "catorze": 14, "quinze": 15,
    "dezesseis": 16, "dezasseis": 16, "dezessete": 17, "dezassete": 17, "dezoito": 18, "dezenove": 19,
    "dezanove": 19,
}  # fmt: skip
_TENS = {
    "vinte": 20, "trinta": 30, "quarenta": 40, "cinquenta": 50, "cinqüenta": 50, "sessenta": 60, "setenta": 70,
    "oitenta": 80, "noventa": 90,
}  # fmt: skip
_HUNDREDS = {
    "cem": 100, "cento": 100, "duzentos": 200, "duzentas": 200, "trezentos": 300, "trezentas": 300,
    "quatrocentos": 400, "quatrocentas": 400, "quinhentos": 500, "quinhentas": 500, "seiscentos": 600,
    "seiscentas": 600, "setecentos": 700, "setecentas": 700, "oitocentos": 800, "oitocentas": 800,
    "novecentos": 900, "novecentas": 900,
}  # fmt: skip

_NUMBERS = NumberWords(
    decimal=",",
    strays=False,
    ones=_ONES,
    tens=_TENS,
    hundreds=_HUNDREDS,
    hundred="",
    scales={
        "mil": 10**3, "milhão": 10**6, "milhões": 10**6, "mi": 10**6, "bilhão": 10**9, "bilhões": 10**9,
        "trilhão": 10**12, "trilhões": 10**12,
    },
    bare_scales=phrases("mil"),
    dozens=phrases("dúzia | dúzias"),
    halves=phrases("meio | meia"),
    unsure_halves=phrases("meia"),
    articles=phrases("um | uma"),
    joins=phrases("e"),
    joins_anything=True,
    minus=phrases("menos"),
    not_minus_after=phrases("ao | pelo | ou | mais | a"),
    hours_before=phrases("às | à | a partir das | desde as | até as | lá pelas | para as | pras"),
    hours_after=phrases("""
        da tarde | da manhã | da noite | da madrugada | de la tarde | am | pm | a.m | p.m | hs | hrs | h
        | em ponto"""),
    past_the_hour=phrases("e | menos"),
    days_before=phrases("dia | segunda | terça | quarta | quinta | sexta | sábado | domingo | feira"),
    months=phrases("""
        janeiro | fevereiro | março | abril | maio | junho | julho | agosto | setembro | outubro | novembro
        | dezembro"""),
    percent=phrases("por cento"),
    idioms=phrases("mil desculpas | mil obrigados | mil perdões | uma vez | a mil"),
)  # fmt: skip

_MONEY = MoneyWords(
    currencies={
        "pesos argentinos": "ARS", "dólares americanos": "USD", "libras esterlinas": "GBP", "libras inglesas": "GBP",
        "eurinhos": "EUR",
        "real": "BRL", "reais": "BRL", "reais brasileiros": "BRL", "euro": "EUR", "euros": "EUR", "dólar": "DOLLAR",
        "dólares": "DOLLAR", "dólares canadenses": "CAD", "peso": "PESO", "pesos": "PESO", "pesos mexicanos": "MXN",
        "pesos chilenos": "CLP", "pesos colombianos": "COP", "pesos uruguaios": "UYU", "libras": "GBP",
        "soles": "PEN", "guaranis": "PYG", "bolivianos": "BOB", "kwanzas": "AOA", "meticais": "MZN",
        "escudos": "CVE",
    },
    weights={"libras": phrases("de")},
    cents=phrases("centavo | centavos | cêntimo | cêntimos"),
    cents_joins=phrases("e | com"),
    bare_cents_joins=phrases("e | com"),
    of=phrases("de"),
    amounts=phrases("""
        valor | valor de | valor é | quantia de | montante de | total | total de | total é | preço | preço de
        | preço é | soma de | custou | custa | paguei | pagar | pagamento de | devolver | devolução de | devolvam
        | devolvessem | reembolso de | reembolsar | estorno de | estornar | cobraram | cobrou | cobrar | cobrança de
        | transferir | depositar | depositei | me devem | gastei | saiu por | saiu"""),
    amounts_behind=phrases("de volta | de reembolso | de estorno | de devolução"),
)  # fmt: skip

_NAMES = NameWords(
    titles=phrases("""
        dr | dra | doutor | doutora | doc | prof | profa | professor | professora | sr | sra | srta | senhor
        | senhora | seu | dona | dom | eng | engenheiro | engenheira | adv | dentista | médico | médica"""),
    particles=phrases("de | da | do | das | dos | del | la"),
    introducers=phrases("com | doutor | doutora | dr | dra"),
    common=phrases("""
        parte | tinha | vinha | linha | nota | foto
        | a | à | agora | ainda | algum | alguma | amanhã | ano | anos | antes | ao | aos | as | às | assim | até
        | bem | bom | boa | cada | com | como | da | das | de | depois | dela | dele | dia | dias | do | dos | e
        | é | ela | ele | eles | em | entre | era | essa | esse | esta | está | este | estou | eu | faz | fazer
        | favor | foi | hoje | hora | horas | isso | isto | já | lá | lhe | mais | manhã | marcar | mas | me
        | meia | melhor | menos | mês | mesma | mesmo | meu | minha | minuto | minutos | muito | na | nada | não
        | nas | nem | no | noite | nos | nós | o | obrigado | obrigada | oi | olá | onde | os | ou | outra
        | outro | para | pela | pelo | pessoa | pode | poderia | podia | por | porque | posso | pra | pro
        | preciso | próxima | próximo | quando | quanto | que | quem | quer | queria | quero | se | sem | semana
        | semanas | ser | seria | sim | só | sobre | são | sou | sua | também | tarde | tem | tenho | ter | teu
        | tudo | um | uma | vai | vamos | vez | vou | você | vocês | consulta | consultas | agendar | reservar
        | horário | cancelar | mudar | segunda | terça | quarta | quinta | sexta | sábado | domingo | feira
        | janeiro | fevereiro | março | abril | maio | junho | julho | agosto | setembro | outubro | novembro
        | dezembro | zero | dois | duas | três | quatro | cinco | seis | sete | oito | nove | dez | onze | doze
        | gostaria | urgente | atende | nome | data | cedo | qualquer | paciente | claro | certo | sempre | nunca"""),
)

_PHRASES = PhraseWords(
    negators=phrases("não | nunca | jamais | nem | sem | tampouco"),
    not_negating=phrases("""
        nunca reservei | nunca marquei | nunca pedi | nunca fiz
        | não sei como | não sei onde | não sei quando | por que não | porque não | não só | se não
        | não vejo a hora de | ainda não consegui | não tem problema | não há problema | não consegui ainda"""),
    turns=phrases("mas | porém | então | melhor | e sim | em vez disso"),
    wishes=phrases("quero | queria | preciso | gostaria"),
    undoing=phrases("""
        cancelar | anular | suspender | apagar | eliminar | desmarcar | mudar | mover | remarcar | reagendar
        | adiar | trocar | alterar | antecipar | modificar"""),
    fillers=phrases(
        "um | uma | o | a | os | as | meu | minha | de | do | da | outro | outra | me | para | pra | por | novo | nova"
    ),
    endings=phrases("""
        íssimo | íssima | íssimos | íssimas | assem | essem | issem | aram | eram | iram
        | ando | endo | indo | aria | eria | iria | amos | emos | imos | ado | ada | ido | ida | ava | ei | ou | ar
        | er | ir | am | em | as | es | os | ia | a | e | o | s"""),
)

VOCABULARY = Vocabulary(answers=_ANSWERS, numbers=_NUMBERS, money=_MONEY, names=_NAMES, phrases=_PHRASES)
