"""What a user asks to remember in a prompt, kept once: as a draft, or as a proposal where it is a rule or who they are.

Only the user's own words count: quoted and pasted parts, code and markup of any kind are left out, and so is whatever
the agent was given from memory, so that nothing feeds itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING

from firmmem.contract import Author, NewMemory, Tier
from firmmem.errors import InvalidTextError, RefusedTextError
from firmmem.memory.rows.sessions import enter_session
from firmmem.patterns import lazy
from firmmem.store.statements import Connection, fetch, transaction
from firmmem.text.normal_form import clean_text, normal_form, to_one_line

if TYPE_CHECKING:
    from firmmem.hook.handle import Caller
    from firmmem.settings import Settings

SAID = "said by the user"  # the tag of what is kept
LONGEST = 400  # characters of a sentence that is kept: a longer one was pasted
FEWEST = 3  # characters of what is to be remembered
MOST = 3  # sentences of one prompt
LONG_LINE = 600  # characters of a line that nobody types

_NOT_SAID = lazy(  # code, markup, quotations, pasted blocks
    r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|<([A-Za-z][\w-]*)\b[^>]*>.*?(?:</\1>|\Z)|<[^>]*>|`[^`\n]*`"
    r"|“[^”]*”|「[^」]*」|『[^』]*』|«[^»]*»|\"[^\"\n]{12,}\"",
    re.DOTALL,
)
_QUOTED_LINE = lazy(
    r"^\s*(?:>|\||#\d|\d{1,2}:\d\d|\[\d|\w{1,20}[:：]\s*$|at |File \"|\$ |[-+]{3} ).*$", 0x8
)  # re.MULTILINE
_SENTENCES = lazy(r"(?<=[.!?])\s+|(?<=[。！？!?；;])|\n+")
_ASKED = lazy(
    r"^(?:(?:hey|ok(?:ay)?|also|and|oh|please|pls|btw|by the way)[,:]?\s+)*"
    r"(?:(?:can|could|would) you\s+)?(?:please\s+)?"
    r"(?:remember|keep in mind|don['’]t forget|do not forget|note(?: down)?|make a note|memori[sz]e)"
    r"(?:\s+for (?:later|next time|the future))?"
    r"(?:\s+that|\s*[:,]|\s+(?=I\b|I['’]|my\b|we\b|our\b|to\b|the\b))\s*(?P<what>.+)$",
    re.IGNORECASE,
)
_FROM_NOW = lazy(
    r"^(?:(?:ok(?:ay)?|also|and|please)[,:]?\s+)*"
    r"(?:from now on|going forward|in (?:the )?future|from here on)[,:]?\s+(?P<what>.+)$",
    re.IGNORECASE,
)
_ASKED_ZH = lazy(
    r"^(?:另外|对了|还有|那|好的?)?[，,]?(?:请|麻烦)?(?:你|帮我|替我)?(?:要|先)?(?:记住|记得|记下来?|牢记|别忘了|不要忘了|不要忘记)"
    r"(?:一下|这一?点|这件事)?[，,：:、 ]*(?P<what>.+)$"
)
_FROM_NOW_ZH = lazy(r"^(?:请)?(?:你)?(?P<what>(?:以后|今后|从现在(?:开始|起)|从今以后|往后)[都请,，]?.+)$")
_QUESTION = lazy(r"[?？]\s*$|[吗嗎]\s*[。.!！]?$|^(?:do|did|can|could|would) you remember", re.IGNORECASE)
_RULE = lazy(
    r"^(?:always|never|don['’]t|do not|use|prefer|answer|reply|write|call me)\b|总是|永远|不要|别|都要|必须|一律", 0x2
)
_IDENTITY = lazy(
    r"\b(?:my name is|i am called|call me|i['’]m allergic|i am allergic|i live in)\b"
    r"|\bmy (?:birthday|time ?zone|pronouns)\b"
    r"|我叫|我的名字|我对.{1,12}过敏|我住在|我的生日|我的时区",
    re.IGNORECASE,
)


def keep_what_is_asked(
    connection: Connection, prompt: str, known: AbstractSet[int], caller: Caller, settings: Settings, *, now: float
) -> str:
    """Keep what a prompt asks to remember, and return what tells the agent so; nothing where it asks for nothing."""
    asked = list(find_asked(prompt))[:MOST]
    given = given_texts(connection, known) if asked else frozenset()
    lines = []
    for text, core in asked:
        form = normal_form(text)
        if any(form in each or each in form for each in given):
            continue
        if line := keep(connection, text, caller, settings, core=core, now=now):
            lines.append(line)
    return "\n".join(lines)


def find_asked(prompt: str) -> Iterator[tuple[str, bool]]:
    """Yield what a user asks to remember, each with whether it reads as a rule or as who the user is."""
    for sentence in own_sentences(prompt):
        if _QUESTION.search(sentence):
            continue
        for pattern, rule in ((_ASKED, False), (_ASKED_ZH, False), (_FROM_NOW, True), (_FROM_NOW_ZH, True)):
            found = pattern.match(sentence)
            if found:
                what = found["what"].strip()
                if len(what) >= FEWEST:
                    yield what, rule or bool(_RULE.search(what) or _IDENTITY.search(what))
                break


def own_sentences(prompt: str) -> Iterator[str]:
    """Yield the sentences that a user typed, without quoted and pasted parts."""
    said = _QUOTED_LINE.sub("\n", _NOT_SAID.sub("\n", prompt))
    for line in said.splitlines():
        if len(line) > LONG_LINE:
            continue
        for sentence in _SENTENCES.split(line):
            text = sentence.strip()
            if FEWEST <= len(text) <= LONGEST:
                yield text


def given_texts(connection: Connection, known: AbstractSet[int]) -> frozenset[str]:
    """Return the normal forms of what the agent was given in this session."""
    return frozenset(normal_form(row["summary"]) for each in known for row in fetch(connection, "memory", id=each))


def keep(connection: Connection, text: str, caller: Caller, settings: Settings, *, core: bool, now: float) -> str:
    """Keep one statement, and return what tells the agent so; nothing where it is not kept or was known."""
    # Imported here: most prompts ask for nothing to be kept.
    from firmmem.memory.write.proposals import store_proposal
    from firmmem.memory.write.write import check_memory, store_memory

    tier: Tier = "core" if core else "draft"
    if core and settings.core_write == "off":
        return ""
    try:
        new = check_memory(NewMemory(clean_text(text), tier, caller.namespace, tags=(SAID,)), settings)
    except (InvalidTextError, RefusedTextError):
        return ""
    with transaction(connection):
        session = enter_session(connection, caller.namespace, caller.author, settings, now=now)
        author = Author(caller.author.client, session.key, caller.author.host_session)
        if core:
            proposed = store_proposal(connection, new, author, now=now)
            if proposed.status != "proposed":
                return ""
            return (
                f"FirmMem kept as proposal {proposed.id}, which waits for the user (firmmem core accept "
                f"{proposed.id}): {to_one_line(new.summary)}"
            )
        written = store_memory(connection, new, author, settings, now=now)
    if written.status != "stored":
        return ""
    return f"FirmMem stored what the user asked to remember as draft #{written.id}: {to_one_line(new.summary)}"
