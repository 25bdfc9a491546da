"""Which texts read like who the user is or like a rule: these wait for a person as proposals, nothing becomes core.

The rules are words at certain places, in English and Chinese. They are stated in docs/import.md.
"""

import re

IDENTITY = re.compile(
    r"""
    \b(?:my|(?:the\ )?user(?:'s|’s)?)\ (?:full\ |first\ |last\ )?
        (?:name|birthday|pronouns|time\ ?zone|native\ language)\b
    | ^(?:i\ am|i'm|i’m|(?:the\ )?user\ is)\ (?:called|named|an?|allergic|vegetarian|vegan|married|from|based)\b
    | \b(?:i|user|she|he|they)\ (?:lives?|was\ born|grew\ up|works?\ (?:as|at|for))\b | \bis\ allergic\ to\b
    | ^(?:lives?|born|based)\ in\b | ^works?\ (?:as|at|for)\b | ^speaks?\b
    | ^(?:is\ )?(?:allergic|called|named)\b | ^name[:：]
    | 我叫 | 我是(?!否|不是)
    | (?:我|用户)的?(?:名字|姓名|生日|时区|母语|职业) | (?:我|用户)(?:叫|姓|住在|来自|出生) | 过敏
    """,
    re.IGNORECASE | re.VERBOSE,
)
RULE = re.compile(
    r"""
    ^(?:please\ )?(?:always|never|do\ not|don't|don’t|must|from\ now\ on|make\ sure|be\ sure|remember\ to|avoid)\b
    | \b(?:you|assistant|agent|claude|hermes)\ (?:must|should|may)(?:\ not)?\b
    | \b(?:i|user)\ wants?\ (?:you|the\ (?:agent|assistant))\b
    | \b(?:always|never)\ (?:answer|reply|respond|use|ask|commit|push|delete|run|write)\b
    | ^(?:请|请你)?
        (?:不要|别|禁止|切勿|务必|必须|一律|总是|永远|始终|每次都?|以后都?|从现在起|记得)
    | (?:回答|回复).{0,4}(?:必须|一律|总是|要用)
    """,
    re.IGNORECASE | re.VERBOSE,
)


def waits_for_person(text: str) -> bool:
    """Return whether a text reads like identity or a rule."""
    return bool(IDENTITY.search(text.strip()) or RULE.search(text.strip()))
