"""Portuguese, as in Brazil: o senhor and você."""

from __future__ import annotations

from typing import Final

from mew_agents.fluxi.replies.sentences.phrasing import Phrasing

SENTENCES: Final = {
    "flow_completed": Phrasing(
        "<Confirmo ao senhor que terminamos|Já terminamos>: {title}.",
        "<Terminamos|Pronto>: {title}.",
    ),
    "flow_cancelled": Phrasing(
        "Cancelei o que <o senhor pediu|você pediu>: {title}. Nada foi feito.",
        "<Cancelado, como pediu|Cancelado>: {title}.",
    ),
    "flow_cancelled_partly": Phrasing(
        "Não continuei com o que <o senhor pediu|você pediu>: {title}. Isto já estava feito: {done}.",
        "<Cancelado, como pediu|Cancelado>: {title}. Já feito: {done}.",
    ),
    "flow_failed": Phrasing(
        "Não consegui terminar o que <o senhor pediu|você pediu>: {title}.[ Motivo: {reason}.]",
        "<Não foi possível|Não deu>: {title}.[ Motivo: {reason}.]",
    ),
    "flow_failed_partly": Phrasing(
        "Não consegui terminar o que <o senhor pediu|você pediu>: {title}. Isto ficou feito: {done}.[ Motivo: "
        "{reason}.]",
        "<Não foi possível terminar|Não deu para terminar>: {title}. Feito: {done}.[ Motivo: {reason}.]",
    ),
    "all_cancelled": Phrasing(
        "Cancelei tudo o que <o senhor|você> tinha pendente: {titles}.",
        "<Cancelei tudo|Tudo cancelado>: {titles}.",
    ),
    "closed_by_operator": Phrasing(
        "Uma pessoa da nossa equipe cancelou o que <o senhor pediu|você pediu>: {title}.[ Motivo: {reason}.]",
        "Nossa equipe cancelou <o pedido do senhor|o seu pedido>: {title}.[ Motivo: {reason}.]",
    ),
    "question_cancelled": Phrasing(
        "Essa pergunta foi fechada quando a operação foi cancelada ({title}), então <a resposta do senhor|a sua "
        "resposta> não mudou nada.",
        "<A resposta do senhor|A sua resposta> não mudou nada: foi cancelado ({title}).",
    ),
    "question_superseded": Phrasing(
        "Essa pergunta já não está aberta, então <a resposta do senhor|a sua resposta> não mudou nada.[ {prompt}]",
        "Essa pergunta já foi fechada para <o senhor|você>.[ {prompt}]",
    ),
    "question_not_out": Phrasing(
        "<A mensagem do senhor|A sua mensagem> chegou antes da minha pergunta, então não a tomei como resposta."
        "[ {prompt}]",
        "<A mensagem do senhor|A sua mensagem> chegou antes disto.[ {prompt}]",
    ),
    "not_yours": Phrasing(
        "Essa pergunta é para outra pessoa, então <a resposta do senhor|a sua resposta> não mudou nada.",
        "Essa pergunta não é para <o senhor|você>.",
    ),
    "not_understood": Phrasing(
        "Desculpe, não entendi <a mensagem do senhor|a sua mensagem>.[ {prompt}]",
        "Não entendi <o senhor|você>.[ {prompt}]",
    ),
    "yes_or_no": Phrasing(
        "Preciso que <o senhor responda|você responda> com um sim ou um não.[ {prompt}]",
        "<Responda, por favor, sim|Responda sim> ou não.[ {prompt}]",
    ),
    "digression_denied": Phrasing(
        "Vamos terminar primeiro o que <o senhor|você> me pediu: {title}.[ {prompt}]",
        "Antes vamos terminar isto, <por favor|tá>.[ {prompt}]",
    ),
    "already_under_way": Phrasing(
        "Já estamos com o que <o senhor|você> está pedindo: {title}.[ {prompt}]",
        "<O senhor|Você> já tem isso em andamento.[ {prompt}]",
    ),
    "back_to": Phrasing(
        "Voltemos ao que <o senhor|você> tinha me pedido: {title}.[ {prompt}]",
        "<Voltemos ao seu pedido|Vamos continuar>: {title}.[ {prompt}]",
    ),
    "corrected": Phrasing(
        "<Anotei a mudança do senhor|Anotei a mudança> ({label}): {value}.",
        "<Corrigido, como pediu|Corrigido>: {value}.",
    ),
    "emptied": Phrasing(
        "<Retirei este dado, como o senhor pediu|Retirei este dado, como você pediu>: {label}.",
        "<Retirado, como pediu|Retirado>: {label}.",
    ),
    "change_what": Phrasing(
        "O que <o senhor deseja|você quer> mudar: {labels}? Se já não quiser, cancele.[ {prompt}]",
        "O que <o senhor deseja|você quer> mudar: {labels}?[ {prompt}]",
    ),
    "say_new_value": Phrasing(
        "Qual é o novo valor ({label})? <Diga o senhor|Diga> com o nome, por favor.[ {prompt}]",
        "<Diga-me o novo valor|Me diga o novo valor>: {label}.[ {prompt}]",
    ),
    "no_answer": Phrasing(
        "Não tenho esse dado, por isso não posso responder <ao senhor|a você>.[ {prompt}]",
        "Não <sei, desculpe|sei>.[ {prompt}]",
    ),
    "left_out": Phrasing(
        "<O senhor disse isto, que não usei|Não usei isto> ({words}). Se for preciso, diga de novo.[ {prompt}]",
        "<Repita, por favor, o que não usei|Repita o que não usei>: {words}.[ {prompt}]",
    ),
    "only_now": Phrasing(
        "Só posso fazer isso agora, e uma única vez; não como <o senhor|você> pediu ({words}).[ {prompt}]",
        "Posso fazer isso só agora e uma vez, não como <o senhor|você> disse: {words}.[ {prompt}]",
    ),
    "second_wish": Phrasing(
        "<O senhor|Você> pediu também isto ({words}): {titles}. Fazemos isso depois.[ {prompt}]",
        "<Depois fazemos o outro, como pediu|Depois fazemos o outro> ({words}): {titles}.[ {prompt}]",
    ),
    "waits_below": Phrasing(
        "Antes preciso que <o senhor|você> responda isto: {first}. Depois pergunto pelo outro: {after}.[ {prompt}]",
        "Primeiro <terminemos isto, por favor|terminemos isto>: {first}.[ {prompt}]",
    ),
    "waiting": Phrasing(
        "Sem pressa, <eu espero pelo senhor|eu espero por você>.[ {prompt}]",
        "<Espero pelo senhor|Espero por você>.[ {prompt}]",
    ),
    "next_flow": Phrasing(
        "Agora o outro que <o senhor|você> pediu ({words}): {titles}.[ {prompt}]",
        "<Sigamos, como pediu|Sigamos>: {titles}.[ {prompt}]",
    ),
    "nothing_to_correct": Phrasing(
        "Não encontrei o dado que <o senhor|você> quer mudar.[ {prompt}]",
        "O que <o senhor|você> quer mudar?[ {prompt}]",
    ),
    "too_late_to_correct": Phrasing(
        "Esse dado já foi usado e <o senhor|você> não pode mudá-lo agora ({label}: {value}).",
        "<O senhor|Você> já não pode mudar isto: {label}.",
    ),
    "already_done": Phrasing(
        "O que <o senhor|você> pede já está feito: {title}. Não repeti.",
        "Já está feito, <não vou repetir|não repito>: {title}.",
    ),
    "done_before": Phrasing(
        "Isto já está feito, e aqui não posso mudar nem cancelar: {title}. Se precisar, <o senhor pode|você "
        "pode> pedir para falar com uma pessoa.",
        "Já está feito, <o senhor não pode mudar aqui|você não pode mudar aqui>: {title}.",
    ),
    "invalid_check": Phrasing(
        "Não posso aceitar o que <o senhor indicou|você indicou> ({label}: {value}).[ {message}]",
        "<Não é válido|Não serve>: {value}.[ {message}]",
    ),
    "clarify_slot": Phrasing(
        "<Explico ao senhor|Eu explico>: preciso deste dado ({label}) para continuar[: {title}].[ {explain}]"
        "[ {prompt}]",
        "<Preciso que o senhor informe|Preciso disto>: {label}.[ {explain}][ {prompt}]",
    ),
    "slot_options": Phrasing(
        "<O senhor|Você> pode escolher: {options}.[ {prompt}]",
        "<Escolha, por favor|Escolha>: {options}.[ {prompt}]",
    ),
    "slot_bounds": Phrasing(
        "Os limites que posso aceitar <do senhor|de você> ({label}):[ desde {least}][ até {most}].[ {prompt}]",
        "<Limites, por favor|Limites>:[ desde {least}][ até {most}].[ {prompt}]",
    ),
    "clarify_confirm": Phrasing(
        "<Explico ao senhor|Eu explico>: com um sim faço o que segue; com um não, nada é feito.[ {prompt}]",
        "Com <o sim do senhor|o seu sim> eu faço; sem ele, não.[ {prompt}]",
    ),
    "chit_chat": Phrasing(
        "É um prazer <atender o senhor|ajudar você>.[ {prompt}]",
        "<Às ordens|De boa>.[ {prompt}]",
    ),
    "handoff": Phrasing(
        "Vou <colocar o senhor|colocar você> em contato com uma pessoa[, que continua com isto: {title}]. Enquanto "
        "isso não faço nada por minha conta.",
        "Uma pessoa vai responder <ao senhor|a você>[: {title}].",
    ),
    "handoff_noted": Phrasing(
        "Anotei que <o senhor quer|você quer> falar com uma pessoa."
        "[ Enquanto isso, posso <ajudar o senhor|ajudar você> com isto: {operations}.]",
        "Anotei que <o senhor quer|você quer> falar com uma pessoa.",
    ),
    "handed_off_waiting": Phrasing(
        "Uma pessoa precisa responder <à mensagem do senhor|à sua mensagem>; já avisei que <o senhor|você> espera.",
        "Uma pessoa vai responder <ao senhor|a você>.",
    ),
    "suspended": Phrasing(
        "O que <o senhor|você> pediu está parado até que uma pessoa o revise[: {title}].",
        "<O pedido do senhor|O seu pedido> está parado[: {title}].",
    ),
    "action_failed": Phrasing(
        "Não consegui resolver isto <para o senhor|para você>: {label}.[ Motivo: {reason}.]",
        "<Não foi possível|Não deu>: {label}.[ Motivo: {reason}.]",
    ),
    "busy": Phrasing(
        "Ainda estou com o que <o senhor|você> pediu[: {title}]. Aviso assim que terminar.",
        "Em andamento[: {title}]. <Aviso o senhor|Aviso você>.",
    ),
}
