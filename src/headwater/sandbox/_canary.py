"""Code that tries to get out, run before any other code is."""

from __future__ import annotations

from typing import Any

CANARY = """
import os, socket
tried = {}
def attempt(name, action):
    try:
        action()
        tried[name] = True
    except OSError:
        tried[name] = False
attempt("read outside", lambda: open(OUTSIDE).read())
attempt("list the root's passwords", lambda: open("/etc/passwd").read())
attempt("write outside", lambda: open(OUTSIDE + ".written", "w").write("x"))
attempt("open a socket", lambda: socket.socket(socket.AF_INET).bind(("127.0.0.1", 0)))
attempt("open a local socket", lambda: socket.socket(socket.AF_UNIX))
attempt("start a process", lambda: os.fork() or os._exit(0))
attempt("start a program", lambda: os.execv("/bin/true", ["true"]))
attempt("signal the parent", lambda: os.kill(os.getppid(), 0))
tried["see the environment"] = len(os.environ) > 16
tried["have rights of root"] = any(
    int(line.split()[1], 16) for line in open("/proc/self/status") if line.startswith(("CapEff", "CapPrm", "CapInh"))
)
attempt("write inside", lambda: open("inside", "w").write("x"))
tried
"""

_ALLOWED = frozenset({"write inside"})


def judge(value: Any, was_written: bool) -> dict[str, bool]:
    """Return for everything the canary tried whether it came out as it should."""
    if not isinstance(value, dict):
        return {"the canary ran": False}
    held = {str(name): bool(done) == (name in _ALLOWED) for name, done in value.items()}
    return held | {"write outside": held.get("write outside", False) and not was_written}
