"""Spanish: usted and tú."""

from __future__ import annotations

from typing import Final

from .phrasing import Phrasing, Tongue

TONGUE: Final = Tongue(
    openings={
        "ask": "Con mucho gusto <le|te> ayudo.",
        "good": "¡Qué bien!",
        "calm": "No <se preocupe|te preocupes>.",
        "sorry": "Lo siento mucho.",
    },
    yes="sí",
    no="no",
    sentences={
        "courtesy": Phrasing(
            "Estoy para <servirle|servirte>.[ Puedo <ayudarle|ayudarte> con esto: {operations}.]",
            "A <sus|tus> órdenes[: {operations}].",
        ),
        "no_intent": Phrasing(
            "No reconocí ninguna operación en <su|tu> mensaje.[ Puedo <ayudarle|ayudarte> con esto: {operations}.]",
            "No reconocí <su|tu> operación.[ <Puede|Puedes> pedir: {operations}.]",
        ),
        "no_operations": Phrasing(
            "Por ahora no hay ninguna operación que pueda hacer por <usted|ti> aquí.",
            "Aquí no puedo hacer nada por <usted|ti>.",
        ),
        "which_intent": Phrasing(
            "<Su|Tu> mensaje puede referirse a más de una cosa. ¿Qué <desea|quieres> hacer: {options}?",
            "¿Qué <desea|quieres>: {options}?",
        ),
        "no_evidence": Phrasing(
            "Para comenzar ({title}) necesito que <indique|indiques> también, todo en un solo mensaje: {labels}.[ Por "
            "ejemplo: {example}.]",
            "{title.capital}: <indique|indica> también, en un solo mensaje, {labels}.",
        ),
        "not_allowed": Phrasing(
            "<Usted no puede|No puedes> hacer eso aquí[: {title}].",
            "<No está autorizado|No tienes permiso>[: {title}].",
        ),
        "conflict": Phrasing(
            "En esta conversación ya hay una operación en curso, así que no abrí otra ({title}). <Vuelva a "
            "pedirla|Vuelve a pedirla> cuando termine.",
            "Ya hay otra en curso. <Espere|Espera> a que termine.",
        ),
        "conflict_elsewhere": Phrasing(
            "Ya hay otra solicitud en curso exactamente sobre lo mismo ({title}), así que no puedo seguir. <Elija "
            "otra opción o inténtelo|Elige otra opción o inténtalo> más tarde.",
            "Ya hay otra sobre lo mismo: {title}. <Elija|Elige> otra opción.",
        ),
        "in_review": Phrasing(
            "Recibí <su|tu> solicitud: {title}. Una persona la revisará antes de continuar.",
            "<Su|Tu> solicitud está en revisión: {title}.",
        ),
        "reviewed": Phrasing(
            "Una persona revisó <su|tu> solicitud ({title}) y podemos continuar.",
            "<Su|Tu> solicitud fue aceptada: {title}.",
        ),
        "review_declined": Phrasing(
            "Una persona revisó <su|tu> solicitud ({title}) y no fue aceptada.[ Motivo: {reason}.]",
            "<Su|Tu> solicitud no fue aceptada: {title}.[ Motivo: {reason}.]",
        ),
        "which_work": Phrasing(
            "<Usted tiene|Tienes> varias solicitudes en curso. ¿A cuál <se refiere|te refieres>: {options}? "
            "<Responda|Responde> directamente al mensaje que trata de ella.",
            "¿A cuál <se refiere|te refieres>: {options}? <Responda|Responde> a su mensaje.",
        ),
        "ask_slot": Phrasing(
            "{prompt}",
            "{prompt}",
        ),
        "ask_date": Phrasing(
            "De acuerdo: {value}. ¿Qué día <le|te> queda bien?",
            "{value.capital}: ¿qué día <prefiere|prefieres>?",
        ),
        "ask_time": Phrasing(
            "De acuerdo: {value}. ¿A qué hora <le|te> queda bien?",
            "{value.capital}: ¿a qué hora <prefiere|prefieres>?",
        ),
        "ask_again": Phrasing(
            "<Disculpe|Disculpa>, no entendí <su|tu> respuesta. {prompt}",
            "No <le|te> entendí. {prompt}",
        ),
        "ask_anew": Phrasing(
            "Pasó el tiempo para responder a mi pregunta, así que <se la|te la> hago de nuevo. {prompt}",
            "<Le|Te> pregunto de nuevo. {prompt}",
        ),
        "confirm_slot": Phrasing(
            "¿<Se refiere|Te refieres> a {value} ({label})?[ Si no, <diga|di> no: también puede ser {others}.]",
            "¿<Quiere|Quieres> decir {value}?[ Si no: {others}.]",
        ),
        "confirm_against": Phrasing(
            "<Dijo|Dijiste> “{said}”, y esto es otra parte del día ({label}): {value}. ¿Es lo que <quiere|quieres>?",
            "¿{value}, aunque <dijo|dijiste> “{said}”?",
        ),
        "confirm_execution": Phrasing(
            "Esto es lo que voy a hacer: {summary}. ¿<Lo confirma|Lo confirmas>?",
            "{summary.capital}. ¿<Confirma|Confirmas>?",
        ),
        "what_to_change": Phrasing(
            "No hice nada.[ ¿Qué <desea|quieres> cambiar: {labels}?] Si ya no lo <quiere, cancele|quieres, cancela>.",
            "¿Qué <desea|quieres> cambiar[: {labels}]?",
        ),
        "which_slot": Phrasing(
            "Oí {words}, y no sé a qué <se refiere|te refieres>: ¿{labels}?",
            "¿A qué <se refiere|te refieres> con {words}: {labels}?",
        ),
        "noted": Phrasing(
            "De acuerdo, <se lo|te lo> cambié: {values}.",
            "<Se lo|Te lo> cambié: {values}.",
        ),
        "put_off": Phrasing(
            "Por ahora hago una sola cosa; esto queda sin hacer, y <pídamelo|pídemelo> después: {titles}.",
            "Esto queda para después, <pídamelo|pídemelo> luego: {titles}.",
        ),
        "queued": Phrasing(
            "Hago primero una cosa[ ({first})]; lo otro <se lo|te lo> hago después: {titles}.",
            "<Se lo|Te lo> hago después: {titles}.",
        ),
        "next_wish": Phrasing(
            "Y ahora lo otro que me <pidió|pediste>: {title}.",
            "Ahora lo otro que me <pidió|pediste>: {title}.",
        ),
        "told_facts": Phrasing(
            "Esto es lo que <le|te> puedo decir ({label}):[ opciones: {options};][ días: {days};][ desde las "
            "{earliest};][ hasta las {latest};][ mínimo: {least};][ máximo: {most};] de lo demás no sé nada. {prompt}",
            "<Le|Te> digo ({label}):[ opciones: {options};][ días: {days};][ desde las {earliest};][ hasta las "
            "{latest};][ mínimo: {least};][ máximo: {most};] nada más. {prompt}",
        ),
        "told_purpose": Phrasing(
            "Ese dato ({label}) <se lo|te lo> pido porque hace falta para hacer esto: {title}.[ {explained}] {prompt}",
            "<Se lo|Te lo> pido ({label}) para esto: {title}.[ {explained}] {prompt}",
        ),
        "cannot_tell": Phrasing(
            "No tengo esa información, así que no <se la|te la> puedo dar aquí ({title}). {prompt}",
            "Eso no <se lo|te lo> puedo decir ({title}). {prompt}",
        ),
        "ask_among": Phrasing(
            "<Disculpe|Disculpa>, no conozco lo que <indicó|indicaste> ({label}). <Puede|Puedes> elegir {options}. "
            "{prompt}",
            "No lo conozco ({label}). <Elija|Elige> {options}. {prompt}",
        ),
        "unused": Phrasing(
            "No usé esto que <dijo|dijiste>, porque aquí no se elige: {words}.",
            "No usé lo que <dijo|dijiste>: {words}.",
        ),
        "unplaced": Phrasing(
            "No sé a qué se refiere esto que <dijo|dijiste>, y no lo usé: {words}.",
            "No usé {words}: no sé a qué <se refiere|te refieres>.",
        ),
        "choose_one": Phrasing(
            "<Dijo|Dijiste> “{words}”, y hace falta uno solo ({label}).",
            "De “{words}”, <diga|di> uno solo ({label}).",
        ),
        "whether_to_cancel": Phrasing(
            "¿<Quiere|Quieres> cancelar esto: {title}?",
            "¿<Desea|Quieres> cancelar[: {title}]?",
        ),
        "maybe_unwanted": Phrasing(
            "Si ya no lo <quiere|quieres>, <diga|di> cancelar[: {title}].",
            "Para dejarlo, <diga|di> cancelar.",
        ),
        "person_called": Phrasing(
            "De acuerdo: una persona va a continuar con <usted|contigo>[: {title}]. Si ya no lo <quiere, "
            "puede|quieres, puedes> cancelar.",
            "Una persona <le|te> va a atender[: {title}].",
        ),
        "immutable_slot": Phrasing(
            "Este dato ya no <lo puede|lo puedes> cambiar: {label}, {value}. <Si es otro, cancele y comience|Si es "
            "otro, cancela y comienza> de nuevo.",
            "No <puede|puedes> cambiar esto: {label}.",
        ),
        "frozen_executing": Phrasing(
            "Ya estoy ejecutando lo que <confirmó|confirmaste> y no puedo cambiar los datos ahora[: {summary}].",
            "Ya está en marcha; no <puede|puedes> cambiarlo.",
        ),
        "nothing_to_confirm": Phrasing(
            "<Usted no tiene|No tienes> nada pendiente de confirmar, así que no cambié nada.",
            "<No tiene|No tienes> nada que confirmar.",
        ),
        "which_question": Phrasing(
            "<Usted tiene|Tienes> varias preguntas abiertas. ¿A cuál <responde|respondes>: {options}? "
            "<Conteste|Contesta> directamente al mensaje en que se pregunta.",
            "¿A cuál <responde|respondes>: {options}? <Conteste|Contesta> a su mensaje.",
        ),
        "question_closed": Phrasing(
            "Esa pregunta ya está cerrada, así que <su|tu> respuesta no cambió nada.",
            "Esa pregunta ya está cerrada para <usted|ti>.",
        ),
        "question_expired": Phrasing(
            "Pasó el tiempo para responder a esa pregunta, así que <su|tu> respuesta no cambió nada.",
            "Esa pregunta venció para <usted|ti>.",
        ),
        "expired": Phrasing(
            "Pasó demasiado tiempo y cerré <su|tu> solicitud sin hacer nada: {title}. Si todavía la <quiere, "
            "pídala|quieres, pídela> de nuevo.",
            "<Su|Tu> solicitud venció: {title}.",
        ),
        "expired_asking": Phrasing(
            "Pasó demasiado tiempo y cerré <su|tu> solicitud sin hacer nada: {title}. Si todavía la <quiere, "
            "responda|quieres, responde> que sí a mi última pregunta.",
            "<Su|Tu> solicitud venció: {title}. <Responda|Responde> que sí para reabrirla.",
        ),
        "reopened": Phrasing(
            "<Su|Tu> solicitud había vencido, y con <su|tu> respuesta la abrí de nuevo: {title}.",
            "Reabrí <su|tu> solicitud: {title}.",
        ),
        "invalid_form": Phrasing(
            "Lo que <escribió|escribiste> no tiene la forma esperada ({label}: {value}).",
            "Forma incorrecta ({label}). <Escríbalo|Escríbelo> de nuevo.",
        ),
        "invalid_no_such": Phrasing(
            "No existe lo que <indicó|indicaste> ({label}: {value}).",
            "No existe: {value}. <Indique|Indica> otro.",
        ),
        "invalid_pattern": Phrasing(
            "Lo que <escribió|escribiste> no es como debe ser ({label}: {value}).[ Es como {example}.]",
            "No es así ({label}: {value}). <Escríbalo|Escríbelo> de nuevo[, como {example}].",
        ),
        "invalid_future": Phrasing(
            "Lo que <indicó|indicaste> todavía no pasó ({label}: {value}). Necesito un momento pasado.",
            "Eso todavía no pasó: {value}. <Indique|Indica> cuándo fue.",
        ),
        "invalid_past": Phrasing(
            "Lo que <indicó|indicaste> ya pasó ({label}: {value}). Necesito un momento futuro.",
            "Eso ya pasó: {value}. <Elija|Elige> otro momento.",
        ),
        "invalid_too_far": Phrasing(
            "Lo que <indicó|indicaste> está demasiado lejos ({label}: {value}). Puedo llegar hasta {limit}.",
            "Demasiado lejos: {value}. <Elija|Elige> hasta {limit}.",
        ),
        "invalid_weekday": Phrasing(
            "Ese día no es posible ({label}: {value}). <Puede|Puedes> elegir {days}.",
            "Ese día no: {value}. <Elija|Elige> {days}.",
        ),
        "invalid_hours": Phrasing(
            "Esa hora no es posible ({label}: {value}). <Puede|Puedes> elegir una[ desde las {earliest}][ hasta las "
            "{latest}].",
            "Esa hora no: {value}. <Elija|Elige> otra[ desde las {earliest}][ hasta las {latest}].",
        ),
        "invalid_too_small": Phrasing(
            "Lo que <indicó|indicaste> es muy poco ({label}: {value}). El mínimo es {limit}.",
            "Muy poco: {value}. <Indique|Indica> al menos {limit}.",
        ),
        "invalid_too_big": Phrasing(
            "Lo que <indicó|indicaste> es demasiado ({label}: {value}). El máximo es {limit}.",
            "Demasiado: {value}. <Indique|Indica> a lo sumo {limit}.",
        ),
        "invalid_too_short": Phrasing(
            "Lo que <escribió|escribiste> es muy corto ({label}). Hacen falta al menos {limit} caracteres.",
            "Muy corto. <Escriba|Escribe> al menos {limit} caracteres.",
        ),
        "invalid_too_long": Phrasing(
            "Lo que <escribió|escribiste> es muy largo ({label}). Caben a lo sumo {limit} caracteres.",
            "Muy largo. <Escriba|Escribe> a lo sumo {limit} caracteres.",
        ),
        "invalid_currency": Phrasing(
            "No puedo aceptar la moneda que <indicó|indicaste> ({label}: {value}). Acepto {currencies}.",
            "Esa moneda no: {value}. <Use|Usa> {currencies}.",
        ),
        "invalid_unknown": Phrasing(
            "No conozco lo que <indicó|indicaste> ({label}: {value}).[ <Puede|Puedes> elegir {options}.]",
            "No lo conozco: {value}. <Indique|Indica> otro[: {options}].",
        ),
        "executing": Phrasing(
            "Estoy en eso[: {summary}]. <Le|Te> aviso en cuanto termine.",
            "En curso[: {summary}]. <Le|Te> aviso.",
        ),
        "retrying": Phrasing(
            "Todavía no lo logré ({summary}). Lo intento de nuevo y <le|te> aviso.",
            "Reintento y <le|te> aviso: {summary}.",
        ),
        "proposed": Phrasing(
            "Una persona tiene que aprobar esto antes de que lo haga: {summary}. <Le|Te> aviso cuando responda.",
            "Espera aprobación: {summary}. <Le|Te> aviso.",
        ),
        "declined": Phrasing(
            "Una persona no aprobó lo que <pidió|pediste>: {summary}.[ Motivo: {reason}.] No se hizo nada.",
            "<Su|Tu> solicitud no se aprobó: {summary}.[ Motivo: {reason}.]",
        ),
        "completed": Phrasing(
            "<Le confirmo que está hecho|Está hecho>: {summary}.[ {detail.capital}.][ No se pudo hacer: {undone}.]",
            "<Confirmado|Listo>: {summary}.[ {detail.capital}.][ Sin hacer: {undone}.]",
        ),
        "failed": Phrasing(
            "No pude hacer lo que <pidió|pediste>: {summary}.[ Motivo: {reason}.] No se hizo nada.",
            "<Su solicitud|Tu solicitud> falló: {summary}.[ Motivo: {reason}.]",
        ),
        "failed_partly": Phrasing(
            "Solo pude hacer una parte de lo que <pidió|pediste> ({summary}).[ Hecho: {done}.][ "
            "{detail.capital}.][ Sin hacer: {undone}.][ Motivo: {reason}.]",
            "<Su|Tu> solicitud quedó a medias.[ Hecho: {done}.][ {detail.capital}.][ Sin hacer: {undone}.][ "
            "Motivo: {reason}.]",
        ),
        "in_doubt": Phrasing(
            "No sé con certeza si lo que <pidió|pediste> se hizo: {summary}. No lo voy a repetir; una persona lo "
            "verifica y <le|te> avisamos.",
            "Sin certeza: {summary}. No lo repito; <le|te> avisamos.",
        ),
        "confirm_undo": Phrasing(
            "Esto ya está hecho: {summary}. ¿<Quiere|Quieres> que lo deshaga?[ Esto queda como está: {standing}.] Si "
            "solo <desea|quieres> cambiarlo, lo deshago y <lo pide|lo pides> de nuevo.",
            "¿<Quiere|Quieres> que deshaga esto: {summary}?[ Esto queda como está: {standing}.]",
        ),
        "confirm_change": Phrasing(
            "Esto ya está hecho: {summary}. ¿<Quiere|Quieres> que lo deshaga?[ Esto queda como está: {standing}.] "
            "Después <le|te> pregunto por esto en su lugar: {instead}.",
            "¿<Quiere|Quieres> que deshaga esto: {summary}?[ Esto queda como está: {standing}.] Después sigue esto: "
            "{instead}.",
        ),
        "stands": Phrasing(
            "<Usted tiene|Tienes> hecho esto: {summaries}.",
            "Hecho para <usted|ti>: {summaries}.",
        ),
        "none_stands": Phrasing(
            "No <le|te> encuentro nada hecho aquí: {titles}.",
            "Nada hecho para <usted|ti>: {titles}.",
        ),
        "left_as_is": Phrasing(
            "<Se lo|Te lo> dejo como está: {summary}.",
            "<Se lo|Te lo> dejo así: {summary}.",
        ),
        "undone": Phrasing(
            "Deshice lo que <había pedido|habías pedido>: {summary}.[ Esto sigue en pie: {standing}.]",
            "Deshecho, como <pidió|pediste>: {summary}.[ Sigue en pie: {standing}.]",
        ),
        "undoing": Phrasing(
            "Todavía no logré deshacer lo que <había pedido|habías pedido>: {summary}. Lo intento de nuevo y <le|te> "
            "aviso.",
            "Sigo deshaciéndolo y <le|te> aviso: {summary}.",
        ),
        "undoing_proposed": Phrasing(
            "Una persona tiene que aprobar que deshaga lo que <había pedido|habías pedido>: {summary}. <Le|Te> aviso.",
            "Deshacerlo espera aprobación: {summary}. <Le|Te> aviso.",
        ),
        "undoing_in_doubt": Phrasing(
            "No sé con certeza si se deshizo lo que <había pedido|habías pedido>: {summary}. Una persona lo verifica "
            "y <le|te> avisamos.",
            "Sin certeza de haberlo deshecho: {summary}. <Le|Te> avisamos.",
        ),
        "undoing_failed": Phrasing(
            "No pude deshacer lo que <había pedido|habías pedido>: {summary}.[ Motivo: {reason}.] Una persona lo va a "
            "revisar.",
            "No se pudo deshacer: {summary}.[ Motivo: {reason}.] <Le|Te> avisamos.",
        ),
        "undone_partly": Phrasing(
            "Solo pude deshacer una parte de lo que <había pedido|habías pedido> ({summary}). Deshecho: {undone}. Sin "
            "deshacer: {standing}.[ Motivo: {reason}.] Una persona lo va a revisar.",
            "Deshecho en parte, <le|te> avisamos: {summary}. Deshecho: {undone}. Sin deshacer: {standing}.[ Motivo: "
            "{reason}.] Una persona lo va a revisar.",
        ),
        "cancelled": Phrasing(
            "Cancelé <su|tu> solicitud: {title}. No se hizo nada.",
            "<Su solicitud quedó|Tu solicitud quedó> cancelada: {title}.",
        ),
        "cancelled_partly": Phrasing(
            "Cancelé el resto de <su|tu> solicitud: {title}.[ Ya estaba hecho: {done}.][ Sin hacer: {undone}.]",
            "<Su|Tu> solicitud quedó cancelada en parte.[ Hecho: {done}.][ Sin hacer: {undone}.]",
        ),
        "cancel_requested": Phrasing(
            "La cancelación quedó anotada ({title}). Termino lo que está en marcha y <le|te> digo cómo quedó.",
            "Cancelación anotada: {title}. <Le|Te> aviso.",
        ),
        "cancel_refused_executing": Phrasing(
            "No <le|te> pude cancelar esto, porque ya se estaba ejecutando: {title}.",
            "Ya no <lo pude|te lo pude> cancelar: {title}.",
        ),
        "cancel_not_allowed": Phrasing(
            "Esta operación no <la puede|la puedes> cancelar por este medio: {title}.",
            "No <puede|puedes> cancelar esto: {title}.",
        ),
        "nothing_to_cancel": Phrasing(
            "<Usted no tiene|No tienes> nada en curso que se pueda cancelar.",
            "<No tiene|No tienes> nada que cancelar.",
        ),
        "status_none": Phrasing(
            "<Usted no tiene|No tienes> ninguna operación en curso.",
            "<No tiene|No tienes> nada en curso.",
        ),
        "status_waiting": Phrasing(
            "<Su|Tu> solicitud ({title}) espera <su|tu> respuesta. {prompt}",
            "Falta <su|tu> respuesta. {prompt}",
        ),
        "status_executing": Phrasing(
            "Estoy ejecutando <su|tu> solicitud: {summary}.",
            "<Su|Tu> solicitud está en curso: {summary}.",
        ),
        "status_in_doubt": Phrasing(
            "Todavía no sé con certeza si <su|tu> solicitud se hizo: {summary}. Una persona lo está verificando.",
            "<Su|Tu> solicitud está en verificación: {summary}.",
        ),
        "status_suspended": Phrasing(
            "<Su|Tu> solicitud está detenida hasta que una persona la revise: {title}.",
            "<Su|Tu> solicitud está detenida: {title}.",
        ),
        "status_completed": Phrasing(
            "<Su|Tu> última solicitud está hecha: {summary}.[ No quedó hecho: {undone}.]",
            "<Su|Tu> solicitud está lista: {summary}.",
        ),
        "status_failed": Phrasing(
            "<Su|Tu> última solicitud no se pudo hacer: {summary}.[ Motivo: {reason}.]",
            "<Su|Tu> solicitud falló: {summary}.[ Motivo: {reason}.]",
        ),
        "status_expired": Phrasing(
            "<Su|Tu> última solicitud venció sin que se hiciera nada: {title}.",
            "<Su|Tu> solicitud venció: {title}.",
        ),
        "status_cancelled": Phrasing(
            "<Su|Tu> última solicitud fue cancelada: {title}.",
            "<Su|Tu> solicitud está cancelada: {title}.",
        ),
        "needs_human": Phrasing(
            "No logro entender <sus|tus> respuestas, así que una persona va a continuar con <usted|contigo>[: "
            "{title}]. Si ya no lo <quiere, puede|quieres, puedes> cancelar.",
            "Una persona va a <ayudarle|ayudarte>[: {title}]. Aún <puede|puedes> cancelar.",
        ),
        "halted": Phrasing(
            "Todo está detenido por el momento[: {title}]. No se perdió nada; cuando se reanude, <le aviso|te aviso>.",
            "Detenido por ahora. <Le|Te> aviso.",
        ),
        "duplicate": Phrasing(
            "Ya recibí otro mensaje <suyo|tuyo> con el mismo identificador y otro contenido, así que no hice nada con "
            "este.",
            "<Su|Tu> mensaje repite un identificador; no hice nada.",
        ),
        "unreadable": Phrasing(
            "No pude leer <su|tu> mensaje. <Envíelo|Envíalo> de nuevo como texto de a lo sumo 10.000 "
            "caracteres, por favor.",
            "<Envíe|Envía> texto de a lo sumo 10.000 caracteres, por favor.",
        ),
        "unavailable": Phrasing(
            "En este momento no puedo atender <su|tu> mensaje. <Inténtelo|Inténtalo> de nuevo en unos minutos; no se "
            "hizo nada.",
            "No disponible ahora. <Inténtelo|Inténtalo> más tarde.",
        ),
        "suggestion": Phrasing(
            "<Le sugiero|Te sugiero> esta respuesta: {text}",
            "<Sugerencia para usted|Sugerencia>: {text}",
        ),
        "off": Phrasing(
            "Las respuestas automáticas están desactivadas en <su|tu> cuenta, así que no hago nada.",
            "Desactivado en <su|tu> cuenta.",
        ),
    },
)
