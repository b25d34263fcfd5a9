"""Ends what was started when this program ends, however it does: a test that is given up kills it without a word."""
import os
import signal
import subprocess
import sys

WATCH = """
import os, signal, sys
if not sys.stdin.read():
    try:
        os.killpg(int(sys.argv[1]), signal.SIGKILL)
    except ProcessLookupError:
        pass
"""


def start(command, **options):
    """A process in a group of its own, which is killed when this program is gone."""
    process = subprocess.Popen(command, start_new_session=True, **options)
    # Its input ends with nothing in it when this program is gone without a word.
    process.guard = subprocess.Popen(
        [sys.executable, "-c", WATCH, str(process.pid)], stdin=subprocess.PIPE, start_new_session=True)
    return process


def end(process):
    """Kills what is left of the group."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    # First the guard: as soon as nobody waits for the process any more, its number may be another's.
    process.guard.communicate(b"ended")
    process.wait()
