import re
import subprocess
import sys

import pytest

from firmmem.patterns import METHODS, compile_all, lazy


def test_a_pattern_behaves_as_the_compiled_one_does() -> None:
    pattern, compiled = lazy(r"(?P<word>[a-z]+)\d", re.IGNORECASE), re.compile(r"(?P<word>[a-z]+)\d", re.IGNORECASE)
    text = "A1 bc2, d"
    assert (pattern.pattern, pattern.flags & re.IGNORECASE) == (compiled.pattern, re.IGNORECASE)
    assert pattern.findall(text) == compiled.findall(text) == ["A", "bc"]
    assert [found["word"] for found in pattern.finditer(text)] == ["A", "bc"]
    assert pattern.sub("-", text) == compiled.sub("-", text)
    with pytest.raises(AttributeError):
        _ = pattern.groups  # nothing of ours asks for it, so it says so


@pytest.mark.parametrize("method", METHODS)
def test_each_method_compiles_and_is_then_the_compiled_ones(method: str) -> None:
    pattern = lazy("x")
    first = getattr(pattern, method)
    assert first == getattr(pattern, method)
    assert getattr(pattern, method).__self__ == re.compile("x")


def test_what_nothing_has_used_is_compiled_at_once_when_asked() -> None:
    pattern = lazy("y")
    assert "search" not in vars(pattern)
    compile_all()
    assert "search" in vars(pattern)


def test_a_pattern_that_is_wrong_is_found_out_when_it_is_compiled() -> None:
    wrong = lazy("(")
    with pytest.raises(re.error):
        wrong.search("x")
    with pytest.raises(re.error):
        compile_all()


def test_every_pattern_of_the_server_compiles_and_none_is_compiled_by_its_import() -> None:
    script = """
import firmmem.edge.server
from firmmem import patterns
assert len(patterns._waiting) > 30, patterns._waiting
assert not any("search" in vars(pattern) for pattern in patterns._waiting)
patterns.compile_all()
"""
    subprocess.run([sys.executable, "-c", script], check=True)
