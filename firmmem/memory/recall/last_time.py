"""What was done last time, yesterday, this week: queries that ask for a stretch of time and for nothing in it.

"What were we working on yesterday" and 昨天我们做到哪了 name no subject: once the days and the words of working and
talking are taken away, nothing is left to look for. They are answered by when memories were written, newest first.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Final

from firmmem.contract import Question, Recalled
from firmmem.dates.moments import format_day
from firmmem.dates.spans_in_query import StatedSpan, find_spans
from firmmem.memory.recall.last_sessions import Stretch, last_stretches, written_between
from firmmem.memory.recall.scope import Scope
from firmmem.memory.recall.session_start import SessionStart, rows_by_id
from firmmem.memory.recall.token_budget import memory_budget
from firmmem.patterns import lazy
from firmmem.store.statements import Connection
from firmmem.text.stopwords import ENGLISH

if TYPE_CHECKING:
    from firmmem.settings import Settings

LONGEST: Final = 200  # characters of a query that can be one of these
MOST: Final = 200  # memories of a stretch of time that are looked at
EARLIER: Final = 4  # sessions among which the last before the caller's own is found

_LAST = lazy(
    r"\b(?:the )?(?:last|previous|prior) (?:time|session|conversation|chat|meeting)\b"
    r"|\b(?:left|leave|leaving) off\b|\bwhere (?:did|do|were) we (?:stop|get to)\b|\bpick(?:ing)? up where\b"
    r"|上一?[次回]的?|前一?次的?|之前|刚才|剛才|上个?会话|上個?會話"
)
_WORKING = """
about again anything back busy chat chatted chatting continue continued conversation conversations discuss discussed
discussing during earlier exactly far finish finished get getting go going got happen happened happening last leave left
let's list made make meeting notes off over overview pick previous prior progress recap remember remind resume review
session sessions show stop stopped stuff summarise summarize summary talk talked talking thing things time today topic
topics up was were work worked working works write written wrote yet
"""
_ENGLISH_WORKING: Final = ENGLISH | {*_WORKING.split()}
_CHINESE_WORKING = lazy(
    r"我们|我們|咱们|咱們|我|你|您|到哪一?步|到哪里|到哪裡|到哪儿|到哪|哪里|哪裡|哪儿|哪些|哪|什么|什麼|甚么|啥|怎么样|多少"
    r"|做完|做|干|聊天|聊|谈|談|说|說|讲|講|讨论|討論|进行|進行|进展|進展|进度|進度|工作|完成|忙|处理|處理|开发|開發|写|寫"
    r"|继续|繼續|接着|接著|总结|總結|回顾|回顧|记得|記得|记录|記錄|提醒|内容|內容|事情|东西|東西|话题|話題|会话|會話|对话|對話"
    r"|一下|时候|時候|都|有|了|的|过|過|在|到|些|呢|吗|嗎|吧|啊|是|请|請|帮|幫|告诉|告訴|给|給|和|跟|地方|这|這|那|时|時|事|把|又|还|還"
    r"|来|來|着|著|想|要|看|先|再|里|裡|上|主要|大概|都|开|開|停|下"
)
_SIGNS = lazy(r"[^\w\s']+|_")


def asked_stretch(query: str, *, now: float) -> tuple[bool, StatedSpan | None]:
    """Return whether a query asks only for what was done in a stretch of time, and which; None is the last session."""
    plain = unicodedata.normalize("NFKC", query).strip().lower()
    if not plain or len(plain) > LONGEST:
        return False, None
    spans = [span for span in find_spans(plain, now=now) if span.relative]
    rest = plain
    for span in spans:
        rest = rest.replace(span.said.lower(), " ")
    last = bool(_LAST.search(rest))
    if not spans and not last:
        return False, None
    rest = _SIGNS.sub(" ", _LAST.sub(" ", rest))
    words = _CHINESE_WORKING.sub(" ", rest).split()
    if any(word not in _ENGLISH_WORKING for word in words):
        return False, None
    return True, spans[0] if spans else None


def answer_by_time(connection: Connection, question: Question, scope: Scope, settings: Settings) -> Recalled | None:
    """Return what was written in the stretch of time that a query asks for, newest first.

    None where it asks for more than that, or where there is nothing to tell.
    """
    if question.narrowed or question.goal_id or question.include_archived:
        return None
    asks, span = asked_stretch(question.query, now=scope.parameters["now"])
    return recall_stretch(connection, question, scope, span, settings) if asks else None


def recall_stretch(
    connection: Connection, question: Question, scope: Scope, span: StatedSpan | None, settings: Settings
) -> Recalled | None:
    """Return what was written in a span of time, or in the last session, newest first."""
    stretches = last_stretches(connection, question, scope, settings, EARLIER, looked=MOST)
    earlier = next((each for each in stretches if not each.now), None)
    notes: tuple[str, ...] = ()
    stretch = earlier
    if span:
        ids = written_between(connection, scope, span.first, span.after, MOST)
        stretch = Stretch(span.first, "", memories=ids) if ids else earlier
        if not ids and earlier:
            notes = (f"nothing was written {span.said}; this is of the last session, {format_day(earlier.at)}",)
    if stretch is None:
        return None
    start = SessionStart(memory_budget(question), question.limit or MOST, question.explain)
    rows = rows_by_id(connection, scope, stretch.memories[: start.lines()])
    name = start.section("session", stretch)
    start.add(name, [rows[each] for each in stretch.memories if each in rows])
    left = len(stretch.memories) - len(start.memories)
    if left:
        notes = (*notes, f"{left} more were written then: raise {'limit' if start.room <= 0 else 'token_budget'}")
    return start.recalled({}, notes)
