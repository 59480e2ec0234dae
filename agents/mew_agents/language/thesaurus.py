"""Other words for the same: what people say who do not use the words of a definition.

Groups of phrases that stand for one another. A definition that has one phrase of a group is understood by the others
as well: "lost" also by "can't find it", "my name is" by "they call me", "transferir" by "girar plata". Three kinds are
kept apart, because words mean different things in each place:

- `wishes`: what asks for something to be done (the triggers of a flow),
- `options`: what one of a few is called,
- `cues`: what stands before a value.

A group is found by its anchors, the phrases before the colon; those behind it lead nowhere by themselves, so that a
broad word ("cash") does not bring in a group where a definition means something else by it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Final, Literal, TypeAlias

from mew_agents.language.folding import fold
from mew_agents.language.found import Language
from mew_agents.language.value_words.vocabulary import phrases

Place: TypeAlias = Literal["wishes", "options", "cues"]


def others(said: Iterable[str], place: Place, language: Language) -> tuple[str, ...]:
    """The phrases that mean what one of these does, without these themselves."""
    known = {fold(phrase).text for phrase in said}
    found = [phrase for anchors, more in _groups(place, language) if known & anchors for phrase in more]
    return tuple(dict.fromkeys(phrase for phrase in found if fold(phrase).text not in known))


@lru_cache(maxsize=16)
def _groups(place: Place, language: Language) -> tuple[tuple[frozenset[str], tuple[str, ...]], ...]:
    groups = []
    for line in _JOINED.sub(" ", _WORDS[place][language].strip()).splitlines():
        anchors, _, more = line.partition(":")
        groups.append((frozenset(fold(one).text for one in phrases(anchors)), (*phrases(anchors), *phrases(more))))
    return tuple(groups)


_JOINED: Final = re.compile(r"\n {10,}")  # a line that goes on


_WISHES: Final[Mapping[Language, str]] = {
    "es": """
        registrarme | crear una cuenta | abrir una cuenta | darme de alta : ser cliente | hacerme cliente | hacerme
          socio | hacerme socia | tener una cuenta | tener cuenta | no tengo cuenta | no tengo cuenta todavía | todavía
          no tengo cuenta | aún no tengo cuenta | quiero anotarme | me quiero anotar | anotame | apuntarme | apúntame |
          unirme | sumarme | darme de alta | alta nueva | nueva alta | alta de cuenta | cuenta nueva | nueva cuenta |
          abrirme una cuenta | abrime una cuenta | abrir cuenta | haceme una cuenta | registrame | inscribime |
          inscribirme | afiliarme | crearme una cuenta | soy nuevo acá | soy nueva acá | cómo me registro | una cuentita
        transferir | enviar dinero | mandar plata : pagarle a | pagar a alguien | pagarle a alguien | girar plata |
          girarle plata | girarle | hacer un giro | hacer un pago | pasarle plata | pasarle dinero | pasarle guita |
          pasar guita | mandar guita | mandarle guita | mandar pasta | enviar pasta | depositarle | depositarle a |
          hacer un depósito | hacer un envío de dinero | hacerle llegar plata | hacerle llegar dinero | enviar unos
          pesos | mandarle dinero | enviar plata | enviarle plata | una transfe | hacer una transfe | transfe | hacer un
          bizum | un bizum | devolverle plata | devolverle la plata | devolverle dinero | pasar dinero | poner plata
        bloquear tarjeta | bloquear la tarjeta : congelar la tarjeta | congelar mi tarjeta | desactivar la tarjeta |
          desactivar mi tarjeta | inhabilitar la tarjeta | anular la tarjeta | anular mi tarjeta | cancelar la tarjeta |
          cancelar mi tarjeta | suspender la tarjeta | dar de baja mi tarjeta | bloquear una tarjeta | bloqueen la
          tarjeta | no encuentro mi tarjeta | no encuentro la tarjeta | no aparece mi tarjeta | se me perdió la tarjeta
          | extravié mi tarjeta | extravié la tarjeta | me afanaron la tarjeta | me chorearon la tarjeta | me han robado
          la tarjeta | robo de tarjeta | robaron la tarjeta | pérdida de tarjeta | he perdido la tarjeta | he perdido mi
          tarjeta | perdí tarjeta | bloquear el plástico
        mi saldo | consultar saldo : saldo disponible | cuánto tengo | cuánto me queda | cuánta plata me queda |
          cuánta plata hay | cuánta guita tengo | cuánta guita me queda | cuánta pasta tengo | cuánto dinero me queda |
          cuánto dinero hay | cuánto hay en la cuenta | cuánto hay en mi cuenta | cuánto queda en la cuenta | cuánto me
          queda en la cuenta | qué saldo tengo | ver el saldo | consultar el saldo | saber el saldo | saber mi saldo |
          cuánto saldo | dinero que tengo en la cuenta | lo que hay en mi cuenta | lo que tengo en la cuenta | estado de
          mi cuenta | cómo ando de plata | cómo ando de saldo
        hacer un reclamo | abrir un reclamo | abrir una incidencia : tengo una queja | poner una queja | presentar una
          queja | hacer una queja | una queja | quiero quejarme | quejarme | quejarme de | reclamar por | poner una
          reclamación | presentar una reclamación | hacer una reclamación | una reclamación | incidencia | tengo una
          incidencia | reportar una incidencia | tengo un lío | tengo un drama | tengo un inconveniente | tuve un
          problema | tuve un inconveniente | hay un problema | un problemón | problema con | problemas con | lío con |
          necesito que me ayuden | me ayuden con | me pueden ayudar | pueden ayudarme | ayudarme con | me ayuda con |
          algo salió mal | algo anda mal | algo va mal | va mal con | algo pasa con | pasa algo con | salió mal |
          denunciar | reclamo por | necesito asistencia | hacer una
          denuncia | estoy disconforme | no estoy conforme
        """,
    "pt": """
        me cadastrar | criar uma conta | abrir uma conta | fazer cadastro : ser cliente | virar cliente | ter conta |
          ter uma conta | não tenho conta | ainda não tenho conta | me inscreve | me registrar | registar-me | me
          registar | fazer o registo | fazer um registo | abrir conta | conta nova | nova conta | me cadastra | cadastra
          eu | me associar | fazer parte | aderir | inscrição | registo | quero entrar | fazer inscrição |
          fazer minha inscrição | abrir uma
          continha | uma continha | como me cadastro | como faço o cadastro | sou novo aqui | sou nova aqui
        transferir | enviar dinheiro | mandar dinheiro : pagar alguém | pagar a alguém | fazer um pagamento | passar
          um dinheiro | passar uma grana | mandar uma grana | mandar grana | enviar uma grana | mandar um dinheiro |
          mandar um dinheirinho | enviar um dinheiro | depositar para | fazer um depósito | fazer pix | um pix | mandar
          pix | fazer um envio | devolver o dinheiro | devolver dinheiro | mandar a grana | uma transferenciazinha |
          fazer transferência | passar grana
        bloquear cartão | bloquear o cartão : congelar o cartão | congelar meu cartão | desativar o cartão | desativar
          meu cartão | cancelar o cartão | cancelar meu cartão | anular o cartão | suspender o cartão | bloquear um
          cartão | não acho meu cartão | não acho o cartão | não encontro meu cartão | não encontro o cartão | sumiu meu
          cartão | meu cartão sumiu | extraviei o cartão | furtaram meu cartão | furtaram o cartão | levaram meu cartão
          | levaram o cartão | roubo de cartão | perda de cartão | perdi cartão | cartão roubado | cartão perdido
        meu saldo | consultar saldo : saldo disponível | quanto tenho | quanto me resta | quanto sobrou | quanta grana
          tenho | quanta grana sobrou | quanto dinheiro sobrou | quanto dinheiro há | quanto há na conta | quanto tem na
          conta | quanto tem na minha conta | quanto ainda tenho | que saldo tenho | ver o saldo | saber o saldo | saber
          meu saldo | quanto resta na conta | o que tenho na conta | quanto está na conta |
          quanto é que eu tenho na conta | quanto é que tenho na conta | quanto eu tenho na conta |
          quanto eu tenho | valor que tenho na conta | valor que tenho disponível | valor disponível na conta
        abrir um chamado | fazer uma reclamação | quero reclamar : tenho uma queixa | fazer uma queixa | apresentar
          uma queixa | uma queixa | reclamar de | reclamar do | reclamar da | reclamação | apresentar uma reclamação |
          registrar uma reclamação | tive um problema | tenho um problema | estou com problema | problema com |
          problemas com | deu problema | deu ruim | deu errado | algo deu errado | preciso que me ajudem | me ajudem com
          | podem me ajudar | pode me ajudar | me ajuda com | abrir uma ocorrência | abrir um pedido de suporte | tenho
          um perrengue | preciso de uma ajuda | preciso de assistência | um perrengue | perrengue | deu um rolo |
          me dá uma força | me dá uma
          mão | me dar uma mão | precisando de ajuda | precisando que me ajude | precisando que tu me ajude |
          deu zebra |
          me queixar | queixa a fazer
        """,
    "en": """
        sign up | create an account | open an account | register : id love to join | id like to join | would like to
          join | love to join | become a member | become a customer | be a customer | dont have an account | havent got
          an account | no account yet | new customer | new here | new account | account please | set me up with an
          account | set up with an account | signed up | get signed up | get registered | registration | enrol | enroll
          | get on board | sign on | start an account | make me an account | get myself an account | open up an account
        transfer money | send money | make a transfer : pay someone | pay somebody | need to pay | send cash | send
          some cash | send some money | send a bit of money | send funds | wire funds | transfer funds | wire some money
          | move money | move some money | make a payment | pay a friend | pay a mate | pay back | give money to | get
          money to | get some money to | get some money over | money transfer | bank transfer | money over to |
          remit | send
          over some money | i owe | sending money | shift some money | pop some money
        block my card | block a card | freeze my card : freeze a card | freeze the card | cancel my card | cancel the
          card | stop my card | stop the card | kill my card | kill the card | deactivate my card | disable my card |
          suspend my card | lock my card | lock the card | card blocked | card blocking | card frozen | card cancelled |
          cant find my card | cannot find my card | lost card | lost the card | lost a card | stolen card | misplaced my
          card | mislaid my card | card is missing | card got stolen | card was stolen | card has been stolen | card got
          nicked | nicked my card | swiped my card | pinched my card | stolen my card | dropped my card | card gone
          missing | report a lost card | report a stolen card
        my balance | check my balance : account balance | how much there is in my account | how much there is in
          the account | how much is there in my account | how much have i got | how much do i have | how much money
          have i got | how much money is in my account | how much is in my account | how much ive got in my account |
          how much ive got | how much i have | how much is left in my account | how much is left in my acc | how much is
          left | how much do i have left | what is in my account | whats in my account | whats in my acc | how much
          money i have | how much money ive got | available balance | current balance | how much cash have i got | how
          much cash do i have | how much dough | check my account | funds do i have | how much is in there | how much is
          in the account
        open a ticket | make a complaint | report a problem : complain | want to complain | complain about | file a
          complaint | lodge a complaint | raise a complaint | a complaint | complaint | not happy | unhappy with | raise
          something | raise an issue | got an issue | got a problem | had a problem | a problem with | problem with |
          problems with | trouble with | issue with | issues with | something went wrong | somethings gone wrong |
          something has gone wrong | gone wrong | something up with | something is wrong | somethings wrong | need
          a hand | give me a hand | help me with | help me out | look into
          | sort something out | sort this out | not working | need assistance | dispute
        """,
}
_OPTIONS: Final[Mapping[Language, str]] = {
    "es": """
        perdida | la perdí | extraviada : perdido | la he perdido | se me ha perdido | se me perdió | se me extravió |
          la extravié | extravío | pérdida | no la encuentro | no la encuentro por ningún lado | no lo encuentro | no
          encuentro | no aparece | no la hallo | no sé dónde quedó | no sé dónde está | no sé dónde la dejé | no sé
          dónde la puse | se me cayó | se me ha caído | la dejé olvidada | me la olvidé | la olvidé | se me quedó |
          perdiste | se perdió | por pérdida | la habré perdido | perdió
        robada | me la robaron | hurto : robado | me la han robado | han robado | la robaron | me robaron | robo | me
          afanaron | me la afanaron | afanaron | afano | me la chorearon | chorearon | choreo | birlaron | han birlado |
          mangaron | han mangado | mangado | hurtaron | hurtada | sustrajeron | sustraída | arrebataron | arrebato | me
          asaltaron | asaltaron | asalto | atraco | atracaron | me atracaron | carterista | carteristas | ladrón |
          ladrones | un chorro | me punguearon | punguearon | me la quitaron | me la sacaron | por robo | me la
          manotearon
        correo | mail | correo electrónico : email | e-mail | por escrito | escríbanme | escribanme | escribime |
          escríbeme | me escriban | me escriba | me escribas | escríbame | escribirme | un correíto | correíto | un
          mailcito | por mensaje de correo
        teléfono | por teléfono | llamada : llámenme | llamenme | llámame | llamame | llámeme | llamadme | llámame
          mejor | que me llamen | que me llame | que me llames | me llamen | me llaméis | me llames por | llamarme por |
          me llaman por | me llamaran | me llamara | telefónicamente | teléfono mejor | celular | al celular | al móvil
          | por celular | por móvil | telefonazo | un llamado | por llamado | un toque por teléfono | tel | peguen un
          llamado | péguenme un llamado | una llamadita | hablado
        facturación | factura : facturas | facturado | facturaron | cobraron | me cobraron | me cobran | cobros |
          cargo | cargos | me cargaron | boleta | recibo | cobro doble | doble cobro | débito | importe
        entrega | envío : entregas | reparto | repartidor | paquete | el paquete | paquetería | encomienda | despacho
          | no llegó | no me llegó | no ha llegado | no me ha llegado | no llega | no me llega | no llegaron | sin
          llegar | todavía no llega | mensajería | cartero | correo argentino
        acceso | contraseña | no puedo entrar : clave | la clave | password | iniciar sesión | loguearme | loguear |
          login | no me deja entrar | no puedo ingresar | no logro entrar | no consigo entrar | no me deja ingresar |
          ingresar a mi cuenta | entrar a mi cuenta | entrar en mi cuenta | entrar en la cuenta | usuario bloqueado |
          acceder
        otro | otro motivo : otra razón | por otra razón | por otro motivo | ninguno de esos | ninguna de esas |
          ninguno de los dos | ninguna de las dos | ni una cosa ni la otra | nada de eso | otra cosa
        otro | otro tema : ninguno de esos | ninguna de esas | nada de eso | no entra en ninguno | de otra índole |
          otro asunto | por otra cosa
        """,
    "pt": """
        perdido | perdi | extraviado : perda | eu perdi | perdi ele | acho que perdi | sumiu | sumido | não acho | não
          encontro | não estou achando | não estou encontrando | desapareceu | desaparecido | caiu do bolso | caiu da
          bolsa | deixei cair | esqueci em algum lugar | não sei onde está | não sei onde deixei | não sei onde ficou |
          extraviei | foi perdido | por perda
        roubado | roubo | furtado : furtaram | furto | me roubaram | roubaram | fui roubado | fui roubada | fui
          assaltado | fui assaltada | assalto | me assaltaram | levaram | me levaram | bateram minha carteira | bateram
          a carteira | ladrão | afanaram | gamaram | palmaram | por roubo | foi roubado | foi furtado | surrupiaram
        e-mail | email | correio eletrônico : mail | por escrito | me escrevam | me escreva | me escreve | escrevam me
          | escrevam-me | mandem um mail | correio eletrónico | por mail
        telefone | por telefone | ligação : me liguem | me ligue | me liga | me ligarem | liguem-me | liguem me |
          liguem pra mim | liga pra mim | ligarem | telefonema | telefonem | telefonem-me | por tel | tel | celular | no
          celular | telemóvel | por telemóvel | uma ligadinha | que me liguem | que me ligassem | me telefonem | me
          ligar | me ligassem | ligar pra mim | ligar para mim
        cobrança | fatura : faturas | faturação | faturamento | cobraram | me cobraram | cobrado | cobrada | cobranças
          | conta cobrada | débito | boleto | recibo | cobrança dupla | valor cobrado
        entrega | envio : entregas | encomenda | a encomenda | pacote | o pacote | não chegou | não me chegou | ainda
          não chegou | não chega | não chegaram | transportadora | entregador | carteiro | sem chegar | despacho
        acesso | senha | não consigo entrar : palavra-passe | password | login | logar | fazer login | não consigo
          acessar | não consigo aceder | não me deixa entrar | não entra | entrar na minha conta | entrar na conta |
          usuário bloqueado | acessar | aceder
        outro | outro motivo : outra razão | por outra razão | por outro motivo | nenhum desses | nenhuma dessas |
          nenhum dos dois | nada disso | outra coisa
        outro | outro assunto : nenhum desses | nenhuma dessas | nada disso | não se encaixa | outro tema |
          outra parada | outra história | por outra
          coisa
        """,
    "en": """
        lost | lost it | missing : misplaced | mislaid | losing it | lose it | cant find it | cannot find it | cant
          find | cannot find | couldnt find | no idea where it is | dont know where it is | dunno where it is | dropped
          it | i dropped | left it somewhere | left it on | left it at | gone missing | went missing | fell out of |
          must have dropped | has vanished | disappeared | loss
        stolen | theft | was stolen : nicked | got nicked | pinched | swiped | robbed | got robbed | was robbed |
          mugged | got mugged | pickpocketed | pickpocket | snatched | lifted | half-inched | taken off me | took it |
          thief | thieves | stole it | stolen from | been stolen | got stolen | jacked | ripped off | burgled | thieving
        e-mail | email | mail : emailed | email me | e-mail me | drop me an email | in writing | by e-mail | via email
          | write to me | drop me a line | writing to me
        phone | by phone | call : ring me | rang me | rung | rung up | be rung | ring us | give me a ring | give me a
          bell | give us a ring | give us a bell | call me | called | phone call | phoned | telephone | by telephone | a
          call | phone me | mobile | bell me | ring back | call back | callback | over the phone | speak on the phone |
          buzz me
        billing | bill | invoice | charge : billed | charged | charges | overcharged | double charged | payments |
          paid twice | taken twice | charged twice | receipt | invoiced | direct debit
        delivery | shipping : deliveries | delivered | shipment | shipped | courier | parcel | the parcel | package |
          the package | hasnt arrived | hasnt come | hasnt turned up | has not arrived | has not come | not arrived |
          never arrived | never came | never turned up | never showed up | didnt arrive | didnt come | didnt turn up |
          havent received | not received | not turned up | isnt here | hasnt shown up | not shown up | still waiting for
          | been delivered | postman
        access | password | cannot log in : login | log in | log-in | sign in | logging in | logged out | locked out |
          cant get in | cannot get in | cant log in | cant log on | cant sign in | get into my account | getting into my
          account | passcode | access to my account | account access
        other | another reason : other reason | different reason | some other reason | neither | neither of those |
          neither of them | none of those | none of these | nothing like that
        other | something else : none of those | none of these | none of the above | none of them | none of your usual
          | doesnt fit any | different matter | another matter | other matter | other topic | another topic | different
          topic
        """,
}
_CUES: Final[Mapping[Language, str]] = {
    "es": """
        me llamo | mi nombre es | soy : me dicen | me llaman | nombre | llamado | llamada
        vivo en | ciudad : soy de | vivo acá en | vivo aquí en | resido en | radico en | radicado en | radicada en |
          domiciliado en | domiciliada en | con domicilio en | la ciudad es | mi ciudad es | desde la ciudad de |
          residente en | viviendo en
        con el concepto | concepto | por concepto de : de concepto | como concepto | con concepto | con la nota
          la referencia | con la descripción | con el mensaje | con el texto | con la leyenda | que diga | que ponga | y
          que diga | y que ponga | poné que es | pon que es | ponele que es | ponle que es | poné de concepto | pon de
          concepto | en concepto poné | en el concepto | la referencia es | como referencia | el concepto sería
        tengo | edad : he cumplido | mi edad es | edad | cumplí | acabo de cumplir | tengo cumplidos
        """,
    "pt": """
        me chamo | meu nome é | sou o : sou | eu sou | eu me chamo | chamo-me | nome | meu nome | nome completo | me
          chamam de | me chamam | aqui é o | aqui é a | aqui fala | quem fala é | o nome é
        moro em | cidade : sou de | vivo em | resido em | moro aqui em | residente em | a cidade é | minha cidade é |
          morando em | da cidade de
        com a descrição | descrição | referente a : de descrição | como descrição | com a nota | com a referência |
          com o texto | com a mensagem | com o motivo | com o conceito | que diga | dizendo | põe que é | bota que é |
          coloca que é | na descrição | na mensagem | a descrição é | a descrição seria | como referência | põe na
          descrição | bota na descrição | coloca na descrição
        tenho | idade : minha idade é | idade | fiz | completei | acabei de fazer
        """,
    "en": """
        my name is | call me | name is : they call me | i am called | im called | i go by | goes by
        i live in | city : i live up in | i live over in | i live down in | i live out in | im over in | im up in |
          living in | livin in | live in | im from | i am from | based in | im based in | i am based
          in | residing in | reside in | i reside in | my city is | the city is | located in | i stay in | hailing from
          | currently in
        with the reference | reference | as a payment for : with reference | ref | the reference | with the note |
          with a note | with the message | with a message saying | with the memo | memo | with the description | mark it
          as | mark it | label it | labelled | labeled | say its for | reference should be | reference is | the
          reference is | as reference | as the reference | put it down as | referenced as | with the words
        i am | im | age : my age is | age | aged | i turned | just turned | turned | i have turned
        """,
}
_WORDS: Final[Mapping[Place, Mapping[Language, str]]] = {"wishes": _WISHES, "options": _OPTIONS, "cues": _CUES}
