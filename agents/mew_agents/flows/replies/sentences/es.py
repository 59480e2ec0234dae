"""Spanish: usted and tú."""

from __future__ import annotations

from typing import Final

from mew_agents.fluxi.replies.sentences.phrasing import Phrasing

SENTENCES: Final = {
    "flow_completed": Phrasing(
        "<Le confirmo que terminamos|Ya terminamos>: {title}.",
        "<Hemos terminado|Listo>: {title}.",
    ),
    "flow_cancelled": Phrasing(
        "Dejé sin efecto lo que <pidió|pediste>: {title}. No se hizo nada.",
        "<Cancelado, como pidió|Cancelado>: {title}.",
    ),
    "flow_cancelled_partly": Phrasing(
        "No seguí con lo que <pidió|pediste>: {title}. Esto ya estaba hecho: {done}.",
        "<Cancelado, como pidió|Cancelado>: {title}. Ya hecho: {done}.",
    ),
    "flow_failed": Phrasing(
        "No pude terminar lo que <pidió|pediste>: {title}.[ Motivo: {reason}.]",
        "<No fue posible|No se pudo>: {title}.[ Motivo: {reason}.]",
    ),
    "flow_failed_partly": Phrasing(
        "No pude terminar lo que <pidió|pediste>: {title}. Esto sí quedó hecho: {done}.[ Motivo: {reason}.]",
        "<No fue posible terminar|No se pudo terminar>: {title}. Hecho: {done}.[ Motivo: {reason}.]",
    ),
    "all_cancelled": Phrasing(
        "Cancelé todo lo que <usted tenía|tenías> pendiente: {titles}.",
        "<He cancelado todo|Todo cancelado>: {titles}.",
    ),
    "closed_by_operator": Phrasing(
        "Una persona de nuestro equipo canceló lo que <pidió|pediste>: {title}.[ Motivo: {reason}.]",
        "Nuestro equipo canceló <su|tu> pedido: {title}.[ Motivo: {reason}.]",
    ),
    "question_cancelled": Phrasing(
        "Esa pregunta se cerró cuando se canceló la operación ({title}), así que <su|tu> respuesta no cambió nada.",
        "<Su|Tu> respuesta no cambió nada: se canceló ({title}).",
    ),
    "question_superseded": Phrasing(
        "Esa pregunta ya no está abierta, así que <su|tu> respuesta no cambió nada.[ {prompt}]",
        "Esa pregunta ya se cerró para <usted|ti>.[ {prompt}]",
    ),
    "question_not_out": Phrasing(
        "<Su|Tu> mensaje llegó antes que mi pregunta, así que no lo tomé como respuesta.[ {prompt}]",
        "<Su|Tu> mensaje llegó antes que esto.[ {prompt}]",
    ),
    "not_yours": Phrasing(
        "Esa pregunta es para otra persona, así que <su|tu> respuesta no cambió nada.",
        "Esa pregunta no es para <usted|ti>.",
    ),
    "not_understood": Phrasing(
        "<Disculpe|Disculpa>, no entendí <su|tu> mensaje.[ {prompt}]",
        "No <le|te> entendí.[ {prompt}]",
    ),
    "yes_or_no": Phrasing(
        "<Necesito que me conteste|Necesito que me contestes> con un sí o un no.[ {prompt}]",
        "<Conteste|Contesta> sí o no.[ {prompt}]",
    ),
    "digression_denied": Phrasing(
        "<Terminemos primero lo que me pidió|Terminemos primero lo que me pediste>: {title}.[ {prompt}]",
        "Antes <terminemos esto, por favor|terminemos esto>.[ {prompt}]",
    ),
    "already_under_way": Phrasing(
        "Ya estamos con lo que <me pide|me pides>: {title}.[ {prompt}]",
        "Ya <la tiene|la tienes> en curso.[ {prompt}]",
    ),
    "back_to": Phrasing(
        "Volvamos a lo que me <había pedido|habías pedido>: {title}.[ {prompt}]",
        "<Sigamos con su pedido|Sigamos>: {title}.[ {prompt}]",
    ),
    "corrected": Phrasing(
        "<He anotado el cambio|Anoté el cambio> ({label}): {value}.",
        "<Corregido, como pidió|Corregido>: {value}.",
    ),
    "emptied": Phrasing(
        "<He quitado este dato, como pidió|Quité este dato, como pediste>: {label}.",
        "<Quitado, como pidió|Quitado>: {label}.",
    ),
    "change_what": Phrasing(
        "¿Qué <desea|quieres> cambiar: {labels}? Si ya no lo <quiere, cancele|quieres, cancela>.[ {prompt}]",
        "¿Qué <desea|quieres> cambiar: {labels}?[ {prompt}]",
    ),
    "say_new_value": Phrasing(
        "¿Cuál es el nuevo valor ({label})? <Dígalo|Dilo> con su nombre, por favor.[ {prompt}]",
        "<Dígame el nuevo valor|Dime el nuevo valor>: {label}.[ {prompt}]",
    ),
    "no_answer": Phrasing(
        "No tengo ese dato, así que no <le|te> puedo contestar.[ {prompt}]",
        "No <lo sé, disculpe|lo sé>.[ {prompt}]",
    ),
    "left_out": Phrasing(
        "No usé esta parte de <su|tu> mensaje ({words}). Si hace falta, <dígamela|dímela> de nuevo.[ {prompt}]",
        "<Repita lo que no usé|Repite lo que no usé>: {words}.[ {prompt}]",
    ),
    "only_now": Phrasing(
        "Solo puedo hacerlo ahora, y una sola vez; no <como lo pidió|como lo pediste> ({words}).[ {prompt}]",
        "Lo puedo hacer solo ahora y una vez, no <como dijo|como dijiste>: {words}.[ {prompt}]",
    ),
    "second_wish": Phrasing(
        "También <pidió|pediste> esto ({words}): {titles}. Lo hacemos después.[ {prompt}]",
        "<Después hacemos lo otro que pidió|Después hacemos lo otro> ({words}): {titles}.[ {prompt}]",
    ),
    "waits_below": Phrasing(
        "Antes <necesito que me conteste|necesito que me contestes> esto: {first}. Después <le|te> pregunto por lo "
        "otro: {after}.[ {prompt}]",
        "Primero <terminemos esto, por favor|terminemos esto>: {first}.[ {prompt}]",
    ),
    "waiting": Phrasing(
        "<Tómese su tiempo|Tómate tu tiempo>, aquí espero.[ {prompt}]",
        "<Le|Te> espero.[ {prompt}]",
    ),
    "next_flow": Phrasing(
        "Ahora lo otro que <pidió|pediste> ({words}): {titles}.[ {prompt}]",
        "<Sigamos, como pidió|Sigamos>: {titles}.[ {prompt}]",
    ),
    "nothing_to_correct": Phrasing(
        "No encontré qué dato <quiere|quieres> cambiar.[ {prompt}]",
        "¿Qué <quiere|quieres> cambiar?[ {prompt}]",
    ),
    "too_late_to_correct": Phrasing(
        "Ese dato ya se usó y no <lo puede|lo puedes> cambiar ahora ({label}: {value}).",
        "Ya no <puede|puedes> cambiarlo: {label}.",
    ),
    "already_done": Phrasing(
        "Lo que <pide|pides> ya está hecho: {title}. No lo repetí.",
        "Ya está hecho, no <se lo|te lo> repito: {title}.",
    ),
    "done_before": Phrasing(
        "Esto ya está hecho, y aquí no lo puedo cambiar ni cancelar: {title}. Si hace falta, <pida|pide> "
        "hablar con una persona.",
        "<Ya está hecho, no puede cambiarlo aquí|Ya está hecho, no puedes cambiarlo aquí>: {title}.",
    ),
    "invalid_check": Phrasing(
        "No puedo aceptar lo que <indicó|indicaste> ({label}: {value}).[ {message}]",
        "<No es válido|No sirve>: {value}.[ {message}]",
    ),
    "clarify_slot": Phrasing(
        "<Le explico|Te explico>: necesito este dato ({label}) para continuar[: {title}].[ {explain}][ {prompt}]",
        "<Necesito de usted|Necesito> este dato: {label}.[ {explain}][ {prompt}]",
    ),
    "slot_options": Phrasing(
        "<Puede elegir|Puedes elegir>: {options}.[ {prompt}]",
        "<Elija|Elige>: {options}.[ {prompt}]",
    ),
    "slot_bounds": Phrasing(
        "Los límites <que le puedo aceptar|que te puedo aceptar> ({label}):[ desde {least}][ hasta {most}].[ {prompt}]",
        "<Límites, por favor|Límites>:[ desde {least}][ hasta {most}].[ {prompt}]",
    ),
    "clarify_confirm": Phrasing(
        "<Le explico|Te explico>: con un sí hago lo que sigue; con un no, no se hace nada.[ {prompt}]",
        "Con <su|tu> sí lo hago; sin él, no.[ {prompt}]",
    ),
    "chit_chat": Phrasing(
        "<Es un placer atenderle|Es un placer ayudarte>.[ {prompt}]",
        "<A su servicio|Con gusto>.[ {prompt}]",
    ),
    "handoff": Phrasing(
        "<Le comunico|Te comunico> con una persona[, que sigue con esto: {title}]. Mientras tanto no hago nada por mi "
        "cuenta.",
        "Una persona <le|te> va a responder[: {title}].",
    ),
    "handoff_noted": Phrasing(
        "Anoté que <usted quiere|quieres> hablar con una persona."
        "[ Mientras tanto puedo <ayudarle|ayudarte> con esto: {operations}.]",
        "Anoté que <quiere|quieres> hablar con una persona.",
    ),
    "handed_off_waiting": Phrasing(
        "Una persona tiene que responder <su|tu> mensaje; ya <le avisé que usted espera|le avisé que esperas>.",
        "Una persona <le|te> va a responder.",
    ),
    "suspended": Phrasing(
        "Lo que <pidió|pediste> está detenido hasta que una persona lo revise[: {title}].",
        "<Su|Tu> pedido está detenido[: {title}].",
    ),
    "action_failed": Phrasing(
        "No <le|te> pude resolver esto: {label}.[ Motivo: {reason}.]",
        "<No fue posible|No se pudo>: {label}.[ Motivo: {reason}.]",
    ),
    "busy": Phrasing(
        "Todavía estoy con lo que <pidió|pediste>[: {title}]. <Le|Te> aviso en cuanto termine.",
        "En curso[: {title}]. <Le|Te> aviso.",
    ),
}
