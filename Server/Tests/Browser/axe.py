"""Checks a page by the rules of axe-core: all of them, also those that no standard asks for."""
import json
import pathlib

# Beside the pages' own scripts, so that their policy of content stays as it is. Messages in frames are documents that
# take no scripts; the tests of the renderer check them by the same rules.
RUN = """
(async (contrasted) => {
  const look = (context, options) => axe.run(context, {iframes: false, resultTypes: ['violations'], ...options});
  // First, and only what is still there: a page that lives has soon replaced a text.
  const measured = (contrasted ?? []).filter((name) => belfryTexts.get(name)?.isConnected);
  const found = [];
  if (measured.length) {
    const texts = measured.map((name) => belfryTexts.get(name));
    found.push(await look({include: texts}, {runOnly: ['color-contrast']}));
  }
  found.push(await look(document, contrasted === null ? {} : {rules: {'color-contrast': {enabled: false}}}));
  const lines = found.flatMap((result) => result.violations).map(rule => rule.id + ' (' + rule.help + '): '
    + rule.nodes.map(node => node.target.join(' ') + ' ' + node.html.slice(0, 160)).join(' | '));
  return {measured, lines};
})(%s)
"""

# What decides the contrast of each text that is shown: its colour and size, and what it stands on. Two texts that agree
# in all of that have the same contrast. Returns what differs, and keeps a text of each.
LOOKS = """
(() => {
  const digest = (text) => {
    let [high, low] = [0xdeadbeef, 0x41c6ce57];
    for (let index = 0; index < text.length; index += 1) {
      high = Math.imul(high ^ text.charCodeAt(index), 2654435761);
      low = Math.imul(low ^ text.charCodeAt(index), 1597334677);
    }
    return (high >>> 0).toString(36) + (low >>> 0).toString(36);
  };
  const usual = {backgroundColor: 'rgba(0, 0, 0, 0)', backgroundImage: 'none', opacity: '1', filter: 'none',
    mixBlendMode: 'normal', position: 'static', clip: 'auto', clipPath: 'none'};
  const grounds = new Map();
  const ground = (element) => {
    if (!element) return '';
    if (!grounds.has(element)) {
      const style = getComputedStyle(element);
      const own = Object.keys(usual).filter((name) => style[name] !== usual[name])
        .map((name) => name + '=' + style[name]).join(';');
      grounds.set(element, own ? digest(ground(element.parentElement) + own) : ground(element.parentElement));
    }
    return grounds.get(element);
  };
  globalThis.belfryTexts = new Map();
  for (const element of document.body.querySelectorAll('*')) {
    const hasText = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
    const box = element.getBoundingClientRect();
    const isShown = element.checkVisibility({opacityProperty: true, visibilityProperty: true});
    if (!(hasText || element.matches('input, select, textarea')) || !isShown || box.width < 2 || box.height < 2) continue;
    const style = getComputedStyle(element);
    const isOff = element.closest(':disabled, [aria-disabled=true]') !== null;
    const look = digest([ground(element), style.color, style.fontSize, style.fontWeight, style.textShadow,
      style.webkitTextFillColor, isOff, hasText ? '' : element.type].join('|'));
    if (!belfryTexts.has(look)) belfryTexts.set(look, element);
  }
  return [...belfryTexts.keys()];
})()
"""


class Axe:
    def __init__(self, folder):
        """`folder`: where Scripts/setup has put the package."""
        file = pathlib.Path(folder) / "axe_playwright_python" / "axe.min.js"
        if not file.exists():
            raise SystemExit(f"There is no {file}: run Scripts/setup, which installs it.")
        self._script = file.read_text(encoding="utf-8")
        self._contrasted = set()

    def violations(self, browser, every_contrast=True):
        """A line for each rule that the page breaks.

        `every_contrast`: whether the contrast of every text is measured, which takes most of the time; otherwise only
        that of texts which look like none that was measured before.
        """
        if not browser.isolated("typeof axe !== 'undefined'"):
            browser.isolated(self._script + "\n;true")
        looks = browser.isolated(LOOKS)
        new = None if every_contrast else [look for look in looks if look not in self._contrasted]
        found = browser.isolated(RUN % json.dumps(new))
        self._contrasted.update(looks if every_contrast else found["measured"])
        return found["lines"]
