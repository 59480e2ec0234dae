"""Spanish chat spelling, folded: what is written short or as it sounds, and the words that slips are looked for of."""

from __future__ import annotations

from typing import Final

# One word as it is written, and the words that it is: "q: que".
SHORT: Final = """
q: que | enla: en la | enel: en el | porla: por la | k: que | qe: que | ke: que | qeu: que | uqe: que | kien: quien
xq: porque | pq: porque | porq: porque
xk: porque | pk: porque | porke: porque | pork: porque | porqe: porque | x: por | xa: para | pra: para | apra: para
d: de | ed: de | dl: del | dle: del | dela: de la | delas: de las | t: te | m: me | n: en | ne: en | als: las
alos: a los | tb: tambien | tmb: tambien | tbn: tambien | tmbn: tambien | tambn: tambien | bn: bien | bno: bueno
bueh: bueno | weno: bueno | wenas: buenas | bns: buenas | bnas: buenas | bnos: buenos | ola: hola | olaa: hola
holi: hola | holis: hola | grax: gracias | grx: gracias | grcs: gracias | gcias: gracias | grs: gracias
graxias: gracias | grasias: gracias | xfa: por favor | xfis: por favor | xfavor: por favor | porfavor: por favor
porfi: por favor | porfis: por favor | porfas: por favor | plis: por favor | pls: por favor | plz: por favor
pliss: por favor | favro: favor | mnn: manana | mnna: manana | mna: manana | manna: manana | maniana: manana
manan: manana | dsp: despues | dps: despues | dspues: despues | desp: despues | dsps: despues | toy: estoy
stoy: estoy | sta: esta | tngo: tengo | tng: tengo | tenog: tengo | qro: quiero | qiero: quiero | kero: quiero
qria: queria | kiero: quiero | kisiera: quisiera | qiciera: quisiera | nec: necesito | nesito: necesito
nsesito: necesito | dnd: donde | cdo: cuando | cnd: cuando | cnto: cuanto | cmo: como | aki: aqui | aka: aca
asta: hasta | acer: hacer | aser: hacer | aber: a ver | vrnes: viernes | vier: viernes | vie: viernes | jue: jueves
juev: jueves | mier: miercoles | mie: miercoles | miercols: miercoles | mart: martes | lun: lunes | sab: sabado
sinco: cinco | onse: once | dose: doce | dies: diez | trese: trece | catorse: catorce | quinse: quince
nuebe: nueve | beinte: veinte | sincuenta: cincuenta | sita: cita | ora: hora | oras: horas | almedio: al medio
nobre: nombre | nonbre: nombre | nmbre: nombre | tmpoco: tampoco | nms: nada mas | ntp: no te preocupes
uds: ustedes | vdd: verdad | cancla: cancela | kancela: cancela | klos: kilos | kls: kilos | qilos: kilos
kilso: kilos | persnas: personas | prsonas: personas | pers: personas | igul: igual | ps: pues | pos: pues
tonces: entonces | ntonces: entonces | mism: mismo | finde: fin de semana
"""

# What is glued to the word behind it: "alas" before a figure is "a las".
GLUED: Final = "a al ala la las los el de del en por para con que no me lo un una y es mi son"

# Words that slips of the pen are looked for of.
TARGETS: Final = """
quiero quisiera queria necesito gustaria podria podrias podrian puedo puede pueden puedes tengo tienen tiene
hacer hacemos reservar agendar sacar pedir solicitar cancelar cancela cancelo anular confirmar confirmo cambiar
cambio cambia modificar devolver devuelvan devolucion reembolso enviar mandar retirar retiren recoger buscar pasar
turno consulta reserva paquete pedido dinero plata monto doctor doctora medico
nombre llamo telefono correo direccion persona personas gente adultos ninos mesa terraza
manana tarde noche mediodia madrugada temprano lunes martes miercoles jueves viernes sabado domingo semana proximo
proxima enero febrero marzo abril mayo junio julio agosto septiembre setiembre octubre noviembre diciembre
primero cinco siete nueve once doce trece catorce quince dieciseis diecisiete dieciocho diecinueve veinte treinta
cuarenta cincuenta sesenta setenta ochenta noventa cien ciento doscientos trescientos cuatrocientos quinientos mil
cuatro tres seis ocho diez media cuarto punto kilos pesos dolares euros reales horas minutos dias meses anos
para desde hasta entre sobre porque cuando donde como cuanto cual quien tambien entonces pero mejor ahora despues
antes luego gracias favor buenas buenos hola disculpa disculpe perdon espera claro dale vale bueno exacto correcto
nada nadie ninguno ninguna otra otro otros mismo misma estoy esta este esto estos somos vamos vengo viene llego
llegamos llegar llegaron demasiado tarde danado danada equivocado equivocada roto rota motivo
hijo hija hermano hermana marido esposa madre padre amigo amiga vecino
digo quise decir realidad verdad hace falta olvidalo olvida dejalo interesa
"""
