"""Finds the pages of the console by following its links, as each role."""
import re
import urllib.parse

from console import person

# Pages of one kind (a campaign, say) that are looked at, and pages in all.
MOST_OF_A_KIND = 2
MOST = 120
# Whoever is shown a link can follow it; these end what the crawl needs.
LEFT_OUT = re.compile(r"/console/(sign-out|welcome|assets)")
LINKS = """
return [...document.querySelectorAll('a[href]')].map((link) => ({href: link.href, isFile: link.hasAttribute('download')}));
"""


def kind(address):
    """The address without what differs between pages of one kind: ids, and the values of its query."""
    parts = urllib.parse.urlsplit(address)
    steps = ["{id}" if re.search(r"\d", step) or len(step) > 24 else step for step in parts.path.split("/")]
    query = sorted(name for name, _ in urllib.parse.parse_qsl(parts.query, keep_blank_values=True))
    return "/".join(steps) + ("?" + "&".join(query) if query else "")


class Unseen(Exception):
    """The crawl stopped before it had seen every kind of page."""


def pages(browser, start):
    """The addresses that can be reached from `start`, each visited as it is found: yields the address and its kind.

    It raises `Unseen` when it has visited `MOST` and knows of kinds of pages that it has seen less of than it should.
    """
    origin = urllib.parse.urlsplit(start).netloc
    waiting, seen, kinds = [start], {start}, {}
    while waiting:
        address = waiting.pop(0)
        of_kind = kind(address)
        if kinds.get(of_kind, 0) >= MOST_OF_A_KIND:
            continue
        if sum(kinds.values()) >= MOST:
            left = sorted({of_kind} | {kind(other) for other in waiting if kinds.get(kind(other), 0) < MOST_OF_A_KIND})
            raise Unseen(f"after {MOST} pages {len(left)} kinds are left: {', '.join(left[:20])}")
        kinds[of_kind] = kinds.get(of_kind, 0) + 1
        browser.open(address)
        yield address, of_kind
        for link in browser.script(LINKS):
            target = urllib.parse.urldefrag(link["href"]).url
            parts = urllib.parse.urlsplit(target)
            is_ours = parts.netloc == origin and parts.path.startswith("/console") and not LEFT_OUT.match(parts.path)
            if is_ours and not link["isFile"] and target not in seen:
                seen.add(target)
                waiting.append(target)


def name(of_kind):
    """For files and reports: `apps-demo-campaigns-id`."""
    path, _, query = of_kind.partition("?")
    text = path.removeprefix("/console").strip("/").replace("{id}", "id") or "start"
    return re.sub(r"[^A-Za-z0-9]+", "-", text + ("-by-" + query if query else "")).strip("-")


def crawl(driver, demo, checks, role):
    """Visits everything as a person of this role. The first page of each kind is looked at in full by an operator,
    who sees the most."""
    with person(driver, demo, role, demo.page()) as browser:
        checks.complaints(browser)
        looked, visited, unseen = set(), 0, None
        try:
            for address, of_kind in pages(browser, demo.page()):
                visited += 1
                where = address.removeprefix(demo.address)
                checks.expect(f"{role}: {where} answers", browser.status == 200, browser.status)
                is_first = of_kind not in looked
                looked.add(of_kind)
                checks.page(browser, f"{role}: {where}", is_whole=is_first and role == "operator")
        except Unseen as error:
            unseen = error
        checks.expect(f"{role}: every kind of page was seen, in {visited} pages", unseen is None, unseen)
        checks.expect(f"{role}: there are pages", len(looked) >= 4, sorted(looked))
        if role == "operator":
            # No link leads there.
            browser.open(demo.page("/design"))
            checks.page(browser, "operator: the design system")
        for path, what in (("/nothing-here", "a page that is none"), ("/apps/nowhere", "an app that is none")):
            browser.open(demo.page(path))
            checks.expect(f"{role}: {what} is 404", browser.status == 404, browser.status)
            checks.page(browser, f"{role}: {what}", 404, is_whole=role == "operator")


def outside(browser, demo, checks):
    """What is there for whoever is not signed in."""
    browser.open(demo.app_page("/campaigns"))
    checks.expect(
        "whoever is not signed in is asked to", browser.until(lambda: "/console/sign-in?next=" in browser.address),
        browser.address)
    checks.page(browser, "the sign-in page")
    browser.fill("Name", "viewer")
    browser.fill("Password", "a wrong password")
    browser.press("Sign in")
    checks.expect("a wrong password is told", browser.sees("The name or the password is wrong."), browser.text)
    checks.page(browser, "the sign-in page with a wrong password", 401)
