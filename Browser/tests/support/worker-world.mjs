// A service worker's surroundings under Node: the storage that fails on demand, notifications, windows, the network, other tabs.
import { freshState } from "../../belfry-state.js";
import { FakeIndexedDB } from "./fake-indexeddb.mjs";
import { afterTurns } from "./turns.mjs";

const SITE = "https://shop.example";
let workers = 0;

export class WorkerWorld {
  shown = [];
  opened = [];
  told = [];
  requests = [];
  badges = [];
  subscribed = [];
  windows = [];
  focused = [];
  locked = new Set();
  answer = () => ({ status: 204 });
  refusesNotification = () => false;
  refusesBadge = false;

  /** With a storage as a page of a linked visitor leaves it, or with none. */
  constructor({ state } = {}) {
    this.storage = new FakeIndexedDB();
    this.#install();
    if (state !== null) this.#store({ ...this.#linked(), ...state });
  }

  #linked() {
    const state = freshState("00000000-0000-4000-8000-000000000001");
    Object.assign(state, { serverURL: "https://push.example", clientState: "state-1" });
    Object.assign(state.push, { key: "key-1" });
    Object.assign(state.record, { osPushEnabled: true });
    Object.assign(state.link, { tokens: { contactToken: "token-1", refreshToken: "refresh-1" }, references: { 0: "tag-00000001.reference-1" } });
    state.tags.present = ["tag-00000001"];
    return state;
  }

  #store(state) {
    const rows = (pairs) => ({ rows: new Map(pairs), last: 0 });
    const queue = { count: 0, bytes: 0, droppedFull: 0, droppedOld: 0, setAside: 0 };
    this.storage.stored.set("belfry-shop", new Map([["kept", rows([["state", state], ["queue", queue]])], ["events", rows([])]]));
  }

  #install() {
    const world = this;
    const given = {
      indexedDB: this.storage,
      location: { origin: SITE, host: "shop.example" },
      BroadcastChannel: class { postMessage(message) { world.told.push(message); } close() {} },
      navigator: {
        setAppBadge: async (count) => {
          if (world.refusesBadge) throw new DOMException("The test says so.", "NotAllowedError");
          world.badges.push(count);
        },
        locks: { request: (name, options, act) => world.#lock(name, act) },
      },
      registration: {
        scope: `${SITE}/`,
        showNotification: async (title, options) => {
          if (world.refusesNotification(options)) throw new TypeError("The test says so.");
          world.shown.push({ title, ...structuredClone(options), close() {} });
        },
        pushManager: {
          subscribe: async ({ applicationServerKey }) => {
            world.subscribed.push(applicationServerKey);
            return { endpoint: "https://push.example/2", keys: {} };
          },
        },
      },
      clients: {
        matchAll: async ({ includeUncontrolled }) => world.windows.filter(({ isControlled }) => includeUncontrolled || isControlled),
        openWindow: async (url) => {
          if (!/^https?:/.test(url)) throw new TypeError("No window is opened for that.");
          world.#useClick();
          world.opened.push(url);
        },
      },
      fetch: (url, options) => world.#fetch(url, options),
      // The patience of the worker, in turns of the loop: a machine that stands still takes nobody's away.
      setTimeout: afterTurns,
    };
    for (const [name, value] of Object.entries(given)) {
      Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
    }
  }

  /** As in Chromium: a click brings one window to the front, or opens one. */
  #useClick() {
    if (!this.isClicked) throw new DOMException("The click was used.", "InvalidAccessError");
    this.isClicked = false;
  }

  /** An open tab of the site; only one that the worker controls can be led elsewhere. */
  tab(url, isControlled) {
    const tab = {
      url, isControlled,
      focus: async () => {
        this.#useClick();
        this.focused.push(tab);
        return tab;
      },
      navigate: async (address) => {
        if (!isControlled) throw new TypeError("It is another worker's, or nobody's.");
        tab.url = address;
        return tab;
      },
    };
    this.windows.push(tab);
    return tab;
  }

  async #lock(name, act) {
    this.locked.add(name);
    try {
      return await act({ name });
    } finally {
      this.locked.delete(name);
    }
  }

  async #fetch(url, { method, headers, body, redirect, signal }) {
    const request = { request: `${method} ${new URL(url).pathname.replace("/v3/apps/shop", "")}`, headers, body: JSON.parse(body), redirect };
    this.requests.push(request);
    const { status, json, text = json === undefined ? "" : JSON.stringify(json) } = await this.answer(request, signal);
    return {
      status, ok: status < 300, headers: { get: (key) => (key === "X-Client-State" ? "state-2" : null) }, json: async () => JSON.parse(text),
    };
  }

  /** A worker begins anew, as after the browser has ended it. */
  async start() {
    workers += 1;
    this.worker = await import(`../../belfry-worker.js?worker=${workers}`);
    return this;
  }

  /** What became of the event: whether it was Belfry's, and how its work ended. */
  async happen(event) {
    const works = [];
    this.isClicked = event.type === "notificationclick";
    const isOurs = this.worker.handle({ ...event, waitUntil: (work) => works.push(work) }, "shop");
    const [ended] = await Promise.allSettled(works);
    return { isOurs, error: ended?.reason };
  }
  push(payload) { return this.happen({ type: "push", data: { json: () => structuredClone(payload) } }); }
  click(notification = this.shown.at(-1), action = "") { return this.happen({ type: "notificationclick", action, notification }); }
  dismiss(notification = this.shown.at(-1)) { return this.happen({ type: "notificationclose", notification }); }

  /** The names of the reports that have reached the server, each once, since it knows them by their ids. */
  get reported() {
    const events = this.requests.filter(({ request }) => request === "POST /client/events").flatMap(({ body }) => body.events);
    return [...new Map(events.map((event) => [event.id, event.name])).values()];
  }
  /** What the site of an open page hears. */
  get reports() { return this.told.flatMap(({ reports = [] }) => reports); }
}

export const push = (sid, changes = {}) => ({
  notification: { title: "Hello", body: "There is news", tag: `belfry-${sid}`, navigate: "/product" },
  data: { order: "7" },
  belfry: { sid, campaign: "7", to: "tag-00000001", action: { type: "openUrl", url: "/product" }, ...changes },
});
