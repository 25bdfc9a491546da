import math
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmmem.edge.arguments import KINDS, read_arguments
from firmmem.errors import InvalidArgumentError

DEFAULTS = {"limit": 10, "token_budget": 1500, "importance": 0.5}
RECALL = {"properties": {name: {"default": DEFAULTS.get(name, "")} for name in KINDS}}
EVENT = {
    "properties": {name: {} for name in ("summary", "goal_id", "tags", "verified", "importance")},
    "required": ["summary"],
}
FEEDBACK = {
    "properties": {name: {} for name in ("memory_ids", "outcome", "note")},
    "required": ["outcome"],
}


def clean(**arguments: object) -> dict[str, Any]:
    return read_arguments(arguments, RECALL)[0]


def notes(**arguments: object) -> list[str]:
    return read_arguments(arguments, RECALL)[1]


def refusal(arguments: object, schema: Mapping[str, Any] = RECALL) -> str:
    with pytest.raises(InvalidArgumentError) as caught:
        read_arguments(arguments, schema)
    return str(caught.value)


@pytest.mark.parametrize("text", ["null", "None", '{"k":1}', '["a","b"]', "  spaced  ", "5", "true", "中文"])
def test_a_text_stays_the_text_it_is(text: str) -> None:
    assert read_arguments({"summary": text}, EVENT) == ({"summary": text}, [])
    assert clean(query=text, note=text, reason=text) == {"query": text, "note": text, "reason": text}


@pytest.mark.parametrize(
    ("sent", "stored"),
    [(42, "42"), (1.5, "1.5"), (True, "true"), ({"键": 1}, '{"键": 1}'), (["a", 1], '["a", 1]')],
)
def test_what_is_not_a_text_is_written_as_one(sent: object, stored: str) -> None:
    assert clean(summary=sent) == {"summary": stored}


@pytest.mark.parametrize("name", ["goal_id", "subject", "branch", "namespace", "since", "until"])
def test_a_missing_label_may_be_written_in_many_ways(name: str) -> None:
    absent: list[object] = [None, "", "  ", "null", "NULL", "None", " none ", False, [], [None]]
    given = {" g1 ": "g1", 7: "7", 8.0: "8", 1.5: "1.5", "nullable": "nullable"}
    wrong: list[object] = [True, {"a": 1}, ["a", "b"], math.nan]
    assert [clean(**{name: each}) for each in absent] == [{}] * len(absent)
    assert [clean(**{name: each})[name] for each in given] == list(given.values())
    assert clean(**{name: ["g1"]}) == {name: "g1"}
    assert all(refusal({name: each}).startswith(f"Send {name}: ") for each in wrong)


@pytest.mark.parametrize(
    ("sent", "stored"),
    [
        ('["a","b"]', ["a", "b"]),
        ("['a', 'b']", ["a", "b"]),
        ("a,b", ["a", "b"]),
        ("a， b、c；d", ["a", "b", "c", "d"]),
        ("solo", ["solo"]),
        ("two words", ["two words"]),
        (["a", " a ", "", None, "null", "b"], ["a", "b"]),
        (["a", ["b", "c"]], ["a", "b", "c"]),
        (["a,b"], ["a", "b"]),
        (["tea, nora", "旅行、美食"], ["tea", "nora", "旅行", "美食"]),
        (['["a","b"]'], ["a", "b"]),
        ([1, 2.0, True], ["1", "2", "true"]),
        (7, ["7"]),
        (None, []),
        ("", []),
        ("null", []),
        ("[]", []),
    ],
)
def test_a_list_of_labels_may_be_written_in_many_ways(sent: object, stored: list[str]) -> None:
    assert clean(tags=sent) == {"tags": stored}


def test_an_object_is_no_list_of_labels() -> None:
    assert refusal({"tags": {"a": 1}}) == ('Send tags: a list of short labels, such as ["work"], not \'{"a": 1}\'.')


@pytest.mark.parametrize(
    ("sent", "stored"),
    [
        (12, [12]),
        (12.0, [12]),
        ("12", [12]),
        ("12.0", [12]),
        ("#12", [12]),
        ("[1,2]", [1, 2]),
        ('["#1", "2"]', [1, 2]),
        ("1,2", [1, 2]),
        ("#1 #2", [1, 2]),
        ("#1、#2", [1, 2]),
        (["1", 1, 2.0, None, ""], [1, 2]),
        (["1,2", "#3 #4"], [1, 2, 3, 4]),
        ([[3]], [3]),
        (-4, [-4]),
        (None, []),
        ("null", []),
        ("", []),
    ],
)
def test_ids_may_be_written_in_many_ways(sent: object, stored: list[int]) -> None:
    assert clean(memory_ids=sent, supersedes=sent) == {"memory_ids": stored, "supersedes": stored}


@pytest.mark.parametrize("sent", ["abc", 1.5, True, {"a": 1}, math.inf, math.nan, 2**63, "9" * 40, "1-2", ["x"]])
def test_what_is_no_id_is_refused_with_an_example(sent: object) -> None:
    assert refusal({"memory_ids": sent}).startswith(
        "Send memory_ids: ids as recall shows them, such as [12, 15], not '"
    )


@pytest.mark.parametrize("sent", [True, "true", " Yes ", "on", 1, 1.0, "1", "T", "是"])
def test_yes_may_be_written_in_many_ways(sent: object) -> None:
    assert clean(verified=sent) == {"verified": True}


@pytest.mark.parametrize("sent", [False, "false", "No", "off", 0, 0.0, "0", "", "null", "none", "否"])
def test_no_may_be_written_in_many_ways(sent: object) -> None:
    assert clean(verified=sent) == {"verified": False}


@pytest.mark.parametrize("sent", ["maybe", 2, math.nan, [], {}])
def test_maybe_is_neither_yes_nor_no(sent: object) -> None:
    assert refusal({"verified": sent}).startswith("Send verified: true or false, not '")


def test_a_flag_that_is_null_is_left_to_its_default() -> None:
    assert clean(verified=None) == {}


@pytest.mark.parametrize(
    ("sent", "used", "note"),
    [
        (50, 50, []),
        ("50", 50, []),
        (50.0, 50, []),
        (" 50.0 ", 50, []),
        (-1, 1, ["limit -1 was raised to 1"]),
        (0, 1, ["limit 0 was raised to 1"]),
        (10**9, 100, ["limit 1000000000 was cut to 100"]),
        ("1,000", 100, ["limit 1,000 was cut to 100"]),
        (10**400, 100, [f"limit 1{'0' * 39}… was cut to 100"]),
        (-(10**400), 1, [f"limit -1{'0' * 38}… was raised to 1"]),
        (math.inf, 100, ["limit Infinity was cut to 100"]),
        ("-inf", 1, ["limit -inf was raised to 1"]),
        (7.5, 7, ["limit 7.5 was cut to 7"]),
    ],
)
def test_a_limit_is_clamped_and_the_clamp_is_told(sent: object, used: int, note: list[str]) -> None:
    assert read_arguments({"limit": sent}, RECALL) == ({"limit": used}, note)


@pytest.mark.parametrize("sent", ["fifty", math.nan, "NaN", True, [5], {"a": 1}])
def test_a_limit_that_is_no_number_gives_the_default_and_says_so(sent: object) -> None:
    understood, (note,) = read_arguments({"limit": sent}, RECALL)
    assert understood == {}
    assert note.startswith("limit '")
    assert note.endswith("is not a number, 10 was used")


def test_a_token_budget_is_clamped_too() -> None:
    assert read_arguments({"token_budget": "9"}, RECALL)[0] == {"token_budget": 50}
    assert notes(token_budget=10**6) == ["token_budget 1000000 was cut to 20000"]


@pytest.mark.parametrize(
    ("sent", "used", "note"),
    [
        (0.5, 0.5, []),
        ("0.5", 0.5, []),
        ("50%", 0.5, []),
        ("50 ％", 0.5, []),
        (1, 1.0, []),
        (7, 1.0, ["importance 7 was cut to 1"]),
        (-0.5, 0.0, ["importance -0.5 was raised to 0"]),
        (math.inf, 1.0, ["importance Infinity was cut to 1"]),
    ],
)
def test_an_importance_is_held_within_0_and_1(sent: object, used: float, note: list[str]) -> None:
    assert read_arguments({"importance": sent}, RECALL) == ({"importance": used}, note)


def test_a_number_that_is_null_is_left_to_its_default() -> None:
    assert read_arguments({"limit": None, "token_budget": "null", "importance": ""}, RECALL) == ({}, [])


@pytest.mark.parametrize(
    ("sent", "meant"),
    [
        (" Strategic ", ["strategic"]),
        (["Drafts", "draft"], ["draft"]),
        ("core, validated", ["core", "validated"]),
        ('["core"]', ["core"]),
        ("核心、草稿", ["core", "draft"]),
        ('["core","strategic"]', ["core", "strategic"]),
        (["core,strategic"], ["core", "strategic"]),
        (['["core","strategic"]'], ["core", "strategic"]),
        (["event"], ["validated", "draft"]),
        ("core facts, events", ["core", "validated", "draft"]),
        ("all", []),
        (None, []),
    ],
)
def test_tiers_may_be_written_in_many_ways(sent: object, meant: list[str]) -> None:
    assert clean(tiers=sent) == {"tiers": meant}


def test_an_unknown_tier_is_refused_with_the_four() -> None:
    assert refusal({"tiers": "gold"}) == "Send tiers: a list of core, strategic, validated, draft, not 'gold'."


@pytest.mark.parametrize(
    ("sent", "meant"),
    [
        (" Positive ", "positive"),
        ("good", "positive"),
        ("👍", "positive"),
        ("+1", "positive"),
        (1, "positive"),
        (True, "positive"),
        ("正面", "positive"),
        ("bad", "negative"),
        ("Down", "negative"),
        (-1, "negative"),
        (False, "negative"),
        ("confirmed", "verified"),
        ("VERIFIED", "verified"),
    ],
)
def test_an_outcome_may_be_written_in_many_ways(sent: object, meant: str) -> None:
    assert clean(outcome=sent) == {"outcome": meant}


@pytest.mark.parametrize("sent", ["so-so", 5, {}, ["a", "b"]])
def test_an_unknown_outcome_is_refused_with_the_three(sent: object) -> None:
    assert refusal({"outcome": sent}).startswith("Send outcome: positive, negative or verified, not '")


@pytest.mark.parametrize("absent", [None, "", "  ", "\n"])
def test_a_missing_text_is_asked_for(absent: str | None) -> None:
    assert refusal({"summary": absent}, EVENT) == "Send summary: what to remember, as one statement."
    assert refusal({}, EVENT) == "Send summary: what to remember, as one statement."


def test_one_sentence_names_everything_that_is_wrong() -> None:
    assert refusal({"memory_ids": "abc", "outcom": "good"}, FEEDBACK) == (
        "Send memory_ids: ids as recall shows them, such as [12, 15], not 'abc'; "
        "outcome: positive, negative or verified; "
        "unknown argument 'outcom' ignored, did you mean 'outcome'?"
    )


def test_a_long_wrong_value_is_not_repeated_in_full() -> None:
    assert len(refusal({"memory_ids": "x" * 10_000})) < 150


@pytest.mark.parametrize("sent", ["goalId", "GOAL_ID", "goal-id", "Goal Id", "goalid"])
def test_a_name_may_be_written_in_many_ways(sent: str) -> None:
    assert read_arguments({sent: "g1"}, RECALL) == ({"goal_id": "g1"}, [])


def test_singular_and_plural_names_are_one() -> None:
    assert clean(memory_id=3, memoryIds=None, tag="a", tier="core") == {
        "memory_ids": [3],
        "tags": ["a"],
        "tiers": ["core"],
    }


def test_the_exact_name_wins_over_another_spelling() -> None:
    understood, told = read_arguments({"Tags": "b", "tags": "a"}, RECALL)
    assert understood == {"tags": ["a"]}
    assert told == ["unknown argument 'Tags' ignored, did you mean 'tags'?"]


@pytest.mark.parametrize(
    ("sent", "meant"),
    [
        ({"q": "tea"}, {"query": "tea"}),
        ({"search_query": "tea", "topK": 3}, {"query": "tea", "limit": 3}),
        ({"text": "tea"}, {"query": "tea"}),
        ({"content": "tea", "query": ""}, {"query": "tea"}),
        ({"id": 5}, {"query": "#5"}),
        ({"memory_ids": ["5", 6]}, {"query": "#5 #6"}),
        ({"id": "spare key"}, {"query": "spare key"}),
        ({"after": "2026-01-01", "tier": "core"}, {"since": "2026-01-01", "tiers": ["core"]}),
    ],
)
def test_other_names_of_what_a_recall_takes_are_understood(sent: dict[str, object], meant: dict[str, object]) -> None:
    assert read_arguments(sent, {"properties": {name: {} for name in ("query", "tiers", "since", "limit")}}) == (
        meant,
        [],
    )


def test_a_second_name_for_what_is_given_is_ignored_with_a_note() -> None:
    understood, told = read_arguments({"query": "tea", "q": "oolong", "id": 5}, {"properties": {"query": {}}})
    assert understood == {"query": "tea"}
    assert told == ["unknown argument 'q' ignored", "unknown argument 'id' ignored"]


@pytest.mark.parametrize("name", ["text", "content", "fact", "statement", "Memory"])
def test_a_statement_may_have_other_names(name: str) -> None:
    assert read_arguments({name: "Nora drinks oolong"}, EVENT) == ({"summary": "Nora drinks oolong"}, [])


def test_an_id_names_what_is_judged() -> None:
    assert read_arguments({"id": "#5", "vote": "good", "comment": "true"}, FEEDBACK) == (
        {"memory_ids": [5], "outcome": "positive", "note": "true"},
        [],
    )


def test_an_unknown_argument_is_ignored_with_a_note() -> None:
    assert notes(tagz="a") == ["unknown argument 'tagz' ignored, did you mean 'tags'?"]
    assert notes(colour="blue") == ["unknown argument 'colour' ignored"]


@pytest.mark.parametrize("arguments", [None, "", "null", {}, "{}"])
def test_no_arguments_at_all_are_understood(arguments: object) -> None:
    assert read_arguments(arguments, RECALL) == ({}, [])


def test_arguments_may_be_a_json_string_or_wrapped_once() -> None:
    assert read_arguments('{"limit": "5"}', RECALL) == ({"limit": 5}, [])
    assert read_arguments({"arguments": {"limit": 5}}, RECALL) == ({"limit": 5}, [])


@pytest.mark.parametrize("arguments", [[], 5, "hello", "[" * 100_000])
def test_what_is_no_object_is_refused(arguments: object) -> None:
    assert refusal(arguments) == 'Send the arguments as one object, such as {"query": "…"}.'


def test_an_argument_of_a_tool_that_no_kind_is_known_for_passes_as_it_is() -> None:
    schema = {"properties": {"extra": {}, "more": {}}, "required": ["extra", "more"]}
    assert read_arguments({"extra": [1], "more": 2}, schema) == ({"extra": [1], "more": 2}, [])
    assert refusal({"extra": [1]}, schema) == "Send more: any value."


def test_values_that_json_libraries_choke_on_are_refused_or_read() -> None:
    assert refusal({"summary": 10**5000}, EVENT).startswith("Send summary: ")
    assert clean(tags="[" * 100_000) == {"tags": ["[" * 100_000]}
    assert clean(tags='["\\ud800"]') == {"tags": ["\\ud800"]}
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    assert refusal({"tags": deep}).startswith("Send tags: ")


@pytest.mark.parametrize("name", sorted(KINDS))
def test_no_argument_is_broken_by_an_odd_value(name: str) -> None:
    for value in (10**400, -(10**400), 10**5000, math.inf, math.nan, b"bytes", object()):
        with suppress(InvalidArgumentError):
            read_arguments({name: value}, RECALL)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@given(st.dictionaries(st.sampled_from(sorted(KINDS)) | st.text(), json_values) | json_values)
def test_whatever_is_sent_is_understood_or_refused(arguments: object) -> None:
    try:
        understood, _ = read_arguments(arguments, RECALL)
    except InvalidArgumentError:
        return
    assert understood.keys() <= KINDS.keys()
    assert 1 <= understood.get("limit", 1) <= 100
    assert 0 <= understood.get("importance", 0) <= 1
    assert all(type(each) is int for each in understood.get("memory_ids", []))
    assert all(type(each) is str and each for each in understood.get("tags", []))
    assert type(understood.get("verified", True)) is bool
