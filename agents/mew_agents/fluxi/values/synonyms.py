"""Words that mean the same where somebody asks for something: a definition that has one of them means all.

Folded, by language; a semicolon ends a group.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mew_agents.language.found import LANGUAGES, Language

_GROUPS: Final[Mapping[Language, str]] = {
    "es": """
paquete, paquetes, paquetito, encomienda, encomiendas, caja, cajas, cajita, bulto, bultos, sobre, envio, envios;
retirar, recoger, recojan, recojais, buscar, busquen, buscarlo, levantar, levanten, pasar a por, pasen por, pasar a
buscar, pasarse a por, venir a por, vengan a buscar, vengan por, llevar, llevarse, se lleven, retiro, retiros,
recogida;
enviar, mandar, despachar, hacer llegar;
mensajero, cadete, courier, repartidor, motoquero, cadeteria;
turno, turnito, turnos, cita, citas, consulta, consultita, visita;
mesa, mesas, mesita, lugar, reserva, reservita, reservacion;
reembolso, reintegro, reintegren, reintegrar, reintegrarme, devolucion, devuelvan, devolver, devolverme, devolveran,
devuelva, reembolsen, reembolsar;
dinero, plata, guita, pasta, lana, platita;
medico, medica, doctor, doctora, doc, especialista, dentista, clinico;
""",
    "pt": """
pacote, pacotes, pacotinho, encomenda, encomendas, caixa, caixas, caixinha, embrulho, embrulhos, volume, envelope,
caixote;
retirar, coletar, buscar, busquem, recolher, recolham, recolha, pegar, peguem, vir pegar, vir buscar, virem buscar, ir
buscar, venham buscar, levantar, apanhar, coleta, coletas, retirada;
enviar, mandar, despachar;
motoboy, estafeta, entregador, mensageiro, portador;
consulta, consultas, consultinha, horario;
mesa, mesas, mesinha, lugar, reserva, reservinha;
reembolso, estorno, devolucao, ressarcimento, reaver, devolver, devolvam, devolverem, devolvessem, estornar,
reembolsar, ressarcir;
dinheiro, grana, massa, guita;
medico, medica, doutor, doutora, dentista, especialista;
""",
    "en": """
parcel, parcels, package, packages, box, boxes, packet, envelope, consignment;
pickup, pick up, picked up, picking up, picks up, collect, collected, collecting, collection, fetch, fetched,
fetching, fetchin, come get, come and get, come for, get picked up, lifted, take away, grab;
send, sending, sent, ship, shipped, post, posted, shipping;
courier, driver, messenger, delivery guy, van;
appointment, appointments, appt, visit, consultation, checkup, check up, slot;
table, tables, booking, reservation, seats;
refund, refunds, refunded, reimbursed, reimburse, reimbursement, money back;
doctor, doc, gp, physician, dentist, specialist;
""",
}


def _table(language: Language) -> dict[str, tuple[str, ...]]:
    written = " ".join(_GROUPS[language].split())
    groups = [tuple(one.strip() for one in group.split(",")) for group in written.split(";") if group.strip()]
    return {word: group for group in groups for word in group}


SYNONYMS: Final = {language: _table(language) for language in LANGUAGES}
