"""Runs the stories of the console, and visits all its pages, in a real Chromium.

Usage: run.py --program BELFRY --libraries FOLDER --foreign FOLDER [NAME …]

FOLDER: what Scripts/setup has installed of Tests/Browser and of Tests/Foreign. NAME: a part, such as marketer or
pages-of-viewer; default: all. It prints a line for each check and ends with 1 if one failed.
"""
import argparse
import contextlib
import signal
import sys
import traceback

sys.dont_write_bytecode = True
from axe import Axe
from checks import Checks
from console import ROLES, Demo
from crawl import crawl, outside
from stories import STORIES
from story_newcomer import newcomer
import stories_editing
import stories_live
import stories_phone
import stories_website
from stories_provider import provider
from webdriver import Browser, Chromedriver


def parts(driver, demo, checks, options):
    """By name, in their order: what a story makes is there for the pages after it."""
    def stranger():
        with Browser(driver) as browser:
            outside(browser, demo, checks)
    found = {"newcomer": lambda: newcomer(driver, demo, checks), "outside": stranger}
    found["provider"] = lambda: provider(driver, options.program, options.foreign, checks)
    found["phone_elsewhere"] = lambda: stories_phone.phone_elsewhere(driver, options.program, checks)
    stories = (
        STORIES | stories_editing.STORIES | stories_live.STORIES | stories_phone.STORIES | stories_website.STORIES)
    for name, story in stories.items():
        found[name] = lambda story=story: story(driver, demo, checks)
    for role in ROLES + ("operator",):
        found["pages-of-" + role] = lambda role=role: crawl(driver, demo, checks, role)
    return found


def main():
    arguments = argparse.ArgumentParser(usage=__doc__)
    arguments.add_argument("--program", required=True)
    arguments.add_argument("--libraries", required=True)
    arguments.add_argument("--foreign", required=True)
    arguments.add_argument("names", nargs="*")
    options = arguments.parse_args()
    # What was started ends with this program, also when it is asked to end.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    checks = Checks(Axe(options.libraries))
    with contextlib.ExitStack() as running:
        driver = running.enter_context(Chromedriver())
        # These have servers of their own, and a demonstration takes a while to start.
        demo = None if options.names and {"provider", "phone_elsewhere"}.issuperset(options.names) else running.enter_context(Demo(options.program))
        if demo:
            demo.add_people()
        known = parts(driver, demo, checks, options)
        for name in options.names or known:
            if name not in known:
                raise SystemExit(f"There is no '{name}'; there are {', '.join(known)}.")
            print(f"-- {name}", flush=True)
            try:
                known[name]()
            except Exception:
                checks.expect(f"{name} goes on to its end", False, traceback.format_exc())
    sys.exit(checks.end())


if __name__ == "__main__":
    main()
