// The lock of the visible tabs: however fast a tab comes and goes, it stands for a visible page and for nothing else; and the
// lock of the tab that leads, which a hidden tab that is suspended does not give back (WEB-3).
import { mock, test } from "node:test";
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

/** The locks of a browser, as one page sees them beside those of other tabs. */
class Locks {
  held = [];
  #waiting = [];

  /** Another tab takes what it holds until it gives it back; a suspended one never does. */
  hold(clientId, name) { this.held.push({ name, clientId }); }

  async request(name, { steal, signal, mode }, run) {
    const lock = { name, mode, clientId: "own" };
    if (steal) this.take(name);
    else if (mode !== "shared") {
      while (this.held.some((other) => other.name === name)) {
        await new Promise((resolve, reject) => {
          this.#waiting.push(resolve);
          signal?.addEventListener("abort", () => reject(signal.reason));
        });
      }
    }
    signal?.throwIfAborted();
    this.held.push(lock);
    const broken = new Promise((_, reject) => { lock.break = reject; });
    try {
      await Promise.race([run(lock), broken]);
    } finally {
      this.release(lock);
    }
  }

  /** Whoever had it does not any more. */
  take(name) {
    for (const lock of this.held.filter((other) => other.name === name)) {
      lock.break?.(new DOMException("It was stolen.", "AbortError"));
      this.release(lock);
    }
  }

  release(lock) {
    this.held = this.held.filter((other) => other !== lock);
    for (const wake of this.#waiting.splice(0)) wake();
  }

  async query() { return { held: [...this.held] }; }
}

/** A page that wants to lead, and how often it did. */
async function leading(visibilityState, others, body) {
  mock.timers.enable({ apis: ["setInterval", "setTimeout"] });
  const stopped = new AbortController();
  try {
    const locks = new Locks();
    for (const [clientId, name] of others) locks.hold(clientId, name);
    const document = Object.assign(new EventTarget(), { visibilityState });
    const given = { isSecureContext: true, indexedDB: {}, document, navigator: { locks }, addEventListener() {} };
    for (const [name, value] of Object.entries(given)) Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
    const edge = browser({ appCode: "shop", serverURL: "http://server" });
    const runs = [];
    edge.listen(() => {}, stopped.signal);
    edge.lead((signal) => {
      runs.push(signal);
      return new Promise((resolve) => signal.addEventListener("abort", resolve));
    }, stopped.signal);
    const settle = async () => { for (let left = 20; left; left -= 1) await turn(); };
    const pass = async (time) => {
      await settle();
      mock.timers.tick(time);
      await settle();
    };
    await body({ locks, runs, pass, stopped });
  } finally {
    stopped.abort();
    mock.timers.reset();
  }
}

const HIDDEN = [["other", "belfry-shop"]];

test("WEB-3: a visible tab takes the lead from a hidden one, which may be suspended and never give it back", () =>
  leading("visible", HIDDEN, async ({ runs, pass }) => {
    await pass(9_000);
    assert.equal(runs.length, 0, "the other one may have been hidden just now");
    await pass(1_000);
    assert.equal(runs.length, 1);
    await pass(60_000);
    assert.equal(runs.length, 1, "nobody is robbed again and again");
  }));

test("WEB-3: a tab takes the lead neither from a visible one, nor while it is hidden itself", async () => {
  await leading("visible", [...HIDDEN, ["other", "belfry-shop-visible"]], async ({ locks, runs, pass }) => {
    await pass(60_000);
    assert.equal(runs.length, 0);
    locks.take("belfry-shop");
    await pass(0);
    assert.equal(runs.length, 1, "it is the next one all the same");
  });
  await leading("hidden", [...HIDDEN, ["third", "belfry-shop-visible"]], async ({ runs, pass }) => {
    await pass(60_000);
    assert.equal(runs.length, 0);
  });
});

test("WEB-3: a tab from which the lead was taken ends its calls, and waits for the lead anew", () =>
  leading("hidden", [], async ({ locks, runs, pass, stopped }) => {
    await pass(0);
    assert.equal(runs.length, 1);
    locks.take("belfry-shop");
    locks.hold("other", "belfry-shop");
    await pass(30_000);
    assert.deepEqual(runs.map(({ aborted }) => aborted), [true]);
    locks.take("belfry-shop");
    await pass(0);
    assert.deepEqual(runs.map(({ aborted }) => aborted), [true, false]);
    stopped.abort();
    await pass(60_000);
    assert.deepEqual(runs.map(({ aborted }) => aborted), [true, true]);
  }));
