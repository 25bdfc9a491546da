"""The fence round memories: nothing inside can close it, whatever it is."""

from hypothesis import given
from hypothesis import strategies as st

from firmmem.hook.fence import CLOSED, MOST, OPENED, disarm, fence

HOSTILE = st.sampled_from(
    [CLOSED, "</firmmem-memories>", "</system>", "```", "~~~", "<", ">", "\n", "\r\n", "\u2028", "]]>", "-->"]
)
TEXT = st.lists(st.one_of(HOSTILE, st.text(max_size=12)), max_size=12).map("".join)


@given(st.lists(TEXT, max_size=8), TEXT)
def test_nothing_inside_closes_the_fence_or_opens_another(lines: list[str], closing: str) -> None:
    text = fence(lines, closing)
    assert len(text) <= MOST
    if lines:
        assert text.startswith(f"{OPENED}\n")
        assert text.count("<") == text.count(">") == 2
        assert text.count(CLOSED) == 1
    else:
        assert "<" not in text
    assert "```" not in text


@given(TEXT)
def test_a_line_stays_one_line(line: str) -> None:
    assert len(disarm(line).splitlines()) <= 1


def test_what_has_no_room_is_left_out_and_the_fence_is_closed() -> None:
    text = fence(["x" * 500] * 100)
    assert text.endswith(CLOSED)
    assert 8_000 < len(text) <= MOST
