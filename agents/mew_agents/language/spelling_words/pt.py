"""Portuguese chat spelling, folded: what is written short or as it sounds, and words that slips are looked for of."""

from __future__ import annotations

from typing import Final

# One word as it is written, and the words that it is: "q: que".
SHORT: Final = """
q: que | k: que | qe: que | ke: que | oq: o que | pq: porque | pk: porque | porq: porque | porqe: porque
pqe: porque | vc: voce | vcs: voces | ce: voce | ces: voces | tb: tambem | tbm: tambem | tbem: tambem | tmb: tambem
tmbm: tambem | tambm: tambem | n: nao | nn: nao | naum: nao | noa: nao | p: para | pra: para | pras: para as
pro: para o | pros: para os | prq: para que | d: de | ed: de | c: com | cm: com | dp: depois | dps: depois
dpois: depois | depos: depois | hj: hoje | oje: hoje | amnha: amanha | amnh: amanha | amaha: amanha | mnha: manha
mnh: manha | obg: obrigado | obgd: obrigado | brigado: obrigado | brigada: obrigada | obgda: obrigada
obrigad: obrigado | obrigda: obrigada | vlw: obrigado | pf: por favor | pfv: por favor | pfvr: por favor
pff: por favor | pfavor: por favor | porfavor: por favor | favro: favor | fvr: favor | bj: beijo | bjs: beijos
blz: beleza | tbn: tambem | eh: e | ta: esta | tah: esta | to: estou | tava: estava | tamos: estamos | qro: quero
kero: quero | qria: queria | keria: queria | qeria: queria | qq: qualquer | qnd: quando | qdo: quando | qndo: quando
qnt: quanto | qnto: quanto | qnta: quanta | qto: quanto | qts: quantos | ql: qual | cmg: comigo | msm: mesmo
mt: muito | mto: muito | mta: muita
mtos: muitos | td: tudo | tds: todos | tdo: tudo | bm: bom | boum: bom | agr: agora | ag: agora | soh: so
ngm: ninguem | vdd: verdade | aki: aqui | fds: fim de semana | sgunda: segunda | segnda: segunda | quinat: quinta
qinta: quinta | sesta: sexta | sext: sexta | terssa: terca | tersa: terca | cinko: cinco | sinco: cinco | onse: onze
doz: doze | trese: treze | quinse: quinze | ora: hora | oras: horas | hrs: horas | hr: hora | pess: pessoas
pessos: pessoas | psoas: pessoas | peossas: pessoas | pesoas: pessoas | qilos: quilos | nme: nome | presiso: preciso
presizo: preciso | precisso: preciso | precizo: preciso | marka: marcar | enderesso: endereco | endereso: endereco
consuta: consulta | consuulta: consulta | entaum: entao | axo: acho | xegou: chegou | xego: chegou | xega: chega
eskece: esquece | esqece: esquece | dexa: deixa | deicha: deixa | dxa: deixa | pta: para
"""

# What is glued to the word behind it: "as" before a figure.
GLUED: Final = "a as ao o os da do de em no na por para pra com que nao me um uma e dia"

# Words that slips of the pen are looked for of.
TARGETS: Final = """
quero queria preciso gostaria poderia poderiam posso pode podem podes tenho tem fazer reservar agendar marcar pedir
solicitar cancelar cancela cancele anular confirmar confirmo confirma mudar mude muda trocar alterar devolver
devolvam devolucao reembolso estorno enviar mandar retirar coletar recolher buscar passar consulta marcacao horario
reserva mesa pacote encomenda coleta pedido dinheiro valor doutor doutora medico
nome telefone correio email endereco morada pessoa pessoas gente adultos criancas terraco
amanha manha tarde noite madrugada cedo segunda terca quarta quinta sexta sabado domingo feira semana proxima
proximo janeiro fevereiro marco abril maio junho julho agosto setembro outubro novembro dezembro
primeiro dois duas tres quatro cinco seis sete oito nove onze doze treze catorze quatorze quinze dezesseis dezasseis
dezessete dezassete dezoito dezenove dezanove vinte trinta quarenta cinquenta sessenta setenta oitenta noventa cento
duzentos trezentos quatrocentos quinhentos meia meio quarto quilos kilos reais dolares euros pesos horas minutos dias
meses anos para desde entre sobre porque quando onde como quanto qual quem tambem entao porem melhor agora depois
antes logo obrigado obrigada favor bom boa dia tarde noite desculpa desculpe perdao espera claro isso certo correto
exato nada ninguem nenhum nenhuma outra outro outros mesmo mesma estou esta este esses somos vamos venho chego
chegou chegar chegaram danificado danificada errado errada quebrado quebrada atrasado atrasada motivo
filho filha irmao irma marido esposa mulher amigo amiga vizinho
digo quis dizer verdade afinal esquece deixa interessa precisa moro tenho nao voces voce
"""
