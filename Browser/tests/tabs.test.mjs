// The lock of the visible tabs: however fast a tab comes and goes, it stands for a visible page and for nothing else (WEB-3).
import { test } from "node:test";
import assert from "node:assert/strict";
import { browser } from "../belfry-edge.js";

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** As much of a page as the lock needs: it is granted a few turns after it was asked for. */
class Page extends EventTarget {
  visibilityState = "visible";
  held = new Set();

  constructor() {
    super();
    const page = this;
    const request = async (name, options, run) => {
      for (let left = 3; left; left -= 1) await turn();
      const lock = { name };
      page.held.add(lock);
      await run(lock);
      page.held.delete(lock);
    };
    const given = {
      isSecureContext: true, indexedDB: {}, document: this, navigator: { locks: { request, query: async () => ({ held: [...page.held] }) } }, addEventListener() {},
    };
    for (const [name, value] of Object.entries(given)) Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
    this.edge = browser({ appCode: "shop", serverURL: "http://server" });
  }

  become(state) {
    this.visibilityState = state;
    this.dispatchEvent(new Event("visibilitychange"));
  }

  async settle() { for (let left = 20; left; left -= 1) await turn(); }
}

for (const states of [["hidden"], ["hidden", "visible"], ["hidden", "visible", "hidden"], ["hidden", "visible", "hidden", "visible"]]) {
  for (const wait of [0, 1, 2, 3, 4]) {
    test(`WEB-3, EVT-6: a tab that is visible, then ${states.join(", ")} within ${wait} turns each, holds the lock only if it is visible`, async () => {
      const page = new Page();
      const stopped = new AbortController();
      page.edge.listen(() => {}, stopped.signal);
      for (const state of states) {
        for (let left = wait; left; left -= 1) await turn();
        page.become(state);
      }
      await page.settle();
      assert.equal(await page.edge.hasVisibleTab(), states.at(-1) === "visible");
      assert.ok(page.held.size <= 1);
      page.become("hidden");
      await page.settle();
      assert.equal(await page.edge.hasVisibleTab(), false, "nothing is held of what came before");
      page.become("visible");
      stopped.abort();
      await page.settle();
      assert.equal(await page.edge.hasVisibleTab(), false, "a page without the SDK does not count");
    });
  }
}
