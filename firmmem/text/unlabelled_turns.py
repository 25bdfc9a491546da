"""Whether the lines or sentences of a text are turns of a conversation, though no label says who speaks."""

import re
from itertools import pairwise
from typing import Final

from firmmem.patterns import lazy

LEAST_LINES: Final = 3
LONGEST_LINE: Final = 160  # characters; what is said in a chat is short

_DASH = lazy(r"^[ \t>]*(?:[-–—•*][ \t]*)?[\"“”「»«]?")
_NUMBERED = lazy(r"^[ \t]*\d{1,2}[.)、]")
_ASKS = lazy(
    r"[?？][\"”」»]?\s*$|[吗呢][\"”]?\s*$|(?:か|の)[。]?$|^(?:你|您)?(?:在哪|几点|什么时候|怎么|为什么|谁|多少|"
    r"能不能|要不要|去哪)|"
    r"^(?:what|where|when|who|how|why|can you|could you|do you|did you|are you|is it|will you)\b",
    re.IGNORECASE,
)
_ANSWERS = lazy(
    r"^(?:hi|hey|hello|yes|yeah|yep|yup|no|nope|nah|ok|okay|sure|thanks|thank you|thx|sorry|great|fine|"
    r"of course|not yet|"
    r"got it|no problem|you'?re welcome|bye|cool|done|already|one (?:sec|second|moment)|"
    r"好的?|嗯|行|可以|在的?|没有?|是的|对|谢谢|多谢|不客气|没事|没问题|马上|稍等|还没|收到|"
    r"うん|はい|いいえ|ううん|いや|ええ|もしもし|了解|ありがとう|まだ|そう|"
    r"oui|non|bonjour|salut|merci|d'accord|a la maison|ja|nein|hallo|danke|si|sí|hola|gracias|claro|sim|não|"
    r"obrigad[oa]|"
    r"да|нет|привет|спасибо|хорошо|ладно)(?![\w'])",
    re.IGNORECASE,
)
_SPEAKS = lazy(
    r"\b(?:i|i'm|i've|i'll|me|you|you're|your|let's|let me|we|tu|toi|vous|du|dich|ты|вы|я|tú|você)\b|[你您我咱]|"
    r"[吧啊呀哦啦嘛][。！!]?$|"
    r"(?:よ|ね|です|ます|だよ|した)[。！!]?$|[!！]$|^à la ",
    re.IGNORECASE,
)
_REPORT = lazy(
    r"(?:^|[.!?;,\"”。！？；，\s])(?P<name>[A-Z][a-z'’-]{1,20}|[Hh]e|[Ss]he|[Uu]ser|[Aa]ssistant|[Bb]ot|[Tt]hey|"
    r"[Tt]he (?:user|assistant|bot))"
    r" (?:\w+ly )?(?:said|says|asked|asks|replied|replies|answered|answers|responded|wrote|"
    r"goes)[:,]? ?(?=[:\"“]|[^.!?\n]{0,200}[.!?\"”])|"
    r"[\"”],? (?:said|asked|replied|answered) (?P<after>[A-Z][a-z'’-]{1,20})|"
    r"(?P<name_zh>[\u4e00-\u9fff]{1,4}?)(?:说|问|答|回答|回复|道)[：:，,]?[“\"「]?(?=.)"
)
_SPOKEN_REPORT = lazy(
    r"(?:said|says|asked|replied|answered|wrote|goes|responded)[:,]? ?[\"“:]|[\"”],? (?:said|asked|replied|"
    r"answered) |[说问答复道][：:][“\"「]?|: "
)
LEAST_REPORTS: Final = 3
_QUOTE_LINE = lazy(
    r"^[ \t]*(?P<name>[\w\u3040-\u30ff\u4e00-\u9fff]{1,12})[「『](?P<said>[^」』\n]{1,200})[」』][ \t]*$", re.MULTILINE
)


def is_unlabelled(text: str) -> bool:
    """Whether lines answer one another, or a story quotes one speaker after the other."""
    return _is_told_turn_by_turn(text) or ("\n" in text and (_are_quoted(text) or _answer_one_another(text)))


def _answer_one_another(text: str) -> bool:
    """Whether most lines are spoken, and at least one asks and another answers."""
    if _are_dialogue_dashes(text):
        return True
    lines = [_DASH.sub("", line).strip(' \t"“”「」«»') for line in text.splitlines() if line.strip()]
    if len(lines) < LEAST_LINES or any(map(_NUMBERED.match, lines)) or max(map(len, lines)) > LONGEST_LINE:
        return False
    asking = [_ASKS.search(line) is not None for line in lines]
    answering = [_ANSWERS.match(line) is not None for line in lines]
    speaking = [_SPEAKS.search(line) is not None for line in lines]
    spoken = sum(map(any, zip(asking, answering, speaking, strict=True)))
    answered = any(ask and not next_ask for ask, next_ask in pairwise(asking))
    return answered and any(answering) and not all(asking) and spoken / len(lines) > 0.6


def _are_dialogue_dashes(text: str) -> bool:
    """Whether every line begins with a long dash, as novels and subtitles write speech, and one asks."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return (
        len(lines) >= LEAST_LINES
        and all(line.startswith(("—", "–")) for line in lines)
        and any(_ASKS.search(line) for line in lines)
    )


def _are_quoted(text: str) -> bool:
    turns = [(found["name"], found["said"]) for found in _QUOTE_LINE.finditer(text)]
    return len({name for name, _ in turns}) > 1 and (len(turns) > 2 or any(_ASKS.search(said) for _, said in turns))


def _is_told_turn_by_turn(text: str) -> bool:
    reports = list(_REPORT.finditer(text))
    names = {(found["name"] or found["after"] or found["name_zh"]).casefold() for found in reports}
    spoken = len(_SPOKEN_REPORT.findall(text))
    return len(reports) >= LEAST_REPORTS and len(names) > 1 and spoken >= LEAST_REPORTS
