"""Most of what is typed to an agent asks for no memory."""

import pytest

from firmmem.hook.check import OTHER_PROMPTS
from firmmem.hook.gate import asks_for_memory, gate_for


@pytest.mark.parametrize(
    "prompt",
    ["ok, go on", "run the tests again", "fix it", "好的，继续", "请提交这次修改", "thanks, that works", "👍", ""],
)
def test_a_command_asks_for_nothing(prompt: str) -> None:
    assert not asks_for_memory(prompt)


@pytest.mark.parametrize(
    "prompt",
    [
        "what's the door code?",
        "which teahouse did we choose in Porto?",
        "用户喜欢喝什么茶？",
        "Book a table at Nora's favourite restaurant.",
    ],
)
def test_a_question_about_something_is_looked_up(prompt: str) -> None:
    assert asks_for_memory(prompt)


def test_what_asks_nothing_needs_a_surer_answer() -> None:
    assert gate_for("where is the spare key?", 0.4) == 0.4
    assert gate_for("The key is lost again.", 0.4) == pytest.approx(0.64)
    assert gate_for("The key is lost again.", 0.0) == 0.0, "never silent stays never silent"


def test_prompts_about_other_things_are_many_and_each_is_one() -> None:
    assert len(OTHER_PROMPTS) == len(set(OTHER_PROMPTS)) > 80
