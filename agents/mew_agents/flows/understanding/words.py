"""The words that steer a dialogue, as data: what corrects, drops, asks back, calls for a person or only chats."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from mew_agents.fluxi.definitions.slots import SlotType
from mew_agents.language.found import Language
from mew_agents.language.value_words.vocabulary import Phrases, phrases


@dataclass(frozen=True, slots=True, kw_only=True)
class Steering:
    """The words of a language. Phrases are written as people write them."""

    corrects: Phrases  # at the head of a message, another value follows: "no, mejor"
    takes_back: Phrases  # the same within one: "50, digo, 80"
    corrects_behind: Phrases  # another value stood before: "80 mejor"
    changes: Phrases  # the same, and names what is changed: "cambiar el monto a"
    called: Mapping[SlotType, Phrases]  # what a slot of a type is called, where there is one of it alone
    joins: Phrases  # between what is changed and its value: "el monto a 80"
    instead_of: Phrases  # before a value that is not meant: "en vez de la de débito"
    said_before: Phrases  # before the value that is held, which was wrong: "dije 30"
    wrong: Phrases  # behind the value that is held, or the name of its slot: "30 está mal"
    little: Phrases  # between these and the value, besides joins
    drops: Phrases  # also end a flow, as a whole message
    drops_it: Phrases  # end the flow that is named behind them: "no quiero hacer la transferencia"
    everything: Phrases  # make that all flows
    asks: Phrases  # as a whole message: what is meant by the question
    asks_about: Phrases  # the same, with something behind them: "para qué necesitas …"
    person: Phrases  # wherever they stand: a person is wanted
    chats: Phrases  # as a whole message: nothing to do
    openers: Phrases  # may stand before any of it, and say nothing
    money: Phrases  # an amount stands for them: "send money", "send 50"
    says: Phrases  # behind the name of a slot, its words follow: "en el concepto poné alquiler"
    puts: Phrases  # its words follow, and its name behind them: "put rent as the reference"
    waits: Phrases  # as a whole message: somebody needs time
    idle: Phrases  # may stand around what drops a flow: "usted", "por ahora"
    mistaken: Phrases  # something that was said before was wrong
    soft: Phrases  # say nothing beside a phrase: "quisiera", "ahora"


_ES: Final = Steering(
    corrects=phrases("""
        no | perdón | perdona | perdone | disculpa | disculpe | mejor | mejor no | no mejor | en realidad
       | quise decir | quería decir | quiero decir | digo | mejor dicho | más bien | me equivoqué | me confundí
       | me expresé mal | lo dije mal | lo escribí mal | corrijo | corrección | rectifico | error | error mío
       | espera | esperá | espere | un momento | ay no | uy no | uy | ay | ah no | no no | pensándolo bien
       | lo pensé mejor | cambié de idea | cambié de opinión | prefiero | prefiero que sea | prefiero que sean
       | que sea | que sean | mejor que sea | mejor que sean | era | eran | es en realidad | no era | no es
       | no era eso | no es eso | está mal | eso está mal | sí pero | pero | sino | la pifié | puse cualquiera |
       dije cualquiera
       | estoy en cualquiera | la embarré | me colé | quise poner | quería poner | te dije mal | le dije mal |
       lo puse mal
       | la puse mal | puse mal | escribí mal | me he equivocado | me he confundido | me he liado | me lié | ojo
       | fe de erratas
       | no pará | no para | pará pará | quería decir que | mentira | tacha eso | borra eso
       | olvida eso | me equivoqué en lo que dije | me equivoqué en lo que puse | me equivoqué al contarlo
       | lo que dije está mal | lo que dije no es así | lo que puse está mal | lo conté mal | lo expliqué mal
       | me expliqué mal"""),
    takes_back=phrases("""
        perdón | perdona | perdone | digo | quise decir | quería decir | mejor dicho | más bien | me equivoqué
       | me confundí | corrijo | corrección | qué digo | que digo | qué va, son | qué va, es
       | mentira | , no, | no perdón | no digo
       | no mejor | ah no | ay no | uy no
       | no no"""),
    corrects_behind=phrases(
        "mejor | digo | perdón | en realidad | más bien | quise decir | en vez de eso | en su lugar"
    ),
    changes=phrases("""
        cambia | cambiá | cambie | cambiar | cambialo | cámbialo | cámbielo | cambiala | cámbiala | cambiarlo
       | cambiarla | cambiame | cámbiame | corrige | corregí | corrija | corregir | corregilo | corrígelo
       | modifica | modificá | modifique | modificar | modificalo | modifícalo | actualiza | actualizá
       | actualice | actualizar | pon | poné | ponga | poner | ponle | ponele | póngale | ponlo | ponelo | deja
       | dejá | deje | dejalo | déjalo | dejar"""),
    called={
        "money": phrases("monto | importe | valor | cantidad | suma"),
        "email": phrases("correo | correo electrónico | email | mail | e-mail"),
        "phone": phrases("teléfono | celular | móvil | número de teléfono"),
        "date": phrases("fecha | día"),
        "time": phrases("hora | horario"),
    },
    joins=phrases("""
        a | al | por | para | con | en | es | son | era | eran | sea | sean | será | debe ser | debería ser
       | tiene que ser | quede en | a que sea | en realidad es | está mal | es incorrecto | está equivocado | :
       | ="""),
    instead_of=phrases("en vez de | en lugar de | en vez | y no | no es | no era | no son | no eran | ya no"),
    said_before=phrases("""
        dije | puse | escribí | había dicho | había puesto | te dije | le dije | anoté | he dicho | he puesto
       | mandé | di | te di | le di | decía | quité | saqué"""),
    wrong=phrases("""
        está mal | está equivocado | está equivocada | es incorrecto | es incorrecta | era incorrecto | no era
       | no es | no va | estaba mal | no es así | tiene un error | no es correcto | no es correcta"""),
    little=phrases("el | la | los | las | lo | de | del | que | esa | ese | eso | mi | su"),
    drops=phrases("""
        no quiero seguir | no quiero seguir con esto | no quiero continuar | no sigas | no sigamos
       | no continúes | basta | ya basta | para | pará | pare | detente | detenete | deténgase | stop
       | terminar | terminemos | termina | terminá | dejémoslo | dejémoslo así | dejémoslo ahí
       | mejor no sigamos | mejor lo dejamos | lo dejamos | lo dejo | lo dejo así | no quiero hacerlo
       | ya no quiero hacerlo | ya no quiero seguir | abandonar | abandono | volver | volver atrás
       | salir de acá | salir de aquí | quiero salir | quiero terminar | no me interesa | ya no me interesa
       | cancelar esto | cancela esto | cancelá esto | cancele esto | cancelar eso | cancela eso | cancelá eso
       | quiero cancelar esto | cancelar la operación | cancela la operación | cancelá la operación
       | cancele la operación | cancelar el trámite | cancela el trámite | cancelá el trámite | olvidemos esto
       | olvidate de esto | olvídate de esto | olvídese de esto | olvídate de eso | cancelémoslo | cancelemos
       | la cancelamos | lo cancelamos
       | ya fue | ya fue dejalo | dejalo | déjalo | dejalo así | déjalo así | deja eso | déjelo | dejelo
       | lo dejamos así | olvidalo | olvídalo | olvídelo | no hagas nada | no haga nada | no hace falta
       | ya no hace falta | ya no | ya no lo necesito | ya no la haga | ya no lo haga | no lo hagas
       | no la hagas | me arrepentí | mejor nada | nada olvidalo | no va más | ya está olvidalo"""),
    drops_it=phrases("""
        cancelar | cancela | cancelá | cancele | anular | anula | anulá | anule | quiero cancelar
       | quisiera cancelar | quiero anular | quisiera anular | mejor cancela | mejor cancelá | mejor cancelar
       | no quiero hacer | ya no quiero hacer | no quiero | ya no quiero | no quiero seguir con
       | no quiero continuar con | no sigas con | olvida | olvidá | olvídate de | olvidate de | olvídese de
       | deja | dejá | deje | dejemos | dejar | abandonar | salir de | terminar | parar | para | pará | detener
       | no tengo nada que | ya no tengo nada que | no tengo de qué | ya no tengo de qué | no necesito
       | ya no necesito | no me hace falta | ya no me hace falta | no hace falta"""),
    everything=phrases("todo | todos | todas | todo lo pendiente"),
    asks=phrases("""
        qué | cómo | cuál | qué cosa | qué significa | qué significa eso | qué significa esto | qué es eso
       | qué es esto | y eso qué es | eso qué es | qué es | qué quiere decir | qué quiere decir eso
       | qué quieres decir | qué querés decir | qué quiere decir con eso | a qué te refieres | a qué te referís
       | a qué se refiere | no entiendo | no entendí | no lo entiendo | no te entiendo | no le entiendo
       | no te entendí | no le entendí | no entiendo la pregunta | no entendí la pregunta | no entiendo nada
       | no entiendo qué me pides | no entiendo qué me pedís | no entiendo qué quieres | no comprendo
       | no comprendo la pregunta | no capto | no me queda claro | no está claro | para qué | para qué es
       | para qué es eso | para qué lo necesitas | para qué lo necesitás | para qué lo necesita
       | para qué lo quieres | para qué lo querés | para qué lo piden | para qué sirve | para qué sirve eso
       | para qué me lo pides | por qué | por qué lo preguntas | por qué lo preguntás | por qué lo pregunta
       | por qué me lo preguntas | por qué preguntas eso | por qué me preguntas eso | por qué me preguntás eso
       | por qué me pregunta eso | por qué me pides eso | por qué me pedís eso | por qué lo necesitas
       | por qué quieres saberlo | por qué quieres saber eso | explícame | explicame | explíqueme | explícate
       | explícamelo | explicamelo | me explicas | me explicás | me explica | me lo explicas | me lo explicás
       | me lo explica | puedes explicar | podés explicar | puede explicar | me puedes explicar
       | me podés explicar | me puede explicar | puedes explicármelo | podés explicármelo | podrías explicar
       | podría explicar | ayuda | ayúdame | ayudame | ayúdeme | necesito ayuda | qué pongo
       | qué tengo que poner | qué debo poner | qué hay que poner | qué respondo | qué te digo
       | qué tengo que decir | qué debo responder | qué opciones hay | qué opciones tengo
       | cuáles son las opciones | cuáles hay | por ejemplo | un ejemplo | dame un ejemplo | como qué
       | como cuál | cómo sería | en qué formato | en qué moneda | eh"""),
    asks_about=phrases("""
        qué significa | qué significan | qué quiere decir | qué es | qué son | a qué te refieres con
       | a qué te referís con | a qué se refiere con | a qué le llaman | para qué | por qué me
       | por qué ustedes | por qué necesitas | por qué necesitás | por qué necesita | por qué necesitan
       | por qué quieres | por qué querés | por qué quiere | por qué piden | por qué preguntas
       | por qué preguntás | por qué tengo que | por qué debo | no entiendo qué | no entiendo lo que
       | no entiendo para qué | no entiendo por qué | no entiendo a qué | no entendí qué | no entendí lo que
       | explícame qué | explicame qué | me explicas qué | me explicás qué | me explica qué | no sé qué es
       | no sé qué significa | no sé qué poner | no sé a qué"""),
    person=phrases("""
        hablar con una persona | hablar con un humano | hablar con una humana | hablar con alguien
       | hablar con un operador | hablar con una operadora | hablar con un agente | hablar con un asesor
       | hablar con una asesora | hablar con un representante | hablar con un ejecutivo
       | hablar con un empleado | hablar con atención al cliente | hablar con un supervisor
       | hablar con el encargado | hablar con soporte | comunicarme con una persona | comunicarme con un humano
       | comunicarme con un operador | comunicarme con un agente | comunicarme con un asesor
       | comunicarme con alguien | comunicarme con un representante | pasame con una persona
       | pasame con un humano | pasame con alguien | pasame con un operador | pasame con un agente
       | pasame con un asesor | pasame con un representante | páseme con una persona | páseme con alguien
       | páseme con un operador | ponme con una persona | ponme con un agente | ponme con alguien
       | atienda una persona | atienda un humano | atienda alguien | atiéndame una persona | atención humana
       | agente humano | operador humano | asesor humano | persona real | persona de verdad
       | persona de carne y hueso | ser humano | quiero un humano | quiero una persona | quiero un operador
       | quiero un agente | quiero un asesor | necesito un humano | necesito una persona | necesito un operador
       | necesito un agente | necesito un asesor | prefiero un humano | prefiero una persona
       | operador por favor | humano por favor | contactar a un agente | contactar con un agente"""),
    chats=phrases("""
        cómo estás | cómo está | cómo está usted | cómo andas | cómo andás | cómo te va | cómo le va | qué tal
       | qué tal estás | todo bien | qué onda | qué hay | mucho gusto | encantado de conocerte | quién eres
       | quién sos | quién es usted | cómo te llamas | cómo te llamás | eres un robot | sos un robot
       | eres un bot | sos un bot | qué lindo día | qué calor | qué frío | feliz navidad | feliz año
       | te quiero | eres genial | sos genial | sos un genio | eres un genio | qué buena onda | jajajaja
       | jajajajaja | jejeje | jiji | ja | je | xd | adiós | chau | chao | hasta luego | hasta mañana
       | nos vemos | cuéntame un chiste | contame un chiste | un chiste | buen trabajo | muy bien hecho
       | qué amable | igualmente | de nada"""),
    openers=phrases("""
        y | pero | eh | ah | ay | uy | a ver | che | bueno | mejor | no | la verdad | mmm | entonces | eso | oye
       | uh | ups | huy | mira | mire | por cierto | a propósito | además | también | de hecho | ah por cierto
       | ah x cierto | x cierto | otra cosa | oiga | disculpa | disculpe | perdón"""),
    money=phrases("dinero | plata | pasta | guita | monto | importe"),
    says=phrases("""
        poné | pon | ponga | poneme | ponme | póngame | pongan | ponele | ponle | escribí | escribe | va |
        que diga | debe decir | tiene que decir | dice | que sea
        | está mal , es | puse mal , es | la puse mal , es | está mal es"""),
    puts=phrases("""
        poné | pon | ponga | poneme | ponme | póngame | pongan | ponele | ponle | escribí | escribe | anotá
       | anota"""),
    waits=phrases("""
        espera | esperá | espere | esperame | espérame | espéreme | espera un momento | esperá un momento
       | espere un momento | espera un poco | esperá un poco | esperá un cachito | un momento | un momentito |
       un minuto
       | un minutito | un segundo | un segundito | dame un momento | dame un minuto | dame un segundo | deme un
       momento
       | deme un minuto | aguanta | aguantá | aguarda | aguardá | aguarde | ya vuelvo | ahora vuelvo | ya te digo
       | ya le digo | ya busco | lo busco | déjame ver | dejame ver | déjame pensar | dejame pensar
       | déjame buscarlo | dejame buscarlo | pará | pará un poco | pará un momento | para un momento"""),
    idle=phrases("""
        la verdad | mejor | usted | vos | tú | por ahora | al final | ya | todo | che | gracias | por favor
       | joven | señor | señora"""),
    mistaken=phrases("""
       la pifié | puse cualquiera | dije cualquiera | la embarré | la cagué | me colé | lo que dije | lo que
       puse | lo conté mal | lo expliqué mal | me expliqué mal | al contarlo | puse mal
       | escribí mal | dije mal | elegí mal | marqué mal | escogí mal | elegí otra cosa | elegí el que no era | me
       equivoqué de opción | me equivoqué al elegir | lo puse mal | la puse mal | me equivoqué | rectifico | corrijo |
        corregir | cambiar"""),
    soft=phrases("""
        quiero | quisiera | quería | querría | necesito | necesitaría | deseo | desearía | me gustaría | puedo
       | podría | podrías | puedes | podés | puede | vamos a | voy a | a ver | ahora | ya | primero | antes
       | también | mejor | pero | y | e | bueno | ok | entonces | che | ver | saber | consultar | hacer
       | realizar | decime | dime | dígame | decir | decirme | me | mi | mis | un | una | el | la | los | las
       | de | del | a | por | para | con | en | otra | otro | cosa | urgente | hoy | cuál | cuánto | cuánta
       | qué | cómo | es | hay | tengo | eh | mm | mmm | se | su | lo | esto | eso | dime | muéstrame
       | mostrame | muéstreme | favor | ayúdame | ayudame | necesitaba | hacerlo | nada | más | al | que | si
       | soy | año | años | son | sería | sean | sea | antes de seguir | gracias"""),
)

_PT: Final = Steering(
    corrects=phrases("""
        não | desculpa | desculpe | perdão | opa | ops | melhor | melhor não | não melhor | na verdade
       | quis dizer | queria dizer | quero dizer | digo | ou melhor | aliás | me enganei | me confundi | errei
       | me expressei mal | escrevi errado | corrijo | corrigindo | correção | retifico | erro | erro meu
       | espera | espere | peraí | pera aí | um momento | ah não | não não | pensando bem | pensando melhor
       | mudei de ideia | prefiro | prefiro que seja | prefiro que sejam | que seja | que sejam | seja | sejam
       | era | eram | é na verdade | não era | não é | não era isso | não é isso | está errado | tá errado
       | isso está errado | sim mas | mas | e sim | esquece isso | enganei-me | enganei-me no que disse
       | me enganei no que disse | errei no que disse | errei no que falei | o que eu disse está errado
       | o que eu falei está errado | falei errado | contei errado | expliquei mal | me expliquei mal | viajei |
       falei besteira | me enrolei | botei errado
       | coloquei errado | pus mal | me equivoquei | foi mal | minto | na real | na vdd | troquei | quis colocar
       | queria pôr"""),
    takes_back=phrases("""
        desculpa | desculpe | perdão | digo | quis dizer | queria dizer | ou melhor | aliás | me enganei
       | me confundi | errei | corrijo | correção | que digo | o que digo | o quê, são | o quê, é | o quê são
       | mentira | ai não | ai que
       | , não, | não desculpa | não digo | não melhor | ah não
       | não não"""),
    corrects_behind=phrases("melhor | digo | desculpa | desculpe | na verdade | aliás | quis dizer | em vez disso"),
    changes=phrases("""
        muda | mude | mudar | mudá lo | troca | troque | trocar | altera | altere | alterar | corrige | corrija
       | corrigir | modifica | modifique | modificar | atualiza | atualize | atualizar | coloca | coloque
       | colocar | bota | bote | botar | põe | ponha | pôr | deixa | deixe | deixar | muda isso | troca isso"""),
    called={
        "money": phrases("valor | quantia | montante | quantidade"),
        "email": phrases("e-mail | email | mail | correio eletrônico"),
        "phone": phrases("telefone | celular | telemóvel | número de telefone"),
        "date": phrases("data | dia"),
        "time": phrases("hora | horário"),
    },
    joins=phrases("""
        a | ao | à | por | para | pra | pro | com | em | é | são | era | eram | seja | sejam | será | deve ser
       | tem que ser | deveria ser | que seja | na verdade é | está errado | está incorreto | : | ="""),
    instead_of=phrases("""
        em vez de | em vez do | em vez da | ao invés de | ao invés do | ao invés da | no lugar de | no lugar do
       | no lugar da | em lugar de | e não | n é | não é | não era | não são | já não"""),
    said_before=phrases("""
        disse | falei | coloquei | escrevi | pus | tinha dito | tinha posto | eu disse | te disse | lhe disse
       | passei | dei | anotei | informei | indiquei | indiquei que tinha | disse que tinha | falei que tinha |
       botei"""),
    wrong=phrases("""
        está errado | está errada | tá errado | tá errada | está incorreto | está incorreta | não é | não era
       | estava errado | estava errada | não está certo | não está certa | está mal | tem um erro"""),
    little=phrases("o | a | os | as | de | do | da | que | esse | essa | isso | meu | minha | seu | sua"),
    drops=phrases("""
        não quero continuar | não quero continuar com isso | não quero seguir | não continue | chega | basta
       | pare | para | parar | stop | terminar | termina | encerrar | encerra | encerre | vamos parar
       | vamos parar por aqui | não quero fazer isso | já não quero fazer isso | não quero mais fazer isso
       | não quero mais isso | não quero mais continuar | abandonar | voltar | quero sair | sair daqui
       | quero parar | quero encerrar | não me interessa | não me interessa mais | não tenho interesse
       | não tenho mais interesse | cancelar isso | cancelar isto | cancela isto | quero cancelar isso
       | cancelar a operação | cancela a operação | cancele a operação | quero cancelar a operação
       | pode cancelar isso | pode cancelar a operação | pode parar | deixa isso | deixa isso pra lá
       | deixa isso para lá | esquece essa operação | vamos cancelar | vamos deixar pra lá
       | deixa estar | deixa pra lá | deixe estar | deixa | deixe | esquece | esqueça | esquece isso
       | esquece tudo | já não preciso | não preciso mais | não precisa | não precisa mais | não faça nada
       | não faz nada | já não é preciso | desisto | desisti | já era | deixa quieto"""),
    drops_it=phrases("""
        cancelar | cancela | cancele | pode cancelar | anular | anula | anule | quero cancelar | queria cancelar
       | gostaria de cancelar | quero anular | melhor cancelar | não quero fazer | não quero mais fazer
       | já não quero fazer | não quero | não quero mais | já não quero | não quero continuar
       | não quero continuar com | não quero seguir com | esquece | esqueça | deixa | deixe | deixar
       | abandonar | sair de | sair da | sair do | encerrar | terminar | parar | para | pare | não tenho nada a
       | já não tenho nada a | não tenho mais nada a | não tenho do que | não tenho mais do que | não preciso
       | não preciso mais | já não preciso"""),
    everything=phrases("tudo | todos | todas"),
    asks=phrases("""
        que | o que | o quê | quê | como | como assim | qual | o que significa | o que significa isso
       | que significa isso | o que é isso | o que é isto | que é isso | o que é | isso é o quê
       | o que quer dizer | o que quer dizer isso | o que isso quer dizer | o que você quer dizer
       | o que o senhor quer dizer | não entendo | não entendi | não te entendi | não entendi nada
       | não entendi a pergunta | não entendo a pergunta | não compreendo | não compreendi
       | não compreendi a pergunta | não ficou claro | não está claro | para que | para quê | pra que | pra quê
       | para que serve | pra que serve | para que serve isso | pra que serve isso | para que é isso
       | para que você precisa disso | pra que você precisa disso | pra que você quer isso | por que | por quê
       | porque | por que você pergunta | por que pergunta | por que está perguntando
       | por que você está perguntando isso | por que você quer saber | por que quer saber
       | por que me pergunta isso | por que precisa disso | por que você precisa disso | me explica
       | me explique | explica | explique | explica isso | explica melhor | explique melhor | me explica isso
       | me explica melhor | pode explicar | pode me explicar | você pode explicar | poderia explicar
       | poderia me explicar | pode explicar melhor | ajuda | me ajuda | me ajude | preciso de ajuda
       | o que eu coloco | o que coloco | o que devo colocar | o que eu ponho | o que devo responder
       | o que respondo | o que eu respondo | quais são as opções | que opções tenho | quais opções tenho
       | quais são | por exemplo | um exemplo | me dá um exemplo | tipo o quê | como seria | em que formato
       | em que moeda | hein | hã"""),
    asks_about=phrases("""
        o que significa | o que significam | que significa | o que quer dizer | o que é | o que são | para que
       | pra que | por que você precisa | por que vocês | por que precisa | por que precisam
       | por que você quer | por que quer | por que querem | por que você pergunta | por que me
       | por que tenho que | por que eu tenho que | por que devo | não entendi o que | não entendo o que
       | não entendi para que | não entendi por que | me explica o que | me explique o que | não sei o que é
       | não sei o que significa | não sei o que colocar"""),
    person=phrases("""
        falar com uma pessoa | falar com um humano | falar com alguém | falar com um atendente
       | falar com uma atendente | falar com atendente | falar com um operador | falar com um agente
       | falar com um representante | falar com um gerente | falar com o gerente | falar com um funcionário
       | falar com um supervisor | falar com o suporte | falar com um consultor | conversar com uma pessoa
       | conversar com um humano | conversar com alguém | conversar com um atendente
       | me passa para um atendente | me passa para uma pessoa | me passe para um atendente
       | me passe para uma pessoa | me transfere para um atendente | me transfira para um atendente
       | me transfere para uma pessoa | passa para um atendente | transferir para um atendente
       | chamar um atendente | chama um atendente | chame um atendente | chama uma pessoa | atendimento humano
       | atendente humano | agente humano | pessoa real | pessoa de verdade | ser humano | quero um humano
       | quero uma pessoa | quero um atendente | preciso de um atendente | preciso de um humano
       | preciso de uma pessoa | prefiro um humano | prefiro uma pessoa | prefiro um atendente
       | atendente por favor | humano por favor"""),
    chats=phrases("""
        como vai | como vai você | como você está | como está | como está o senhor | tudo bem | tudo bom
       | tudo certo | tudo joia | beleza | e aí | prazer | muito prazer | quem é você | quem é
       | qual é o seu nome | qual o seu nome | você é um robô | você é um bot | que dia lindo | que calor
       | que frio | feliz natal | feliz ano novo | você é demais | você é ótimo | você é um amor | kkkkk
       | kkkkkk | hahaha | hahahaha | hehe | rsrsrs | tchau | até logo | até mais | até amanhã
       | conta uma piada | me conta uma piada | uma piada | bom trabalho | parabéns | que gentil | igualmente
       | de nada | que legal"""),
    openers=phrases("""
        e | mas | é | ah | ai | bom | melhor | não | então | olha | olhe | sinceramente | hum | isso | aliás
       | a propósito | além disso | também | já agora | por sinal | outra coisa | desculpa | desculpe | opa"""),
    money=phrases("dinheiro | grana | valor | quantia | pix"),
    says=phrases("""
        põe | ponha | coloca | coloque | pode colocar | escreve | escreva | vai | fica | deve ficar | deve
        dizer | tem que dizer
        | está errado , é | botei errado , é | coloquei errado , é | pus mal , é | está errado é"""),
    puts=phrases("""
        põe | ponha | coloca | coloque | pode colocar | escreve | escreva | mete | pode pôr"""),
    waits=phrases("""
        espera | espere | espera aí | espere aí | peraí | pera aí | pera | péra | perai | espera um pouco
       | espere um pouco | espera um momento | um momento | um momentinho | um minuto | um minutinho | um segundo
       | só um momento | só um minuto | só um segundo | só um instante | um instante | me dá um momento
       | me dá um minuto | dá um tempo | aguenta | aguenta aí | aguarde | aguarda | calma | calma aí | já volto
       | já te digo | já digo | deixa eu ver | deixa eu pensar | deixa eu procurar | vou procurar | vou ver"""),
    idle=phrases("""
        melhor | você | o senhor | a senhora | por enquanto | agora | já | tudo | afinal | gente | amor | tá"""),
    mistaken=phrases("""
       viajei | falei besteira | falei bobagem | me enrolei | no que disse | no que falei | que eu disse | que
       eu falei | contei errado | expliquei mal
       | botei errado | coloquei errado | escolhi errado | escolhi mal | marquei errado | cliquei errado | me enganei na
       escolha | enganei-me na escolha | errei na escolha | pus mal | escrevi errado | falei errado
       | disse mal | me enganei |
        enganei-me | corrigir | mudar"""),
    soft=phrases("""
        quero | queria | gostaria | gostaria de | preciso | preciso de | desejo | posso | poderia | pode
       | você pode | vamos | vou | deixa eu ver | agora | já | primeiro | antes | também | melhor | mas | e
       | bom | ok | então | ver | saber | consultar | fazer | realizar | me diz | me diga | diz | diga | dizer
       | me | meu | minha | meus | minhas | um | uma | o | a | os | as | de | do | da | no | na | em | por
       | para | pra | com | outra | outro | coisa | urgente | hoje | qual | quanto | quanta | que | como | é
       | há | tem | tenho | está | eu | isso | isto | favor | me ajuda | mostra | mostre | me mostra
       | me mostre | mais | se | ao | estou | ano | anos | são | seria | sejam | seja | sou
       | antes de continuar | obrigado | obrigada"""),
)

_EN: Final = Steering(
    corrects=phrases("""
        no | sorry | so sorry | im sorry | very sorry | my apologies | oops
       | whoops | wait | hold on | hang on | actually | no actually | rather | or rather
       | instead | i meant | i mean | i meant to say | meant | i misspoke | i mistyped | typo | my mistake
       | my bad | correction | mistake | scratch that | strike that | on second thought | on second thoughts
       | thinking about it | let me correct that | i changed my mind | ive changed my mind | id rather
       | i would rather | i prefer | id prefer | better | better make it | it should be | it should have been
       | should be | that should be | it was | it is actually | it isnt | it wasnt | it was not | it is not
       | its not | not that | thats wrong | that is wrong | wrong | yes but | but | no no | ah no | oh no
       | make it | make that | lets make it | lets say | let it be | what i said was wrong | what i said is wrong
       | what i put was wrong | what i wrote was wrong | i got that wrong | i got it wrong | i put it wrong
       | ive put the wrong | i put the wrong | i gave you the wrong | tell a lie | i lied | silly me | hold up |
       nah | naw | wrong one
       | i described it wrong | thats not what happened | that is not what happened"""),
    takes_back=phrases("""
        sorry | i mean | i meant | or rather | actually | correction | my mistake | scratch that | , no,
       | oh no | ah no | what am i saying
       | no sorry | no wait | no actually | no make that | no i meant | make that | oops"""),
    corrects_behind=phrases("instead | rather | actually | sorry | i mean | i meant | better"),
    changes=phrases("""
        change | change it | change that | change this | make | set | set it | update | update it | correct
       | correct it | fix | edit | modify | switch | switch it | put | please change | could you change
       | can you change"""),
    called={
        "money": phrases("amount | sum | value"),
        "email": phrases("email | e-mail | mail | email address"),
        "phone": phrases("phone | phone number | telephone | mobile | cell"),
        "date": phrases("date | day"),
        "time": phrases("time | hour"),
    },
    joins=phrases("""
        to | to be | is | are | was | should be | should have been | must be | be | is wrong | is incorrect | as
       | it should be | it is | its
       | for | with | : | ="""),
    instead_of=phrases("""
        instead of | rather than | in place of | and not | not | isnt | its not | it is not | wasnt | it wasnt
       | arent | aint | no longer"""),
    said_before=phrases("""
        i said | i put | i wrote | i had said | i gave | i gave you | i told you | i typed | i entered | said
       | put | i mentioned | i sent"""),
    wrong=phrases("""
        is wrong | was wrong | is incorrect | is not right | isnt right | is not correct | isnt correct
       | wrong | is not it | isnt it | has a mistake | has a typo"""),
    little=phrases("the | a | an | to | for | of | my | that | it | one"),
    drops=phrases("""
        i dont want to go on | i dont want to continue | i do not want to continue | lets stop | lets stop here
       | stop | stop it | stop this | enough | thats enough | end | end this | finish | i quit | i give up
       | i dont want to do this | i dont want to do it | i dont want to do this anymore | i dont want this
       | i dont want this anymore | abandon | abandon this | go back | get me out of here | get me out | leave
       | im not interested | not interested | im no longer interested | cancel the operation
       | cancel this operation | cancel the process | cancel this please | i want to stop | i want to exit
       | lets drop it | lets forget it | lets not | let us stop | please stop | cancel all of it
       | cancel them all | cancel all of them
       | leave it | forget it | forget about it | drop it | scrap it | scrap that | never mind | nevermind
       | no need | no need to | no longer needed | i dont need it anymore | i dont need it any more
       | i no longer need it | dont bother | dont do anything | dont do it | call it off | leave it there"""),
    drops_it=phrases("""
        cancel | please cancel | i want to cancel | i would like to cancel | id like to cancel | lets cancel
       | drop | forget | forget about | scrap | stop | abandon | quit | exit | call off | i dont want to do
       | i dont want to make | i dont want | i no longer want | i dont want to continue with
       | i dont want to go on with | leave | i have nothing to | ive nothing to | i have got nothing to
       | ive got nothing to | i dont need | i no longer need | no need for | dont need | no longer need
       | dont want"""),
    everything=phrases("everything | all | the lot | the whole lot"),
    asks=phrases("""
        what | how | which | which one | huh | pardon | what does that mean | what does this mean
       | what does it mean | whats that | what is that | whats this | what is this | what do you mean
       | what do you mean by that | meaning | i dont understand | i do not understand | i didnt understand
       | i dont get it | i didnt get that | i dont understand the question | i dont understand what you want
       | dont understand | im confused | not clear | its not clear | that is not clear | im not following
       | what for | whats it for | what is it for | whats that for | what is that for | why | why do you ask
       | why do you need it | why do you need that | why do you need this | why do you need to know
       | why do you want to know | why do you want to know that | why are you asking | why are you asking that
       | why are you asking me that | how come | explain | explain that | explain please | please explain
       | can you explain | could you explain | can you explain that | could you explain that | help | help me
       | i need help | what should i put | what should i say | what should i answer | what do i put
       | what do i say | what do i answer | what are the options | what options are there | what are my options
       | for example | for instance | such as | give me an example | an example | like what | in what format
       | in which format | in what currency | in which currency | eh | come again | say again"""),
    asks_about=phrases("""
        what does | what is meant by | what do you mean by | whats a | what is a | whats an | what is an
       | whats the point | what is the point | whats the meaning | what is the meaning | why do you need
       | why do you want | why do you ask | why are you asking | why do i have to | why do i need to
       | why should i | what do you need | i dont understand what | i dont understand why
       | i dont know what you mean | i dont know what a | i dont know what that | can you explain what
       | could you explain what | explain what | explain why | what counts as"""),
    person=phrases("""
        talk to a human | talk to a person | talk to someone | talk to somebody | talk to an agent
       | talk to an operator | talk to a representative | talk to a real person | talk to customer service
       | talk to support | talk to a manager | talk to your supervisor | talk with a human | talk with a person
       | talk with someone | talk with an agent | speak to a human | speak to a person | speak to someone
       | speak to somebody | speak to an agent | speak to an operator | speak to a representative
       | speak to a real person | speak to a manager | speak to a supervisor | speak to customer service
       | speak with a human | speak with a person | speak with someone | speak with an agent
       | speak with a representative | chat with a human | chat with a person | chat with an agent
       | connect me to a human | connect me to a person | connect me to an agent | connect me to an operator
       | connect me with a human | connect me with a person | connect me with an agent
       | connect me with someone | transfer me to a human | transfer me to a person | transfer me to an agent
       | put me through to a human | put me through to someone | put me through to an agent | human agent
       | human being | live agent | live person | real person | real human | actual human | actual person
       | want a human | need a human | want a person | need a person | get me a human | get me a person
       | want an agent | get me an agent | human please | operator please | agent please
       | representative please"""),
    chats=phrases("""
        how are you | how are you doing | how do you do | hows it going | whats up | sup | nice to meet you
       | who are you | what are you | whats your name | what is your name | are you a robot | are you a bot
       | are you human | nice weather | lovely day | merry christmas | happy new year | i love you
       | youre great | you are great | youre the best | you are the best | hahaha | hahahaha | hehe | lmao | xd
       | bye | goodbye | see you | see you later | talk to you later | tell me a joke | a joke | good job
       | well done | good bot | likewise | youre welcome | you are welcome | have a nice day | good night
       | good to know | nice | interesting"""),
    openers=phrases("""
        and | but | er | uh | um | well | so | no | oh | ah | hmm | honestly | then | it | that | by the way
       | btw | also | look | listen | hey | besides | one more thing | sorry | so sorry | wait | whoops | oops"""),
    money=phrases("money | cash | amount | funds"),
    says=phrases("""
        put | please put | write | says | should say | should read | reads | goes | wrong , its | wrong its
       | is wrong its | is wrong , its | is wrong it is"""),
    puts=phrases("""
        put | please put | write | use | add | have | stick | mark | label | note | enter | set | jot | pop"""),
    waits=phrases("""
        wait | wait a moment | wait a minute | wait a second | wait a sec | wait a bit | wait please | hold on
       | hold on a moment | hold on a minute | hold on a second | hold on a sec | hang on | hang on a minute
       | hang on a second | hang on a sec | one moment | one minute | one second | one sec | just a moment
       | just a minute | just a second | just a sec | a moment | a minute | a second | give me a moment
       | give me a minute | give me a second | give me a sec | let me see | let me think | let me look
       | let me check | let me look it up | brb | be right back | ill be right back"""),
    idle=phrases("""
        honestly | for now | please | then | all | just | mate | love | pal | actually | thanks"""),
    mistaken=phrases("""
        what i said | what i put | what i wrote | described it wrong | not what happened | got it wrong
       | put it wrong | picked the wrong one | chose the wrong one | picked wrong | chose wrong | clicked the wrong one
       | got it the wrong way round | got that the wrong way round | got it back to front | mixed them up
       | i got wrong | i put wrong | i gave wrong | got that wrong | my mistake
       | i made a mistake | correct
        that | change"""),
    soft=phrases("""
        i want to | i want | i would like to | i would like | id like to | id like | i need to | i need
       | i wish to | can i | could i | may i | can you | could you | would you | lets | let me | now | first
       | before that | also | rather | but | and | so | ok | well | then | see | know | check | do | make
       | tell me | show me | give me | me | my | the | a | an | of | to | for | in | on | with | another
       | other | thing | please | today | whats | what | what is | how | how much | is | are | there | have
       | do i have | i | it | that | this | right | quickly | just | actually | wait | more | your
       | first of all | am | im | year | years | old | be | would be"""),
)

STEERING: Final[dict[Language, Steering]] = {"es": _ES, "pt": _PT, "en": _EN}

# With these somebody says what they, or others, are to do next.
WILLS: Final[dict[Language, Phrases]] = {
    "es": phrases("""
        voy a | vamos a | lo dejamos | la dejamos | dejémoslo | lo hago | la hago | lo veo | la veo | lo pienso
       | después | luego | mañana | más tarde | yo | quiero | quisiera | prefiero | tengo que | debo | hablo | llamo
       | los llamo | le aviso | te aviso | les aviso | gracias | espere | esperá | espera"""),
    "pt": phrases("""
        vou | vamos | deixa | deixe | depois | amanhã | mais tarde | eu | quero | queria | prefiro
       | tenho que | preciso
       | falo | ligo | aviso | obrigado | obrigada | espere | espera"""),
    "en": phrases("""
        i will | ill | i am going to | im going to | let me | lets | let us | i want | id like | i would like
       | i prefer
       | i need to | i have to | later | tomorrow | first | thanks | thank you | wait | hold on"""),
}
