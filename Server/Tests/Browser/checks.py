"""What every page must hold, and how findings are kept: one run shows everything that is wrong."""

# Widths of a phone, a tablet and a desk (CON-2).
WIDTHS = (390, 820, 1440)
# Whether the scheme is the dark one at each of them: the colours of a scheme are the same at every width.
SCHEMES = {390: False, 820: True, 1440: False}


class Checks:
    def __init__(self, axe):
        self.axe = axe
        self.failures = []
        self.count = 0

    def expect(self, what, holds, seen=None):
        self.count += 1
        if holds:
            print(f"ok: {what}", flush=True)
        else:
            self.failures.append(what)
            print(f"FAILED: {what}" + ("" if seen is None else f": {seen}"), flush=True)
        return holds

    def page(self, browser, what, expected_status=200, is_whole=True):
        """The page that a browser is on: its console, the rules of axe, its width.

        `is_whole`: at every width, in one scheme or the other; otherwise as it stands, and without the contrast of
        texts that look like others whose contrast is known.
        """
        found = self.complaints(browser, expected_status)
        if expected_status != 200 and browser.status != expected_status:
            found.append(f"it came with {browser.status} instead of {expected_status}")
        if is_whole:
            found += self._looks(browser)
        else:
            found += [f"axe: {line}" for line in self.axe.violations(browser, every_contrast=False)]
        self.expect(f"{what}: nothing to complain of", not found, "\n    " + "\n    ".join(found))

    def complaints(self, browser, expected_status=200):
        """What the browser's console says, but for the page's own expected status."""
        expected = f"the server responded with a status of {expected_status} "
        return [f"console: {line}" for line in browser.complaints() if expected_status < 400 or expected not in line]

    def _looks(self, browser):
        found = []
        for width, is_dark in SCHEMES.items():
            browser.screen(width, dark=is_dark)
            browser.painted()
            where = f"at {width} px, {'dark' if is_dark else 'light'}"
            found += [f"axe {where}: {line}" for line in self.axe.violations(browser)]
            found += [f"{where}: {line}" for line in sideways(browser)]
        browser.screen(1440)
        return list(dict.fromkeys(found))

    def end(self):
        """The exit code."""
        print(f"{self.count} checks, {len(self.failures)} failed", flush=True)
        return 1 if self.failures or not self.count else 0


# What scrolls inside itself may be as wide as it likes.
SIDEWAYS = """
const over = document.documentElement.scrollWidth - innerWidth;
if (over <= 0) return [];
const scrolls = (element) => {
  for (let at = element; at; at = at.parentElement) {
    if (at !== document.body && getComputedStyle(at).overflowX !== 'visible') return true;
  }
  return false;
};
const wide = [...document.body.querySelectorAll('*')]
  .filter((element) => element.getBoundingClientRect().right > innerWidth + 1 && !scrolls(element))
  .map((element) => element.outerHTML.slice(0, 120));
return [`the page scrolls sideways by ${over} px: ${wide.slice(-3).join(' | ')}`];
"""


def sideways(browser):
    """What makes the page wider than its screen."""
    return browser.script(SIDEWAYS)
