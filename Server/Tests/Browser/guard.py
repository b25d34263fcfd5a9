"""Ends what was started when this program ends, however it does: a test that is given up kills it without a word."""
import os
import signal
import subprocess
import sys

WATCH = """
import os, signal, sys
sys.stdin.read()
try:
    os.killpg(int(sys.argv[1]), signal.SIGKILL)
except ProcessLookupError:
    pass
"""


def start(command, **options):
    """A process in a group of its own, which is killed when this program is gone."""
    process = subprocess.Popen(command, start_new_session=True, **options)
    # Nobody writes: its input ends when this program does, or lets go of the guard.
    process.guard = subprocess.Popen(
        [sys.executable, "-c", WATCH, str(process.pid)], stdin=subprocess.PIPE, start_new_session=True)
    return process


def end(process):
    """Kills what is left of the group."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()
    process.guard.stdin.close()
    process.guard.wait()
