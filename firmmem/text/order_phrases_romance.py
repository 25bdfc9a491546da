"""How orders to an agent are worded in French, Spanish and Portuguese.

As in `order_phrases`: `…` and `‥` are gaps, texts come in lower case and without the accents of Latin letters.
"""

from typing import Final

from firmmem.text.order_phrases import Phrase

_TO = r"[^!?\n]{0,50}(?:https?://|[\w.]+@[\w-]+\.\w)"

_FR_DROP = (
    r"(?<!n')(?:\bignor(?:e|ez|er|ons)\b|\boubli(?:e|ez|er)\b|\bne (?:tiens|tenez|tenir)(?: plus| pas| aucun| aucunement)*"
    r" compte\b|\bfai(?:s|tes|re) (?:abstraction|fi)\b|\b(?:contourn|neglig|abandonn|meprise|outrepass|desactiv)(?:e|ez|er)\b|"
    r"\b(?:cess|arret)(?:e|ez) de (?:suivre|respecter|obeir)\b|\bne (?:suis|suivez|respecte|respectez) (?:plus|pas)\b|"
    r"\bpasse(?:z|r)? outre\b)"
)
_FR_RULES = r"(?:instructions?|consignes?|regles?|directives?|ordres?|prompts?|restrictions?|limites?|filtres?|garde-fous|programmation)\b"
_FR_STANDING = (
    r"\b(?:precedent\w*|anterieur\w*|ci-dessus|ci-avant|prealables?|initia\w+|toutes?|tous|tes|vos|ton|votre|systeme|"
    r"securite|utilisateur|existant\w*)\b"
)
FRENCH: Final[tuple[Phrase, ...]] = (
    ("suivre respecter obeir", r"\b(?:tu n'as plus|vous n'avez plus|tu ne dois plus|vous ne devez plus)\b‥\b(?:suivre|respecter|obeir)"),
    (
        "prompt message instruction consigne",
        (r"\b(?:donne|montre|envoie|dis|cite|ecris)(?:z|-moi|-nous|s)*\b‥\b(?:ton|ta|tes|votre|vos)\b (?:premiere?s? )?(?:prompt|(?:message|instructions?|"
        r"consignes?) (?:de |du )?(?:systeme|initial\w*|cachees?))"),
    ),
    (
        "cache dissimule",
        r"\b(?:cache|cachez|dissimule|dissimulez)\b (?:ceci|cela|ce|cette|le|la|les|tout)\b‥(?:utilisateur)",
    ),
    (
        "instruction consigne regle directive ordre prompt restriction limite filtre garde-fous programmation",
        rf"{_FR_DROP}‥(?:{_FR_STANDING}‥\b{_FR_RULES}|\b{_FR_RULES}‥{_FR_STANDING})",
    ),
    ("ce_qu", rf"{_FR_DROP}‥\b(?:tout )?ce qu(?:i precede|e|'on|i)\b‥(?:dit|dite|ecrit|demande|precede|dessus)?"),
    (
        "prompt invite message instruction consigne",
        (r"\b(?:affich|revel|montr|repet|divulgu|imprim|donn|devoil)(?:e|ez|er|es)\b‥\b(?:(?:prompt|invite|message)‥\b(?:systeme|cache)|"
        r"(?:ton|votre) (?:prompt|invite)|(?:instructions?|consignes?) (?:systeme|cachees?|initiales?))"),
    ),
    (
        "passe api secret identifiant",
        r"\b(?:revel|divulgu|donn|devoil|communiqu)(?:e|ez)\b‥\b(?:mots? de passe|cles? api|secrets|identifiants)",
    ),
    (
        "utilisateur personne pourquoi quiconque",
        (r"\b(?:ne (?:le |lui )?(?:dis|dites|previens|prevenez|informe|informez|parle|parlez|revele|revelez)(?: pas| rien| jamais)+|"
        r"sans (?:le |jamais )?(?:dire|prevenir|informer|avertir|reveler))\b‥(?:utilisateur|a personne|pourquoi|quiconque)"),
    ),
    (
        "secret discretement",
        (r"\b(?:transmet|envoi|envoy|transfer|copi|telecharg|ajout)\w*…(?:en secret|secretement|discretement)|"
        r"\b(?:secretement|discretement|en secret)\b‥\b(?:transmet|envoi|envoy|transfer|copi|telecharg|ajout)"),
    ),
    (
        "dan restriction limite regle filtre plus_",
        (r"\b(?:tu es|vous etes|tu seras)\b‥(?:\bdan\b|\bsans (?:aucune? )?(?:restriction|limite|filtre|regle))|"
        r"\b(?:tu n'es|vous n'etes) plus (?:un |une )?(?:assistant|claude|chatgpt|ia\b)|\b(?:comme si|pretends|pretendez|imagine)\b‥\b(?:aucune?|pas de|sans)\b‥(?:limite|restriction|regle|filtre)"),
    ),
    ("instruction consigne directive systeme", r"\bnouvelles? (?:instructions?|consignes?|directives?)(?: systeme)? ?:|\bmessage (?:du )?systeme ?:"),
    ("levee desactiv supprim", r"\b(?:restrictions?|filtres?|limites?)\b‥\b(?:sont|est|ont ete)\b‥(?:levees?|desactiv|supprim)"),
    ("obei suis_que suivez_que", r"\bobei(?:s|t|ssez|r)\b‥(?:\ba tout\b|\ba ce\b|\ba moi\b|uniquement|seulement|\bmessage|\bsans\b)|\bne (?:suis|suivez) que\b"),
    ("reponse", r"\brecommande?(?:r|z)?\b…\b(?:chaque|toutes)\b‥reponse"),
    ("souvenir memoire", r"\b(?:supprim|effac)(?:e|ez|er)\b‥\b(?:tous|toutes)\b‥(?:souvenir|memoire)"),
    ("rm_-rf joint", r"\bexecut(?:e|ez|er)\b‥(?:rm -rf|script (?:ci-)?joint)"),
    (
        "fichier passe cles historique secret souvenir donnees",
        rf"\b(?:envoi|envoy|transmet|transfer)\w*[^!?\n]{{0,50}}(?:fichiers|mots? de passe|cles|historique|secrets|souvenirs|donnees){_TO}",
    ),
)  # fmt: skip

_ES_DROP = (
    r"(?<!no )(?:\bignor(?:a|e|ad|en|ar)\b|\bolvid(?:a|e|ad|en|ate|ese)\b|\b(?:descart|desestim|anul|sobrescrib|desactiv)(?:a|e|ad|en)\b|"
    r"\b(?:haz|haga|hagan|haced) caso omiso\b|\bsalta(?:te|r)?\b|\b(?:evad|elud|omit)(?:e|a|an)\b|\bdej(?:a|e|en) de (?:seguir|respetar|obedecer)\b)|"
    r"\bno (?:tengas?|tengan) en cuenta\b|\bno (?:sigas?|obedezcas?|respetes?)\b|\bno hagas? caso\b"
)
_ES_RULES = r"(?:instrucci(?:on|ones)|reglas|normas|directrices|ordenes|indicaciones|restricciones|limites|filtros|prompts?|politicas)\b"
_ES_STANDING = (
    r"\b(?:anterior(?:es)?|previ[oa]s?|precedentes?|de arriba|iniciales|todas?|todos|tus?|sus?|vuestras|del sistema|"
    r"de seguridad|del usuario)\b"
)
SPANISH: Final[tuple[Phrase, ...]] = (
    ("seguir respetar obedecer", r"\bya no (?:tienes|necesitas|debes)\b‥\b(?:seguir|respetar|obedecer)"),
    (
        "mensaje prompt instrucciones",
        r"\b(?:dame|dime|muestrame|ensename|enviame|escribe)\b‥\b(?:tu|tus|su)\b (?:primer\w* )?(?:mensaje de sistema|prompt|instrucciones)",
    ),
    ("ocult escond", r"\b(?:oculta|ocultale|oculte|esconde|esconda)\b‥\b(?:al|del) usuario"),
    ("usuario nadie", r"\b(?:no|nunca)\b (?:se lo |le )?(?:reveles?|digas?|cuentes?|menciones?)(?: nunca| jamas)?\b‥(?:al usuario|a nadie)"),
    (
        "instrucci reglas normas directrices ordenes indicaciones restricciones limites filtros prompt politicas",
        rf"(?:{_ES_DROP})‥(?:{_ES_STANDING}‥\b{_ES_RULES}|\b{_ES_RULES}‥{_ES_STANDING})",
    ),
    ("lo_anterior lo_que lo_de_arriba", rf"(?:{_ES_DROP})‥\b(?:todo )?lo (?:anterior|de arriba|que\b‥(?:dij|dich|dig|dic|pid|orden))"),
    (
        "prompt mensaje instrucciones",
        r"\b(?:muestr|revel|repit|imprim|ensen|divulg|escrib)\w*\b‥\b(?:prompt|mensaje (?:del|de) sistema|instrucciones (?:ocultas|del sistema)|tus instrucciones)",
    ),
    ("contrasena claves secretos credenciales", r"\b(?:revela|revele|dime|dame|divulga|divulgue)\b‥\b(?:contrasenas?|claves|secretos|credenciales)"),
    (
        "usuario nadie por_que",
        (r"\bno (?:le |se lo )?(?:digas?|avises?|informes?|cuentes?|menciones?|reveles?)\b‥(?:al usuario|a nadie)|"
        r"\bsin (?:decir|avisar|informar|revelar|explicar)\w*\b‥(?:al usuario|por que|a nadie)"),
    ),
    (
        "en_secreto disimulo",
        r"\b(?:reenvi|envi|copi|sub|transmit|anad)\w*\b…\ben secreto|\b(?:en secreto|con disimulo)\b‥\b(?:reenvi|envi|copi|sub|anad)",
    ),
    (
        "dan restriccion limite regla filtro no_eres",
        (r"\bya no eres (?:un |una )?(?:asistente|claude|chatgpt|ia\b)|\b(?:eres|seras|ahora eres)\b‥(?:\bdan\b|\bsin (?:ninguna )?(?:restriccion|limite|filtro|regla))|"
        r"\b(?:finge|finja|actua|actue|comportate|imagina|responde)\b‥\b(?:no tienes|no tuvieras|sin|no hay)\b‥(?:limites|restricciones|reglas|filtros)"),
    ),
    ("instrucci ordenes directrices sistema", r"\bnuevas? (?:instrucci(?:on|ones)|ordenes|directrices)(?: del sistema)? ?:|\bmensaje del sistema ?:"),
    (
        "restricciones filtros politicas limites",
        (r"\b(?:anulad|suspendid|levantad|desactivad|eliminad)[oa]s\b‥\b(?:restricciones|filtros|politicas|limites)|"
        r"\b(?:restricciones|filtros|politicas|limites)\b‥\b(?:anulad|suspendid|levantad|desactivad|eliminad)[oa]s\b"),
    ),
    ("obede obedezca sigue sig_ siga", r"\b(?:obedece|obedezca)\w*\b‥\b(?:este|esta|solo|mi|mis|al)\b|\bsig(?:ue|a) (?:solo|unicamente)\b"),
    ("respuesta", r"\b(?:recomend|recomiend|promocion)\w*\b…\b(?:cada|todas (?:tus|las|sus)) respuesta"),
    ("recuerdos memorias", r"\b(?:borr|elimin)(?:a|e|ar|ad)\b‥\btod[oa]s\b‥(?:recuerdos|memorias)"),
    ("rm_-rf", r"\bejecut\w*\b‥rm -rf"),
    (
        "archivos contrasena claves historial secretos recuerdos datos",
        rf"\b(?:envi|reenvi|mand|sub|transmit)\w*[^!?\n]{{0,50}}(?:archivos|contrasenas?|claves|historial|secretos|recuerdos|datos){_TO}",
    ),
)  # fmt: skip

_PT_DROP = (
    r"(?<!nao )(?<!nao se )(?:\bignor(?:e|a|em|ar)\b|\besque(?:ca|ce|cam)\b|\b(?:desconsidere|descarte|contorne|burle|desobedeca|anule|desative)m?\b|"
    r"\b(?:pare|deixe)m? de (?:seguir|obedecer|respeitar)\b|\bpasse por cima\b)|\bnao (?:siga|obedeca|respeite|leve em conta)\b"
)
_PT_RULES = r"(?:instruc(?:ao|oes)|regras|diretrizes|ordens|comandos|restric(?:ao|oes)|limites|filtros|prompts?|politicas|orientacoes|normas)\b"
_PT_STANDING = (
    r"\b(?:anterior(?:es)?|previas?|acima|precedentes|iniciais|todas?|todos|suas?|seus?|tuas|do sistema|de seguranca|"
    r"do utilizador|do usuario)\b"
)
PORTUGUESE: Final[tuple[Phrase, ...]] = (
    ("seguir respeitar obedecer", r"\b(?:nao precisa mais|ja nao precisa|nao tem mais)\b‥\b(?:seguir|respeitar|obedecer)"),
    (
        "mensagem prompt instrucoes",
        r"\b(?:de-me|me de|diga-me|mostre-me|envie-me|escreva)\b‥\b(?:seu|sua|suas|teu|tua|tuas)\b (?:primeir\w* )?(?:mensagem de sistema|prompt|instrucoes)",
    ),
    ("ocult escond", r"\b(?:oculte|oculta|esconda|esconde)\b‥\b(?:do|ao) (?:usuario|utilizador)"),
    ("usuario utilizador ninguem", r"\b(?:nunca|jamais)\b (?:diga|conte|revele|mencione)\b‥(?:ao usuario|ao utilizador|a ninguem)"),
    (
        "instruc regras diretrizes ordens comandos restric limites filtros prompt politicas orientacoes normas",
        rf"(?:{_PT_DROP})‥(?:{_PT_STANDING}‥\b{_PT_RULES}|\b{_PT_RULES}‥{_PT_STANDING})",
    ),
    ("o_que tudo", rf"(?:{_PT_DROP})‥\b(?:o que\b‥(?:acima|disse|dito|diz|diga)|tudo (?:acima|que|o que))"),
    (
        "prompt mensagem instrucoes",
        r"\b(?:mostr|revel|repit|repet|exib|imprim|divulg)\w*\b‥\b(?:prompt|mensagem (?:de|do) sistema|instrucoes (?:ocultas|do sistema)|suas instrucoes)",
    ),
    ("senha chaves segredos credenciais", r"\b(?:revele|diga|divulgue|informe|entregue)\b‥\b(?:senhas?|chaves|segredos|credenciais)"),
    (
        "usuario utilizador ninguem por_que motivo",
        (r"\bnao (?:diga|conte|avise|informe|mencione|revele)\b‥(?:ao usuario|ao utilizador|o usuario|a ninguem)|"
        r"\bsem (?:dizer|avisar|informar|revelar|contar|explicar)\b‥(?:usuario|utilizador|por que|ninguem|motivo)"),
    ),
    ("em_segredo secretamente", r"\b(?:envi|encaminh|mand|copi|transmit)\w*\b…\bem segredo|\b(?:em segredo|secretamente)\b‥\b(?:envi|encaminh|mand|copi)"),
    (
        "dan restric limite regra filtro nao_e_mais",
        (r"\bvoce nao e mais (?:um |uma )?(?:assistente|claude|chatgpt|ia\b)|\b(?:voce e|voce sera|tu es|es agora)\b‥(?:\bdan\b|\bsem (?:nenhuma )?(?:restric|limite|filtro|regra))|"
        r"\b(?:finja|aja|comporte-se|imagine|responda)\b‥\b(?:nao tem|nao tivesse|sem|nao ha)\b‥(?:limites|restricoes|regras|filtros)"),
    ),
    ("instruc ordens diretrizes sistema", r"\bnovas? (?:instruc(?:ao|oes)|ordens|diretrizes)(?: do sistema)? ?:|\bmensagem do sistema ?:"),
    ("restricoes filtros politicas", r"\b(?:restricoes|filtros|politicas)\b‥\b(?:suspens|removid|anulad|levantad|desativad|revogad)[oa]s\b"),
    ("obedeca siga", r"\bobedeca\b‥\b(?:a esta|a este|apenas|somente|a mim|ao)\b|\bsiga (?:apenas|somente)\b‥\b(?:este|esta|isto)\b"),
    ("resposta", r"\brecomend\w*\b…\b(?:cada|todas as(?: suas)?) resposta"),
    ("memorias lembrancas", r"\b(?:apag|exclu|delet|remov)\w*\b‥\btod[oa]s\b‥(?:memorias|lembrancas)"),
    ("rm_-rf", r"\bexecut\w*\b‥rm -rf"),
    (
        "arquivos ficheiros senha chaves historico segredos memorias dados",
        rf"\b(?:envi|encaminh|mand|transmit|carregu)\w*[^!?\n]{{0,50}}(?:arquivos|ficheiros|senhas?|chaves|historico|segredos|memorias|dados){_TO}",
    ),
)  # fmt: skip
