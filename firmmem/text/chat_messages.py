"""Whether a text is messages of a model's interface: JSON, YAML, XML or the markup of a prompt."""

import re
from typing import Final

from firmmem.patterns import lazy

_ROLES: Final = r"user|assistant|system|tool|function|developer|model|human|ai|bot|gpt|chatgpt"
_QUOTE: Final = r"\\?[\"']?"
_MESSAGE_ROLE = lazy(
    rf"\b(?:role|from|sender|author|speaker){_QUOTE}\s{{0,3}}[:=]\s{{0,3}}{_QUOTE}(?:{_ROLES})\b|"
    rf"\"type\"\s{{0,3}}:\s{{0,3}}\"(?:human|ai)\"",
    re.IGNORECASE,
)
# A schema says what is held ("content": string), a message holds it.
_MESSAGE_BODY = lazy(
    rf"\b(?:content|parts|text|value|message|body|data){_QUOTE}\s{{0,3}}[:=](?!\s{{0,3}}(?:(?:string|str|text|"
    rf"any|array|list)\b|"
    r"[\"']?(?:\.\.\.|…|<\w+>|\{\w+\}|string)[\"']?))",
    re.IGNORECASE,
)
_SPEECH_KEYS = lazy(r"\"(?:speaker|sender|author|from|name)\"\s{0,3}:\s{0,3}\"[^\"]{1,60}\"")
_SIDE_KEYS = lazy(
    r"[\"'](?P<side>user|human|assistant|bot|ai|model|用户|"
    r"助手)[\"']\s{0,3}:\s{0,3}[\"'](?P<said>[^\"']{1,4000})[\"']",
    re.IGNORECASE,
)
_SAID = lazy(r"[?？!！]|\s\S+\s|^(?:hi|hello|hey|thanks|ok|你好|好的)\b|[你您我吗呢]", re.IGNORECASE)
_MARKUP = lazy(
    rf"<\|im_start\|>\s?(?:{_ROLES})\b|<\|(?:{_ROLES})\|>|<\|start_header_id\|>|<start_of_turn>|\[INST\].",
    re.IGNORECASE,
)
_ELEMENT = lazy(
    r"<(?:message|turn|msg|utterance|chat|speech)\b[^>]{0,80}\b(?:role|speaker|from|who|"
    r"name)=[\"']?(?P<who>[\w ]{1,40})",
    re.IGNORECASE,
)
_CALL = lazy(r"<(?:tool_call|tool_use|function_calls?|invoke)\b[^>]{0,200}>", re.IGNORECASE)
_RETURNED = lazy(
    r"<(?:tool_response|tool_result|tool_output|function_results?|observation)\b[^>]{0,200}>", re.IGNORECASE
)


def is_messages(text: str) -> bool:
    """Whether messages with roles, or a tool's call and its result, stand in the text."""
    if _MARKUP.search(text):
        return True
    roles, bodies = len(_MESSAGE_ROLE.findall(text)), len(_MESSAGE_BODY.findall(text))
    if roles and bodies:
        return roles > 1 or text.lstrip().startswith(("{", "["))
    if bodies > 1 and len(_SPEECH_KEYS.findall(text)) > 1 and '"subject"' not in text:
        return True
    if len({found["who"].casefold() for found in _ELEMENT.finditer(text)}) > 1:
        return True
    return _has_side_keys(text) or bool(_CALL.search(text) and _RETURNED.search(text))


def _has_side_keys(text: str) -> bool:
    """Whether both sides are keys whose values are said; a setting's are single words."""
    sides = [(found["side"].casefold(), found["said"]) for found in _SIDE_KEYS.finditer(text)]
    return len({side for side, _ in sides}) > 1 and any(_SAID.search(said) for _, said in sides)
