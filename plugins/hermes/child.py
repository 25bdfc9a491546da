"""FirmMem's own process, asked by lines of JSON over its pipes: nothing of FirmMem is imported into Hermes."""

import contextlib
import itertools
import json
import os
import queue
import subprocess
import threading
import time

AGAIN_SECONDS = 5.0  # after a process that died without one answer: how long none is started
FOREIGN = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "__PYVENV_LAUNCHER__")  # they are about Hermes' Python

_children = {}
_children_lock = threading.Lock()


class UnansweredError(Exception):
    """FirmMem did not answer, for the reason given."""


def child_for(command, env, log_path):
    """Return the one process of a configuration: Hermes makes an agent for each message, and all of them share it."""
    key = (tuple(command), tuple(sorted(env.items())))
    with _children_lock:
        if key not in _children:
            _children[key] = Child(command, env, log_path)
        return _children[key]


class Child:
    """A process that is started when it is needed, again when it died, and ends with Hermes, whose pipe closes."""

    def __init__(self, command, env, log_path):
        self._command = list(command)
        self._env = dict(env)
        self._log_path = log_path
        self._lock = threading.Lock()
        self._ids = itertools.count(1)
        self._running = None
        self._failed = -AGAIN_SECONDS  # when a process died without one answer

    def start(self):
        """Start the process, if it does not run; what fails is said by the next question."""
        with contextlib.suppress(UnansweredError), self._lock:
            self._current()

    def ask(self, method, params, seconds):
        """Return the answer to a question, within this time; one that a dying process took along is asked again.

        A write that is repeated changes nothing more.

        Raises:
            UnansweredError: There is none.
        """
        until = time.monotonic() + seconds
        for _ in range(2):
            with contextlib.suppress(EOFError):
                said = self._send(method, params, until).receive(until)
                if "error" in said:
                    raise UnansweredError(str(said["error"].get("message", "unknown")))
                return said.get("result", {})
        raise UnansweredError("its process died")

    def _send(self, method, params, until):
        if not self._lock.acquire(timeout=max(0.0, until - time.monotonic())):
            raise UnansweredError("it took too long")
        try:
            running = self._current()
            return running.send({"jsonrpc": "2.0", "id": next(self._ids), "method": method, "params": params})
        finally:
            self._lock.release()

    def _current(self):
        """Return the process that runs; call it with the lock."""
        running = self._running
        if running is not None and running.lives():
            return running
        if running is not None and not running.answered:
            self._failed = time.monotonic()
        self._running = None
        if time.monotonic() - self._failed < AGAIN_SECONDS:
            raise UnansweredError(f"its process ends at once: see {self._log_path}")
        env = {name: value for name, value in os.environ.items() if name not in FOREIGN} | self._env
        try:
            with open(self._log_path, "ab") as log:
                self._running = Running(self._command, env, log)
        except OSError as error:
            raise UnansweredError(f"it can't be started: {error.strerror}") from None
        return self._running


class Running:
    """One process, and who waits for which of its answers."""

    def __init__(self, command, env, log):
        self.answered = 0.0  # when it last answered; never: 0
        self._waiting = {}
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, env=env)
        threading.Thread(target=self._read, name="firmmem", daemon=True).start()

    def lives(self):
        """Whether the process runs."""
        return self._process.poll() is None

    def send(self, question):
        """Write a question, and return what waits for its answer; EOFError where the process is gone."""
        answer = Answer(self)
        self._waiting[question["id"]] = answer
        try:
            self._process.stdin.write(json.dumps(question, ensure_ascii=False).encode("utf-8", "replace") + b"\n")
            self._process.stdin.flush()
        except (OSError, ValueError):
            self.end()
            raise EOFError from None
        return answer

    def end(self):
        """End the process; a write that waits for it to read ends too."""
        self._process.kill()
        self._process.wait()

    def _read(self):
        """Hand each answer to whoever waits for it; at the end, say to all who still wait that there is none."""
        for line in self._process.stdout:
            with contextlib.suppress(ValueError, AttributeError, KeyError):
                said = json.loads(line)
                self.answered = time.monotonic()
                self._waiting.pop(said["id"]).put(said)
        self._process.wait()
        while self._waiting:
            with contextlib.suppress(KeyError):
                self._waiting.popitem()[1].put(None)
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        self._process.stdout.close()


class Answer(queue.SimpleQueue):
    """What a question waits in."""

    def __init__(self, running):
        self._running = running
        self._asked = time.monotonic()

    def receive(self, until):
        """Return the answer; a process that has answered nobody since is taken for stuck, and ended."""
        try:
            said = self.get(timeout=max(0.0, until - time.monotonic()))
        except queue.Empty:
            if self._running.answered < self._asked:
                self._running.end()
            raise UnansweredError("it took too long") from None
        if said is None:
            raise EOFError
        return said
