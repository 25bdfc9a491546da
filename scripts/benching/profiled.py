"""Our server with a clock at its stages: `profiled.py FILE` writes the microseconds of each, a line a call.

A stage's time is its own, without what is named inside it; what is inside carries both names, `like texts / term`.
"""

import importlib
import json
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from firmmem.edge import answering, server, tools
from firmmem.stdio import client_wire
from firmmem.store import database, statements
from firmmem.store.statements import Connection

ASIDE = ("fold_reviews", "note_shown")  # what is written after the reply
FUNCTIONS = {
    "arguments": (answering, ("read_arguments",)),
    "the reply as text": (tools.replies, ("render_recalled", "render_written", "render_changed")),
    "its text is checked": (importlib.import_module("firmmem.memory.write.write"), ("check_memory",)),
    "its words": (importlib.import_module("firmmem.memory.write.write"), ("index_words",)),
    "like texts": (importlib.import_module("firmmem.memory.write.write"), ("find_similar",)),
}
BEFORE, AFTER = "the SDK, until the tool is called", "the SDK, until the reply is written"
THERE, BACK = "to the file's thread", "and back"
TOOL, VERB = "the tool, what is not named below", "Python between the statements"


class Stages:
    """The microseconds of each stage of the call that is being answered."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._threads = threading.local()
        self.times: dict[str, float] = {}
        self.called = False
        self.read_at = 0.0

    def begin(self) -> None:
        self.times, self.called, self.read_at = {}, False, time.perf_counter()

    def end(self) -> None:
        if self.called:
            with self._file.open("a", encoding="utf-8") as file:
                file.write(json.dumps(self.times) + "\n")
        self.called = False

    def add(self, name: str, seconds: float) -> None:
        self.times[name] = self.times.get(name, 0.0) + seconds * 1e6

    @contextmanager
    def stage(self, name: str, *, root: bool = False) -> Iterator[None]:
        """Add the time of a block less that of the stages in it; on a thread of the file only below a root."""
        stack: list[list[Any]] = self._threads.__dict__.setdefault("stack", [])
        if not root and not stack and threading.current_thread() is not threading.main_thread():
            yield
            return
        within = [each[0] for each in stack if each[0] not in (TOOL, VERB)]
        path = " / ".join([*within, name])
        own: list[Any] = [name, 0.0]
        stack.append(own)
        self.add(path, 0.0)  # so that stages stand in the order in which they begin
        began = time.perf_counter()
        try:
            yield
        finally:
            took = time.perf_counter() - began
            stack.pop()
            self.add(path, took - own[1])
            if stack:
                stack[-1][1] += took


def main() -> None:
    stages = Stages(Path(sys.argv.pop(1)))
    for name, (module, functions) in FUNCTIONS.items():
        for function in functions:
            timed(stages, module, function, lambda *_, name=name: name)
    every_statement(stages)
    threads_of_the_file(stages)
    calls(stages)
    importlib.import_module("firmmem.__main__").server()


def timed(stages: Stages, module: ModuleType | type, function: str, name: Callable[..., str]) -> None:
    """Put a clock at a function of a module, or of a class."""
    plain = getattr(module, function)

    def clocked(*arguments: Any, **options: Any) -> Any:
        with stages.stage(name(*arguments)):
            return plain(*arguments, **options)

    setattr(module, function, clocked)


def every_statement(stages: Stages) -> None:
    """Put a clock at every statement by its name, wherever it is run from, and at the ends of transactions."""
    for function in ("fetch", "run"):
        plain = getattr(statements, function)
        for module in [each for name, each in sys.modules.items() if name.startswith("firmmem")]:
            if getattr(module, function, None) is plain:
                timed(stages, module, function, lambda _, name, candidate="": candidate or name)
    execute = Connection.execute

    def clocked(self: Connection, statement: str, *given: Any) -> Any:
        if statement not in ("BEGIN", "BEGIN IMMEDIATE", "COMMIT"):
            return execute(self, statement, *given)
        with stages.stage(statement):
            return execute(self, statement, *given)

    Connection.execute = clocked


def threads_of_the_file(stages: Stages) -> None:
    """Put a clock at the way to the file's threads and back, and at what is done there."""
    began, ended = 0.0, 0.0
    hop = database.Database._hop  # noqa: SLF001 - where all that goes to those threads passes

    def there(plain: Callable[..., Any]) -> Callable[..., Any]:
        def clocked(file: Any, function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
            nonlocal began, ended
            if function.__name__ in ASIDE:
                return plain(file, function, *arguments, **options)
            began = time.perf_counter()
            try:
                with stages.stage(VERB, root=True):
                    return plain(file, function, *arguments, **options)
            finally:
                ended = time.perf_counter()

        return clocked

    database.read_in_view, database.write_in_transaction = (
        there(database.read_in_view),
        there(database.write_in_transaction),
    )

    async def clocked(self: database.Database, connection: Any, function: Any, *arguments: Any, **options: Any) -> Any:
        if not stages.called or function.args[-1].__name__ in ASIDE:
            return await hop(self, connection, function, *arguments, **options)
        stages.add(THERE, 0.0)
        asked = time.perf_counter()
        result = await hop(self, connection, function, *arguments, **options)
        answered = time.perf_counter()
        stages.add(THERE, began - asked)
        stages.add(BACK, answered - ended)
        stages.add(TOOL, asked - answered)  # which stood still meanwhile
        return result

    database.Database._hop = clocked  # noqa: SLF001


def calls(stages: Stages) -> None:
    """Put a clock at the line that comes in, at the tool, and at the reply that goes out."""
    read_available, call, write = client_wire.read_available, server.call_tool, client_wire.Wire.write

    def read(descriptor: int) -> bytes:
        chunk = read_available(descriptor)
        stages.begin()
        return chunk

    async def called(*arguments: Any) -> Any:
        stages.add(BEFORE, time.perf_counter() - stages.read_at)
        stages.called = True
        with stages.stage(TOOL):
            result = await call(*arguments)
        stages.read_at = time.perf_counter()
        return result

    async def written(self: client_wire.Wire, line: str) -> None:
        await write(self, line)
        stages.add(AFTER, time.perf_counter() - stages.read_at)
        stages.end()

    client_wire.read_available, server.call_tool, client_wire.Wire.write = read, called, written


if __name__ == "__main__":
    main()
