"""Words of each language, and frequent ones of the others, that are spelt nearly like one of `TARGETS` and are none.

Folded. A word that is missing here is taken for a slip: whoever adds a target looks for its neighbours.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mew_agents.language.found import Language

KEPT: Final[Mapping[Language, str]] = {
    "es": """
abri abria abrio abrir abriu acero aclaro acosto adel adjuntos adonde adora agente agora agos agoto agrandar aguentar
agusto ahorra ajos alas aluno amer amos amuletos anada anado anda andar andes angosto angular anjos anno anses
antesala aora apos aposto april aproxima apunto arido aros arrendar asher atos aver avril balcones bale banos bayer
billetes billion bocho brota buscarla buscarlas buscarlo buscarlos buscarme cabia caen calcular cambiarla cambiarlas
cambiarlo cambiarlos cambiarme cancelado candela canela canelo canos cantes canto castelar cautelar cebo cedo cedro
celo ceno cento centre cepo cera cerco cerdo ceros cerro certo ceso cesta cesto cetro charo chee chen chola cientos
ciernes cierto cinc cine cinico cion circo ciro cisco cloro coal colmo combinar conce conde conducta confiado
confiamos confiemos confieso confirmarlo confiscar conforman conformar conformo congelar conjunta conque constata
consuela consultiva consultora consumia contiene contienen coro correctivo correndo corrente correto corrupto cosmo
cromo cuadro cuales cuarentena cuaresma cuatros cuero cumbia cunado curando curo curto dadle dais danando dando danos
darle deal decirlas decirlo decirme declaro dedos deir dejarlo deles dell della delle delos demandado demandar deme
demi demolicion dentre depara depues desafiado desagues descuentos desculpa desculpas desculpe desolacion desta deste
deteccion detengo detiene detienen devaluacion devastado deviene devocion devoluciones devolverla devolverlo
devolviera devuelta devueltas diaz dicas dice died diego diem diet dieu digas dile dimas diras direccao direcciones
direction directions disculpame discurre discutia diseccion disolucion disolver divas doces dock docs doctoral
doctores dolce dollar dolores dome dominado domingos dominico dominio dominios domino donada donado done donna
dormindo dosel dote doutor dove doze duas eles ellas ello emana emotivo enanos ende enel enla ente entendes enter
entere entero entire entreno entres entro enviarla enviarlo enviarlos enviarme equivocamos equivocando equivocaron
equivoco eros erros eses esfera esos espasa espero espesa esque essa esse estano estela estelas estres evolucion exato
fanta fator favores ferreiro ferrero festa ffaa frota gante gasta genero germana germano gesta gesto gestos gostaria
gosto gracas graciosa graciosas gracioso graficas guitarra habemos haber hablemos habremos haceme hacerla hacerlas
hacerlo hacerlos hacerme hacernos haceros haciamos hacker haja hala haras haremos harta haver haze heras hermandad
hermanita hermanito hernando hice hoja hojas hordas huerfana huerfano idas interessa interina internas jajajja jajja
jueces julho juli julia julie junco junho junin junior juno junto lados lala lalo lame layer lego leste leva lines
llamamos llamaron llegaban llegadas llegados llegaras llegaremos llegarian llegasen lleguemos llenamos llenar llenaron
llevados llevamos llevar llevaran llevaron llevemos lloramos lloraron lodos lola lolo loss luces lugo lunas luzes
madrugar magana mago maio majo major mall malo mamo mana manada mananas manantial mandarla mandarlo mandarlos mandarme
manjar mano manos manto manzanas marana marco mare mareo mares margo mariana mario marko marte martel martos masa maso
mass mates mato maya mayer mayor meal medel mediano medias meia mejia mejico mejillones mejoren mejores mela melo meme
memes mena meninos meno menor mesma mesmo meson mess metes metia mexico meza mide midia miel mies mila miles mill
milla millan millares millas million millions milo milton mima mimi mimo mina mino misa misiones moche mocho
modificarlo mona monito mortes morto moses mosto moto mueve musa muuy nantes necesitado necessario nell nesta neste
neve nidos nieve nodos noel nome nono november novembro novena nueva nuevo obra ochoa ocio odias oeste ogro oira olha
olho olvidados olvidamos olvidando olvidarla olvidarlo olvidaron onde opero oros otero ouro outra outro outros pagar
palta panos parados parar pare paro parque parr parra pasarla pasarlo pasarme pasear pasos passado passar passo pata
pbro pede pedindo pedirla pedirlo pedirme pedos pedro pelos peor pera perdido perdona perdonas perdonen perdones
perimetro peron peros perro persiana persianas person personajes personales peruanas pesar peste petro piero pinto
piquete piquetes pira pisar pisos planta platano pocho poderia podia podian podias podido podran podras podre
podriamos podridas podridos polimero ponce pondria pondrian pondrias ponto poor porciento porno poro porqueria posar
potro potros prata preserva preservar presiona presos primario primeira primeiro primeiros professor professora
projimo proof proprias proto pude pudo pudre pura puro puto qual quando quanto quarto quase quatro quede queen
quehacer queira queme quero querria quienes quincy quiniela quinze quiten rata rato realidades realizada realizado
realizan realizar realized recogerlo recorrer recover recovery refieren reiterar renales rengo respirar resta resto
restos resuelva reta retienen retirarlo retirarme reto retornar revalidar rita rito rivalidad root rosto sabados
sabido sabre sacado sacarla sacarlas sacarlo sacarlos sacarme saciar sacra salado salar salle sanar sanos scar seais
seas secar sees sein semis sentenca september seta sete setembro sets seus sien siente siento site sofre sois solares
solos sones soon soros suis tall tango tarden tardo telefonico templado tene testa teste tienden ties tine tires tongo
tora torno toro toros trace trade traes tras trees treintena trek trem tren tries trinta tris unen unes vagos valle
vasos veamos veintena vemos vencidos vendidos venite vente verdades vertidos vestidos viale vienes viento vimos vine
vinte voss zero
""",
    "pt": """
abracada abracado abri abria abrio abrir abriu acento acerto acos adia adora afora agente agra agravada agravado
aguentar ahora alternar amago amanda amora amos amuletos anao andar andes angular anjos anoes aonde apanha apos aposto
april aproxima aproximo aquando aquem aranha arcar arido aros arrasada arrasado arrasando arrastada arrastado arrendar
artes asas asno assar atos atraindo atrasando atrasaram atrelada atrelado avos avril belleza besta bilbao bilhar
bilhetes biliao bilioes bonde boom borra buscarem calcular calor cancelada cancelado cancelled canceres canela canos
canto caro carreiro cautelar cego censo cent centre centro cents cero cerrada cerrado cerro cesta cetro chamaram
chancela checar chegadas chegarao chegarem chegariam chegavam choraram choras ciego ciento cierto cimo cincuenta
cinico cinzenta circo cisco clase clero cloro coito coletada coletado colmatar comas comem comentar comeste cometa
comme comoda comodo compara completar compor compra comum concreto conde conducta conectar confiada confiado confiamos
confiaram confiava confiram confirmada confiscar confisco conforma conformar conforta confortar conforto congelar
conjunta conserta constata consultada consultado consultiva consultora consumia contem conto cordeiro coreto cornelio
correcta correcto correios corrente correria corretor corretos corrupto corto cosmo credo criticas cromo cual cuando
cuanto cuarenta cuarta cuarto cuatro cuento curto dada dade dado dame dana danada danificaram dano danos dantes ddos
decerto declaro dede dedo deem deixada deixado della demandar demarcacao demi demolicao demorada demoro dende dentre
depara depor deposito descalca descubra descubre desolacao desses desta deste detem detentos deum devolveram dialogo
diana dianteiro diaz dicas diego digas dimas diogo dios disculpa disculpas disser ditas divas diver dize dizerem dobre
doce docs doctor dodo doem does dogs doia dollar dolores dome dominado dominion dominios donde done donna dono dons
doom dope doris dormindo dosis dote doutorado dove dozen dual dudas dumas dunas duos duras eeuu eita ella elle emana
emas emil emos emotivo encomendada encomendado enfiar ente enter entire entorno enviarem equal eros erra errando erros
escurece esfera esperada esperado estada estadia estao esterno estes estrondo etre evolucao exacto exito faber fabril
falha falho fator fazerem fera feria ferra ferrada ferrado ferreiro festa fialho ficha final firma folha freira
gastaria gnome gritaria gustaria herbario hizo hoja hojas hole home honorario honraria honras hope horacio horatio
hordas hortas howe idas ingressa intercessao interesa interessada interessado iram irao irmaos juazeiro julgo julio
junco junio juno junto kiss lago lego leste ligo lleva longo lugo maas macacao macio macro mada made madrugadas mago
maha mail main maior maiz mako malha malhacao malo mana manca mancha manco mandarem manga manhas mania manja mano
manos mansa manta marc marca marcadas marcando marcao marcaram march marchar marcio marcos marcou marcy margo marko
marzo masa mascar mass mato mayo meda mede media medias medio medo melhoras melhorem melhores meme memes memo mena
meno mero mesada mess messe metem metes metia mexia mexico mexilhoes midia milao milha milhar milhares milhas milho
mill millones milos mime mina mino mirada miro misa mises misma mismo miuda moda mode monde mooca morro moses mouro
mudada mudado mudarao mudarem mulder muller muro musa nadia nado name nami namorada namoro nana nanda nano nantes
naomi nave necesario nenhumas nesses nesta neste neve nisso nite noise noites nojenta nojentas nomeia nona none nono
nope norte nose notem noutra noutro noutros nova novel november novena noviembre novo obito obligado obligados
obrigando obrigaram obtem ocde oeste oico oido once onto opor oque orto ostenta ostentar ostra otra otro otros otto
ouro ouros paira panos parada parade parado paramedico parana parecida parecido parem parque parra pasar pasos
passarao passarem passaros passear passo pastar pausar pede pedem pedindo pedirem pedrao pegos peido pelos penido pera
perderia perderiam perdido perdoa perimetro peroxido personas pessimas peste pide pira pisos podemos poderiamos
poderosa podido podres podria pones poor pora porao porcento porno poros porquanto poses potes pouso pozo prada prado
preceito precios preciosa preciosas precioso preciosos premissa preserva preservar presos pressoes prevista previsto
primario primero primeros profesor profesora proof pude pura quadrada quadrado quadro quais quarentena quaresma quatre
quatros quebramos quebrando quebraram quebraria quebro queda quede quedo queer queimada queimado queira quenia quiero
quieta quince quintana quinto quita quiz reativar recorder recorrer regis reis renais reservada reservado resolver
respirar resta reste restou retardar retirarem retornar retuitar revirar revolver rima sabido sabre sacado safado sais
samos sarado seas sede sedenta seem sees seguida seguidas seguindo segundona segurada seia sein seio seios seita senta
sente sentenca sento serenata sesi seta seth seus siete simms site sobrepor socos sodre sofre sois solares solos soou
soros suis sumos tamanha tampinha tarda tardes tarte teca techo teem telecine telephone temas temem temos teres
terrinha testa teste testou ties tinta tires tocar tonho torca tracar trade tras traze trees treinta trek trem treme
tren trens trey tries trilha trilhar trilhas trilho trilhos trina trinca tris trocarem turbilhao turca turminha vagos
vaos vapor vasos veamos veces veinte velho vemos vento ventre vespera veste viadinho viamos vice vices vimos vince
vinde vine vinho vintem viste vitinho voice voices voou votes vozes zelo zeros zinco
""",
    "en": """
abound abril actuality afternoons aground alike alter alvo anand ando annually anon anson aprils archived arco argo
arlo arno aster atone augusta auguste augustin augusto avril beet bight billions blocking blooming boko booing booming
boosting booting border bought breather brooding brook brookings buck bucking bullion butt canceled carcel cero cerro
chancel chang channelled chanted charge charged chave childers cleave cold coll collated comming concealed conform
conforme conforms connected corrected corrente courtier courtiers dayz diferente differing dodo doin dois dolar donne
doon doutor eatin ebook eighties elven emil eros erros evenings factually farr farther fatter fave feather fide fiend
fife file fire fist fiver fives flour footy foray form fort forte forth forts foul fours frome fromm gather gland gott
grad gran grande grands grant greet greta grind grit gusts haas hallo halve hanged hanks hating hazing heave heaving
heel height herr hindered hiss hive hors horus hove ight inbetween indifferent indo insure inthe into iphone isis isto
itty jane jello joon jude judy juke juli julie jung junk juno jure jury jute juve kinds knight lake latte latter leak
lease leek lees leve lick lite live llave locking looming looping loosing loot looting lott ltte luke lute mach mann
manny marc marca marcha marchand marco marcy marr marsh match mather matte mayan mend merch midway milligan milliken
millions millionth millon minn moaning monkey moon mooney moore morey mornings morphing morre moths mounting mourning
mouths naught neat neet neighbours nene neon neuer newer nice nicht nigh nights nike nile nina nines nineties ning
nino nome none nono noonan noone noticing noting notting nougat noun novembro noviembre nunn nutt oder often ofthe
older onside onto otter ought parson parsons pasos paste pats pearson pease pelos pensions perdon perfeita perfeito
persians personals persson pest petersons pierson platte plies ponds pone posible post prefect preservation preserve
presos profesor prone proof psst putt rafter realy round saem seen seep semen sepp septiembre serenity sevens
seventies sever severity severn shame shave shaving sire sitter skids slate smother somme sore sour stable starr
steven stil sufre surry sven tale tank tanks tears teen tendo tenis tenn tento terrance terras terrence thee theon
thinks thirsty thirties thousands threes threw thunk toby toda todas todays todo tomorrows toon torrance toto treason
tree trillions untill util wanton wasnt watt weak weakened weed weeds weeknd weight weighty went wheat whereby wherein
whiff whoo whore wich wick wicks width wien wight wirth within wold wong world wren wring yesterdays zeno zeros
""",
}
