import re

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as examples
from hypothesis import strategies as st

from firmmem.text import chat_exports, chat_messages, transcript
from firmmem.text.transcript import FIELDS, is_transcript

CONVERSATIONS = [
    "User: hi Assistant: hello",
    "用户：你好助手：你好，有什么可以帮您？",
    "用户：我想订票\n助手：好的",
    "Alice: Hi!\nBob: Hello!",
    "[10:02] Bob: are you there?\n[10:03] Alice: yes",
    "[10:02] Bob: build is broken\n[10:03] Alice: fixing",
    "**User:** hi\n**Assistant:** hello",
    "**User**: hi\n\n**Assistant**: hello",
    "Human: hi\nAI: hello",
    "我：吃了吗\n你：吃了",
    "我：在吗？你：在",
    '[{"role":"user","content":"hi"}]',
    '{"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"x"}]}',
    "<|im_start|>user\nhi<|im_end|>",
    '{"role":"user","content":[{"type":"text","text":"hi"}]}',
    '{"choices":[{"message":{"role":"assistant","content":"hi"}}]}',
    '[{"from":"human","value":"x"},{"from":"gpt","value":"y"}]',
    '[{"speaker":"A","text":"x"},{"speaker":"B","text":"y"}]',
    "### User\nhi\n### Assistant\nhello",
    "> Alice: how are you?\n> Bob: fine, thanks!",
    "<alice> hi all\n<bob> hello!",
    "2023-05-08 10:02 Alice: how are you?\n2023-05-08 10:03 Bob: great!",
    "张三：你吃了吗？\n李四：吃了，你呢？",
    "Alice: Hi! Bob: Hello!",
    "user: hi\nassistant: hello",
    "USER: hi\nASSISTANT: x",
    "User: hi assistant: hello",
    "Me: where are you?\nMom: at home, are you coming?",
    "张三 2024-01-02 10:02:11\n你好\n李四 2024-01-02 10:02:15\n在",
    "Human: what is 2+2?\n\nAssistant: 4",
    "\n\nHuman: hi\n\nAssistant:",
    "Alice: Are you in Paris?\nAlice: Hello?\nBob: Yes",
    "User： hi\nAI： hello",
    "用户: hi\nAI助手: hello",
    "Q3 planning chat:\nAlice: I think we should ship.\nBob: I agree.",
    "- role: user\n  content: hi\n- role: assistant\n  content: yo",
    "User: 你好\nAssistant: 你好！",
    "Interviewer: Why do you want this job?\nCandidate: I love databases.",
    "ChatGPT: hello\nUser: hi",
    "(10:02) Bob: x\n(10:03) Al: y",
    "10:02 AM - Bob: hi\n10:03 AM - Alice: hello there",
    "[2024-01-02, 10:02:11] Bob: hi\n[2024-01-02, 10:02:20] Al: hello",
    "- User: hi\n- Assistant: hello",
    "1. User: hi\n2. Assistant: hello",
    "system: you are helpful\nuser: hi\nassistant: hello",
    "<user>hi</user><assistant>hello</assistant>",
    "User: sounds good\nAssistant: none",
    "User: likes it?\nAssistant: none",
    "User: prefers tea\nAssistant: noted",
    "User: any errors\nAssistant: none",
    "User: none\nAssistant: none",
    "User: works for me\nAssistant: uses Postgres",
    "User: hates my code\nAssistant: none",
    "User: wants tea\nAssistant: Which kind?",
    "User: wants a refund\nAssistant: " + "asks for the number of the order, which is printed on the bill. " * 2,
    "User: prefers tea Assistant: none",
    "User: prefers tea\nAssistant: none\nUser: likes coffee",
    "User: prefers tea\nAssistant: none\nAlice: hi!\nBob: hello, you!",
    "Me: prefers tea\nYou: none",
    "[10:02] User: prefers tea\n[10:03] Assistant: none",
    "User: Paris\nAssistant: Sunny",
    "用户：喜欢喝茶\n助手：喜欢喝咖啡",
    "用户：喜欢喝茶\n助手：好的",
    "用户：喜欢吗\n助手：无",
    "张伟 2026-11-03 18:02:11\n晚上吃什么\n李娜 2026-11-03 18:02:40\n火锅",
    "user> show me the logs\nbot> here they are",
    "Alice said: are you there? Bob replied: yes. Alice said: I lost my keys.",
    "ユーザー：明日の天気は？\nアシスタント：晴れです。",
    "— Où es-tu ?\n— À la maison.\n— Tu viens ?",
    "Tom — Today at 6:02 PM\ndid you eat?\nAnn — Today at 6:03 PM\nnot yet",
    "<b>Tom</b> 18:02<br>did you eat?<br><b>Ann</b> 18:03<br>not yet",
    "From: Tom\nTo: Ann\ndid you eat?\n\nFrom: Ann\nTo: Tom\nnot yet",
    "田中「会議は何時ですか」\n佐藤「三時からです」\n田中「わかりました」",
    '<message role="user">hi</message><message role="assistant">hello</message>',
    '<tool_call>{"name":"ls"}</tool_call>\n<tool_response>a.txt b.txt</tool_response>',
    '[{"user":"hi"},{"assistant":"hello, how can I help?"}]',
    "doctor: how long has it hurt?\npatient: a week",
]

MEMORIES = [
    "2023-05-08 Caroline: Hey Mel! Good to see you: how are you?",
    "Name: Bob\nCity: Paris\nEmail: x",
    '{"k":1}',
    "null",
    "def f(x: int) -> str:\n    return {1: 'a', 2: 'b'}[x]",
    "Standup at 10:30, lunch 12:30",
    "See https://example.com:8080/a?b=c: it works",
    "Decision: use Postgres\nReason: I know it, and you do too!",
    "姓名：张三\n城市：北京",
    "Decision: shall we use Postgres? yes!\nReason: we know it",
    "User prefers tabs: always. The assistant should be brief.",
    "User: prefers dark mode",
    "User: Bob",
    "AI: uses Claude",
    "Goal: I want to run a marathon\nDeadline: you tell me",
    "TODO: call you back!\nNOTE: we won!",
    "- Alice: likes tea\n- Bob: likes coffee",
    "Alice: engineer\nBob: designer",
    "用户：喜欢喝茶",
    "用户的助手：小王",
    "select role, content from messages where role = 'user'",
    "key: value\nimage: nginx:1.25\nports: 80:80",
    "ChatML marks turns with <|im_start|> and <|im_end|>.",
    '{"role":"admin","name":"Bob"}',
    '{"users":[{"name":"a","role":"user"},{"name":"b","role":"user"}]}',
    "The role: user and the content: text fields are needed",
    "Meeting with Alice: 10:00. Bob: absent.",
    "Monday: gym\nTuesday: swim\nWednesday: I rest!",
    "09:00 Gym: legs\n10:00 Work: code",
    "Wife: Ann, my best friend\nSon: Tim, he loves you",
    "Error: cannot open file!\nFix: you must chmod",
    "Pros: fast!\nCons: expensive!",
    "问题：为什么慢？\n答案：没有索引啊",
    "Who: me\nWhat: we ship",
    "Redis: I use it for caching!\nPostgres: we use it for storage!",
    "偏好：我喜欢简洁的回答\n禁忌：不要叫我老板",
    "饮食：我不吃辣\n运动：我每天跑步",
    'Bob told Alice: "Hi!" and Alice replied: "Hello!"',
    "Model: GPT-4\nUser: bob",
    "Agent: Hermes\nUser: Bob",
    "Agent: Hermes\nModel: Claude",
    "The user: Bob. The assistant: Hermes.",
    "用户偏好：深色\n助手名称：小爱",
    "User: prefers tea\nAssistant: none",
    "user: likes tea\nassistant: n/a",
    "User: prefers dark mode\nAssistant: answers in Chinese",
    "User: is called Ada\nAssistant: is called Hermes",
    "Assistant: not set\nUser: works at Acme",
    "Project: Atlas\nUser: doesn't eat meat\nAssistant: none.",
    "**User:** wants short answers\n**Assistant:** unknown",
    "- User: prefers tabs\n- AI: calls her Ada",
    "1. Human: lives in Porto\n2. AI: none",
    "用户：喜欢喝茶\n助手：无",
    "用户: 偏好深色\n助手: 未设置",
    "用户：偏好简洁回答；助手：应使用中文。",
    (
        'API contract: POST /chat takes {"role": "user", "content": string} and returns '
        '{"role": "assistant", "content": string}.'
    ),
    "User: Ada, Porto\nAssistant: Hermes, formal tone",
    "| user | Ada |\n| assistant | Hermes |".replace("Ada", "prefers tea").replace("Hermes", "none"),
    '{"user": "ada", "assistant": "hermes"}',
    "Lunch 12:30\nDinner 19:00\n",
    "1. Where is it?\n2. Yes\n3. Thanks",
]


@pytest.mark.parametrize("text", CONVERSATIONS)
def test_two_turns_or_messages_are_a_transcript(text: str) -> None:
    assert is_transcript(text)


@pytest.mark.parametrize("text", MEMORIES)
def test_notes_code_and_single_turns_are_not(text: str) -> None:
    assert not is_transcript(text)


@given(st.dictionaries(st.sampled_from(sorted(FIELDS - {"user"})), st.sampled_from(["yes!", "me?", "我的"])))
def test_a_structured_note_is_not_a_transcript_whatever_its_values(fields: dict[str, str]) -> None:
    assert not is_transcript("\n".join(f"{label.title()}: {value}" for label, value in fields.items()))


@given(st.text(st.characters(exclude_characters=":：<#[{|=")))
def test_a_text_without_labels_or_markup_is_not_a_transcript(text: str) -> None:
    assert not is_transcript(text)


PATTERNS = [
    *(getattr(transcript, name) for name in ("_SIDES", "_STAMPED")),
    *(getattr(chat_messages, name) for name in ("_MESSAGE_ROLE", "_MARKUP", "_SIDE_KEYS")),
    *(getattr(chat_exports, name) for name in ("_MAIL_FROM",)),
]


@pytest.mark.parametrize("pattern", PATTERNS, ids=map(str, range(len(PATTERNS))))
@examples(suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_no_turn_is_cleared_for_want_of_a_sign(pattern: re.Pattern[str], data: st.DataObject) -> None:
    assert transcript._SIGNS.search(data.draw(st.from_regex(re.compile(pattern.pattern, pattern.flags))))
