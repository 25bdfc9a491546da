"""Whether the lines or sentences of a text are turns of a conversation, though no label says who speaks."""

import re
from itertools import pairwise
from typing import Final

from firmmem.patterns import lazy

LEAST_LINES: Final = 3
SHORT_LINE: Final = 60
LONGEST_LINE: Final = 160  # characters; what is said in a chat is short

_DASH = lazy(r"^[ \t>]*(?:[-–—•*][ \t]*)?[\"“”「»«]?")
_LABELLED = lazy(r"[^\W\d][\w .-]{0,24}[:：]")
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
    r"got it|no problem|morning|good (?:morning|evening|night)|not (?:really|sure|bad|much|today)|maybe|"
    r"i (?:think|guess|don't)|"
    r"you'?re welcome|bye|cool|done|already|one (?:sec|second|moment)|"
    r"好的?|嗯|行|可以|在的?|没有?|是的|对|谢谢|多谢|不客气|没事|没问题|马上|稍等|还没|收到|\S{1,3}了$|"
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
    r"[\"”],? (?P<inverted>he|she|they|[A-Z][a-z'’-]{1,20}) (?:said|asked|replied|answered)\b|"
    r"(?P<name_zh>[\u4e00-\u9fff]{1,4}?)(?:说|问|答|回答|回复|道)[：:，,]?[“\"「]?(?=.)"
)
_SPOKEN_REPORT = lazy(
    r"(?:said|says|asked|replied|answered|wrote|goes|responded)[:,]? ?[\"“:]|"
    r"[\"”],? (?:(?:he|she|they|[A-Z][a-z'’-]{1,20}) )?(?:said|asked|replied|answered)\b|[说问答复道][：:][“\"「]?|: "
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
    if _are_dialogue_dashes(text) or _are_hyphens(text):
        return True
    lines = [_DASH.sub("", line).strip(' \t"“”「」«»') for line in text.splitlines() if line.strip()]
    if len(lines) < LEAST_LINES or any(map(_NUMBERED.match, lines)) or max(map(len, lines)) > LONGEST_LINE:
        return False
    if sum(_LABELLED.match(line) is not None for line in lines) * 2 > len(lines):
        return False  # fields of a note, or speakers, which are judged elsewhere
    asking = [_ASKS.search(line) is not None for line in lines]
    answering = [_ANSWERS.match(line) is not None for line in lines]
    turns = pairwise(zip(asking, answering, strict=True))
    speaking = [_SPEAKS.search(line) is not None for line in lines]
    spoken = sum(map(any, zip(asking, answering, speaking, strict=True)))
    answered = any(ask and (not then_asks or answers) for (ask, _), (then_asks, answers) in turns)
    return answered and any(answering) and spoken / len(lines) > 0.6


def _are_dialogue_dashes(text: str) -> bool:
    """Whether every line begins with a long dash, as novels and subtitles write speech, and one asks."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return (
        len(lines) >= LEAST_LINES
        and all(line.startswith(("—", "–")) for line in lines)
        and any(_ASKS.search(line) for line in lines)
    )


def _are_hyphens(text: str) -> bool:
    """Whether short lines with hyphens ask, answer and ask again: a list of questions answers none."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if len(lines) < LEAST_LINES or not all(line.startswith("- ") and len(line) < SHORT_LINE for line in lines):
        return False
    asking = [line.endswith(("?", "？")) for line in lines]
    return asking[0] and sum(asking) > 1 and not all(asking)


def is_answered(said: str, then: str) -> bool:
    """Whether what is said asks, and what is said then begins like an answer."""
    return said.rstrip().endswith(("?", "？")) and _ANSWERS.match(then) is not None


def _are_quoted(text: str) -> bool:
    turns = [(found["name"], found["said"]) for found in _QUOTE_LINE.finditer(text)]
    return len({name for name, _ in turns}) > 1 and (len(turns) > 2 or any(_ASKS.search(said) for _, said in turns))


def _is_told_turn_by_turn(text: str) -> bool:
    reports = list(_REPORT.finditer(text))
    names = {(found["name"] or found["after"] or found["inverted"] or found["name_zh"]).casefold() for found in reports}
    spoken = len(_SPOKEN_REPORT.findall(text))
    return len(reports) >= LEAST_REPORTS and len(names) > 1 and spoken >= LEAST_REPORTS
