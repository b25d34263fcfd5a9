"""Checks a page by the rules of axe-core: all of them, also those that no standard asks for."""
import pathlib

# Beside the pages' own scripts, so that their policy of content stays as it is. Messages in frames are documents that
# take no scripts; the tests of the renderer check them by the same rules.
RUN = """
(async () => {
  const result = await axe.run(document, {iframes: false, resultTypes: ['violations']});
  return result.violations.map(rule => rule.id + ' (' + rule.help + '): '
    + rule.nodes.map(node => node.target.join(' ') + ' ' + node.html.slice(0, 160)).join(' | '));
})()
"""


class Axe:
    def __init__(self, folder):
        """`folder`: where Scripts/setup has put the package."""
        file = pathlib.Path(folder) / "axe_playwright_python" / "axe.min.js"
        if not file.exists():
            raise SystemExit(f"There is no {file}: run Scripts/setup, which installs it.")
        self._script = file.read_text(encoding="utf-8")

    def violations(self, browser):
        """A line for each rule that the page breaks."""
        if not browser.isolated("typeof axe !== 'undefined'"):
            browser.isolated(self._script + "\n;true")
        return browser.isolated(RUN)
