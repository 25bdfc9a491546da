"""How orders to an agent are worded in German and Russian.

As in `order_phrases`: `…` and `‥` are gaps, texts come in lower case and without the accents of Latin letters.
"""

from typing import Final

from firmmem.text.order_phrases import Phrase

_TO = r"[^!?\n]{0,50}(?:https?://|[\w.]+@[\w-]+\.\w)"

_DE_DROP = (
    r"(?:\b(?:ignorier|missacht|umgeh|deaktivier|ubergeh|uberschreib)(?:e|en|t|et)?\b|\bvergiss\b|\bvergesst\b|\bvergessen sie\b|\bverwirf\b|"
    r"\bverwerf(?:e|en|t)\b|\bbeachte(?:n sie)? (?:nicht|keine)\b|\bnicht (?:mehr |langer )*an\b|\b(?:folge|befolge|gehorche)\b‥\bnicht\b|"
    r"\bhore? auf\b|\bsetz(?:e|en)? (?:dich|sie sich) uber\b)"
)
_DE_RULES = r"(?:anweisung\w*|vorgaben?|regeln|anleitungen|richtlinien|befehle|instruktionen|prompts?|\w*beschrankungen|einschrankungen|filter)\b"
GERMAN: Final[tuple[Phrase, ...]] = (
    ("befolgen folgen gehorchen halten", r"\bdu (?:musst|brauchst)\b‥\b(?:keine|nicht)\b‥\b(?:regeln|anweisungen|vorgaben)\b‥\b(?:befolgen|folgen|gehorchen|halten)"),
    (
        "system prompt anweisung",
        (r"\b(?:gib|gebt|zeig|zeige|nenn|nenne|schick|sag|sage)\b (?:mir|uns)\b‥\b(?:dein|deine|deiner|deinen|deines|ihre|ihrer)\b (?:ersten? |ursprunglichen? )?"
        r"(?:system\w*|system-prompt\w*|prompt|anweisung\w*)"),
    ),
    (
        "verschweig verheimlich verbirg",
        r"\b(?:verschweig|verheimlich)e?n?\b‥\b(?:dem|den|der) (?:benutzer|nutzer|anwender|user)|\bverbirg\b‥\bvor (?:dem|den) (?:benutzer|nutzer)",
    ),
    (
        ("anweisung vorgabe regeln anleitungen richtlinien befehle instruktionen prompt schrankung filter beschrank "
        "einschrank sicherheit system"),
        (rf"{_DE_DROP}‥(?:\b(?:vorherig|bisherig|vorig|obig|fruher|vorangegangen|vorhergehend|alle|dein|ihre|samtlich|ursprunglich|"
        rf"system|sicherheit)\w*‥\b{_DE_RULES}|\b(?:sicherheits|system)-?(?:filter|regeln|prompt|anweisung|richtlinien|vorgaben|"
        rf"beschrankungen))"),
    ),
    ("gesagt aufgetragen steht obige vorherige nutzer benutzer", rf"{_DE_DROP}‥(?:\bwas (?:dir|ihnen|du|man)\b‥(?:gesagt|aufgetragen)|\bwas (?:der|die|dein) (?:be)?nutzer|\bwas‥(?:oben|daruber) steht|\balles (?:obige|vorherige))"),
    (
        "prompt anweisung nachricht regeln system",
        (r"\b(?:gib|gebt|geben sie|zeig|zeige|verrat|verrate|wiederhol|wiederhole|nenn|nenne|drucke|offenbare)\b‥"
        r"\b(?:system-? ?(?:prompt|anweisung|nachricht)|dein(?:e|en)? (?:anweisungen|prompt|regeln))"),
    ),
    (
        "passwor kennwor admin root geheimnisse zugangsdaten schlussel",
        r"\b(?:verrat|verrate|nenn|nenne|offenbare|preisgib|gib)\b‥(?:passwor|kennwor|geheimnisse|zugangsdaten|\bschlussel)",
    ),
    (
        "nutzer benutzer anwender user niemand ohne",
        (r"\b(?:sag|sage|sagt|erzahl|erzahle|verrat|verrate|informier|informiere|benachrichtige|teile)\b‥(?:benutzer|nutzer|anwender|user)\w*"
        r"‥\bnicht|\b(?:sag|sage|verrate|erzahle) (?:es )?niemand|\bohne\b (?:den grund|es|dem (?:be)?nutzer|den (?:be)?nutzer)‥"
        r"zu (?:nennen|sagen|informieren|verraten|benachrichtigen)"),
    ),
    (
        "heimlich unbemerkt",
        r"\b(?:heimlich|unbemerkt)\b‥(?:\bweiter|schick|\bsend|kopier|\blad)|\b(?:leite|schick|send|kopier|lad)\w*\b…\b(?:heimlich|unbemerkt)",
    ),
    (
        "dan schrank beschrank einschrank uneingeschrank unzensiert grenzen regeln filter assistent claude",
        (r"\b(?:du bist|bist du|sie sind)\b…(?:\bdan\b|\buneingeschrankt|\bunzensiert|\b(?:nicht mehr|kein) (?:claude|ein assistent|assistent mehr)|\bohne (?:jede )?(?:einschrankung|beschrankung|regeln|grenzen|filter))|"
        r"\b(?:als ob|als hattest|als warst|als hatten|stell dir vor)\b‥\b(?:keine?n?|ohne)\b‥(?:grenzen|regeln|schrankung|filter)"),
    ),
    ("anweisung instruktion befehl systemnachricht", r"\bneue (?:system)?(?:anweisung|anweisungen|instruktionen|befehle) ?:|\bsystemnachricht ?:"),
    (
        "aufgehoben deaktiviert ausgesetzt kraft",
        r"(?:beschrankungen|einschrankungen|sicherheits\w+)\b‥\b(?:sind|wurden|ist)\b‥(?:aufgehoben|deaktiviert|ausgesetzt|ausser kraft)",
    ),
    ("gehorch", r"\bgehorch(?:e|en|t)\b‥\b(?:nur|mir|dieser|diesem|dem|ausschliesslich|allen)\b"),
    ("antwort", r"\b(?:jeder|allen|jede)\b‥antwort‥(?:empfehl|empfiehl|bewirb|bewerb)|\bempf(?:iehl|ehle)\b…jeder antwort"),
    ("erinnerungen", r"\b(?:losch|entfern)(?:e|en|t)\b‥\balle\w*‥erinnerungen"),
    ("rm_-rf", r"\bfuhr(?:e|en)\b‥rm -rf"),
    (
        "dateien passwor schlussel verlauf gesprach chat geheimnisse erinnerungen daten",
        rf"\b(?:schick|send|leit|lad|ubermittl|kopier)\w*[^!?\n]{{0,50}}(?:dateien|passwor|schlussel|verlauf|geheimnisse|erinnerungen|daten\b){_TO}",
    ),
)  # fmt: skip

_RU_DROP = (
    r"(?<!не )(?:\b(?:про)?игнорируй(?:те)?\b|\bзабудь(?:те)?\b|\bотбрось(?:те)?\b|\bотмени(?:те)?\b|\bотключи(?:те)?\b|\bобойди(?:те)?\b|\bнарушь(?:те)?\b|\bпренебреги\b)|"
    r"\bне обращай(?:те)? внимания на\b|\bне (?:следуй|соблюдай|учитывай|слушай)(?:те)?\b|\b(?:перестань|прекрати)(?:те)? (?:следовать|соблюдать|подчиняться)\b"
)
_RU_RULES = r"(?:инструкци\w+|правил\w*|указани\w+|предписани\w+|директив\w*|команд\w*|ограничени\w+|фильтр\w*|промпт\w*|требовани\w+)"
_RU_STANDING = (
    r"\b(?:предыдущ\w+|прежн\w+|ранее|выше\w*|прошл\w+|все\w*|свои\w*|твои\w*|ваши\w*|системн\w+|безопасност\w+|"
    r"пользовател\w+|существующ\w+)"
)
RUSSIAN: Final[tuple[Phrase, ...]] = (
    ("больше_не", r"\bбольше не (?:нужно|надо|обязан\w*|должен|должна)\b‥\b(?:следовать|соблюдать|подчиняться|слушаться)"),
    (
        "системн промпт инструкци",
        r"\b(?:дай|покажи|пришли|скажи|процитируй)(?:те)?\b‥\b(?:свой|свои|свое|твой|твои|твоего|твоих|вашего|ваши)\b‥(?:системн|промпт|инструкци)",
    ),
    ("скрой скрыва утаи", r"\b(?:скрой|скрывай|утаи)(?:те)?\b‥\bот пользовател"),
    ("пользовател никому", r"\bникогда не (?:говори|сообщай|раскрывай|рассказывай|упоминай)(?:те)?\b‥(?:пользовател|никому)"),
    (
        "инструкци правил указани предписани директив команд ограничени фильтр промпт требовани",
        rf"(?:{_RU_DROP})‥(?:{_RU_STANDING}‥\b{_RU_RULES}|\b{_RU_RULES}‥{_RU_STANDING})",
    ),
    ("говор сказал сказано", rf"(?:{_RU_DROP})‥\b(?:что|всё|все)\b‥(?:говор|сказал|сказано)"),
    (
        "системн промпт инструкции",
        (r"\b(?:выведи|покажи|раскрой|повтори|напечатай|сообщи|процитируй|назови|выдай)(?:те)?\b‥(?:системн\w+ (?:промпт|инструкци|сообщени)|"
        r"свои инструкции|\bпромпт)"),
    ),
    ("парол ключ секрет", r"\b(?:раскрой|назови|выдай|сообщи)(?:те)?\b‥\b(?:парол|ключ|секрет)"),
    (
        "пользовател никому почему хозяин об_этом",
        (r"\b(?:ничего не|не) (?:говори|сообщай|рассказывай|упоминай|раскрывай|предупреждай|уведомляй)(?:те|ть)?\b‥"
        r"(?:пользовател|никому|почему|хозяин|об этом)|\bне говорить\b‥(?:почему|пользовател)"),
    ),
    ("тайно незаметно тайком", r"\b(?:тайно|незаметно|тайком)\b‥\b(?:перешли|отправь|скопируй|загрузи|добавь|удали|выполни)"),
    (
        "dan ограничени больше_не правил фильтр лимит",
        (r"\b(?:ты|вы)\b‥(?:\bdan\b|без (?:всяких )?ограничений|больше не (?:ассистент|помощник|claude))|"
        r"\b(?:притворись|представь|веди себя|действуй|отвечай)(?:те)?\b‥\b(?:нет|без|нету)\b‥(?:ограничени|правил|лимит|фильтр)"),
    ),
    ("инструкци указани команд системн", r"\bнов(?:ые|ая|ое) (?:системн\w+ )?(?:инструкци[ия]|указани[ея]|команд[аы]) ?:|\bсистемное сообщение ?:"),
    ("снят отмен отключ", r"\b(?:ограничения|запреты|фильтры)\b‥(?:сняты|отменены|отключены)"),
    (
        "подчин повинуй слушайся следуй",
        r"\b(?:подчиняйся|подчинись|повинуйся|слушайся)\b‥\b(?:этому|только|мне|моим|этим)\b|\bследуй(?:те)? (?:только|лишь) (?:этому|этим)",
    ),
    ("ответ", r"\b(?:каждом|всех)\b‥ответ\w*‥рекоменд|\bрекоменд\w+…каждом ответе"),
    ("воспоминани памят", r"(?<!не )\b(?:удали|сотри|очисти)(?:те)?\b‥\bвс[её]\b‥(?:воспоминани|памят)"),
    ("rm_-rf", r"\bвыполни\w*\b‥rm -rf"),
    (
        "файл парол ключ истори секрет переписк воспоминани данны",
        rf"\b(?:отправь|перешли|вышли|загрузи|передай|скопируй)(?:те)?[^!?\n]{{0,50}}(?:файл|парол|ключ|истори|секрет|переписк|воспоминани|данны)\w*{_TO}",
    ),
)  # fmt: skip
