"""Sends pushes to a real Firefox, by a push service of its own.

Usage: run_push.py --program BELFRY [NAME …]

NAME: a part; default: all. It prints a line for each check and ends with 1 if one failed.
"""
import argparse
import signal
import sys
import traceback

sys.dont_write_bytecode = True
from checks import Checks
from stories_push import changes, demo, push, sdk

STORIES = {"push": push, "sdk": sdk, "changes": changes, "demo": demo}


def main():
    arguments = argparse.ArgumentParser(usage=__doc__)
    arguments.add_argument("--program", required=True)
    arguments.add_argument("names", nargs="*")
    options = arguments.parse_args()
    # What was started ends with this program, also when it is asked to end.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    checks = Checks(None)
    for name in options.names or STORIES:
        if name not in STORIES:
            raise SystemExit(f"There is no '{name}'; there are {', '.join(STORIES)}.")
        print(f"-- {name}", flush=True)
        try:
            STORIES[name](options.program, checks)
        except Exception:
            checks.expect(f"{name} goes on to its end", False, traceback.format_exc())
    sys.exit(checks.end())


if __name__ == "__main__":
    main()
