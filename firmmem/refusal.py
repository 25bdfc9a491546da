"""What is not a memory: a text too long, a transcript, a secret; and what reads like an order to an agent."""

import re
from typing import Final

from firmmem.errors import RefusedTextError
from firmmem.transcript import is_transcript

SUMMARY: Final = "send a summary of one or two sentences instead"

READ_CHARACTERS: Final = 20_000
"""How far a text is read for what it says: more than any cap leaves."""

_SECRETS: Final = {
    "AWS access key": r"(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])",
    "AWS secret key": r"(?i:aws_?secret_?access_?key)['\"]?\s{0,3}[:=]\s{0,3}['\"]?[A-Za-z0-9/+]{40}",
    "Alibaba Cloud access key": r"LTAI[A-Za-z0-9]{16,24}(?![A-Za-z0-9])",
    "Tencent Cloud access key": r"AKID[A-Za-z0-9]{32}(?![A-Za-z0-9])",
    "Anthropic key": r"sk-ant-[\w-]{16,}",
    "OpenRouter key": r"sk-or-[\w-]{16,}",
    "OpenAI key": r"sk-(?:(?:proj|svcacct|admin|None)-[\w-]{16,}|[A-Za-z0-9]{20,}(?![\w-]))",
    "Groq key": r"gsk_[A-Za-z0-9]{32,}",
    "xAI key": r"xai-[A-Za-z0-9]{32,}",
    "Hugging Face token": r"hf_[A-Za-z0-9]{30,}",
    "GitHub token": r"(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_\w{22,})",
    "GitLab token": r"gl(?:pat|dt|rt|cbt)-[\w-]{20,}",
    "npm token": r"npm_[A-Za-z0-9]{36}",
    "PyPI token": r"pypi-AgE[\w-]{16,}",
    "Slack token": r"(?:xox[abeoprs]-[\w-]{10,}|xapp-\d-[\w-]{10,})",
    "Slack webhook": r"hooks\.slack\.com/services/T\w{6,}/B\w{6,}/\w{16,}",
    "Discord webhook": r"discord(?:app)?\.com/api/webhooks/\d{15,}/[\w-]{30,}",
    "Telegram bot token": r"(?:bot)?\d{8,10}:AA[\w-]{32,}",
    "Stripe key": r"(?:[sr]k_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9+/]{24,})",
    "Google API key": r"AIza[\w-]{35}",
    "Google OAuth secret": r"(?:GOCSPX-[\w-]{20,}|ya29\.[\w-]{20,})",
    "Azure storage key": r"AccountKey=[A-Za-z0-9+/]{80,}",
    "DigitalOcean token": r"do[opr]_v1_[a-f0-9]{60,}",
    "SendGrid key": r"SG\.[\w-]{16,32}\.[\w-]{32,}",
    "Twilio key": r"SK[a-f0-9]{32}(?![A-Za-z0-9])",
    "Shopify token": r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}",
    "Databricks token": r"dapi[a-f0-9]{32}",
    "HashiCorp Vault token": r"hvs\.[\w-]{24,}",
    "Notion token": r"(?:ntn_|secret_)[A-Za-z0-9]{40,}",
    "Linear key": r"lin_api_[A-Za-z0-9]{32,}",
    "age secret key": r"AGE-SECRET-KEY-1[A-Z0-9]{40,}",
    "JSON Web Token": r"eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}",
    "bearer token": r"[Bb]earer\s{1,3}(?=[A-Za-z_.~+/=-]{0,60}\d)[\w.~+/=-]{24,}",
    "private key": r"-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----",
}
_KINDS = tuple(_SECRETS)
# Each shape starts where a word does, so that a long run of one character is read once.
_SECRET = re.compile(r"(?<![A-Za-z0-9])(?:" + "|".join(f"({shape})" for shape in _SECRETS.values()) + ")", re.ASCII)
_URL_PASSWORD = re.compile(r"://[^\s:/@]{0,100}:(?![<$*{%\[]|x{3,}|\.{3})[^\s/@]{1,200}@[\w\[]", re.ASCII)

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
_ORDER = tuple((re.compile(shape, re.IGNORECASE | re.MULTILINE), needed.split()) for shape, needed in _ORDERS)


def refuse(text: str, *, cap: int) -> None:
    """Let a text pass that can be a memory of at most `cap` characters.

    Raises:
        RefusedTextError: it is too long, holds a secret, or is a transcript; the message says what to send.
    """
    if len(text) > cap:
        message = f"The text has {len(text):,} characters and a memory at most {cap:,}: {SUMMARY}."
        raise RefusedTextError(message)
    if kind := secret_kind(text):
        raise RefusedTextError(
            f"The text holds a secret ({kind}), which is not stored: send it without, or where it is kept."
        )
    if is_transcript(text):
        raise RefusedTextError(f"The text is a transcript, and memories are not chat: {SUMMARY}.")


def reads_like_instruction(text: str) -> bool:
    """Whether a text would steer the agent that reads it ("ignore previous instructions …")."""
    read = text[:READ_CHARACTERS]
    folded = _folded(read)
    return any(shape.search(read) for shape, needed in _ORDER if any(word in folded for word in needed))


def _folded(text: str) -> str:
    return text.casefold().replace("ı", "i")  # the letters that IGNORECASE takes for one


def refuse_secrets(*labels: str) -> None:
    """Refuse labels that hold a secret.

    Raises:
        RefusedTextError: One does; the kind is named, not the value.
    """
    kind = next(filter(None, map(secret_kind, labels)), "")
    if kind:
        raise RefusedTextError(f"A label looks like a secret ({kind}): name it without.")


def secret_kind(text: str) -> str:
    """What kind of key or token of a well-known shape is in the text, or nothing."""
    if found := _SECRET.search(text):
        return _KINDS[(found.lastindex or 1) - 1]
    return "password in a URL" if _URL_PASSWORD.search(text) else ""
