"""What is not a memory: a text too long, a transcript, a secret; and what reads like an order to an agent."""

import re
from typing import Final

from firmmem.errors import RefusedTextError
from firmmem.patterns import lazy
from firmmem.text.credentials import secret_kind
from firmmem.text.normal_form import as_read, to_one_line
from firmmem.text.transcript import is_transcript

SUMMARY: Final = "send a summary of one or two sentences instead"

READ_CHARACTERS: Final = 20_000
"""How far a text is read for what it says: more than any cap leaves."""

# Orders to an agent, each shape with what it can't do without: most texts are cleared by that, in a tenth of the time.
_ORDERS: Final = (
    (
        (
            r"\b(?:ignore|disregard|forget|override|bypass)\b.{0,30}"
            r"\b(?:previous|prior|above|earlier|existing|your|system|all)\b.{0,20}"
            r"\b(?:instructions?|prompts?|rules|guidelines|directives|directions|programming)\b"
        ),
        "instruction prompt rules guidelines directives directions programming",
    ),
    (
        r"\byou (?:must|shall|have to|are to) (?:always|never)\b|\byou must (?:obey|comply|ignore|not tell)\b",
        "always never obey comply ignore not",
    ),
    (
        r"\b(?:system|developer) (?:prompt|message|instructions?|override)\b|\bnew instructions?:",
        "prompt message instruction override",
    ),
    (
        (
            r"\byou are now (?:in )?"
            r"(?:dan\b|an? (?:ai|assistant|unrestricted|different)|developer mode|jailbroken|unrestricted)"
        ),
        "now",
    ),
    (r"\b(?:do not|don't|never|without) (?:tell|telling|inform|informing|alert|alerting|asking) the user\b", "user"),
    (
        r"\bfrom now on,? (?:you (?:must|will|are|shall|should)|always|never|ignore|respond|answer|reply)\b",
        "now",
    ),
    (
        r"\b(?:reveal|print|leak|output|repeat) (?:your|the) (?:hidden |full )?(?:prompt|instructions|rules)\b",
        "prompt instructions rules",
    ),
    (
        (
            r"\b(?:send|forward|post|upload|exfiltrate|e-?mail)\b.{0,40}"
            r"\b(?:passwords?|api keys?|credentials|secrets|tokens|memories|chat history)\b.{0,20}\bto\b"
        ),
        "password key credentials secrets tokens memories chat",
    ),
    (
        (
            r"(?:忽略|忽視|无视|無視|忘记|忘記|忘掉|不要理会|不要遵守|不再遵守|覆盖|绕过).{0,8}"
            r"(?:之前|先前|以前|以上|上面|前面|前述|所有|一切|全部|你的|系统|系統).{0,8}"
            r"(?:指令|指示|提示|规则|規則|命令|设定|設定|限制|准则)"
        ),
        "指 提示 规则 規則 命令 设定 設定 限制 准则",
    ),
    (r"你(?:必须|必須|务必)(?:总是|始终|永远|一直|无条件|總是|始終|永遠|服从|忽略)|你(?:总是|始终|永远)必须", "必"),
    (r"系统提示词|系統提示詞|系统指令|系統指令|系统消息|新的?指令[：:]", "提示 指令 消息"),
    (r"从现在(?:开始|起)[,，]?\s?(?:你(?:必须|要|是|将|只)|忽略|无视|永远)", "现在"),
    (r"你现在是(?:一个|一名)?.{0,6}(?:AI|助手|模型|DAN)", "现在"),
    (r"(?:不要|别|切勿|不得)(?:告诉|告知|通知)用户|(?:泄露|输出|打印|透露).{0,6}(?:提示词|你的指令)", "用户 提示 指令"),
    (r"<\|?(?:system|im_start)\|?>|\[INST\]|^#{1,4} ?(?:system|instructions?)\b", "< [ #"),
)
_ORDER = tuple((lazy(shape, re.IGNORECASE | re.MULTILINE), needed.split()) for shape, needed in _ORDERS)


def refuse(text: str, *, cap: int) -> None:
    """Let a text pass that can be a memory of at most `cap` characters.

    Raises:
        RefusedTextError: it is too long, holds a secret, or is a transcript; the message says what to send.
    """
    if len(text) > cap:
        message = f"The text has {len(text):,} characters and a memory at most {cap:,}: {SUMMARY}."
        raise RefusedTextError(message)
    if kind := secret_in(text):
        raise RefusedTextError(
            f"The text holds a secret ({kind}), which is not stored: send it without, or where it is kept."
        )
    if is_transcript(text):
        raise RefusedTextError(f"The text is a transcript, and memories are not chat: {SUMMARY}.")


def reads_like_instruction(text: str) -> bool:
    """Whether a text would steer the agent that reads it ("ignore previous instructions …")."""
    read = as_read(text[:READ_CHARACTERS])
    shown = to_one_line(read)  # as recall shows it: what was broken over lines stands together there
    return _orders(read) or (shown != read and _orders(shown))


def _orders(text: str) -> bool:
    folded = _folded(text)
    return any(shape.search(text) for shape, needed in _ORDER if any(word in folded for word in needed))


def _folded(text: str) -> str:
    return text.casefold().replace("ı", "i")  # the letters that IGNORECASE takes for one


def secret_in(text: str) -> str:
    """What kind of secret a text holds, as it is or as it is read, or nothing."""
    return secret_kind(text) or (secret_kind(as_read(text)) if not text.isascii() else "")


def refuse_secrets(*labels: str) -> None:
    """Refuse labels that hold a secret.

    Raises:
        RefusedTextError: One does; the kind is named, not the value.
    """
    kind = next(filter(None, map(secret_in, labels)), "")
    if kind:
        raise RefusedTextError(f"A label looks like a secret ({kind}): name it without.")
