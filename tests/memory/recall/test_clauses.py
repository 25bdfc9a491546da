"""A prompt is cut into clauses, and a bare question is one."""

import pytest

from firmmem.memory.recall.clauses import CLAUSES, cut_clauses


@pytest.mark.parametrize(
    "question",
    [
        "When did Dr. Smith go to St. Ives?",
        "On 3.5. what did J. Bach, Mrs. Bach and node.js do?",
        "在完成紧急抢修任务，感受到强烈疲惫后，陆明强做出了什么决定？",
        "cat",
        "Where is it?",
        "谁",
        "?!",
    ],
)
def test_a_bare_question_is_one_clause(question: str) -> None:
    assert [clause.text for clause in cut_clauses(question)] == [question]


def test_what_is_said_around_a_question_is_a_clause_of_its_own() -> None:
    clauses = cut_clauses("It rained all week. I repaired the fence! Which bike do I own? Thanks.")
    assert [(clause.text, clause.asks) for clause in clauses] == [
        ("It rained all week.", False),
        ("I repaired the fence!", False),
        ("Which bike do I own?", True),
    ]
    clauses = cut_clauses("最近天气变化真大。等等，我真正想问的是：那个活动的地点是什么？另外，周末去爬山。")
    assert [clause.asks for clause in clauses] == [False, True, False]


def test_a_question_without_words_of_its_own_belongs_to_what_stands_before_or_after_it() -> None:
    assert [clause.text for clause in cut_clauses("My trip to Kyoto. When? I lost the red umbrella.")] == [
        "My trip to Kyoto. When?",
        "I lost the red umbrella.",
    ]
    assert cut_clauses("Why? The boiler leaked again. The plumber called back.")[0].text.startswith("Why?")


def test_of_many_clauses_the_questions_and_then_the_last_are_asked() -> None:
    prompt = "Who repaired the boiler? " + " ".join(f"Statement number {count}." for count in range(20))
    clauses = cut_clauses(prompt)
    assert len(clauses) == CLAUSES
    assert clauses[0].asks
    assert clauses[-1].text == "Statement number 19."


def test_without_a_mark_the_words_tell_a_question() -> None:
    assert cut_clauses("who repaired the boiler")[0].asks
    assert cut_clauses("锅炉是谁修的")[0].asks
    assert not cut_clauses("I know who repaired the boiler.")[0].asks
