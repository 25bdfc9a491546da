"""Whether a text is a piece of a conversation: two or more turns of speakers, or messages as JSON or markup.

Notes look alike (`Name: Bob`, `姓名：张三`), so a label alone is not a speaker. It is one if it is a side of a chat
with a model, or if what follows it is spoken: a greeting, a question, "you", "I". Both sides of such a chat are
fields of a note only where each is told of, not quoted: `User: prefers tea`, `Assistant: none`.
"""

import re
from itertools import pairwise
from typing import Final

from firmmem.patterns import lazy
from firmmem.text.chat_exports import is_export
from firmmem.text.chat_messages import is_messages
from firmmem.text.unlabelled_turns import is_answered, is_unlabelled

_CLOCK = r"\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d{1,6})?)?(?: ?[AaPp]\.?[Mm]\.?)?"
_DAY = r"\d{4}[-/.年]\d{1,2}[-/.月]\d{1,2}日?"
_TIME = rf"[\[(<]?(?:{_DAY}(?:[T ,]{{1,2}}{_CLOCK})?|{_CLOCK})Z?[\])>]?"
# Bullets are left to lists: `- Running: on Mondays`.
_START = rf"^[ \t>#]{{0,8}}(?:{_TIME}[ \t,\-]{{0,4}})?[*_]{{0,3}}"
# A label that is only spoken of stands in quotes, or before a gap: the question follows "User:", then User: {question}.
_COLON = r"[ \t]?[*_]{0,3}[ \t]?[:：][*_]{0,3}(?![\"”'`][\s,，;.)]|[ \t]?(?:\{\w{1,30}\}|<\w{1,30}>))"
_SAID = r"(?: (?:asked|said|says|answered|replied|wrote)|说|问|回答)?"

_ASKING = "user|human|me|用户|使用者|用戶|人类|人類|我|ユーザー|利用者|usuario|utilisateur|nutzer|пользователь"
_ANSWERING = (
    "assistant|ai(?: assistant)?|bot|chatbot|chatgpt|gpt|claude|gemini|copilot|deepseek|you|"
    "助手|小助手|ai助手|智能助手|机器人|機器人|人工智能|你|アシスタント|ボット|asistente|assistente|ассистент|бот"
)
_SIDES = lazy(
    rf"(?:(?P<start>{_START})|(?<=[\s.!?。！？…;；\"”）)]))[*_]{{0,3}}"
    rf"(?:(?P<asking>{_ASKING})|(?P<answering>{_ANSWERING})){_SAID}{_COLON}"
    rf"|(?P<asking_zh>用户|用戶|人类){_COLON}|(?P<answering_zh>助手|机器人|機器人){_COLON}",
    re.IGNORECASE | re.MULTILINE,
)
# A prompt's sign, a column's bar or brackets may part a side from what it says: `user>`, `| bot |`, `[user]`.
_SIGNED_SIDES = lazy(
    rf"^[ \t|]{{0,4}}(?:[\[(]{{0,1}})(?:(?P<asking>{_ASKING})|(?P<answering>{_ANSWERING}))"
    r"(?:(?: ?\([^)\n]{1,20}\))?[ \t]{0,2}(?:>{1,3}|\||[-–](?= )|[:：])|[\])][:：]?)[ \t]*(?P<said>\S.*)$",
    re.IGNORECASE | re.MULTILINE,
)
_SPOKEN_SIDES = {"me", "you", "我", "你"}  # which label no field
_BULLET = lazy(r"[ \t>#]*(?:[-*•]|\d{1,2}[.)])?[ \t*_]*")
# The third person without its subject, which hardly anyone says of oneself ("sounds", "works", "is" are said).
_TOLD = lazy(
    r"(?:always |usually |often |mostly |also |strongly )?"
    r"(?:(?:dis)?likes|prefers|loves|hates|wants|enjoys|avoids|uses|speaks|writes|reads|lives|owns|studies|"
    r"drinks|eats|"
    r"expects|asks|answers|replies|calls|addresses|believes|is (?:called|named)|works (?:at|for|in|as|from|on)|"
    r"doe(?:s not|sn't) (?:like|want|use|eat|drink|speak|need|know)|"
    r"should (?:always |never |not )?(?:be (?:brief|short|concise|formal|polite|called|addressed)|answer|use|"
    r"reply|speak|"
    r"write|call|avoid))\b(?!.*[?!]$)",
    re.IGNORECASE,
)
_TOLD_ZH = lazy(r"(?:不?喜欢|偏好|讨厌|习惯|想要|希望|使用|常用|不吃|不喝|住在|来自)(?!.*[?？!！吗呢吧啊呀]$)")
# What is hardly ever said of oneself, even in Chinese and Japanese, which leave the subject out.
_TOLD_SURELY = lazy(
    r"(?:偏好|应当?|应该|须|需要?使用|要求|称呼|名叫|总是用)(?!.*[?？!！吗呢吧啊呀我你]$)|"
    r".*(?:を好む|を嫌う|で答える|を使う|を避ける|と呼ぶ|に住む|である|すること|するべき|しないこと)[。.]?$"
)
_LISTED = lazy(r"(?:[A-Z][\w+./-]*|\d[\d.,]* [a-z]+)(?: [\w+./-]+){0,4}(?:, [\w+./-]+(?: [\w+./-]+){0,2})*\.?")
_LISTED_ZH = lazy(r"[\w]{1,8}(?:[，、,][\w]{1,8})+[。.]?")
_NAMED = lazy(r"[A-Z][\w-]{1,20}\.?|[\u4e00-\u9fff]{2,3}。?")
_NOTHING = lazy(
    r"(?:none|n/?a|unknown|unset|undefined|not (?:set|known|given|named|specified|applicable|configured)|[-–—]+|"
    r"无|暂无|未知|未设置|未设定|未指定|未命名|不适用)[.。]?",
    re.IGNORECASE,
)
# In Chinese a subject is often left out in speech, so there the other side has to hold nothing.
_NOTES = (
    {"told"},
    {"told", "nothing"},
    {"told in Chinese", "nothing"},
    {"listed"},
    {"listed", "nothing"},
    {"listed", "told"},
)
LONGEST_FIELD = 80  # characters of a field of a note

_HEADED = lazy(
    r"^(?:#{1,6} ?\**(user|human|you|assistant|ai|claude|chatgpt|gemini|copilot|用户|助手|你)\**|"
    r"\*\*(user|human|you|assistant|ai|claude|chatgpt|gemini|copilot|用户|助手|你)\*\*|"
    r"(user|human|you|assistant|ai|claude|chatgpt|gemini|copilot|用户|助手|你) ?(?:said|wrote|说)[:：])[ \t]*$|"
    r"<(user|human|assistant|ai)>(?=[^<\n]{0,4000}</\4>|[ \t]*\n)",
    re.IGNORECASE | re.MULTILINE,
)
_QUESTION = lazy(
    r"(?:^|(?<=[\s.!?。！？;；]))(?:q\d{0,2}|question|问|問|質問|提问)[ \t]?[:：]", re.IGNORECASE | re.MULTILINE
)
_ANSWER = lazy(r"(?:^|(?<=[\s.!?。！？;；]))(?:a\d{0,2}|answer|答|回答)[ \t]?[:：]", re.IGNORECASE | re.MULTILINE)
_NAME = r"@?[^\W\d][\w.'’·\-]{0,24}(?: [\w.'’\-]{1,20}){0,3}(?: ?[(（][^)）\n]{1,30}[)）])?"
_LINE_TURN = lazy(
    rf"{_START}(?:<(?P<nick>\w{{1,30}})>|(?P<name>{_NAME})(?:{_COLON}|[ \t]?(?:>{{1,3}}|\|)(?=[ \t])|[ \t]-(?=[ \t])))"
    r"[ \t]*(?P<said>\S.*)$",
    re.MULTILINE,
)
_INLINE_TURN = lazy(
    r"(?:^|(?<=[^\d\n][.!?。！？…]) ?)"
    r"(?P<name>[A-Z][a-z'’\-]{1,20}(?: [A-Z][a-z'’\-]{1,20})?|[\u4e00-\u9fff]{1,4})[:：]"
)
_STAMPED = lazy(
    rf"^(?:[\[(]\d{{1,2}}:\d{{2}}(?::\d{{2}})?[\])] ?(?P<name>{_NAME})|"
    r"(?P<timed>[^\W\d][\w.'’·\-]{0,24}) ?[(（\[]\d{1,2}:\d{2}(?::\d{2})?[)）\]])[:：]",
    re.MULTILINE,
)
_FIELDS = """
name title role city country email e-mail mail phone address age birthday birth date time timezone
language location place job company employer team hobby hobbies likes dislikes loves hates preference
preferences favorite favourite decision reason reasons rationale context note notes todo action actions
status state goal goals plan next result results outcome question questions answer problem issue cause
fix solution summary conclusion topic subject project task tasks priority deadline owner author version
source link url path file command config key value type kind id step steps warning error info debug tip
tips hint example examples input output expected actual before after pros cons risk risks who what when
where why how background requirement requirements constraint constraints lesson lessons learned learning
insight observation finding findings fact facts update updates remember important caution attention
feeling feelings mood thought thoughts idea ideas reflection health diet breakfast lunch dinner morning
afternoon evening noon night today tomorrow yesterday total budget cost price item items category
description details content remark remarks comment comments objective objectives purpose event agenda
attendees participants front back ps p.s nb fyi eta tldr re fwd q a from to cc sent wife husband spouse
family motto
姓名 名字 名称 城市 国家 邮箱 邮件 电话 手机 地址 年龄 生日 日期 时间 时区 语言 地点 位置 职业 工作 公司
团队 爱好 喜好 喜欢 不喜欢 偏好 决定 决策 原因 理由 背景 备注 注意 注 说明 待办 行动 状态 目标 计划
下一步 结果 结论 问题 答案 解决 方案 解决方案 总结 小结 摘要 主题 项目 任务 优先级 截止 负责人 作者 版本
来源 链接 路径 文件 命令 配置 类型 步骤 警告 错误 提示 示例 例子 输入 输出 性别 籍贯 学历 体重 身高 感受
心情 想法 心得 反思 收获 体会 内容 目的 事项 事件 议程 参与者 上午 下午 早上 晚上 中午 早餐 午餐 晚餐
今天 明天 昨天 费用 预算 价格 类别 描述 详情 评价 建议 要求 经验 教训 提醒 重要 发现
"""
FIELDS: Final = frozenset(_FIELDS.split())
"""Labels of notes, which no speaker is called."""

_GREETING = (
    "hi|hey|hello|hiya|yes|yeah|yep|yup|nope|ok|okay|sure|thanks|thank|thx|sorry|wow|oh|aw+|hm+|haha|lol|bye|please|"
    "congrats|good morning|good evening|good night|good idea|of course|got it|let's|"
    "你好|您好|嗨|喂|嗯|哦|噢|唉|好的|好啊|好吧|好呀|是的|是啊|对啊|谢谢|多谢|哈哈|早上好|晚上好|再见|拜拜|"
    "没问题|在吗|"
    "请问|抱歉|对不起|おはよう|こんにちは|こんばんは|もしもし|はい|うん|了解"
)
_ADDRESSED = lazy(
    rf"^[\"“]?(?:{_GREETING})(?![a-z])|[?？][\"”]?\s*$|\b(?:you|you're|your|i (?:agree|think|guess|mean))\b"
    r"|[你您]|[吗呢吧啊呀啦嘛][。.~]?\s*$|(?:几点|哪里|哪儿|在哪|什么时候|多久|怎么样|何時|ですか|ますか)[。]?\s*$",
    re.IGNORECASE,
)
_PERSONAL = lazy(
    r"[!！][\"”]?\s*$|\b(?:i|i'm|i've|i'll|me|my|we|we're|we'll|our)\b|[我咱私俺僕]|(?:よ|ね|です|ます)[。]?$",
    re.IGNORECASE,
)

# Two of these speak with one another, and with nobody else.
_PAIRS = tuple(
    frozenset(pair.split())
    for pair in (
        "customer agent support operator helpdesk seller",
        "doctor patient nurse",
        "teacher student pupil",
        "host guest",
        "interviewer candidate interviewee",
        "caller dispatcher",
        "医生 病人 患者",
        "老师 学生",
        "客户 客服 顾客 店员",
        "主持人 嘉宾",
        "面试官 候选人",
        "客 店員",
        "先生 生徒",
    )
)

# Turns, messages and markup all have one of these: most memories have none, and are cleared at once.
_SIGNS = lazy(r"[:：=#<\[>|\n「]|[\"“”]")


def is_transcript(text: str) -> bool:
    """Whether two or more turns of a conversation, or messages of a model's interface, stand in the text."""
    if not _SIGNS.search(text):
        return False
    return (
        is_messages(text)
        or _has_both_sides(text)
        or _has_signed_sides(text)
        or _is_questioning(text)
        or _has_speakers(text)
        or is_export(text, FIELDS)
        or is_unlabelled(text)
    )


def _has_signed_sides(text: str) -> bool:
    turns = list(_SIGNED_SIDES.finditer(text))
    if not (any(turn["asking"] for turn in turns) and any(turn["answering"] for turn in turns)):
        return False
    return {_classify_value(turn["said"].strip(" |")) for turn in turns} not in _NOTES


def _is_questioning(text: str) -> bool:
    """Whether questions and answers repeat: one of each is an entry of a list of questions."""
    return len(_QUESTION.findall(text)) > 1 and len(_ANSWER.findall(text)) > 1


def _has_both_sides(text: str) -> bool:
    turns = list(_SIDES.finditer(text))
    asking = any(turn["asking"] or turn["asking_zh"] for turn in turns)
    answering = any(turn["answering"] or turn["answering_zh"] for turn in turns)
    headings = {heading[0].strip("#<> *\t").lower() for heading in _HEADED.finditer(text)}
    both = asking and answering and any(map(_begins, turns)) and not _are_fields(text, turns)
    return both or len(headings) > 1


def _begins(turn: re.Match[str]) -> bool:
    """Whether the label stands where a turn does, not inside a sentence ("tell the user: …")."""
    if turn["start"] is not None or turn.start() == 0 or turn[0].lstrip("*_")[0].isupper():
        return True
    before = turn.string[: turn.start()].rpartition("\n")[2]
    return bool(before.strip()) and _BULLET.fullmatch(before) is not None


def _are_fields(text: str, turns: list[re.Match[str]]) -> bool:
    """Whether the two sides are fields of a note: parted by lines or full stops, without a time, and nobody speaks."""
    if len(turns) != 2 or not all(map(_labels_a_field, turns)):
        return False
    ends = (turns[1].start(), len(text))
    values = [
        text[turn.end() : end].partition("\n")[0].strip(" \t;；,，") for turn, end in zip(turns, ends, strict=True)
    ]
    if "\n" not in text[turns[0].end() : turns[1].start()] and all(map(_is_name, values)):
        return True
    return set(map(_classify_value, values)) in _NOTES


def _is_name(value: str) -> bool:
    return _NAMED.fullmatch(value) is not None and not (_ADDRESSED.search(value) or _PERSONAL.search(value))


def _labels_a_field(turn: re.Match[str]) -> bool:
    side = turn.lastgroup or ""
    before = turn.string[: turn.start(side)].rpartition("\n")[2]
    starts = _BULLET.fullmatch(before) is not None or before.rstrip().endswith((";", "；", ".", "。"))
    return starts and turn[side].lower() not in _SPOKEN_SIDES


def _classify_value(value: str) -> str:
    """Return what a field's value is: told of someone, a list of what one is, nothing, or none of these ("")."""
    if len(value) > LONGEST_FIELD:
        return ""
    if _NOTHING.fullmatch(value):
        return "nothing"
    if _ADDRESSED.search(value) or _PERSONAL.search(value):
        return ""
    if _TOLD.match(value) or _TOLD_SURELY.match(value):
        return "told"
    if (_LISTED.fullmatch(value) and (value[0].isdigit() or "," in value)) or _LISTED_ZH.fullmatch(value):
        return "listed"
    return "told in Chinese" if _TOLD_ZH.match(value) else ""


def _has_speakers(text: str) -> bool:
    stamped = {turn["name"] or turn["timed"] for turn in _STAMPED.finditer(text)}
    if len([name for name in stamped if not _is_field(name)]) > 1:
        return True
    return _are_spoken(_line_turns(text)) or _are_spoken(_inline_turns(text))


def _line_turns(text: str) -> list[tuple[str, str]]:
    return [(turn["nick"] or turn["name"], turn["said"]) for turn in _LINE_TURN.finditer(text)]


def _inline_turns(text: str) -> list[tuple[str, str]]:
    labels = list(_INLINE_TURN.finditer(text))
    ends = [*(label.start() for label in labels), len(text)][1:]
    return [(label["name"], text[label.end() : end].strip()) for label, end in zip(labels, ends, strict=True)]


def _are_spoken(turns: list[tuple[str, str]]) -> bool:
    letters = {name.casefold() for name, _ in turns if len(name) == 1}
    speakers = [(name.casefold(), said) for name, said in turns if not _is_field(name) or {"a", "b"} <= letters]
    names = {name for name, _ in speakers}
    addressed = sum(1 for _, said in speakers if _ADDRESSED.search(said))
    spoken = sum(1 for _, said in speakers if _ADDRESSED.search(said) or _PERSONAL.search(said))
    repeated = len(speakers) > len(names)
    if len(names) < 2:
        return False
    if addressed and (any(names <= pair for pair in _PAIRS) or any(name.startswith("@") for name in names)):
        return True
    if any(is_answered(said, then) for (_, said), (_, then) in pairwise(speakers)):
        return True
    return (addressed > 0 and (spoken > 1 or repeated)) or (repeated and spoken > 1)


def _is_field(label: str) -> bool:
    words = re.split(r"[\s(（]", label.casefold())
    return not FIELDS.isdisjoint(words)
