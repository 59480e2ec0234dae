"""With which words people tell something of their own accord, as data: reasons, pains, what others are to know."""

from __future__ import annotations

from mew_agents.language.folding import word_set
from mew_agents.language.found import Language

# What somebody adds of their own accord begins so: "because", "it is for renewing". As expressions over folded text.
BECAUSE: dict[Language, str] = {
    "es": r"(?:es |seria )?(?:porque|xq|pq|ya que|debido a|a causa de|por culpa de)(?= )"
    r"|(?:es |seria )?por(?= una? | un[oa]s )"
    r"|es (?:para|pa)(?= (?:un |una )?(?:control|cheq|revis|renov|hacer|ver |mostrar|pedir|sacar|receta|que me ))",
    "pt": r"(?:e )?(?:porque|pq|por causa d[eao]s?|por conta d[eao]s?|devido a|ja que)(?= )|por(?= uma? )"
    r"|e (?:para|pra)(?= (?:um |uma )?(?:controle|check|revis|renov|fazer |ver |mostrar|pedir|receita))",
    "en": r"(?:because|bc|cuz|cos|coz)(?: of)?(?= )|due to(?= )|on account of(?= )",
}

# What people tell without being asked: pains, allergies, who comes along. The beginnings of words, folded.
CONCERNS: dict[Language, str] = {
    "es": r"dolor|duele|molestias en|fiebre|tos\b|mareo|nausea|vomit|alergi|celiac|vegan|vegetarian|intoleran|lunar\b"
    r"|mancha|roncha|sarpullid|verruga|herida|esguince|fractur|torci|torced|hinchad|inflama|lesion|insomnio|duermo|ansiedad"
    r"|estres|presion|diabet|embaraz|control\b|cheque|revision|analisis|receta|certificado|vacuna|resfri|gripe"
    r"|garganta|espalda|rodilla|cabeza|estomago|muela|oido|cuello|hombro|tobillo|migran|jaqueca|silla de ruedas"
    r"|silla alta|silla para bebe|cochecito|un bebe|cumple|aniversario|gluten|lactosa|mani\b|nueces|mariscos|lacteos"
    r"|sill(?:a|ita) (?:para|de) |sillita|carrito|bebe|perro|mascota|un[oa] de nosotr[oa]s|no come(?:mos)?\b"
    r"|vertigo|resultados?\b|me (?:cai|golpee|queme|corte|lastime|pica|arde|cuesta|sangra|zumban?|sale|sube)\b"
    r"|sangr|golpe\b|quemadura|picazon|picadura|palpitacion|cansancio|ahog"
    r"|no (?:oigo|veo|escucho|siento) (?:bien|de|del|con|por el|la|el|los|las)\b"
    r"|zumbido|calambre|hormigueo|contractura|acidez|diarrea|estren|colesterol|tiroides|asma\b|congestion|ronquera"
    r"|(?:\d+|un[oa]|dos|tres|cuatro|cinco) de (?:l[oa]s|mis|nuestr[oa]s) [a-z]+",
    "pt": r"dor\b|dores|doi\b|doendo|febre|tosse|tontura|enjoo|vomit|alergi|celiac|vegan|vegetarian|intoleran|mancha"
    r"|verruga|caroco|ferida|torci|torcao|fratur|inchad|inflama|lesao|insonia|durmo|ansiedade|estresse|pressao|diabet"
    r"|gravid|check ?up|revisao|exames?\b|receita|atestado|vacina|constipa|gripe|resfri|garganta|costas|joelho|cabeca"
    r"|estomago|ouvido|pescoco|ombro|tornozelo|enxaqueca|cadeira de rodas|cadeirinha|cadeira alta|um bebe|aniversario"
    r"|cadeir(?:a|inha) (?:para|de|pra) |carrinho|bebe|gluten|lactose|amendoim|nozes|marisco|camarao|cachorro"
    r"|um[a]? de nos\b|nao come(?:mos)?\b"
    r"|vertige|resultados?\b|cai\b|bati (?:a|o|com)\b|me (?:cortei|queimei|machuquei)\b|sangr|queimadura|coceira"
    r"|picada|palpitac|cansaco|falta de ar"
    r"|nao (?:ouco|vejo|sinto|enxergo|escuto) (?:bem|direito|do|de|com|o|a|os|as)\b|zumbido|caibra|formigamento|azia"
    r"|diarreia|colesterol|tireoide|tiroide|asma\b|rouquidao|assadura"
    r"|(?:\d+|uma?|dois|duas|tres|quatro|cinco) d[oa]s (?:meus |minhas |noss[oa]s )?[a-z]+",
    "en": r"pains?\b|painful|hurt|ach(?:e|es|ing)\b|\w+ache\b|sore\b|stiff|fever|cough|dizz|nause|vomit|rash|itch"
    r"|allerg|coeliac|celiac|vegan|vegetarian|intoleran|lump\b|mole\b|swollen|swelling|sprain|twisted|fractur|injur|insomnia"
    r"|sleep|anxi|depress|blood pressure|diabet|pregnan|check ?up|prescription|certificate|vaccin|flu\b|throat|migraine"
    r"|knee|ankle|shoulder|stomach|wheelchair|high ?chair|pushchair|stroller|buggy|a baby|birthday|anniversary|gluten"
    r"|lactose|dairy|nuts?\b|peanut|shellfish|seafood|our dog|a dog|one of us"
    r"|(?:test|scan|x-?ray|blood|lab) results?|blood tests?|bleed|burn(?:t|ed|s)?\b|vertigo|palpitation"
    r"|short(?:ness)? of breath|bruise|blister|cramp|tingling|numb(?:ness)?\b"
    r"|heartburn|diarrh|cholesterol|thyroid|asthma"
    r"|hoarse|ringing in|cant (?:hear|see|sleep)\b"
    r"|(?:\d+|one|two|three|four|five) of (?:the|my|our) [a-z]+",
}

# Words that only lead to what is told.
LINKING: dict[Language, frozenset[str]] = {
    "es": word_set("y e pero ademas tambien es por para con que aparte ah pues bueno"),
    "pt": word_set("e mas tambem alem disso por para pra com que ah pois bem olha ando estou"),
    "en": word_set("and but also plus its for about with that oh because so well"),
}

# Who is to be told something, `who`; what they are to be told follows. As expressions.
TELL: dict[Language, str] = {
    "es": r"(?:av[ií]s[aáe]n?(?:le|les)?|d[ií](?:le|les)|dec[ií](?:le|les)|d[ií]g[ae]n?(?:le|les)?|ped[ií](?:le|les)"
    r"|p[ií]d[ae](?:le|les)|aclar[aáe](?:le|les)) (?:al|a la|a los|a las) (?P<who>\w+)",
    "pt": r"(?:av[ií]s[ae]m?|diz|diga|digam|dizer|fala|fale|falem|pede|pe[cç]a|pe[cç]am|informa|informe)"
    r"(?: l[aá])? (?:ao|aos|à|às|pro|pra|para o|para a|p'ro) (?P<who>\w+)",
    "en": r"(?:tell|ask|warn|remind|let)(?: the| your| our)? (?P<who>\w+)"
    r"(?= (?:that|to|not|know|he|she|they|there|please)|[,:])(?: know)?",
}
