"""Portuguese, as in Brazil: o senhor and você."""

from __future__ import annotations

from typing import Final

from .phrasing import Phrasing, Tongue

TONGUE: Final = Tongue(
    openings={
        "ask": "Com prazer ajudo <o senhor|você>.",
        "good": "Que bom!",
        "calm": "Não se preocupe.",
        "sorry": "Sinto muito.",
    },
    yes="sim",
    no="não",
    sentences={
        "courtesy": Phrasing(
            "Estou <à disposição do senhor|à sua disposição>.[ Posso ajudar com isto: {operations}.]",
            "Estou <à disposição do senhor|à sua disposição>[: {operations}].",
        ),
        "no_intent": Phrasing(
            "Não reconheci nenhuma operação na <mensagem do senhor|sua mensagem>.[ Posso ajudar com isto: "
            "{operations}.]",
            "Não reconheci a operação <do senhor|que você quer>.[ Pode pedir: {operations}.]",
        ),
        "no_operations": Phrasing(
            "Por enquanto não há nenhuma operação que eu possa fazer <pelo senhor|por você> aqui.",
            "Aqui não posso fazer nada <pelo senhor|por você>.",
        ),
        "which_intent": Phrasing(
            "A <mensagem do senhor|sua mensagem> pode se referir a mais de uma coisa. O que <o senhor deseja|você "
            "quer> fazer: {options}?",
            "O que <o senhor deseja|você quer>: {options}?",
        ),
        "no_evidence": Phrasing(
            "Para começar ({title}) preciso que <o senhor|você> indique também, tudo em uma só mensagem: {labels}.["
            " Por exemplo: {example}.]",
            "{title.capital}: <o senhor precisa|você precisa> indicar, em uma só mensagem, {labels}.",
        ),
        "not_allowed": Phrasing(
            "<O senhor|Você> não pode fazer isso aqui[: {title}].",
            "<O senhor|Você> não tem permissão[: {title}].",
        ),
        "conflict": Phrasing(
            "Nesta conversa já há uma operação em andamento, então não abri outra ({title}). <O senhor pode|Você "
            "pode> pedir de novo quando ela terminar.",
            "Já há outra em andamento. <O senhor pode|Você pode> pedir depois.",
        ),
        "conflict_elsewhere": Phrasing(
            "Já existe outro pedido em andamento exatamente sobre o mesmo ({title}), então não posso continuar. <O "
            "senhor pode|Você pode> escolher outra opção ou tentar mais tarde.",
            "Já existe outro sobre o mesmo: {title}. <O senhor pode|Você pode> escolher outra opção.",
        ),
        "in_review": Phrasing(
            "Recebi <o pedido do senhor|o seu pedido>: {title}. Uma pessoa vai revisá-lo antes de continuar.",
            "<O pedido do senhor|O seu pedido> está em revisão: {title}.",
        ),
        "reviewed": Phrasing(
            "Uma pessoa revisou <o pedido do senhor|o seu pedido> ({title}) e podemos continuar.",
            "<O pedido do senhor|O seu pedido> foi aceito: {title}.",
        ),
        "review_declined": Phrasing(
            "Uma pessoa revisou <o pedido do senhor|o seu pedido> ({title}) e ele não foi aceito.[ Motivo: {reason}.]",
            "<O pedido do senhor|O seu pedido> não foi aceito: {title}.[ Motivo: {reason}.]",
        ),
        "which_work": Phrasing(
            "<O senhor|Você> tem vários pedidos em andamento. A qual <o senhor|você> se refere: {options}? Responda "
            "diretamente à mensagem que trata dele.",
            "A qual <o senhor|você> se refere: {options}? Responda à mensagem dele.",
        ),
        "ask_slot": Phrasing(
            "{prompt}",
            "{prompt}",
        ),
        "ask_date": Phrasing(
            "Está bem: {value}. Que dia fica bom para <o senhor|você>?",
            "{value.capital}: que dia <o senhor|você> prefere?",
        ),
        "ask_time": Phrasing(
            "Está bem: {value}. A que horas fica bom para <o senhor|você>?",
            "{value.capital}: a que horas <o senhor|você> prefere?",
        ),
        "ask_again": Phrasing(
            "Desculpe, não entendi <a resposta do senhor|a sua resposta>. {prompt}",
            "Não entendi <o senhor|você>. {prompt}",
        ),
        "ask_anew": Phrasing(
            "Passou o tempo para responder à minha pergunta, então pergunto de novo <ao senhor|a você>. {prompt}",
            "Pergunto de novo <ao senhor|a você>. {prompt}",
        ),
        "confirm_slot": Phrasing(
            "Entendi isto ({label}): {value}. <O senhor confirma|Você confirma>?[ Se não, diga não: também pode ser "
            "{others}.]",
            "<O senhor|Você> quer dizer {value}?[ Se não: {others}.]",
        ),
        "confirm_against": Phrasing(
            "<O senhor|Você> disse “{said}”, e isto é outra parte do dia ({label}): {value}. Confirma?",
            "{value}, embora <o senhor|você> tenha dito “{said}”?",
        ),
        "confirm_execution": Phrasing(
            "Isto é o que vou fazer: {summary}. <O senhor|Você> confirma?",
            "{summary.capital}. <O senhor confirma|Confirma>?",
        ),
        "what_to_change": Phrasing(
            "Não fiz nada.[ O que <o senhor deseja|você quer> mudar: {labels}?] Se <o senhor|você> já não quiser, "
            "cancele.",
            "O que <o senhor deseja|você quer> mudar[: {labels}]?",
        ),
        "which_slot": Phrasing(
            "Ouvi {words}, e não sei a que <o senhor se refere|você se refere>: {labels}?",
            "A que <o senhor|você> se refere com {words}: {labels}?",
        ),
        "noted": Phrasing(
            "Está bem, mudei <para o senhor|para você>: {values}.",
            "Mudei <para o senhor|para você>: {values}.",
        ),
        "put_off": Phrasing(
            "Por agora faço uma coisa só; isto fica por fazer, e <o senhor pode|você pode> pedir depois: {titles}.",
            "Isto fica para depois, <peça o senhor|peça você> então: {titles}.",
        ),
        "queued": Phrasing(
            "Faço primeiro uma coisa[ ({first})]; o <outro pedido do senhor|seu outro pedido> vem depois: {titles}.",
            "O <outro pedido do senhor|seu outro pedido> vem depois: {titles}.",
        ),
        "next_wish": Phrasing(
            "E agora o <outro pedido do senhor|seu outro pedido>: {title}.",
            "Agora o <outro pedido do senhor|seu outro pedido>: {title}.",
        ),
        "told_facts": Phrasing(
            "Isto é o que posso dizer <ao senhor|a você> ({label}):[ opções: {options};][ dias: {days};][ a partir "
            "das {earliest};][ até as {latest};][ mínimo: {least};][ máximo: {most};] do resto não sei nada. {prompt}",
            "Digo <ao senhor|a você> ({label}):[ opções: {options};][ dias: {days};][ a partir das {earliest};][ até "
            "as {latest};][ mínimo: {least};][ máximo: {most};] nada mais. {prompt}",
        ),
        "told_purpose": Phrasing(
            "Peço esse dado <ao senhor|a você> ({label}) porque é preciso para fazer isto: {title}.[ {explained}] "
            "{prompt}",
            "Peço isso <ao senhor|a você> ({label}) para isto: {title}.[ {explained}] {prompt}",
        ),
        "cannot_tell": Phrasing(
            "Não tenho essa informação, por isso não posso dá-la <ao senhor|a você> aqui ({title}). {prompt}",
            "Isso não posso dizer <ao senhor|a você> ({title}). {prompt}",
        ),
        "ask_among": Phrasing(
            "Desculpe, não conheço o que <o senhor|você> indicou ({label}). <O senhor|Você> pode escolher {options}. "
            "{prompt}",
            "Não conheço ({label}). <Escolha o senhor|Escolha> {options}. {prompt}",
        ),
        "unused": Phrasing(
            "Não usei isto que <o senhor|você> disse, porque aqui não se escolhe: {words}.",
            "Não usei o que <o senhor|você> disse: {words}.",
        ),
        "unplaced": Phrasing(
            "Não sei a que se refere isto que <o senhor|você> disse, e não usei: {words}.",
            "Não usei {words}: não sei a que <o senhor|você> se refere.",
        ),
        "choose_one": Phrasing(
            "<O senhor|Você> disse “{words}”, e é preciso um só ({label}).",
            "De “{words}”, <diga|diz> um só ({label}).",
        ),
        "whether_to_cancel": Phrasing(
            "<O senhor|Você> quer cancelar isto: {title}?",
            "<O senhor|Você> quer cancelar[: {title}]?",
        ),
        "maybe_unwanted": Phrasing(
            "Se <o senhor|você> não quer mais, diga cancelar[: {title}].",
            "Para deixar de lado, <o senhor|você> pode dizer cancelar.",
        ),
        "person_called": Phrasing(
            "Está bem: uma pessoa vai continuar com <o senhor|você>[: {title}]. Se já não quiser, <o senhor|você> "
            "pode cancelar.",
            "Uma pessoa vai atender <o senhor|você>[: {title}].",
        ),
        "immutable_slot": Phrasing(
            "Este dado <o senhor|você> já não pode mudar: {label}, {value}. Se for outro, cancele e comece de novo.",
            "<O senhor|Você> não pode mudar isto: {label}.",
        ),
        "frozen_executing": Phrasing(
            "Já estou executando o que <o senhor|você> confirmou e não posso mudar os dados agora[: {summary}].",
            "Já está em andamento; <o senhor|você> não pode mudar.",
        ),
        "nothing_to_confirm": Phrasing(
            "<O senhor|Você> não tem nada pendente para confirmar, então não mudei nada.",
            "<O senhor|Você> não tem nada para confirmar.",
        ),
        "which_question": Phrasing(
            "<O senhor|Você> tem várias perguntas abertas. A qual <o senhor|você> responde: {options}? Responda "
            "diretamente à mensagem da pergunta.",
            "A qual <o senhor|você> responde: {options}? Responda à mensagem dela.",
        ),
        "question_closed": Phrasing(
            "Essa pergunta já está encerrada, então <a resposta do senhor|a sua resposta> não mudou nada.",
            "Essa pergunta já está encerrada para <o senhor|você>.",
        ),
        "question_expired": Phrasing(
            "Passou o tempo para responder a essa pergunta, então <a resposta do senhor|a sua resposta> não mudou "
            "nada.",
            "Essa pergunta expirou para <o senhor|você>.",
        ),
        "expired": Phrasing(
            "Passou tempo demais e encerrei <o pedido do senhor|o seu pedido> sem fazer nada: {title}. Se ainda "
            "quiser, peça de novo.",
            "<O pedido do senhor|O seu pedido> expirou: {title}.",
        ),
        "expired_asking": Phrasing(
            "Passou tempo demais e encerrei <o pedido do senhor|o seu pedido> sem fazer nada: {title}. Se ainda "
            "quiser, responda que sim à minha última pergunta.",
            "<O pedido do senhor|O seu pedido> expirou: {title}. Responda que sim para reabrir.",
        ),
        "reopened": Phrasing(
            "<O pedido do senhor|O seu pedido> tinha expirado, e com a resposta eu o abri de novo: {title}.",
            "Reabri <o pedido do senhor|o seu pedido>: {title}.",
        ),
        "invalid_form": Phrasing(
            "O que <o senhor|você> escreveu não tem a forma esperada ({label}: {value}).",
            "Forma incorreta ({label}). <O senhor|Você> pode escrever de novo?",
        ),
        "invalid_no_such": Phrasing(
            "Não existe o que <o senhor|você> indicou ({label}: {value}).",
            "Não existe: {value}. <Qual seria|Qual é>, então?",
        ),
        "invalid_pattern": Phrasing(
            "O que <o senhor|você> escreveu não é como deve ser ({label}: {value}).[ É como {example}.]",
            "Não é assim ({label}: {value}). <O senhor|Você> pode escrever de novo[, como {example}]?",
        ),
        "invalid_future": Phrasing(
            "O que <o senhor|você> indicou ainda não passou ({label}: {value}). Preciso de um momento passado.",
            "Isso ainda não passou: {value}. <O senhor|Você> pode dizer quando foi?",
        ),
        "invalid_past": Phrasing(
            "O que <o senhor|você> indicou já passou ({label}: {value}). Preciso de um momento futuro.",
            "Isso já passou: {value}. <O senhor pode|Você pode> escolher outro momento?",
        ),
        "invalid_too_far": Phrasing(
            "O que <o senhor|você> indicou está longe demais ({label}: {value}). Posso ir até {limit}.",
            "Longe demais: {value}. <O senhor|Você> pode escolher até {limit}.",
        ),
        "invalid_weekday": Phrasing(
            "Esse dia não é possível ({label}: {value}). <O senhor|Você> pode escolher {days}.",
            "Esse dia não: {value}. <O senhor|Você> pode escolher {days}.",
        ),
        "invalid_hours": Phrasing(
            "Esse horário não é possível ({label}: {value}). <O senhor|Você> pode escolher um[ a partir das "
            "{earliest}][ até as {latest}].",
            "Esse horário não: {value}. <O senhor|Você> pode escolher outro[ a partir das {earliest}][ até as "
            "{latest}].",
        ),
        "invalid_too_small": Phrasing(
            "O que <o senhor|você> indicou é muito pouco ({label}: {value}). O mínimo é {limit}.",
            "Muito pouco: {value}. <O senhor|Você> precisa indicar ao menos {limit}.",
        ),
        "invalid_too_big": Phrasing(
            "O que <o senhor|você> indicou é demais ({label}: {value}). O máximo é {limit}.",
            "Demais: {value}. <O senhor|Você> pode indicar no máximo {limit}.",
        ),
        "invalid_too_short": Phrasing(
            "O que <o senhor|você> escreveu é muito curto ({label}). São necessários ao menos {limit} caracteres.",
            "Muito curto. <O senhor|Você> precisa de ao menos {limit} caracteres.",
        ),
        "invalid_too_long": Phrasing(
            "O que <o senhor|você> escreveu é muito longo ({label}). Cabem no máximo {limit} caracteres.",
            "Muito longo. <O senhor|Você> tem no máximo {limit} caracteres.",
        ),
        "invalid_currency": Phrasing(
            "Não posso aceitar a moeda que <o senhor|você> indicou ({label}: {value}). Aceito {currencies}.",
            "Essa moeda não: {value}. <O senhor|Você> pode usar {currencies}.",
        ),
        "invalid_unknown": Phrasing(
            "Não conheço o que <o senhor|você> indicou ({label}: {value}).[ Pode escolher {options}.]",
            "Não conheço: {value}. <O senhor|Você> pode indicar outro[: {options}].",
        ),
        "executing": Phrasing(
            "Estou fazendo isto[: {summary}]. Aviso <o senhor|você> assim que terminar.",
            "Em andamento[: {summary}]. Aviso <o senhor|você>.",
        ),
        "retrying": Phrasing(
            "Ainda não consegui ({summary}). Tento de novo e aviso <o senhor|você>.",
            "Tento de novo e aviso <o senhor|você>: {summary}.",
        ),
        "proposed": Phrasing(
            "Uma pessoa precisa aprovar isto antes que eu o faça: {summary}. Aviso <o senhor|você> quando ela "
            "responder.",
            "Aguarda aprovação: {summary}. Aviso <o senhor|você>.",
        ),
        "declined": Phrasing(
            "Uma pessoa não aprovou o que <o senhor|você> pediu: {summary}.[ Motivo: {reason}.] Nada foi feito.",
            "<O pedido do senhor|O seu pedido> não foi aprovado: {summary}.[ Motivo: {reason}.]",
        ),
        "completed": Phrasing(
            "<Confirmo ao senhor que está feito|Está feito>: {summary}.[ {detail.capital}.][ Não foi possível fazer: "
            "{undone}.]",
            "<Confirmado|Pronto>: {summary}.[ {detail.capital}.][ Não feito: {undone}.]",
        ),
        "failed": Phrasing(
            "Não consegui fazer o que <o senhor|você> pediu: {summary}.[ Motivo: {reason}.] Nada foi feito.",
            "<O pedido do senhor|O seu pedido> falhou: {summary}.[ Motivo: {reason}.]",
        ),
        "failed_partly": Phrasing(
            "Só consegui fazer uma parte do que <o senhor|você> pediu ({summary}).[ Feito: {done}.][ "
            "{detail.capital}.][ Não feito: {undone}.][ Motivo: {reason}.]",
            "<O pedido do senhor|O seu pedido> ficou incompleto.[ Feito: {done}.][ {detail.capital}.][ Não "
            "feito: {undone}.][ Motivo: {reason}.]",
        ),
        "in_doubt": Phrasing(
            "Não sei com certeza se o que <o senhor|você> pediu foi feito: {summary}. Não vou repetir; uma pessoa "
            "verifica e avisamos <o senhor|você>.",
            "Sem certeza: {summary}. Não repito; avisamos <o senhor|você>.",
        ),
        "confirm_undo": Phrasing(
            "Isto já está feito: {summary}. <O senhor|Você> quer que eu desfaça?[ Isto fica como está: {standing}.] "
            "Se só quiser mudar, desfaço e <o senhor|você> pede de novo.",
            "<O senhor|Você> quer que eu desfaça isto: {summary}?[ Isto fica como está: {standing}.]",
        ),
        "confirm_change": Phrasing(
            "Isto já está feito: {summary}. <O senhor|Você> quer que eu desfaça?[ Isto fica como está: {standing}.] "
            "Depois pergunto <ao senhor|a você> por isto no lugar: {instead}.",
            "<O senhor|Você> quer que eu desfaça isto: {summary}?[ Isto fica como está: {standing}.] Depois vem "
            "isto: {instead}.",
        ),
        "stands": Phrasing(
            "<O senhor|Você> tem isto feito: {summaries}.",
            "Feito para <o senhor|você>: {summaries}.",
        ),
        "none_stands": Phrasing(
            "Não encontro nada feito para <o senhor|você> aqui: {titles}.",
            "Nada feito para <o senhor|você>: {titles}.",
        ),
        "left_as_is": Phrasing(
            "Fica como está para <o senhor|você>: {summary}.",
            "Fica assim para <o senhor|você>: {summary}.",
        ),
        "undone": Phrasing(
            "Desfiz o que <o senhor|você> tinha pedido: {summary}.[ Isto continua de pé: {standing}.]",
            "Desfeito, como <o senhor|você> pediu: {summary}.[ Continua de pé: {standing}.]",
        ),
        "undoing": Phrasing(
            "Ainda não consegui desfazer o que <o senhor|você> tinha pedido: {summary}. Tento de novo e aviso <o "
            "senhor|você>.",
            "Continuo desfazendo e aviso <o senhor|você>: {summary}.",
        ),
        "undoing_proposed": Phrasing(
            "Uma pessoa precisa aprovar que eu desfaça o que <o senhor|você> tinha pedido: {summary}. Aviso <o "
            "senhor|você>.",
            "Desfazer aguarda aprovação: {summary}. Aviso <o senhor|você>.",
        ),
        "undoing_in_doubt": Phrasing(
            "Não sei com certeza se foi desfeito o que <o senhor|você> tinha pedido: {summary}. Uma pessoa verifica e "
            "avisamos <o senhor|você>.",
            "Sem certeza de ter desfeito: {summary}. Avisamos <o senhor|você>.",
        ),
        "undoing_failed": Phrasing(
            "Não consegui desfazer o que <o senhor|você> tinha pedido: {summary}.[ Motivo: {reason}.] Uma pessoa vai "
            "verificar.",
            "Não foi possível desfazer: {summary}.[ Motivo: {reason}.] Avisamos <o senhor|você>.",
        ),
        "undone_partly": Phrasing(
            "Só consegui desfazer uma parte do que <o senhor|você> tinha pedido ({summary}). Desfeito: {undone}. Não "
            "desfeito: {standing}.[ Motivo: {reason}.] Uma pessoa vai verificar.",
            "Desfeito em parte, avisamos <o senhor|você>: {summary}. Desfeito: {undone}. Não desfeito: {standing}.["
            " Motivo: {reason}.] Uma pessoa vai verificar.",
        ),
        "cancelled": Phrasing(
            "Cancelei <o pedido do senhor|o seu pedido>: {title}. Nada foi feito.",
            "<O pedido do senhor|O seu pedido> foi cancelado: {title}.",
        ),
        "cancelled_partly": Phrasing(
            "Cancelei o resto <do pedido do senhor|do seu pedido>: {title}.[ Já estava feito: {done}.][ Não feito: "
            "{undone}.]",
            "Cancelei <o pedido do senhor|o seu pedido> em parte.[ Feito: {done}.][ Não feito: {undone}.]",
        ),
        "cancel_requested": Phrasing(
            "O cancelamento está anotado ({title}). Termino o que está em andamento e digo <ao senhor|a você> como "
            "ficou.",
            "Cancelamento anotado: {title}. Aviso <o senhor|você>.",
        ),
        "cancel_refused_executing": Phrasing(
            "Não consegui cancelar isto para <o senhor|você>, porque já estava em execução: {title}.",
            "Já não pude cancelar para <o senhor|você>: {title}.",
        ),
        "cancel_not_allowed": Phrasing(
            "Esta operação <o senhor|você> não pode cancelar por aqui: {title}.",
            "<O senhor|Você> não pode cancelar isto: {title}.",
        ),
        "nothing_to_cancel": Phrasing(
            "<O senhor|Você> não tem nada em andamento que se possa cancelar.",
            "<O senhor|Você> não tem nada para cancelar.",
        ),
        "status_none": Phrasing(
            "<O senhor|Você> não tem nenhuma operação em andamento.",
            "<O senhor|Você> não tem nada em andamento.",
        ),
        "status_waiting": Phrasing(
            "<O pedido do senhor|O seu pedido> ({title}) espera uma resposta. {prompt}",
            "Falta a resposta <do senhor|sua>. {prompt}",
        ),
        "status_executing": Phrasing(
            "Estou executando <o pedido do senhor|o seu pedido>: {summary}.",
            "Executo <o pedido do senhor|o seu pedido>: {summary}.",
        ),
        "status_in_doubt": Phrasing(
            "Ainda não sei com certeza se <o pedido do senhor|o seu pedido> foi feito: {summary}. Uma pessoa está "
            "verificando.",
            "<O pedido do senhor|O seu pedido> está em verificação: {summary}.",
        ),
        "status_suspended": Phrasing(
            "<O pedido do senhor|O seu pedido> está parado até que uma pessoa o verifique: {title}.",
            "<O pedido do senhor|O seu pedido> está parado: {title}.",
        ),
        "status_completed": Phrasing(
            "<O último pedido do senhor|O seu último pedido> está feito: {summary}.[ Não ficou feito: {undone}.]",
            "<O pedido do senhor|O seu pedido> está pronto: {summary}.",
        ),
        "status_failed": Phrasing(
            "<O último pedido do senhor|O seu último pedido> não pôde ser feito: {summary}.[ Motivo: {reason}.]",
            "<O pedido do senhor|O seu pedido> falhou: {summary}.[ Motivo: {reason}.]",
        ),
        "status_expired": Phrasing(
            "<O último pedido do senhor|O seu último pedido> expirou sem que nada fosse feito: {title}.",
            "<O pedido do senhor|O seu pedido> expirou: {title}.",
        ),
        "status_cancelled": Phrasing(
            "<O último pedido do senhor|O seu último pedido> foi cancelado: {title}.",
            "<O pedido do senhor|O seu pedido> está cancelado: {title}.",
        ),
        "needs_human": Phrasing(
            "Não consigo entender <as respostas do senhor|as suas respostas>, então uma pessoa vai continuar com <o "
            "senhor|você>[: {title}]. Se <o senhor|você> já não quiser, pode cancelar.",
            "Uma pessoa vai ajudar <o senhor|você>[: {title}]. Ainda pode cancelar.",
        ),
        "halted": Phrasing(
            "Tudo está parado por enquanto[: {title}]. Nada se perdeu; quando for retomado, aviso <o senhor|você>.",
            "Parado por enquanto. Aviso <o senhor|você>.",
        ),
        "duplicate": Phrasing(
            "Já recebi <do senhor|de você> outra mensagem com o mesmo identificador e outro conteúdo; não fiz nada "
            "com esta.",
            "<A mensagem do senhor|A sua mensagem> repete um identificador; não fiz nada.",
        ),
        "unreadable": Phrasing(
            "Não consegui ler <a mensagem do senhor|a sua mensagem>. Envie de novo como texto de no máximo 10.000 "
            "caracteres, por favor.",
            "<O senhor|Você> pode enviar texto de no máximo 10.000 caracteres, por favor?",
        ),
        "unavailable": Phrasing(
            "Neste momento não posso atender <a mensagem do senhor|a sua mensagem>. Tente de novo em alguns minutos; "
            "nada foi feito.",
            "Indisponível agora. <O senhor|Você> pode tentar mais tarde.",
        ),
        "suggestion": Phrasing(
            "Sugiro <ao senhor|a você> esta resposta: {text}",
            "<Sugestão para o senhor|Sugestão>: {text}",
        ),
        "off": Phrasing(
            "As respostas automáticas estão desativadas na <conta do senhor|sua conta>, então não faço nada.",
            "Desativado na <conta do senhor|sua conta>.",
        ),
    },
)
