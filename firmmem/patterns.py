"""Regular expressions that are compiled when they are first used.

Compiling ours takes as long as all else that a start does, and a client that starts a server wants its tools.
"""

import re
from typing import Any, cast

METHODS = ("search", "match", "fullmatch", "finditer", "findall", "sub", "subn", "split")
_waiting: list["_Lazy"] = []


class _Lazy:
    """A regular expression; once compiled, its methods are those of the compiled one, at no further cost."""

    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern = pattern
        self.flags = flags

    def __getattr__(self, name: str) -> Any:
        if name not in METHODS:
            raise AttributeError(name)
        self.compile()
        return self.__dict__[name]

    def compile(self) -> None:
        compiled = re.compile(self.pattern, self.flags)
        self.__dict__.update({method: getattr(compiled, method) for method in METHODS})


def lazy(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Return what behaves as the compiled pattern does."""
    made = _Lazy(pattern, flags)
    _waiting.append(made)
    return cast("re.Pattern[str]", made)


def compile_all() -> None:
    """Compile what nothing has used yet, so that no call waits for it."""
    while _waiting:
        _waiting.pop().compile()
